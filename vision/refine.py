"""Lay a lattice exactly on the picture: every side of every tile is pulled to the nearest edge that is to be seen."""

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from engine.board import DIRECTIONS
from vision.glance import Levels
from vision.lattice import Lattice, Points, places, slid_lattice

TILE = 24.0
"""Pixels a tile has, at least, where edges are sought: the lines between tiles are then a pixel or two wide."""
REACHES = (0.08, 0.06)
"""How far from its place a side is sought, in tiles, round by round: less than the way to the next petal."""
ALONG = np.linspace(-0.25, 0.25, 7)
WEAKEST = 3
"""A side is as clear as the weakest spots along it: a petal is a strong edge too, but a short one."""
ACROSS = np.linspace(-1, 1, 11)


@lru_cache(maxsize=8)
def _sides(edge: int) -> tuple[Points, Points]:
    """Return the middle of every side of every tile of a board and the unit vector across it."""
    here = places(edge)
    middles, across = [], []
    for i, around in enumerate(board_of(edge).neighbours):
        for direction, j in enumerate(around):
            if j is None or j > i:
                q, r = DIRECTIONS[direction]
                step = np.array([q + r / 2, r * np.sqrt(3) / 2])
                middles.append(here[i] + step / 2)
                across.append(step)
    return np.array(middles), np.array(across)


def refine_lattice(levels: Levels, lattice: Lattice, edge: int) -> Lattice:
    """Return a lattice that is off by a few hundredths of a tile, moved and bent so that sides lie on edges."""
    image, scale = levels.at(TILE / float(np.median(lattice.tile_size(places(edge)))))
    middles, across = _sides(edge)
    pixels = (lattice.project(middles) + 0.5) * scale - 0.5
    low = np.maximum(np.floor(pixels.min(0)).astype(int) - int(TILE), 0)
    high = np.ceil(pixels.max(0)).astype(int) + int(TILE)
    part = image[low[1] : high[1], low[0] : high[0]]
    if min(part.shape[:2]) < TILE:
        return lattice
    edges = _edges(part)
    lines = np.stack([-across[:, 1], across[:, 0]], 1)
    for reach in REACHES:
        offsets = ACROSS * reach
        # So near a side, a perspective is as good as a parallel view and much quicker.
        ends = np.stack([0 * across, lines * ALONG[-1], -lines * ALONG[-1], across * reach, -across * reach])
        here, *ahead = lattice.project((middles + ends).reshape(-1, 2)).reshape(5, -1, 2)
        along, over = (ahead[0] - ahead[1]) / (2 * ALONG[-1]), (ahead[2] - ahead[3]) / (2 * reach)
        first = (here + 0.5) * scale - 0.5 - low
        x, y = (
            (
                first[:, k, None, None]
                + scale * over[:, k, None, None] * offsets[:, None]
                + scale * along[:, k, None, None] * ALONG
            )
            .reshape(len(middles), -1)
            .astype(np.float32)
            for k in (0, 1)
        )
        seen = cv2.remap(edges, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-1)
        samples = np.asarray(seen).reshape(len(middles), len(offsets), len(ALONG))
        inside = (samples >= 0).all((1, 2))
        profile = np.partition(samples, WEAKEST - 1, axis=2)[:, :, :WEAKEST].mean(2) * (1 - 0.35 * ACROSS**2)
        best = profile.argmax(1)
        crest = profile[np.arange(len(best)), best]
        clear = np.clip((crest - profile.mean(1)) / (crest + 0.15), 0, 1) * inside * (abs(ACROSS[best]) < 0.95)
        if clear.sum() < 0.05 * len(middles):
            break
        targets = lattice.project(middles + across * offsets[best][:, None])
        normals = over / np.maximum(np.linalg.norm(over, axis=1, keepdims=True), 1e-9)
        moved = np.abs(offsets[best])
        lattice = slid_lattice(lattice, middles, targets, normals, clear / (1 + (moved / (0.4 * reach)) ** 2))
    return lattice


def _edges(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return how much of an edge each pixel is, in proportion to what is usual round it."""
    smooth = cv2.GaussianBlur(image, (0, 0), 0.8)
    steps = [
        cv2.magnitude(cv2.Sobel(colour, cv2.CV_32F, 1, 0), cv2.Sobel(colour, cv2.CV_32F, 0, 1))
        for colour in cv2.split(smooth)
    ]
    strength = cv2.GaussianBlur(cv2.max(cv2.max(steps[0], steps[1]), steps[2]), (0, 0), 1.0)
    usual = cv2.blur(strength, (41, 41)) + 2.0
    return np.asarray(np.minimum(strength / usual, 3.0), np.float32)
