"""Judge the faces of all tiles of a photo together.

What the networks see is corrected by what is always true of the game: all Serendips share one ring, and there are
thirteen tiles of a kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from engine.position import COPIES, EMPTY, LETTERS, UNKNOWN, Face, ring_of
from vision.eyes import Look
from vision.kinds import KINDS
from vision.reading import FADED

Array = NDArray[np.float64]

SERENDIP = KINDS.index("S")
HIDDEN = KINDS.index(UNKNOWN)
LIKELY = 0.05
"""The chance of being a Serendip from which a tile's petals are looked at."""
SHARED = 0.5
"""How much of an error about petals all Serendips of a photo share: two colours that look alike do so on every tile."""
_KIND_OF = {face: kind for kind, face in enumerate(KINDS)}
ARRANGEMENTS = np.array(list(permutations(range(6))))
RINGS = sorted({ring_of("".join(LETTERS[c] for c in row)) for row in ARRANGEMENTS})


@dataclass(frozen=True)
class Judgement:
    """What a cell shows: the face, its chance of being right, and the next best face.

    `chances` are those of every face, with `?` for a tile that is not to be seen; `ring_chance` is that of the ring
    that all Serendips share; `bound` says that there would be too many of its kind, so that some must be others.
    """

    face: Face
    chance: float
    runner_up: Face
    chances: Mapping[Face, float]
    ring_chance: float = 1.0
    bound: bool = False


def judge_faces(seen: Look, known_ring: str = "") -> tuple[list[Judgement], str]:
    """Return a judgement for each of the 91 cells, by index, and the ring ("" while no Serendip shows it)."""
    kinds = _softmax(seen.kinds)
    ring, sure_ring, turns = _judge_ring(kinds[:, SERENDIP], _log_softmax(seen.petals), known_ring)
    shown = [ring_face(ring, turn) for turn in range(6)]
    every = [face for face in KINDS if face != "S"] + shown
    chances = np.delete(kinds, SERENDIP, 1)
    chances = np.concatenate([chances, kinds[:, SERENDIP : SERENDIP + 1] * turns * sure_ring], 1)
    ranks = np.argsort(-chances, axis=1, kind="stable")
    best, facing = kinds.argmax(1).tolist(), turns.argmax(1).tolist()
    out = []
    for row, rank, kind, turn in zip(chances.tolist(), ranks.tolist(), best, facing, strict=True):
        told = {every[k]: row[k] for k in rank if row[k] > FADED or k == rank[0]}
        face = KINDS[kind] if kind != SERENDIP else shown[turn]
        runner = next((other for other in told if other != face), UNKNOWN)
        out.append(Judgement(face, 0.0 if face == UNKNOWN else told.get(face, 0.0), runner, told, sure_ring))
    return out, ring if sure_ring > 0.5 else ""


def kind_of(face: Face) -> int:
    """Return the kind of a face, as an index of `KINDS`."""
    return _KIND_OF.get(face, SERENDIP)


def ring_face(ring: str, turns: int) -> Face:
    """Return the petals by direction of a Serendip of this ring, turned counter-clockwise by so many edges."""
    return ring[-turns % 6 :] + ring[: -turns % 6]


@lru_cache(maxsize=1)
def _columns() -> NDArray[np.int64]:
    """Return, for each ring and each of its six turns, the row of `ARRANGEMENTS` (120, 6)."""
    rows = {"".join(LETTERS[c] for c in row): k for k, row in enumerate(ARRANGEMENTS)}
    return np.array([[rows[ring_face(ring, turn)] for turn in range(6)] for ring in RINGS])


def _judge_ring(serendip: Array, petals: Array, known: str) -> tuple[str, float, Array]:
    """Find the one ring of all Serendips; return it, its chance, and each cell's chances of the six turns."""
    turns = np.full((len(serendip), 6), 1 / 6)
    likely = serendip > LIKELY
    by_ring, chances = _ring_chances(serendip, petals)
    if chances is None:
        return known or RINGS[0], float(bool(known)), turns
    best = RINGS.index(ring_of(known)) if known else int(chances.argmax())
    turns[likely] = _softmax(by_ring[:, best])
    return RINGS[best], 1.0 if known else float(chances[best]), turns


def _ring_chances(serendip: Array, petals: Array) -> tuple[Array, Array | None]:
    """Return how each likely Serendip fits each ring in each turn, and the chance of each ring where one is seen."""
    likely = serendip > LIKELY
    weight = np.where(serendip > 0.5, serendip, 0.0)[likely]
    fits = sum(petals[likely, d][:, ARRANGEMENTS[:, d]] for d in range(6))
    by_ring = np.asarray(fits)[:, _columns()]
    if not weight.any():
        return by_ring, None
    agreeing = max(1.0, SHARED * float(weight.sum()))
    return by_ring, _softmax((weight @ _log_sum(by_ring))[None] / agreeing)[0]


def ring_chance(seen: Look, ring: str) -> float:
    """Return the chance that the Serendips of a board have this ring, as far as it shows any."""
    _, chances = _ring_chances(_softmax(seen.kinds)[:, SERENDIP], _log_softmax(seen.petals))
    return 1.0 if chances is None else float(chances[RINGS.index(ring_of(ring))])


def bound_kinds(kinds: Array) -> NDArray[np.int64]:
    """Give each cell a kind by the chances (91, kinds), no flower and no Serendip more than thirteen times."""
    free = kinds.argmax(1)
    counted = list(range(1, SERENDIP + 1))
    if all((free == kind).sum() <= COPIES for kind in counted):
        return np.asarray(free)
    slots = [kind for kind in counted for _ in range(COPIES)]
    slots += [kind for kind in (0, KINDS.index(EMPTY), HIDDEN) for _ in range(len(kinds))]
    chosen = linear_sum_assignment(-np.log(kinds[:, slots] + 1e-12))[1]
    return np.asarray(np.array(slots)[chosen], np.int64)


def _softmax(logits: Array) -> Array:
    return np.asarray(np.exp(_log_softmax(logits)))


def _log_softmax(logits: Array) -> Array:
    top = logits - logits.max(-1, keepdims=True)
    return np.asarray(top - np.log(np.exp(top).sum(-1, keepdims=True)))


def _log_sum(logits: Array) -> Array:
    top = logits.max(-1)
    return np.asarray(top + np.log(np.exp(logits - top[..., None]).sum(-1)))
