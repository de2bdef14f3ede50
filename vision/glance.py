"""The first glance at a photo: a small network marks the centres of tiles and what belongs to a board."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.search import Heat

Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]

WIDTH, HEIGHT = 384, 288
CLOSER = 4 / 3
"""How much larger the view is when a first one did not suffice."""
_FROM_HEAT = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1]])
"""The network answers at half the size of what it sees."""


class Levels:
    """An image and its halvings, each made when it is first asked for."""

    def __init__(self, image: Image) -> None:
        """Begin with the image itself."""
        self._levels = [image]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the image itself."""
        return self._levels[0].shape[0], self._levels[0].shape[1]

    def at(self, scale: float) -> tuple[Image, float]:
        """Return the smallest level that has at least `scale` of the image's pixels along a side, and its scale."""
        level = max(0, int(np.floor(-np.log2(max(scale, 1e-3)))))
        while len(self._levels) <= level:
            last = self._levels[-1]
            height, width = last.shape[0] // 2, last.shape[1] // 2
            if min(height, width) < 32:
                level = len(self._levels) - 1
                break
            half = cv2.resize(last[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
            self._levels.append(np.asarray(half, np.uint8))
        return self._levels[level], 0.5**level


@dataclass(frozen=True)
class Glance:
    """Heat (0..1) for the centres of tiles and for the board, and the way from its pixels to those of the image."""

    centre: Heat
    board: Heat
    back: Matrix


@dataclass(frozen=True)
class Window:
    """A part of an image, in its pixels."""

    left: float
    top: float
    width: float
    height: float


def whole_of(levels: Levels) -> Window:
    """Return the window that shows all of an image."""
    height, width = levels.shape
    return Window(0, 0, width, height)


@lru_cache(maxsize=1)
def _network() -> "cv2.dnn.Net":
    return cv2.dnn.readNetFromONNX(str(Path(__file__).with_name("grid.onnx")))


def glance(levels: Levels, window: Window, closer: bool = False) -> Glance:
    """Look at a part of an image, lying or standing, as large as the network sees."""
    # Sides stay multiples of 32: the network halves them five times.
    width, height = (round(side * (CLOSER if closer else 1) / 32) * 32 for side in (WIDTH, HEIGHT))
    scale = min(width / max(window.width, window.height), height / min(window.width, window.height))
    level, step = levels.at(scale)
    into = _into(window, scale, width, height)
    from_level = np.array([[1 / step, 0, 0.5 / step - 0.5], [0, 1 / step, 0.5 / step - 0.5], [0, 0, 1]])
    view = cv2.warpAffine(level, (into @ from_level)[:2], (width, height), flags=cv2.INTER_LINEAR)
    network = _network()
    network.setInput(cv2.dnn.blobFromImage(view, 1 / 255))
    centre, board = 1 / (1 + np.exp(-network.forward()[0]))
    return Glance(np.asarray(centre), np.asarray(board), np.linalg.inv(into) @ _FROM_HEAT)


def _into(window: Window, scale: float, width: int, height: int) -> Matrix:
    """Return the way from pixels of the image to those that the network sees; a standing window is laid down."""
    middle = np.array([window.left + (window.width - 1) / 2, window.top + (window.height - 1) / 2])
    turn = np.eye(2) if window.width >= window.height else np.array([[0.0, -1.0], [1.0, 0.0]])
    into = np.eye(3)
    into[:2, :2] = turn * scale
    into[:2, 2] = np.array([width - 1, height - 1]) / 2 - into[:2, :2] @ middle
    return into
