"""Judge the faces of all tiles of a photo together.

A small network looks at all patches at once. What is always true of the game then corrects it: all Serendips share one
ring, and there are thirteen tiles of a kind. Where the free and the bound judgement differ, the cell is asked about.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from engine import board_of
from engine.position import COPIES, EMPTY, LETTERS, UNKNOWN, Face, ring_of
from vision.kinds import KINDS
from vision.lattice import Lattice
from vision.patches import cut_patches
from vision.reading import FADED

Array = NDArray[np.float64]

SERENDIP = KINDS.index("S")
HIDDEN = KINDS.index(UNKNOWN)
TURNS = (0, 3)
"""The board is judged from these sides of the table; a tile must look the same from each."""

ARRANGEMENTS = np.array(list(permutations(range(6))))
RINGS = sorted({ring_of("".join(LETTERS[c] for c in row)) for row in ARRANGEMENTS})
RING_OF = np.array([RINGS.index(ring_of("".join(LETTERS[c] for c in row))) for row in ARRANGEMENTS])


@dataclass(frozen=True)
class Judgement:
    """What a cell shows: the face, its chance of being right, the next best face, and whether the rules had to help.

    `chances` are those of every face, with `?` for a tile that is not to be seen.
    """

    face: Face
    chance: float
    runner_up: Face
    bound: bool
    chances: Mapping[Face, float]


@lru_cache(maxsize=1)
def _network() -> "cv2.dnn.Net":
    return cv2.dnn.readNetFromONNX(str(Path(__file__).with_name("faces.onnx")))


def judge_faces(image: NDArray[np.uint8], lattice: Lattice) -> tuple[list[Judgement], str]:
    """Return a judgement for each of the 91 cells, by index, and the ring ("" while no Serendip shows it)."""
    views = [_view(image, lattice, turns) for turns in TURNS]
    kinds = _softmax(np.mean([kind for kind, _ in views], axis=0))
    apart = np.array([kind.argmax(1) for kind, _ in views])
    agreed = (apart == apart[0]).all(0)
    petals = _log_softmax(np.mean([petal for _, petal in views], axis=0))
    ring, sure_ring, turns = _judge_ring(kinds[:, SERENDIP], petals)
    bound = _bound_kinds(kinds)
    out = []
    for i, row in enumerate(kinds):
        order = row.argsort()[::-1]
        best, second = int(order[0]), int(order[1])
        names = {kind: KINDS[kind] for kind in (best, second)}
        chance = float(row[best])
        names[SERENDIP] = ring_face(ring, int(turns[i].argmax()))
        if best == SERENDIP:
            chance *= float(turns[i].max()) * sure_ring
            if turns[i].max() < row[best]:
                second = SERENDIP
        runner = names.get(second, UNKNOWN)
        if best == SERENDIP and second == SERENDIP:
            runner = ring_face(ring, int(turns[i].argsort()[-2]))
        face = names[best]
        if best == HIDDEN:
            face, chance = UNKNOWN, 0.0
        chances = _face_chances(row, turns[i] * sure_ring, ring)
        out.append(Judgement(face, chance, runner, bool(bound[i] != best or not agreed[i]), chances))
    return out, ring if sure_ring > 0.5 else ""


def _face_chances(kinds: Array, turns: Array, ring: str) -> dict[Face, float]:
    """Return the chance of every face: the kinds as they are, a Serendip in each of its six turns."""
    chances = {face: float(kinds[kind]) for kind, face in enumerate(KINDS) if kind != SERENDIP}
    chances |= {ring_face(ring, turn): float(kinds[SERENDIP] * turns[turn]) for turn in range(6)}
    return {face: chance for face, chance in chances.items() if chance > FADED}


def ring_face(ring: str, turns: int) -> Face:
    """Return the petals by direction of a Serendip of this ring, turned counter-clockwise by so many edges."""
    return ring[-turns % 6 :] + ring[: -turns % 6]


def _view(image: NDArray[np.uint8], lattice: Lattice, turns: int) -> tuple[Array, Array]:
    """Judge the board as if it were named from another side of the table; return logits in the board's own names."""
    patches = cut_patches(image, lattice.turned(turns), 6)
    network = _network()
    network.setInput(cv2.dnn.blobFromImages(list(patches), 1 / 255))
    logits = network.forward().astype(np.float64)
    there = list(board_of(6).turns[turns])
    kinds = logits[there, : len(KINDS)]
    petals = logits[there, len(KINDS) :].reshape(-1, 6, 6)
    return kinds, np.roll(petals, -turns, axis=1)


def _judge_ring(serendip: Array, petals: Array) -> tuple[str, float, Array]:
    """Find the one ring of all Serendips; return it, its chance, and each cell's chances of the six turns."""
    fits = np.sum([petals[:, d, ARRANGEMENTS[:, d]] for d in range(6)], axis=0)
    by_ring = np.stack([_log_sum(fits[:, k == RING_OF]) for k in range(len(RINGS))], 1)
    weight = np.where(serendip > 0.5, serendip, 0.0)
    if not weight.any():
        return RINGS[0], 0.0, np.full((len(serendip), 6), 1 / 6)
    worth = weight @ by_ring
    chances = _softmax(worth[None])[0]
    best = int(worth.argmax())
    faces = ["".join(LETTERS[c] for c in row) for row in ARRANGEMENTS]
    columns = [faces.index(ring_face(RINGS[best], turns)) for turns in range(6)]
    return RINGS[best], float(chances[best]), _softmax(fits[:, columns])


def _bound_kinds(kinds: Array) -> NDArray[np.int64]:
    """Give each cell a kind so that no flower and no Serendip is there more than thirteen times."""
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
    top = logits.max(1)
    return np.asarray(top + np.log(np.exp(logits - top[:, None]).sum(1)))
