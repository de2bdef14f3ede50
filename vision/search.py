"""Lay hexagonal lattices through marks in a picture: many beginnings at once, each grown to the whole board.

Everything here works on plain homographies (n, 3, 3) from board coordinates to pixels; the lens comes later.
"""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from engine.board import Cell
from vision.lattice import Points, places

Heat = NDArray[np.float32]
Array = NDArray[np.float64]

MARK = 0.25
"""Heat from which a peak counts as a mark; a lattice needs most of its marks, so a few false ones do no harm."""
MOST_MARKS = 220
NEAREST = 9
"""Neighbours from which steps are taken: seen flat, a tile of the row after next is nearer than one beside."""
BEGINNINGS = 6
RADII = (1.7, 2.7, 4.2, 6.5, 10.0, 14.0, 14.0)
"""How far from its beginning a lattice is trusted, in tiles, fit by fit."""
REACH = 0.28
"""How far, in tiles, a mark may lie from the cell it is counted for."""
FLIPS = np.array([[[1, 0], [0, 1]], [[1, 0], [1, 1]], [[2, -1], [1, 0]], [[0, 1], [-1, 2]]], float)
"""Other bases (rows: first and second step) of one lattice; which of them shows the hexagon is seen from the whole."""

_AXIAL = np.array([[1, 0], [0.5, -np.sqrt(3) / 2]])
"""The first two steps of the board, east and north-east, in board coordinates."""


def find_marks(heat: Heat) -> Points:
    """Return the peaks of the heat to a fraction of a pixel, strongest first."""
    top = widened(heat)
    rows, columns = np.nonzero((heat >= top) & (heat > MARK))
    inside = (rows > 0) & (columns > 0) & (rows < heat.shape[0] - 1) & (columns < heat.shape[1] - 1)
    rows, columns = rows[inside], columns[inside]
    order = np.argsort(-heat[rows, columns])[:MOST_MARKS]
    rows, columns = rows[order], columns[order]
    around = np.log(np.maximum(heat[rows + _ROWS, columns + _COLUMNS], 1e-4))

    def peak(before: Heat, at: Heat, after: Heat) -> Heat:
        curve = np.minimum(before + after - 2 * at, -1e-3)
        return np.asarray(np.clip((before - after) / (2 * curve), -0.5, 0.5), np.float32)

    x = columns + peak(around[1], around[0], around[2])
    y = rows + peak(around[3], around[0], around[4])
    return np.stack([x, y], 1).astype(float)


_ROWS, _COLUMNS = np.array([[0, 0, 0, -1, 1], [0, -1, 1, 0, 0]])[:, :, None]


def widened(heat: Heat) -> Heat:
    """Return the greatest heat within a pixel."""
    return np.asarray(cv2.dilate(heat, np.ones((3, 3), np.uint8)), np.float32)


def sampled(heat: Heat, pixels: Points) -> Array:
    """Return the heat at the nearest pixels (..., 2); zero outside."""
    x, y = np.rint(pixels[..., 0]), np.rint(pixels[..., 1])
    inside = (x >= 0) & (y >= 0) & (x < heat.shape[1]) & (y < heat.shape[0])
    rows, columns = np.where(inside, y, 0).astype(np.intp), np.where(inside, x, 0).astype(np.intp)
    return np.where(inside, heat[rows, columns], 0.0)


def begin(marks: Points, heat: Heat) -> Array:
    """Return affine maps from board coordinates: the most regular surroundings of marks, the best first."""
    if len(marks) < 10:
        return np.zeros((0, 3, 3))
    away = marks[None] - marks[:, None]
    square = (away**2).sum(2)
    near = np.argsort(square, axis=1)[:, 1 : NEAREST + 1]
    steps = np.take_along_axis(away, near[:, :, None], axis=1)
    i, j = np.triu_indices(steps.shape[1], 1)
    first, second = steps[:, i], steps[:, j]
    cross = first[..., 1] * second[..., 0] - first[..., 0] * second[..., 1]
    # Counter-clockwise on the board is anticlockwise in the picture, where y points down.
    first, second = np.where(cross[..., None] > 0, first, second), np.where(cross[..., None] > 0, second, first)
    size = np.sqrt(np.maximum(square[np.arange(len(marks)), near[:, min(5, near.shape[1] - 1)]], 1e-3))[:, None]
    third = second - first
    ring = np.stack([first, second, third, -first, -second, -third], 2)
    between = np.stack([first / 2, second / 2, third / 2, (first + second) / 3, (third - first) / 3], 2)
    wide = widened(heat)
    here = marks[:, None, None]
    worth = sampled(wide, here + ring).mean(2) - 0.5 * sampled(heat, here + between).max(2)
    # Of the many bases of one lattice, the one with the shortest steps has the true neighbours.
    worth -= 0.15 * np.linalg.norm(ring[:, :, :3], axis=3).sum(2) / size
    worth[np.abs(cross) < 0.3 * size**2 * 0.5] = -9
    best = worth.argmax(1)
    rows = np.argsort(-worth[np.arange(len(marks)), best])[:BEGINNINGS]
    chosen = best[rows]
    return _affine(marks[rows], first[rows, chosen], second[rows, chosen])


def _affine(origins: Points, first: Points, second: Points) -> Array:
    """Return the maps (n, 3, 3) whose first two steps from an origin are these."""
    axes = np.linalg.inv(_AXIAL) @ np.stack([first, second], 1)
    maps = np.zeros((len(origins), 3, 3))
    maps[:, :2, :2], maps[:, :2, 2], maps[:, 2, 2] = axes.transpose(0, 2, 1), origins, 1
    return maps


def project(maps: Array, points: Points) -> Points:
    """Return pixels (n, m, 2) of board points (m, 2) or (n, m, 2)."""
    x = points @ maps[:, :2, :2].transpose(0, 2, 1) + maps[:, None, :2, 2]
    w = points @ maps[:, 2, :2, None] + maps[:, None, 2:, 2]
    return np.asarray(x / np.where(np.abs(w) < 1e-9, 1e-9, w))


def nearest_cells(points: Points) -> Points:
    """Return the place of the cell nearest to each board point (..., 2)."""
    r = points[..., 1] / (np.sqrt(3) / 2)
    q = points[..., 0] - r / 2
    a, b, c = np.rint(q), np.rint(r), np.rint(-q - r)
    da, db, dc = abs(a - q), abs(b - r), abs(c + q + r)
    a, b = np.where((da > db) & (da > dc), -b - c, a), np.where((db >= da) & (db > dc), -a - c, b)
    return np.stack([a + b / 2, b * np.sqrt(3) / 2], -1)


def grow(maps: Array, marks: Points, size: tuple[int, int]) -> tuple[Array, Array]:
    """Fit each map to ever more marks round its beginning; return the maps and how many marks lie on their cells."""
    middle, reach = np.array(size) / 2, max(size) / 2
    unit = np.array([[1 / reach, 0, -middle[0] / reach], [0, 1 / reach, -middle[1] / reach], [0, 0, 1]])
    maps, seen = unit @ maps, (marks - middle) / reach
    count = np.zeros(len(maps))
    if not len(maps):
        return maps, count
    # A map that goes astray may pass through infinity; no mark is then found on it.
    with np.errstate(all="ignore"):
        for radius in RADII:
            there = project(_inverted(maps), seen)
            cells = nearest_cells(there)
            off = np.hypot(*np.moveaxis(there - cells, -1, 0))
            good = (off < REACH) & (np.hypot(*np.moveaxis(there, -1, 0)) < radius)
            count = good.sum(1)
            maps = _fitted(maps, cells, seen, np.where(good, 1 - (off / REACH) ** 2, 0.0), radius)
    return np.linalg.inv(unit) @ maps, count


def _inverted(maps: Array) -> Array:
    sound = np.abs(np.linalg.det(maps)) > 1e-9
    return np.asarray(np.linalg.inv(np.where(sound[:, None, None], maps, np.eye(3) * 1e3)))


def _fitted(maps: Array, cells: Points, seen: Points, weights: Array, radius: float) -> Array:
    """Solve for all homographies at once; the perspective is held back while a lattice is small."""
    ones = np.concatenate([cells, np.ones((*cells.shape[:2], 1))], 2)
    zero = np.zeros_like(ones)
    # The weight by depth turns the algebraic error into one of pixels.
    depth = np.abs(cells @ maps[:, 2, :2, None] + maps[:, None, 2:, 2])[..., 0]
    root = np.sqrt(weights) / np.maximum(depth, 1e-3)
    across = np.concatenate([ones, zero, -seen[None, :, :1] * cells], 2) * root[..., None]
    down = np.concatenate([zero, ones, -seen[None, :, 1:] * cells], 2) * root[..., None]
    rows = np.concatenate([across, down], 1)
    wanted = np.concatenate([seen[None, :, 0] * root, seen[None, :, 1] * root], 1)
    normal = rows.transpose(0, 2, 1) @ rows
    held = np.full(8, 1e-9)
    held[6:] = 0.3 if radius < 3 else 1e-6
    normal += np.diag(held)
    target = rows.transpose(0, 2, 1) @ wanted[..., None]
    target[:, 6:, 0] += held[6:] * maps[:, 2, :2] / maps[:, 2, 2:]
    # Too few marks, or marks all in a line, fix no lattice: such a map stays as it is.
    sound = ((weights > 0).sum(1) >= 5) & np.isfinite(normal).all((1, 2)) & np.isfinite(target).all((1, 2))
    normal = np.where(sound[:, None, None], normal, np.eye(8))
    scale = np.trace(normal, axis1=1, axis2=2)[:, None, None]
    solved = np.linalg.solve(normal + 1e-10 * scale * np.eye(8), np.where(sound[:, None, None], target, 0.0))[..., 0]
    fitted = np.concatenate([solved, np.ones((len(maps), 1))], 1).reshape(-1, 3, 3)
    return np.where(sound[:, None, None], fitted, maps)


def flipped(maps: Array) -> Array:
    """Return each map in all the bases that may be the board's own."""
    changes = np.zeros((len(FLIPS), 3, 3))
    # Rows of a flip are the new steps in terms of the old ones; in board coordinates that is a shear.
    changes[:, :2, :2] = (np.linalg.inv(_AXIAL) @ FLIPS @ _AXIAL).transpose(0, 2, 1)
    changes[:, 2, 2] = 1
    return np.asarray((maps[:, None] @ changes).reshape(-1, 3, 3))


@lru_cache(maxsize=8)
def _windows(edge: int) -> tuple[NDArray[np.intp], Array, Points]:
    """Return, for each place of a board on a wide one, its cells with the ring round it; their signs; the places."""
    wide, outer = board_of(2 * edge + 1), board_of(edge + 1)
    inner = set(board_of(edge).cells)
    signs = np.array([1.0 if cell in inner else -1.0 for cell in outer.cells])
    cells = [[wide.index_of[Cell(a + q, b + r)] for a, b in outer.cells] for q, r in outer.cells]
    return np.array(cells), signs, places(edge + 1)


def best_place(warm: Heat, maps: Array, edge: int) -> tuple[Array, Array, Points]:
    """Slide the hexagon over each lattice: warmth inside counts for it, warmth on the ring outside against it.

    Return for each map the worth of the best place, by how much it beats the next one, and the place.
    """
    windows, signs, steps = _windows(edge)
    wide = places(2 * edge + 1)
    ahead = wide @ maps[:, 2, :2].T + maps[:, 2, 2]
    seen = sampled(warm, project(maps, wide)) * (ahead.T > 0)
    worths = seen[:, windows] @ signs
    order = np.argsort(worths, axis=1)
    rows = np.arange(len(maps))
    best = worths[rows, order[:, -1]]
    return best, best - worths[rows, order[:, -2]], steps[order[:, -1]]
