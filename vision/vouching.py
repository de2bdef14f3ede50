"""Weigh the network's judgement with the photo's own, and say how far the two together are to be trusted.

The network knows many prints; the photo shows how the other tiles of a kind look here. Both speak about every kind, so
that the photo may overrule the network, in glare for one. How much each counts, and how often the outcome is right, was
fitted by `tests.training.confidence` on drawn prints that no network was trained on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, isnan, log
from operator import mul

import numpy as np
from numpy.typing import NDArray

from engine.position import EMPTY, UNKNOWN, Face, is_serendip
from vision.faces import HIDDEN, SERENDIP, Judgement, bound_kinds, kind_of
from vision.kinds import KINDS
from vision.likeness import Likeness, compare

Array = NDArray[np.float64]

NO_TILE = KINDS.index(EMPTY)
MOST = 300.0
"""Squared distance beyond which it makes no difference how far a tile is from a kind."""
ASKEW = 0.05
"""How much better a Serendip must fit the others as judged than turned; with less it contradicts them."""
HUE, COLOURS = 0.1, 4
"""Radians by which the petals' hues must favour the ring, and from how many colours of flowers that says enough."""
LIKELY_RING, SURE_RING = 0.99, 0.9999
"""The chance of a ring that the flowers confirm, and of one that no flower speaks about, for Serendips to be sure."""
DOUBTED = 0.85
"""The most a Serendip is trusted that lies otherwise than others, or whose ring is in doubt: so often it is right."""
ALMOST = 1 - 1e-7


@dataclass(frozen=True)
class Weights:
    """What each opinion counts.

    The photo's own counts by the logarithm of a distance and by the distance; `unseen` stands in for it where a kind
    has too few examples, `no_tile` and `hidden` for places without a tile and for those that are not to be seen.
    """

    network: float
    log_away: float
    away: float
    unseen: float
    no_tile: float
    hidden: float


WEIGHTS = Weights(0.886, 0.108, 0.772, -0.527, -1.469, -1.206)
TRUST: Mapping[str, tuple[float, ...]] = {
    "flower": (2.686, 0.968, -0.332, -0.054, 1.231, -0.183),
    "serendip": (0.131, 1.126, 0.213, 0.03, 0.002, 0.365, 0.024),
    "lone": (-0.576, 0.581, 0.21),
}
"""How the odds that a face is right follow from what `evidence` says of it, for tiles that can be compared with others
of their kind, for such Serendips, and for the only ones of their kind."""


def weighed(
    patches: NDArray[np.uint8], judged: Sequence[Judgement], copy: NDArray[np.uint8] | None = None
) -> list[Judgement]:
    """Return the judgements after a look at the other tiles of the photo or of the copy.

    Where the free judgement and the one that is bound to thirteen tiles of a kind differ, it is marked.
    """
    like = compare(patches, [each.face for each in judged], [each.chance for each in judged], copy)
    opinions = second_opinion(like.away, WEIGHTS)
    after = [_weighed(each, like, opinions[i], i) for i, each in enumerate(judged)]
    kinds = np.zeros((len(after), len(KINDS)))
    for i, each in enumerate(after):
        for face, chance in each.chances.items():
            kinds[i, kind_of(face)] += chance
    held = bound_kinds(kinds)
    return [replace(each, bound=bool(held[i] != kinds[i].argmax())) for i, each in enumerate(after)]


def second_opinion(away: Array, weights: Weights) -> Array:
    """Return what the photo itself says of every cell and kind, as logarithms (91, kinds)."""
    near = np.minimum(np.nan_to_num(away, nan=0.0), MOST)
    said = -weights.log_away * np.log(near + 2) - weights.away * near / 100
    said[np.isnan(away)] = weights.unseen
    said[:, NO_TILE], said[:, HIDDEN] = weights.no_tile, weights.hidden
    return np.asarray(said)


def evidence(face: Face, chance: float, like: Likeness, i: int) -> tuple[str, list[float]]:
    """Return which of `TRUST` a face belongs to, and what speaks for it: its odds, and how a tile fits its kind."""
    kind = kind_of(face)
    own, usual = float(like.away[i, kind]), float(like.usual[kind])
    chance = min(max(chance, 1e-6), ALMOST)
    odds = log(chance / (1 - chance))
    if isnan(own) or isnan(usual):
        others = [far for far in like.away[i].tolist() if not isnan(far)]
        return "lone", [1.0, odds, log(min([*others, MOST]) + 2) if others else 0.0]
    fit = [1.0, odds, log(own + 2), log((own + 2) / (usual + 2)), max(0.0, odds - 7), float(like.odds[kind])]
    if kind != SERENDIP:
        return "flower", fit
    return "serendip", [*fit, min(max(float(np.nan_to_num(like.facing[i])), 0.0), 0.5)]


def _weighed(judgement: Judgement, like: Likeness, opinion: Array, i: int) -> Judgement:
    if not 0 < judgement.chance < 1:
        return judgement
    logs = shared_logs(judgement, opinion, WEIGHTS, has_sure_ring(judgement, like))
    top = max(logs.values())
    shares = {face: exp(said - top) for face, said in logs.items()}
    total = sum(shares.values())
    ranked = sorted(shares, key=lambda face: -shares[face])
    face = ranked[0]
    runner_up = ranked[1] if len(ranked) > 1 else judgement.runner_up
    chance = 0.0 if face == UNKNOWN else trusted(face, shares[face] / total, judgement, like, i)
    rest = (1 - chance) / max(total - shares[face], 1e-12)
    chances = {other: share * rest for other, share in shares.items()}
    return replace(judgement, face=face, chance=chance, runner_up=runner_up, chances={**chances, face: chance})


def shared_logs(judgement: Judgement, opinion: Array, weights: Weights, sure_ring: bool) -> dict[Face, float]:
    """Return what both opinions say of each face, as logarithms.

    What the flowers say about a sure ring stands in for what the network thought of it.
    """
    said = opinion.tolist()
    ring = log(max(judgement.ring_chance, 1e-9)) if sure_ring else 0.0
    return {
        face: weights.network * (log(max(chance, 1e-9)) - (ring if is_serendip(face) else 0.0)) + said[kind_of(face)]
        for face, chance in judgement.chances.items()
    }


def trusted(face: Face, share: float, judgement: Judgement, like: Likeness, i: int) -> float:
    """Return the chance that a face is right that has this share of both opinions."""
    which, said = evidence(face, share, like, i)
    odds = exp(min(max(sum(map(mul, said, TRUST[which])), -20.0), 20.0))
    doubted = is_serendip(face) and not (has_sure_ring(judgement, like) and like.facing[i] > ASKEW)
    return min(odds / (1 + odds), DOUBTED if doubted else ALMOST)


def has_sure_ring(judgement: Judgement, like: Likeness) -> bool:
    """Say whether the ring of all Serendips is beyond doubt: by the flowers in its colours, or by the network alone."""
    if like.colours >= COLOURS:
        return like.hues > HUE and judgement.ring_chance > LIKELY_RING
    return judgement.ring_chance > SURE_RING and not (like.colours and like.hues < HUE)
