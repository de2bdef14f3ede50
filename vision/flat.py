"""The flat view: a board as it would look from straight above, with the ring of places round it.

A small network looks at it and says of every place whether a tile of a board lies there, and how far beside.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from vision.glance import Levels
from vision.lattice import Lattice, Points, places

TILE = 16
"""Pixels between neighbouring tiles in the flat view."""
STRIDE = 4
"""Pixels of the view for one of the network's answer."""
WIDTH, HEIGHT = 208, 184
CORNER = np.array([-WIDTH, -HEIGHT]) / 2 / TILE
"""The board point that the first pixel shows."""
KNOTS = 8
"""Pixels of the view between points that are projected exactly; the rest is read off between them."""
EDGE = 7
"""The places that fit into the view are those of a board with this edge."""


@dataclass(frozen=True)
class Look:
    """What the network says of the places of a board and of the ring round it, by index of a board of `EDGE`."""

    chance: NDArray[np.float64]
    """How likely a tile of a board lies there."""
    beside: Points
    """How far beside its place it lies, in tiles."""
    inside: NDArray[np.bool_]
    """Whether the image shows the place."""


@lru_cache(maxsize=1)
def _network() -> "cv2.dnn.Net":
    return cv2.dnn.readNetFromONNX(str(Path(__file__).with_name("flat.onnx")))


@lru_cache(maxsize=1)
def _knots() -> Points:
    x, y = np.meshgrid(np.arange(0, WIDTH + 1, KNOTS), np.arange(0, HEIGHT + 1, KNOTS))
    return np.stack([x, y], -1).reshape(-1, 2) / TILE + CORNER


def flat_view(levels: Levels, lattice: Lattice, size: float) -> NDArray[np.uint8]:
    """Draw the board as from above; what the image does not show is black."""
    image, scale = levels.at(TILE * 0.9 / size)
    pixels = (lattice.project(_knots()) + 0.5) * scale - 0.5
    maps = pixels.astype(np.float32).reshape(HEIGHT // KNOTS + 1, -1, 2)
    stretch = np.array([[KNOTS, 0, 0], [0, KNOTS, 0]], np.float64)
    full = cv2.warpAffine(maps, stretch, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    return np.asarray(cv2.remap(image, full[..., 0], full[..., 1], cv2.INTER_LINEAR), np.uint8)


def look_at(levels: Levels, lattice: Lattice, size: float, sides: int = 1) -> Look:
    """Ask the network about a board where a lattice, with tiles of `size` pixels, says it lies.

    From several `sides` of the table (1, 2, 3 or 6) the habits of the network cancel out.
    """
    turns = range(0, 6, 6 // sides)
    network = _network()
    at = ((places(EDGE) - CORNER) * TILE / STRIDE).astype(np.float32)
    answer = np.zeros((len(at), 3))
    for turn in turns:
        network.setInput(cv2.dnn.blobFromImage(flat_view(levels, lattice.turned(turn), size), 1 / 255))
        maps = network.forward()[0]
        said = cv2.remap(np.moveaxis(maps, 0, 2), at[:, 0], at[:, 1], cv2.INTER_LINEAR)[:, 0]
        c, s = np.cos(np.radians(60 * turn)), np.sin(np.radians(60 * turn))
        there = list(board_of(EDGE).turns[-turn % 6])
        answer[there, 0] += said[:, 0] / sides
        answer[there, 1:] += said[:, 1:] @ np.array([[c, s], [-s, c]]) / sides
    x, y = lattice.project(places(EDGE)).T
    inside = (x >= 0) & (y >= 0) & (x < levels.shape[1]) & (y < levels.shape[0])
    return Look(1 / (1 + np.exp(-answer[:, 0])), answer[:, 1:], inside)
