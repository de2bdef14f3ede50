"""Judge the faces of all tiles of a photo together.

A small network looks at all patches at once, and at tiles of the player's own copy where there is a profile. What is
always true of the game then corrects it: all Serendips share one ring, and there are thirteen tiles of a kind.
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
from engine.board import Cell
from engine.position import COPIES, EMPTY, LETTERS, UNKNOWN, Face, ring_of
from vision.kinds import KINDS, SHOWN
from vision.patches import PATCH
from vision.reading import FADED

Array = NDArray[np.float64]
Tiles = NDArray[np.uint8]

SERENDIP = KINDS.index("S")
HIDDEN = KINDS.index(UNKNOWN)
KIND_HEAT, PETAL_HEAT = 1.0, 1.0
"""The network's logits are divided by these, so that its chances come true; fitted by `tests.training.confidence`."""
SHARED = 0.5
"""How much of an error about petals all Serendips of a photo share: two colours that look alike do so on every tile."""
PLAIN = 0.99
"""The chance that every tile of a board must have for one look to be enough; half of all photos need another."""

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


@dataclass(frozen=True)
class Look:
    """What the network says of a board: logits of kinds (91, 10) and of petal colours by direction (91, 6, 6)."""

    kinds: Array
    petals: Array


@lru_cache(maxsize=1)
def _network() -> "cv2.dnn.Net":
    return cv2.dnn.readNetFromONNX(str(Path(__file__).with_name("faces.onnx")))


def look_well(patches: Tiles, shown: Tiles | None = None) -> Look:
    """Look at a board, and where it leaves a doubt look again in a mirror: errors of the two seldom agree."""
    once = look(patches, shown)
    if _softmax(once.kinds).max(1).min() > PLAIN:
        return once
    again = look(patches, shown, mirrored=True)
    return Look((once.kinds + again.kinds) / 2, (once.petals + again.petals) / 2)


def look(patches: Tiles, shown: Tiles | None = None, mirrored: bool = False) -> Look:
    """Show the network all patches of a board and, if there are any, eight tiles of the copy.

    In a mirror it sees the same board from another side, and answers as if there were none.
    """
    if shown is None:
        shown = np.zeros((len(SHOWN), PATCH, PATCH, 3), np.uint8)
    places, directions = _mirror() if mirrored else (slice(None), slice(None))
    seen = np.concatenate([patches[places], shown])
    # Top and bottom change places, so that the blue petal of the copy's Serendip stays in the east.
    seen = seen[:, ::-1] if mirrored else seen
    network = _network()
    network.setInput(np.ascontiguousarray(seen.transpose(0, 3, 1, 2), np.float32) / np.float32(255))
    cells = network.forward()[: len(patches)].astype(np.float64)[places]
    petals = cells[:, len(KINDS) : len(KINDS) + 36].reshape(-1, 6, 6)[:, directions]
    return Look(cells[:, : len(KINDS)] / KIND_HEAT, petals / PETAL_HEAT)


@lru_cache(maxsize=1)
def _mirror() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which cell and which direction lies where each is, after top and bottom of a board have changed places."""
    board = board_of(6)
    cells = np.array([board.index_of[Cell(q + r, -r)] for q, r in board.cells])
    return cells, -np.arange(6) % 6


def judge_faces(seen: Look, known_ring: str = "") -> tuple[list[Judgement], str]:
    """Return a judgement for each of the 91 cells, by index, and the ring ("" while no Serendip shows it)."""
    kinds = _softmax(seen.kinds)
    ring, sure_ring, turns = _judge_ring(kinds[:, SERENDIP], _log_softmax(seen.petals), known_ring)
    out = []
    for row, turn in zip(kinds, turns * sure_ring, strict=True):
        chances = _face_chances(row, turn, ring)
        ranked = sorted(chances, key=lambda face: -chances[face])
        kind = int(row.argmax())
        face = KINDS[kind] if kind != SERENDIP else ring_face(ring, int(turn.argmax()))
        runner = next((other for other in ranked if other != face), UNKNOWN)
        chance = 0.0 if face == UNKNOWN else chances.get(face, 0.0)
        out.append(Judgement(face, chance, runner, chances, sure_ring))
    return out, ring if sure_ring > 0.5 else ""


def _face_chances(kinds: Array, turns: Array, ring: str) -> dict[Face, float]:
    """Return the chance of every face: the kinds as they are, a Serendip in each of its six turns."""
    chances = {face: float(kinds[kind]) for kind, face in enumerate(KINDS) if kind != SERENDIP}
    chances |= {ring_face(ring, turn): float(kinds[SERENDIP] * turns[turn]) for turn in range(6)}
    best = max(chances.values())
    return {face: chance for face, chance in chances.items() if chance > FADED or chance == best}


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
    likely = serendip > 0.05
    weight = np.where(serendip > 0.5, serendip, 0.0)[likely]
    if not weight.any():
        return known or RINGS[0], float(bool(known)), turns
    fits = np.sum([petals[likely, d][:, ARRANGEMENTS[:, d]] for d in range(6)], axis=0)
    by_ring = fits[:, _columns()]
    agreeing = max(1.0, SHARED * float(weight.sum()))
    chances = _softmax((weight @ _log_sum(by_ring))[None] / agreeing)[0]
    best = RINGS.index(ring_of(known)) if known else int(chances.argmax())
    turns[likely] = _softmax(by_ring[:, best])
    return RINGS[best], 1.0 if known else float(chances[best]), turns


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
