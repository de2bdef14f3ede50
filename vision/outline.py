"""Lay the hexagon of a whole board on the outline of what looks like a board."""

from functools import lru_cache

import cv2
import numpy as np

from vision.lattice import Lattice, Points, slid_lattice
from vision.search import Array, Heat

BEYOND_CENTRES = 0.5
"""Tiles from the centre of a corner tile to the corner of the outline, as the network was taught it."""
SOUGHT = np.linspace(-1.4, 1.4, 29)
"""How far inside and outside its place, in tiles, a side is sought."""
ROUNDS = 3


@lru_cache(maxsize=8)
def _sides(edge: int) -> tuple[Points, Points]:
    """Return points along the six sides of a board's outline, and the unit vectors out of it."""
    angles = np.radians(60 * np.arange(7))
    corners = np.stack([np.cos(angles), np.sin(angles)], 1) * (edge - 1 + BEYOND_CENTRES)
    shares = np.linspace(0.08, 0.92, 12)[None, :, None]
    points = corners[:-1, None] * (1 - shares) + corners[1:, None] * shares
    out = np.radians(30 + 60 * np.arange(6))
    return points.reshape(-1, 2), np.repeat(np.stack([np.cos(out), np.sin(out)], 1), 12, axis=0)


def outline_map(board: Heat, edge: int) -> Array:
    """Return the map (1, 3, 3) from board coordinates to heat by the board's outline; none (0, 3, 3) without one."""
    none = np.zeros((0, 3, 3))
    shapes, _ = cv2.findContours((board > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    # A thin or three-cornered shape has a hull of fewer than six points, through which no hexagon goes.
    if not shapes or len(largest := max(shapes, key=len)) < 20 or len(cv2.convexHull(largest)) < 6:
        return none
    corners = cv2.approxPolyN(largest, 6, ensure_convex=True).reshape(-1, 2).astype(np.float32)
    if len(corners) != 6:
        return none
    if cv2.contourArea(corners, oriented=True) < 0:
        corners = corners[::-1]
    angles = np.radians(60 * np.arange(6))
    hexagon = np.stack([np.cos(angles), np.sin(angles)], 1) * (edge - 1 + BEYOND_CENTRES)
    found, _ = cv2.findHomography(hexagon, corners, 0)
    if found is None or abs(found[2, 2]) < 1e-9:
        return none
    height, width = board.shape
    lattice = Lattice(np.asarray(found / found[2, 2], float), 0.0, (width / 2, height / 2), width / 2)
    for _ in range(ROUNDS):
        lattice = _slid(board, lattice, edge)
    return np.asarray(lattice.homography[None])


def _slid(board: Heat, lattice: Lattice, edge: int) -> Lattice:
    """Move every side to where the heat falls from board to table; what lies beyond the frame says nothing."""
    points, out = _sides(edge)
    spots = lattice.project((points[:, None] + out[:, None] * SOUGHT[None, :, None]).reshape(-1, 2)).astype(np.float32)
    if not np.isfinite(spots).all() or np.abs(spots).max() > 30_000:
        return lattice
    x, y = (spots[:, axis].reshape(len(points), -1) for axis in (0, 1))
    heat = cv2.remap(board, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-1)
    known = (heat >= 0).all(1)
    # The share of board along the way says where the fall is, also where it is a gentle one.
    place = SOUGHT[0] + np.clip(heat, 0, 1).sum(1) * (SOUGHT[1] - SOUGHT[0]) - (SOUGHT[1] - SOUGHT[0]) / 2
    weights = known / (1 + (place / 0.5) ** 2)
    if known.sum() < len(points) / 3:
        return lattice
    ahead = lattice.project(points + 0.05 * out) - lattice.project(points - 0.05 * out)
    length = np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    targets = lattice.project(points + out * place[:, None])
    return slid_lattice(lattice, points, targets, ahead / length, weights, bend=False)
