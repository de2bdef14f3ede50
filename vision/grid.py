"""Find the hexagonal grid of a board in a photo.

A small network marks the centre of every tile that is part of a board; a lattice is grown through a few marks, and then
the whole board is fitted at once: the hexagon of cells that has marks inside and none round it.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from vision.lattice import Lattice, Points, fit_lattice, places
from vision.photo import PhotoError
from vision.refine import refine_lattice
from vision.search import MARK, Heat, begin, best_place, find_marks, flipped, grow, sampled, widened

WIDTH, HEIGHT = 512, 384
SMALLEST = 2.5
"""Pixels of the heat that a tile must have."""
TRIED = 2
"""Lattices that are tried for the whole board, of all that were grown; more cost time."""

LEAD = 3.0
"""Heat by which the board's place must beat its neighbours'; with less, a board cut by the frame may be a row off."""


@dataclass(frozen=True)
class Grid:
    """A board found in an image: the lattice, and how much of the board the picture vouches for."""

    edge: int
    lattice: Lattice
    support: NDArray[np.float64]
    """For each cell, the heat of the network at its centre (0..1); 0 outside the image."""
    off: float
    """Median distance of marks from the lattice, in tiles."""

    @property
    def points(self) -> Points:
        """The pixel of every cell's centre, by index."""
        return self.lattice.project(places(self.edge))

    @property
    def centres(self) -> dict[str, tuple[float, float]]:
        """The pixel of every cell's centre, by name."""
        return {name: (float(x), float(y)) for name, (x, y) in zip(board_of(self.edge).names, self.points, strict=True)}


@lru_cache(maxsize=1)
def _network() -> "cv2.dnn.Net":
    return cv2.dnn.readNetFromONNX(str(Path(__file__).with_name("grid.onnx")))


def find_grid(image: NDArray[np.uint8], edge: int = 6) -> Grid:
    """Find the board in an upright BGR image; raise PhotoError when there is none."""
    centre, board, back = _heat(image)
    size = float(np.sqrt(board.sum() / len(places(edge)) / 0.866))
    if size < SMALLEST:
        raise PhotoError("no-board")
    heat = _blurred(centre * board, 0.2 * size)
    marks = find_marks(heat)
    maps = np.concatenate([_outlined(board, edge), begin(marks, heat)])
    if not len(maps):
        raise PhotoError("no-board")
    maps, count = grow(maps, marks, (heat.shape[1], heat.shape[0]))
    maps = flipped(maps[np.argsort(-count)[:TRIED]])
    worth, lead, step = best_place(0.5 * widened(heat) + 0.5 * board, maps, edge)
    best = int(worth.argmax())
    lattice = Lattice(maps[best], 0.0, *_optics(heat.shape)).shifted(step[best])
    lattice = _refit(marks, lattice, edge, heat.shape)
    if lead[best] < LEAD:
        raise PhotoError("cut-off")
    _refuse_others(heat, lattice, edge)
    support = np.clip(sampled(heat, lattice.project(places(edge))), 0, 1)
    off = _offness(marks, lattice, edge)
    named, turns = _named(refine_lattice(image, _carried(lattice, back), edge, off), edge)
    return Grid(edge, named, support[list(board_of(edge).turns[-turns % 6])], off)


def _optics(shape: tuple[int, ...]) -> tuple[tuple[float, float], float]:
    """Return the middle of an image and how far its corners are from it."""
    return ((shape[1] - 1) / 2, (shape[0] - 1) / 2), float(np.hypot(shape[0], shape[1]) / 2)


def _blurred(heat: Heat, sigma: float) -> Heat:
    """Smooth the heat and stretch it, so that a spot keeps its height."""
    smooth = cv2.GaussianBlur(heat, (0, 0), max(sigma, 0.5))
    return np.asarray(smooth / max(float(np.percentile(smooth, 99.5)), 0.2), np.float32)


def _outlined(board: Heat, edge: int) -> NDArray[np.float64]:
    """Return the map, if any, that lays the board's hexagon on the outline of what the network takes for a board."""
    shapes, _ = cv2.findContours((board > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not shapes or len(largest := max(shapes, key=len)) < 20:
        return np.zeros((0, 3, 3))
    corners = cv2.approxPolyN(largest, 6, ensure_convex=True).reshape(-1, 2).astype(np.float32)
    if len(corners) != 6:
        return np.zeros((0, 3, 3))
    if cv2.contourArea(corners, oriented=True) < 0:
        corners = corners[::-1]
    angles = np.radians(60 * np.arange(6))
    hexagon = np.stack([np.cos(angles), np.sin(angles)], 1) * (edge - 0.5)
    found, _ = cv2.findHomography(hexagon, corners, 0)
    return np.zeros((0, 3, 3)) if found is None else np.asarray(found[None], np.float64)


def _heat(image: NDArray[np.uint8]) -> tuple[Heat, Heat, NDArray[np.float64]]:
    """Return the network's heat for tile centres and for the board, and the matrix from heat to image pixels."""
    height, width = image.shape[:2]
    upright = np.eye(3)
    if height > width:
        image = np.asarray(cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE), np.uint8)
        upright = np.array([[0, 1, 0], [-1, 0, height - 1], [0, 0, 1.0]])
    scale = min(WIDTH / image.shape[1], HEIGHT / image.shape[0])
    size = (round(image.shape[1] * scale), round(image.shape[0] * scale))
    small = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    small[: size[1], : size[0]] = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    network = _network()
    network.setInput(cv2.dnn.blobFromImage(small, 1 / 255))
    centre, board = 1 / (1 + np.exp(-network.forward()[0]))
    grow = np.array([[2 / scale, 0, 0.5 / scale - 0.5], [0, 2 / scale, 0.5 / scale - 0.5], [0, 0, 1]])
    return np.asarray(centre, np.float32), np.asarray(board, np.float32), upright @ grow


def _inside(pixels: Points, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    x, y = pixels.T
    return np.asarray((x >= 0) & (y >= 0) & (x < shape[1]) & (y < shape[0]))


def _refit(marks: Points, lattice: Lattice, edge: int, shape: tuple[int, ...]) -> Lattice:
    """Fit the whole board, bent by the lens, to every mark that lies on one of its cells."""
    points = places(edge)
    for reach in (0.35, 0.25, 0.2):
        pixels = lattice.project(points)
        size = lattice.tile_size(points)
        gaps = np.sqrt(((pixels[:, None] - marks[None]) ** 2).sum(2))
        near = gaps.argmin(1)
        good = gaps.min(1) < reach * size
        if good.sum() < max(10, len(points) // 3):
            raise PhotoError("no-board")
        lattice = fit_lattice(points[good], marks[near[good]], shape, weights=1 / size[good] ** 2 * size.mean() ** 2)
    return lattice


def _offness(marks: Points, lattice: Lattice, edge: int) -> float:
    pixels = lattice.project(places(edge))
    gaps = np.sqrt(((pixels[:, None] - marks[None]) ** 2).sum(2)).min(1) / lattice.tile_size(places(edge))
    return float(np.median(gaps))


def _refuse_others(heat: Heat, lattice: Lattice, edge: int) -> None:
    """Refuse what is not a whole board of this edge: too few tiles in view, or tiles going on beyond it."""
    pixels = lattice.project(places(edge))
    seen = _inside(pixels, heat.shape)
    warm = sampled(heat, pixels) > MARK
    bigger = board_of(edge + 1)
    rim = [i for i, around in enumerate(bigger.neighbours) if None in around]
    beyond = lattice.project(places(edge + 1)[rim])
    over = (sampled(heat, beyond) > MARK).sum() / max(_inside(beyond, heat.shape).sum(), 12)
    if seen.sum() < 0.6 * len(seen) or warm.sum() < 0.65 * seen.sum() or over > 0.4:
        raise PhotoError("no-board")


def _carried(lattice: Lattice, back: NDArray[np.float64]) -> Lattice:
    """Carry a lattice found in the heat over to the image."""
    scale = float(np.sqrt(abs(np.linalg.det(back[:2, :2]))))
    middle = back @ np.array([*lattice.middle, 1.0])
    return Lattice(back @ lattice.homography, lattice.k1, (float(middle[0]), float(middle[1])), lattice.reach * scale)


def _named(lattice: Lattice, edge: int) -> tuple[Lattice, int]:
    """Turn the names so that row A is the highest in the picture; return the lattice and the turns made."""
    top = places(edge)[: len(board_of(edge).rows[0])]
    turns = min(range(6), key=lambda k: float(lattice.turned(k).project(top)[:, 1].mean()))
    return lattice.turned(turns), turns
