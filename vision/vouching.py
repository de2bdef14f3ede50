"""Weigh the network's judgement with the photo's own: two that agree may be trusted sooner than one.

A chance is an odds; a second opinion multiplies it. The factors were chosen on drawn prints that no network was trained
on, so that fewer than about one vouched cell in a thousand is wrong there and far fewer on photos of plainer prints.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.position import is_serendip
from vision.faces import Judgement
from vision.likeness import Likeness, compare

AGREED, DOUBTED, CONTRADICTED = 400.0, 0.1, 0.05
"""What the photo's own opinion multiplies the odds of a face by."""
NEARER = 20.0
"""How much nearer, in squared distance, a tile must be to its own kind than to any other."""
NEAR, FAR = 60.0, 120.0
"""Distances up to which a tile looks like its kind, and from which it does not: a hand, glare, another thing."""
ODD, ODDLY_FAR = 5.0, 25.0
"""Times the usual distance beyond which a tile is odd, if it is that far at all: perhaps no tile lies there."""
ALONE = 8.0
"""Times its own distance at which every other kind is too far away for an odd tile to be one of them."""
FACING, ASKEW = 0.1, 0.05
"""How much better a Serendip must fit the others as judged than turned to agree, and below what it contradicts."""
HUE, COLOURS = 0.1, 4
"""Radians by which the petals' hues must favour the ring, and from how many colours of flowers that says enough."""
LIKELY_RING, SURE_RING = 0.8, 0.9999
"""The chance of a ring that the flowers confirm, and of one that no flower speaks about, for Serendips to be sure."""
ALMOST = 1 - 1e-7


def weighed(
    patches: NDArray[np.uint8], judged: list[Judgement], copy: NDArray[np.uint8] | None = None
) -> list[Judgement]:
    """Return the judgements with the chances they have after a look at the other tiles of the photo or of the copy."""
    like = compare(patches, [each.face for each in judged], [each.chance for each in judged], copy)
    return [_weighed(each, like, i) for i, each in enumerate(judged)]


def _weighed(judgement: Judgement, like: Likeness, i: int) -> Judgement:
    chance = judgement.chance
    if not 0 < chance < 1:
        return judgement
    factor = _factor(like, i)
    if is_serendip(judgement.face):
        if not _has_sure_ring(judgement, like) or like.facing[i] < ASKEW:
            factor = CONTRADICTED
        elif factor == AGREED and like.facing[i] > FACING:
            # What the flowers say about the ring stands in for what the network thought of it.
            chance /= judgement.ring_chance
        else:
            factor = min(factor, 1.0)
    odds = factor * min(chance, ALMOST) / (1 - min(chance, ALMOST))
    weighed = odds / (1 + odds)
    rest = (1 - weighed) / max(1 - judgement.chance, 1e-9)
    chances = {face: share * rest for face, share in judgement.chances.items()}
    return replace(judgement, chance=weighed, chances={**chances, judgement.face: weighed})


def _factor(like: Likeness, i: int) -> float:
    """Say by how much the look of the other tiles changes the odds of a tile's kind."""
    own, ahead = like.own[i], like.rival[i] - like.own[i]
    odd = own > ODD * max(like.usual[i], 2.0)
    if ahead > NEARER and own < NEAR and not odd:
        return AGREED
    if own < NEAR and like.rival[i] > ALONE * own:
        return 1.0  # odd, by a reflection perhaps, and yet far from everything else
    return DOUBTED if ahead < NEARER or own > FAR or (odd and own > ODDLY_FAR) else 1.0


def _has_sure_ring(judgement: Judgement, like: Likeness) -> bool:
    if like.colours >= COLOURS:
        return like.hues > HUE and judgement.ring_chance > LIKELY_RING
    return judgement.ring_chance > SURE_RING and not (like.colours and like.hues < HUE)
