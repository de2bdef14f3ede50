"""Two small networks that look at all tiles of a board, each in two halves.

The first half, the eye, sees each tile by itself and takes most of the time: a tile that looks as before is not looked
at again. The second lets the tiles of the table, and eight of the player's own copy where there is a profile, look at
each other. One network is enough for a plain photo; where it has a doubt the other looks too, in a mirror: trained on
other boards and seeing it the other way round, it seldom makes the same mistake.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from engine.board import Cell
from vision.kinds import KINDS, SHOWN
from vision.patches import PATCH

Array = NDArray[np.float64]
Tiles = NDArray[np.uint8]
Marks = NDArray[np.float32]
"""What an eye makes of tiles (n, marks)."""

FEW = 8
"""Tiles are looked at so many at a time: the copy's eight, or those that changed."""
PLAIN = 0.9
"""The chance that every tile of a board must have for one look to be enough; a third of all photos need another."""


@dataclass(frozen=True)
class Look:
    """What the networks say of a board: logits of kinds (91, 10) and of petal colours by direction (91, 6, 6)."""

    kinds: Array
    petals: Array


class TilesSeen:
    """The 91 tiles of a board (91, PATCH, PATCH, 3), and what each eye that has looked at them made of them."""

    def __init__(self, patches: Tiles, marks: dict[bool, Marks] | None = None) -> None:
        """Take the tiles; they are looked at when somebody asks."""
        self.patches = patches
        self._marks = marks or {}

    def again(self, patches: Tiles, changed: list[int]) -> "TilesSeen":
        """Return the tiles after some have changed, by index: only these will be looked at again."""
        tiles, marks = self.patches.copy(), {mirrored: known.copy() for mirrored, known in self._marks.items()}
        tiles[changed] = patches[changed]
        for mirrored, known in marks.items():
            for start in range(0, len(changed), FEW):
                cells = changed[start : start + FEW]
                known[cells] = _marked(patches[cells], mirrored, FEW)
        return TilesSeen(tiles, marks)

    def look(self, shown: Tiles | None = None, mirrored: bool = False) -> Look:
        """Say what the first network thinks of the tiles beside eight of the copy, or the second one in a mirror."""
        if mirrored not in self._marks:
            self._marks[mirrored] = _marked(self.patches, mirrored, len(self.patches))
        cells, directions = _mirror() if mirrored else (slice(None), slice(None))
        copy = _nothing(mirrored) if shown is None else _marked(shown, mirrored, FEW)
        network = _table(mirrored)
        network.setInput(np.concatenate([self._marks[mirrored][cells], copy]))
        said = network.forward()[: len(self.patches)].astype(np.float64)[cells]
        petals = said[:, len(KINDS) : len(KINDS) + 36].reshape(-1, 6, 6)
        return Look(said[:, : len(KINDS)], petals[:, directions])

    def look_well(self) -> Look:
        """Look at the tiles, and where a doubt is left let the other network look as well."""
        once = self.look()
        odds = once.kinds - once.kinds.max(1, keepdims=True)
        if (np.exp(odds).sum(1) < 1 / PLAIN).all():
            return once
        again = self.look(mirrored=True)
        return Look((once.kinds + again.kinds) / 2, (once.petals + again.petals) / 2)


def _marked(tiles: Tiles, mirrored: bool, count: int) -> Marks:
    """Look at some tiles; always `count`, for another number would set the network up anew."""
    seen = np.zeros((count, PATCH, PATCH, 3), np.float32)
    # Top and bottom change places, so that the blue petal of the copy's Serendip stays in the east.
    seen[: len(tiles)] = tiles[:, ::-1] if mirrored else tiles
    network = _eye(mirrored, count)
    network.setInput(np.ascontiguousarray(seen.transpose(0, 3, 1, 2)) / np.float32(255))
    return np.asarray(network.forward()[: len(tiles)], np.float32).copy()


@lru_cache(maxsize=2)
def _nothing(mirrored: bool) -> Marks:
    return _marked(np.zeros((len(SHOWN), PATCH, PATCH, 3), np.uint8), mirrored, FEW)


@lru_cache(maxsize=4)
def _eye(mirrored: bool, count: int) -> "cv2.dnn.Net":
    """Return a network of its own for each number of tiles."""
    del count
    return _half("eye", mirrored)


@lru_cache(maxsize=2)
def _table(mirrored: bool) -> "cv2.dnn.Net":
    return _half("table", mirrored)


def _half(name: str, mirrored: bool) -> "cv2.dnn.Net":
    return cv2.dnn.readNetFromONNX(str(Path(__file__).with_name(f"{name}_{2 if mirrored else 1}.onnx")))


@lru_cache(maxsize=1)
def _mirror() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which cell and which direction lies where each is, after top and bottom of a board have changed places."""
    board = board_of(6)
    cells = np.array([board.index_of[Cell(q + r, -r)] for q, r in board.cells])
    return cells, -np.arange(6) % 6
