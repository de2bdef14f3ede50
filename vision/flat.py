"""The flat view: a board as it would look from straight above, with the ring of places round it.

A small network looks at it and says of every place whether a tile of a board lies there, and how far beside.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

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


def look_at(levels: Levels, lattice: Lattice, size: float, twice: bool = False) -> Look:
    """Ask the network about a board where a lattice, with tiles of `size` pixels, says it lies.

    Asked `twice`, it looks from both sides of the table, and its habits cancel out.
    """
    sides = [lattice, lattice.turned(3)] if twice else [lattice]
    network = _network()
    network.setInput(cv2.dnn.blobFromImages([flat_view(levels, side, size) for side in sides], 1 / 255))
    at = ((places(EDGE) - CORNER) * TILE / STRIDE).astype(np.float32)
    said = [
        cv2.remap(np.moveaxis(maps, 0, 2), at[:, 0], at[:, 1], cv2.INTER_LINEAR)[:, 0] for maps in network.forward()
    ]
    if twice:
        # Seen from the other side the last place is the first, and what lies to the right lies to the left.
        said = [(said[0] + said[1][::-1] * np.array([1, -1, -1])) / 2]
    answer = np.asarray(said[0], np.float64)
    x, y = lattice.project(places(EDGE)).T
    inside = (x >= 0) & (y >= 0) & (x < levels.shape[1]) & (y < levels.shape[0])
    return Look(1 / (1 + np.exp(-answer[:, 0])), answer[:, 1:], inside)
