"""Judge the outer ring of a rosette: twelve backs that should look like each other, whatever light falls on them."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.likeness import RADII, SPOKES, rings_of, shades_of

Array = NDArray[np.float64]

DRAWN = 0.04
"""How much the brightness of a back must vary over it, as a logarithm, for its drawing to be compared."""
DRAWING, ALIKE = 0.5, 0.6
"""How well drawings must usually correlate to be one, and the share of that which a back in glare still has; bare table
and other faces stay below."""
ODD, ODDER = 15.0, 3.5
"""How far a plain back may look from the others, in Lab and as a multiple of what is usual: more than light does."""
TURNS = 6


@dataclass(frozen=True)
class Backs:
    """Which of some tiles have the drawing of most of them, and which have colours far from the others'."""

    alike: tuple[bool, ...]
    far: tuple[bool, ...]

    @property
    def odd(self) -> tuple[bool, ...]:
        """Those that nothing shows to be like the others."""
        return tuple(far and not alike for alike, far in zip(self.alike, self.far, strict=True))


def compare_backs(patches: NDArray[np.uint8]) -> Backs:
    """Compare patches (n, PATCH, PATCH, 3) with each other.

    Glare and shade change the colours of a back, but its drawing remains; a plain back has only its colours.
    """
    shades = shades_of(rings_of(patches))
    fits = np.median(_correlations(shades), axis=1)
    drawn = float(np.median(shades[..., 0].std((1, 2)))) > DRAWN and float(np.median(fits)) > DRAWING
    alike = tuple(bool(drawn and fit > ALIKE * np.median(fits)) for fit in fits)
    return Backs(alike, tuple(_far(patches)))


def _correlations(shades: NDArray[np.float32]) -> Array:
    """Return how well every two drawings correlate in the best turn, in brightness or in colour (n, n-1)."""
    n = len(shades)
    best = np.full((n, n), -1.0)
    for part in (slice(0, 1), slice(1, 3)):
        flat = shades[..., part] - shades[..., part].mean((1, 2), keepdims=True)
        flat = flat / np.sqrt((flat**2).sum((1, 2, 3), keepdims=True) + 1e-6)
        for k in range(TURNS):
            turned = np.roll(flat, k * SPOKES // TURNS, axis=2).reshape(n, len(RADII) * SPOKES * flat.shape[-1])
            best = np.maximum(best, flat.reshape(n, -1) @ turned.T)
    return best[~np.eye(n, dtype=bool)].reshape(n, n - 1)


def _far(patches: NDArray[np.uint8]) -> list[bool]:
    """Say of each tile whether its colours are far from the others'."""
    inner = np.ascontiguousarray(patches[:, 8:-8, 8:-8])
    lab = cv2.cvtColor(inner.reshape(-1, inner.shape[2], 3), cv2.COLOR_BGR2LAB)
    pixels = lab.reshape(len(inner), -1, 3).astype(np.float64)
    # Gloss and shade change the lightness of a back most, and its colour little.
    looks = np.concatenate([pixels.mean(1) * (0.4, 1, 1), pixels.std(1)[:, :1]], 1)
    away = np.linalg.norm(looks - np.median(looks, axis=0), axis=1)
    # A back that the frame cuts off is no fault: there are eleven others to learn from.
    away[(inner.max(axis=3) == 0).any((1, 2))] = 0
    return [bool(far > max(ODD, ODDER * float(np.median(away)))) for far in away]
