"""Weigh the network's judgement with the photo's own, and say how far the two together are to be trusted.

The network knows many prints; the photo shows how the other tiles of a kind look here. Both speak about every kind, so
that the photo may overrule the network, in glare for one. How often the outcome is right is said by a second, tiny
network, from all that speaks for a tile. Both were fitted by `tests.training.confidence`, on boards that the network of
the faces was not trained on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.position import Face
from vision.faces import HIDDEN, SERENDIP, Judgement, bound_kinds, kind_of
from vision.kinds import KINDS
from vision.likeness import Likeness, compare
from vision.trust import MOST, NO_TILE, Claim, trusted

Array = NDArray[np.float64]

HUE, COLOURS = 0.1, 4
"""Radians by which the petals' hues must favour the ring, and from how many colours of flowers that says enough."""
LIKELY_RING, SURE_RING = 0.99, 0.9999
"""The chance of a ring that the flowers confirm, and of one that no flower speaks about, for Serendips to be sure."""
LEAST = 1e-9
"""No opinion thinks less of a face than this, as a chance."""


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


WEIGHTS = Weights(0.904, 0.021, 0.693, -0.612, -0.656, -1.03)


@dataclass(frozen=True, eq=False)
class Shares:
    """What both opinions together say of a board: every face's share of each cell, and those of the kinds (91, 10)."""

    faces: list[dict[Face, float]]
    kinds: Array


def weighed(
    patches: NDArray[np.uint8], judged: Sequence[Judgement], copy: NDArray[np.uint8] | None = None
) -> list[Judgement]:
    """Return the judgements after a look at the other tiles of the photo or of the copy.

    Where the free judgement and the one that is bound to thirteen tiles of a kind differ, it is marked.
    """
    like = compare(patches, [each.face for each in judged], [each.chance for each in judged], copy)
    shares = shared(judged, like, WEIGHTS)
    claims = claimed(judged, shares)
    chances = trusted(claims, like)
    return [
        _told(each, shares.faces[i], claims[i], float(chances[i])) if 0 < each.chance < 1 else each
        for i, each in enumerate(judged)
    ]


def claimed(judged: Sequence[Judgement], shares: Shares) -> list[Claim]:
    """Return the best face of each cell with what both opinions say of it."""
    bound = (bound_kinds(shares.kinds) != shares.kinds.argmax(1)).tolist()
    out = []
    for i, (each, share) in enumerate(zip(judged, shares.faces, strict=True)):
        best, *others = sorted(share, key=share.__getitem__, reverse=True)
        runner_up, kind = others[0] if others else "", kind_of(best)
        network = sum(chance for face, chance in each.chances.items() if kind_of(face) == kind)
        rival = kind_of(runner_up) if runner_up else HIDDEN
        out.append(Claim(best, share[best], kind, network, runner_up, rival, each.ring_chance, bound[i]))
    return out


def _told(before: Judgement, shares: dict[Face, float], claim: Claim, chance: float) -> Judgement:
    """Return a judgement with the face that is claimed and the chance that it is right."""
    rest = (1 - chance) / max(1 - claim.share, 1e-12)
    chances = {face: share * rest for face, share in shares.items()}
    chances[claim.face] = chance
    runner_up = claim.runner_up or before.runner_up
    return Judgement(claim.face, chance, runner_up, chances, before.ring_chance, claim.bound)


def shared(judged: Sequence[Judgement], like: Likeness, weights: Weights) -> Shares:
    """Weigh both opinions of every face of every cell.

    What the flowers say about a sure ring stands in for what the network thought of it.
    """
    cells = np.array([i for i, each in enumerate(judged) for _ in each.chances])
    every = [face for each in judged for face in each.chances]
    kinds = np.array([kind_of(face) for face in every])
    logs = np.log(np.maximum([chance for each in judged for chance in each.chances.values()], LEAST))
    rings = np.array([max(each.ring_chance, LEAST) if has_sure_ring(each, like) else 1.0 for each in judged])
    logs -= np.where(kinds == SERENDIP, np.log(rings)[cells], 0.0)
    said = np.exp(weights.network * logs + second_opinion(like.away, weights)[cells, kinds])
    total = np.bincount(cells, said, len(judged))
    said /= total[cells]
    by_kind = np.zeros((len(judged), len(KINDS)))
    np.add.at(by_kind, (cells, kinds), said)
    faces: list[dict[Face, float]] = [{} for _ in judged]
    for i, face, share in zip(cells.tolist(), every, said.tolist(), strict=True):
        faces[i][face] = share
    return Shares(faces, by_kind)


def second_opinion(away: Array, weights: Weights) -> Array:
    """Return what the photo itself says of every cell and kind, as logarithms (91, kinds)."""
    near = np.minimum(np.nan_to_num(away, nan=0.0), MOST)
    said = -weights.log_away * np.log(near + 2) - weights.away * near / 100
    said[np.isnan(away)] = weights.unseen
    said[:, NO_TILE], said[:, HIDDEN] = weights.no_tile, weights.hidden
    return np.asarray(said)


def has_sure_ring(judgement: Judgement, like: Likeness) -> bool:
    """Say whether the ring of all Serendips is beyond doubt: by the flowers in its colours, or by the network alone."""
    if like.colours >= COLOURS:
        return like.hues > HUE and judgement.ring_chance > LIKELY_RING
    return judgement.ring_chance > SURE_RING and not (like.colours and like.hues < HUE)
