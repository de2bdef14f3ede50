"""Cut each tile out of a photo, upright in the board's own directions and at one size."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lattice import Lattice, Points, places

PATCH = 32
SPAN = 1.16
"""How many tiles a patch is wide: the whole hexagon and a little of what surrounds it."""
LARGEST_TILE = 46.0
"""Pixels of a tile above which the photo is halved first: with more, bilinear sampling would skip pixels."""


@lru_cache(maxsize=1)
def _weave() -> tuple[Points, NDArray[np.float32]]:
    """Return nine spots of a patch, in tiles from its centre, and the weights (PATCH², 9) that place its pixels."""
    knots = np.array([-0.5, 0.0, 0.5]) * SPAN
    steps = ((np.arange(PATCH) + 0.5) / PATCH - 0.5) * SPAN
    along = np.stack([np.prod([(steps - b) / (a - b) for b in knots if b != a], axis=0) for a in knots], 1)
    spots = np.stack(np.meshgrid(knots, knots), -1).reshape(-1, 2)
    return spots, np.einsum("yj,xi->yxji", along, along).reshape(PATCH * PATCH, 9).astype(np.float32)


def cut_patches(image: NDArray[np.uint8], lattice: Lattice, edge: int) -> NDArray[np.uint8]:
    """Return one patch (n, PATCH, PATCH, 3) a cell, by index; what lies outside the image is black."""
    return cut_at(image, lattice, places(edge))


def cut_at(image: NDArray[np.uint8], lattice: Lattice, centres: Points) -> NDArray[np.uint8]:
    """Cut patches at board points; the photo is first shrunk to about their size, so that no pixel is skipped."""
    return Cut.of(lattice, centres).out_of(image)


@dataclass(frozen=True, eq=False)
class Cut:
    """Where the pixels of all patches lie in a picture of one size; a camera that stays can use it for every frame."""

    halvings: int
    x: NDArray[np.float32]
    y: NDArray[np.float32]

    @classmethod
    def of(cls, lattice: Lattice, centres: Points) -> "Cut":
        """Work out the pixels of patches at board points (n, 2)."""
        size = float(np.median(lattice.tile_size(centres)))
        # Halving is far quicker than shrinking by any other factor.
        halvings = max(0, int(np.ceil(np.log2(max(size, 1.0) / LARGEST_TILE))))
        shrink = 0.5**halvings
        # Over one tile a perspective is as good as a parabola, and nine points a tile are quicker than a thousand.
        spots, weights = _weave()
        pixels = lattice.project((centres[:, None] + spots).reshape(-1, 2)) * shrink + (shrink - 1) / 2
        knots = pixels.astype(np.float32).reshape(len(centres), 9, 2).transpose(2, 0, 1)
        # OpenCV's product stays on one core; NumPy's would wake a second for what takes a millisecond.
        x, y = (cv2.gemm(np.ascontiguousarray(axis), weights, 1, np.empty(0), 0, flags=cv2.GEMM_2_T) for axis in knots)
        return cls(halvings, *(np.asarray(axis, np.float32).reshape(-1, PATCH) for axis in (x, y)))

    def out_of(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the patches (n, PATCH, PATCH, 3)."""
        for _ in range(self.halvings):
            image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        patches = cv2.remap(image, self.x, self.y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return np.asarray(patches, np.uint8).reshape(-1, PATCH, PATCH, 3)
