"""Find the hexagonal grid of a board in a photo.

A small network marks the centre of every tile that is part of a board; a lattice is grown through a few marks, and then
the whole board is fitted at once: the hexagon of cells that has marks inside and none round it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from engine.board import DIRECTIONS, Cell
from vision.lattice import Lattice, Points, fit_lattice, places
from vision.photo import PhotoError
from vision.refine import refine_lattice

Heat = NDArray[np.float32]

WIDTH, HEIGHT = 512, 384
MARK = 0.3
"""Heat from which a peak counts as a mark; a lattice needs most of its marks, so a few false ones do no harm."""
BLURS = (1.0, 2.0, 3.2)
"""Pixels of smoothing before marks are sought: small boards need little, large ones much."""
ENOUGH = 0.7
"""Heat per cell, with what lies round the board taken off, at which no other smoothing is tried."""

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
    raw, back = _heat(image)
    best: tuple[float, Lattice] | None = None
    for blur in BLURS:
        heat = _blurred(raw, blur)
        for lattice in _lattices(heat):
            worth, _, origin = _best_origin(heat, lattice, edge)
            if best is None or worth > best[0]:
                best = worth, lattice.shifted(origin)
        if best is not None and best[0] > ENOUGH * len(places(edge)):
            break
    if best is None:
        raise PhotoError("no-board")
    lattice = best[1]
    for _ in range(2):
        # Once its size is known, a tile is best found by smoothing over a fifth of it.
        heat = _blurred(raw, 0.2 * float(np.median(lattice.tile_size(places(edge)))))
        marks = _marks(heat)
        lattice = _refit(marks, lattice, edge, heat.shape)
        _, lead, origin = _best_origin(heat, lattice, edge)
        lattice = lattice.shifted(origin)
    lattice = _refit(marks, lattice, edge, heat.shape)
    if lead < LEAD:
        raise PhotoError("cut-off")
    _refuse_others(heat, lattice, edge)
    support = np.clip(_at(heat, lattice.project(places(edge))), 0, 1)
    off = _offness(marks, lattice, edge)
    named, turns = _named(refine_lattice(image, _carried(lattice, back), edge, off), edge)
    return Grid(edge, named, support[list(board_of(edge).turns[-turns % 6])], off)


def _blurred(heat: Heat, sigma: float) -> Heat:
    """Smooth the heat and stretch it, so that a spot keeps its height."""
    smooth = cv2.GaussianBlur(heat, (0, 0), max(sigma, 0.5))
    return np.asarray(smooth / max(float(np.percentile(smooth, 99.5)), 0.2), np.float32)


def _lattices(heat: Heat) -> Iterator[Lattice]:
    """Yield lattices through the marks, from the most regular beginnings."""
    marks = _marks(heat)
    for start in _starts(marks):
        grown = _grow(marks, *start)
        if len(grown) >= 10 and (lattice := _settle(marks, grown, heat.shape)) is not None:
            yield lattice
            if len(grown) > 60:
                return


def _heat(image: NDArray[np.uint8]) -> tuple[Heat, NDArray[np.float64]]:
    """Return the network's heat for tile centres and the matrix from heat pixels back to image pixels."""
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
    # A dotted tablecloth has spots like tiles, but it is no board.
    return np.asarray(centre * board, np.float32), upright @ grow


def _marks(heat: Heat) -> Points:
    """Return the peaks of the heat to a fraction of a pixel, strongest first."""
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    rows, columns = np.nonzero((heat >= top) & (heat > MARK))
    inside = (rows > 0) & (columns > 0) & (rows < heat.shape[0] - 1) & (columns < heat.shape[1] - 1)
    rows, columns = rows[inside], columns[inside]
    order = np.argsort(-heat[rows, columns])[:250]
    rows, columns = rows[order], columns[order]
    logs = np.log(np.maximum(heat, 1e-4))

    def peak(before: NDArray[np.float32], at: NDArray[np.float32], after: NDArray[np.float32]) -> NDArray[np.float32]:
        curve = np.minimum(before + after - 2 * at, -1e-3)
        return np.asarray(np.clip((before - after) / (2 * curve), -0.5, 0.5), np.float32)

    at = logs[rows, columns]
    x = columns + peak(logs[rows, columns - 1], at, logs[rows, columns + 1])
    y = rows + peak(logs[rows - 1, columns], at, logs[rows + 1, columns])
    return np.stack([x, y], 1).astype(float)


def _starts(marks: Points) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield marks with the six steps to their neighbours, most regular first."""
    found = []
    if len(marks) < 10:
        return
    for i in range(min(len(marks), 60)):
        away = marks - marks[i]
        near = np.argsort((away**2).sum(1))[1:9]
        steps = away[near]
        size = float(np.median(np.linalg.norm(steps[:6], axis=1)))
        for a in range(3):
            for b in range(len(steps)):
                # Counter-clockwise on the board is anticlockwise in the picture, where y points down.
                if not 0.3 < (steps[a, 1] * steps[b, 0] - steps[a, 0] * steps[b, 1]) / size**2 < 1.5:
                    continue
                first, second = steps[a], steps[b]
                six = np.array([first, second, second - first, -first, -second, first - second])
                lengths = np.linalg.norm(six, axis=1)
                gaps = np.sqrt(((six[:, None] - away[None]) ** 2).sum(2).min(1)) / lengths
                # Of the many bases of one lattice, the one with the shortest steps has the true neighbours.
                found.append((float(gaps.mean() + 0.15 * (gaps > 0.2).sum() + 0.1 * lengths.sum() / size / 6), i, six))
    found.sort(key=lambda start: start[0])
    seen: set[int] = set()
    for _, i, six in found:
        if i not in seen:
            seen.add(i)
            yield i, six
        if len(seen) == 8:
            return


def _grow(marks: Points, start: int, six: NDArray[np.float64]) -> dict[tuple[int, int], int]:
    """Walk from mark to mark by steps that bend slowly; return which mark lies on which cell."""
    found = {(0, 0): start}
    steps = {(0, 0): six}
    taken = {start}
    queue = [(0, 0)]
    while queue:
        cell = queue.pop(0)
        here, local = marks[found[cell]], steps[cell]
        learned = local.copy()
        for d, (dq, dr) in enumerate(DIRECTIONS):
            other = (cell[0] + dq, cell[1] + dr)
            if other in found:
                learned[d] = marks[found[other]] - here
                continue
            aim = here + local[d]
            distance = np.sqrt(((marks - aim) ** 2).sum(1))
            j = int(distance.argmin())
            if distance[j] < 0.27 * np.linalg.norm(local[d]) and j not in taken:
                found[other] = j
                taken.add(j)
                queue.append(other)
                learned[d] = marks[j] - here
        pairs = (learned[:3] - learned[3:]) / 2
        fresh = 0.5 * local + 0.5 * np.concatenate([pairs, -pairs])
        for dq, dr in DIRECTIONS:
            steps.setdefault((cell[0] + dq, cell[1] + dr), fresh)
    return found


def _settle(marks: Points, grown: dict[tuple[int, int], int], shape: tuple[int, ...]) -> Lattice | None:
    """Fit a lattice to the grown cells, dropping what does not fit."""
    cells = np.array(list(grown), float)
    points = np.stack([cells[:, 0] + cells[:, 1] / 2, cells[:, 1] * np.sqrt(3) / 2], 1)
    pixels = marks[list(grown.values())]
    for _ in range(3):
        try:
            lattice = fit_lattice(points, pixels, shape, bend=False)
        except (ValueError, np.linalg.LinAlgError):
            return None
        off = np.linalg.norm(lattice.project(points) - pixels, axis=1) / np.maximum(lattice.tile_size(points), 1e-6)
        good = off < max(0.15, 2.5 * float(np.median(off)))
        if good.all() or good.sum() < 10:
            break
        points, pixels = points[good], pixels[good]
    size = lattice.tile_size(points)
    return lattice if np.isfinite(size).all() and size.min() > 2 and size.max() < 60 else None


def _at(heat: Heat, pixels: Points) -> NDArray[np.float64]:
    """Sample the heat; the best within a pixel, zero outside."""
    x, y = pixels[:, 0].round(), pixels[:, 1].round()
    inside = (x >= 0) & (y >= 0) & (x < heat.shape[1]) & (y < heat.shape[0])
    rows, columns = np.clip(y, 0, heat.shape[0] - 1).astype(int), np.clip(x, 0, heat.shape[1] - 1).astype(int)
    return np.where(inside, cv2.dilate(heat, np.ones((3, 3), np.uint8))[rows, columns], 0.0)


def _inside(pixels: Points, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    x, y = pixels.T
    return np.asarray((x >= 0) & (y >= 0) & (x < shape[1]) & (y < shape[0]))


def _best_origin(heat: Heat, lattice: Lattice, edge: int) -> tuple[float, float, Points]:
    """Slide the hexagon of cells over the lattice: heat inside counts for it, heat on the rim outside against it.

    Return the worth of the best place, by how much it beats the next one, and the place.
    """
    wide = board_of(2 * edge + 1)
    warm = _at(heat, lattice.project(places(wide.edge))) * (lattice.tile_size(places(wide.edge)) > 2)
    warm[warm < MARK] = 0
    inner, outer = set(board_of(edge).cells), board_of(edge + 1).cells
    signs = np.array([1.0 if cell in inner else -1.0 for cell in outer])
    worths = [
        float(warm[[wide.index_of[Cell(a + q, b + r)] for a, b in outer]] @ signs) for q, r in board_of(edge + 1).cells
    ]
    order = np.argsort(worths)[::-1]
    q, r = board_of(edge + 1).cells[int(order[0])]
    return worths[order[0]], worths[order[0]] - worths[order[1]], np.array([q + r / 2, r * np.sqrt(3) / 2])


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
    warm = _at(heat, pixels) > MARK
    bigger = board_of(edge + 1)
    rim = [i for i, around in enumerate(bigger.neighbours) if None in around]
    beyond = lattice.project(places(edge + 1)[rim])
    over = (_at(heat, beyond) > MARK).sum() / max(_inside(beyond, heat.shape).sum(), 12)
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
