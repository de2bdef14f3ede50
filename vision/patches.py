"""Cut each tile out of a photo, upright in the board's own directions and at one size."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.lattice import Lattice, Points, places

PATCH = 32
SPAN = 1.16
"""How many tiles a patch is wide: the whole hexagon and a little of what surrounds it."""


def cut_patches(image: NDArray[np.uint8], lattice: Lattice, edge: int) -> NDArray[np.uint8]:
    """Return one patch (n, PATCH, PATCH, 3) a cell, by index; what lies outside the image is black."""
    return cut_at(image, lattice, places(edge))


def cut_at(image: NDArray[np.uint8], lattice: Lattice, centres: Points) -> NDArray[np.uint8]:
    """Cut patches at board points; the photo is first shrunk to their size, so that no pixel is skipped."""
    size = float(np.median(lattice.tile_size(centres)))
    shrink = min(1.0, 1.25 * PATCH / SPAN / max(size, 1e-3))
    if shrink < 0.8:
        image = np.asarray(cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        shrink = 1.0
    steps = ((np.arange(PATCH) + 0.5) / PATCH - 0.5) * SPAN
    offsets = np.stack(np.meshgrid(steps, steps), -1).reshape(1, -1, 2)
    pixels = lattice.project((centres[:, None] + offsets).reshape(-1, 2)) * shrink + (shrink - 1) / 2
    x, y = (pixels[:, axis].astype(np.float32).reshape(-1, PATCH) for axis in (0, 1))
    patches = cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(patches, np.uint8).reshape(-1, PATCH, PATCH, 3)
