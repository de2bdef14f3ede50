"""See whether the flowers of a rosette lie against the petals of their own colours, whatever these are called."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.likeness import PETALS, SPOKES, rings_of

Array = NDArray[np.float64]

CLEAR = 0.1
"""Radians of hue by which the flowers as they lie must fit the petals better than with any two of them exchanged."""


def lie_right(flowers: NDArray[np.uint8], serendip: NDArray[np.uint8]) -> bool:
    """Say whether six flowers fit the petals they lie against better than with any two of them exchanged.

    `flowers` (6, PATCH, PATCH, 3) are by direction, `serendip` is the patch in the middle. A flower and its petal have
    one ink and one light, so that near colours are told apart here to which nobody could give a name.
    """
    rings = rings_of(serendip[None])[0, PETALS]
    spokes = (np.arange(-1, 2)[None] + np.arange(6)[:, None] * SPOKES // 6) % SPOKES
    petals = _hues(np.stack([rings[:, around] for around in spokes]))
    apart = np.abs(np.angle(np.exp(1j * (_hues(rings_of(flowers))[:, None] - petals[None]))))
    here = np.diag(apart)
    exchanged = apart + apart.T - here[:, None] - here[None]
    return bool(exchanged[~np.eye(6, dtype=bool)].min() > CLEAR)


def _hues(rings: NDArray[np.floating]) -> Array:
    """Return the hue of each of n tiles or petals, in radians; strong colours count most."""
    flat = np.ascontiguousarray(rings.reshape(len(rings), -1, 3) / 255, np.float32)
    colours = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB)[..., 1:].astype(np.float64)
    strength = (colours**2).sum(-1, keepdims=True)
    mean = (colours * strength).sum(1)
    return np.asarray(np.arctan2(mean[:, 1], mean[:, 0]))
