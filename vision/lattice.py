"""The grid of a board in a photo: where each cell lies, as one perspective with one term of lens distortion.

Board coordinates are in tiles: x to the right, y downwards, the centre cell at (0, 0), neighbours one unit apart.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of

Points = NDArray[np.float64]

LENSES = (0.7, 4.0)
"""Focal lengths a phone or a cropped photo may have, as shares of half the picture's diagonal."""
BEND = 0.02
"""How strongly the distortion is held near zero."""


@lru_cache(maxsize=16)
def places(edge: int) -> Points:
    """Return the ideal place (x, y) of every cell of a board, by index."""
    cells = np.array(board_of(edge).cells, float)
    return np.stack([cells[:, 0] + cells[:, 1] / 2, cells[:, 1] * np.sqrt(3) / 2], 1)


@dataclass(frozen=True)
class Lattice:
    """A map from board coordinates to pixels of the image it was found in."""

    homography: NDArray[np.float64]
    k1: float
    middle: tuple[float, float]
    reach: float
    """Pixels from the image's middle at which the distortion is `k1`."""

    def project(self, points: Points) -> Points:
        """Return the pixels (n, 2) of board points (n, 2)."""
        x, y, w = self.homography @ np.vstack([points.T, np.ones(len(points))])
        w = np.where(np.abs(w) < 1e-9, 1e-9, w)
        u, v = x / w - self.middle[0], y / w - self.middle[1]
        factor = 1 + self.k1 * (u * u + v * v) / self.reach**2
        return np.stack([u * factor + self.middle[0], v * factor + self.middle[1]], 1)

    def through_lens(self, k1: float) -> "Lattice":
        """Return a lattice with this distortion that lays the middle and the corners of a board where this one does."""
        if k1 == self.k1:
            return self
        points = np.concatenate([places(2), 5 * places(2)])
        away = self.project(points) - self.middle
        straight = away
        for _ in range(3):
            straight = away / (1 + k1 * (straight**2).sum(1, keepdims=True) / self.reach**2)
        found, _ = cv2.findHomography(points, straight + self.middle, 0)
        return self if found is None else Lattice(np.asarray(found, float), k1, self.middle, self.reach)

    def scaled(self, scale: float) -> "Lattice":
        """Return the same lattice in an image that is larger by `scale`."""
        beside = (scale - 1) / 2
        grow = np.array([[scale, 0, beside], [0, scale, beside], [0, 0, 1]])
        middle = (self.middle[0] * scale + beside, self.middle[1] * scale + beside)
        return Lattice(grow @ self.homography, self.k1, middle, self.reach * scale)

    def turned(self, turns: int) -> "Lattice":
        """Return the lattice whose east lies `turns` sixths of a turn clockwise of this one's."""
        angle = np.radians(60 * turns)
        c, s = np.cos(angle), np.sin(angle)
        return Lattice(self.homography @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), self.k1, self.middle, self.reach)

    def shifted(self, step: Points) -> "Lattice":
        """Return the lattice with its origin moved by a step in board coordinates."""
        move = np.array([[1, 0, step[0]], [0, 1, step[1]], [0, 0, 1.0]])
        return Lattice(self.homography @ move, self.k1, self.middle, self.reach)

    def rounded(self) -> "Lattice":
        """Return the lattice to a hundred-thousandth of a pixel: sums of floats end in digits that differ by chance."""
        h = self.homography / self.homography[2, 2]
        return Lattice(
            np.stack([h[0].round(6), h[1].round(6), h[2].round(9)]), round(self.k1, 8), self.middle, self.reach
        )

    @property
    def flatness(self) -> float:
        """How low the middle tile looks for its width: one from straight above, the cosine of the tilt else."""
        middle, right, down = self.project(np.array([[0.0, 0.0], [0.1, 0.0], [0.0, 0.1]]))
        long, short = np.linalg.svd(np.stack([right - middle, down - middle]), compute_uv=False)
        return float(short / max(long, 1e-9))

    @property
    def unevenness(self) -> float:
        """How much longer a tile is one way than the other on the table, for the lens that explains the picture best.

        One for a board of hexagons; the squares of a chess board, taken for hexagons, are stretched by half.
        """
        lenses = self.reach * np.geomspace(*LENSES, 24)
        h = np.array([[1, 0, -self.middle[0]], [0, 1, -self.middle[1]], [0, 0, 1]]) @ self.homography
        right, down = (np.stack([h[0, k] / lenses, h[1, k] / lenses, np.full(len(lenses), h[2, k])]) for k in (0, 1))
        a, b, c = (right**2).sum(0), (down**2).sum(0), (right * down).sum(0)
        root = np.sqrt((a - b) ** 2 + 4 * c**2)
        return float(np.sqrt((a + b + root) / np.maximum(a + b - root, 1e-12)).min())

    def tile_size(self, points: Points) -> NDArray[np.float64]:
        """Return the pixels between neighbours at board points: the geometric mean over the two axes."""
        centre = self.project(points)
        right = self.project(points + np.array([1, 0])) - centre
        down = self.project(points + np.array([0, 1])) - centre
        return np.sqrt(np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0]))


def fit_lattice(
    points: Points,
    pixels: Points,
    shape: tuple[int, ...],
    weights: NDArray[np.float64] | None = None,
    bend: bool = True,
) -> Lattice:
    """Fit a lattice to pixels (n, 2) of known board points (n, 2), n >= 4, least squares with optional weights."""
    height, width = shape[:2]
    middle, reach = ((width - 1) / 2, (height - 1) / 2), float(np.hypot(width, height) / 2)
    start, _ = cv2.findHomography(points, pixels, 0)
    if start is None:
        raise ValueError("these points span no plane")
    lattice = Lattice(start / start[2, 2], 0.0, middle, reach)
    if not bend or len(points) < 12:
        return lattice
    root = np.repeat(np.ones(len(points)) if weights is None else np.sqrt(weights), 2)
    for _ in range(5):
        lattice = _improved(lattice, points, pixels, np.eye(2)[None].repeat(len(points), 0), root)
    return lattice


def pulled_lattice(lattice: Lattice, points: Points, beside: Points, weights: NDArray[np.float64]) -> Lattice:
    """Improve a lattice by how far beside each point (n, 2) a tile was seen, in tiles; a misfit counts less."""
    pixels = lattice.project(points + beside)
    size = np.maximum(lattice.tile_size(points), 1e-6)
    # Errors count in tiles, so that far ones are worth as much as near ones.
    share = weights / size**2 * np.median(size) ** 2
    looks = np.eye(2)[None].repeat(len(points), 0)
    for _ in range(2):
        lattice = _improved(lattice, points, pixels, looks, np.repeat(np.sqrt(share), 2))
        off = np.linalg.norm(lattice.project(points) - pixels, axis=1) / size
        usual = max(float(np.median(off[weights > 0.3])) if (weights > 0.3).any() else 0.0, 0.015)
        share = weights / size**2 * np.median(size) ** 2 / (1 + (off / (2.5 * usual)) ** 2)
    return lattice


def slid_lattice(
    lattice: Lattice, points: Points, pixels: Points, normals: Points, weights: Points, bend: bool = True
) -> Lattice:
    """Improve a lattice so that points come to lie on lines, each through a pixel and across a normal (n, 2)."""
    return _improved(lattice, points, pixels, normals[:, None, :], np.sqrt(weights), BEND if bend else 1e6)


def _improved(
    lattice: Lattice,
    points: Points,
    pixels: Points,
    looks: NDArray[np.float64],
    root: NDArray[np.float64],
    bend: float = BEND,
) -> Lattice:
    """Take one Gauss-Newton step; `looks` (n, m, 2) are the directions in which each point's error counts."""
    middle, reach = lattice.middle, lattice.reach
    unit = np.array([[1 / reach, 0, -middle[0] / reach], [0, 1 / reach, -middle[1] / reach], [0, 0, 1]])
    h = unit @ lattice.homography
    guess = np.append((h / h[2, 2]).ravel()[:8], lattice.k1)
    ones = np.vstack([points.T, np.ones(len(points))])
    x, y, w = np.append(guess[:8], 1.0).reshape(3, 3) @ ones
    u, v, k = x / w, y / w, guess[8]
    square = u * u + v * v
    factor = 1 + k * square
    residual = np.stack([u * factor, v * factor], 1) - (pixels - middle) / reach
    du, dv, ev = factor + 2 * k * u * u, 2 * k * u * v, factor + 2 * k * v * v
    zero = np.zeros_like(ones)
    along = np.concatenate([ones / w, zero, -u * ones[:2] / w])
    down = np.concatenate([zero, ones / w, -v * ones[:2] / w])
    jacobian = np.empty((len(points), 2, 9))
    jacobian[:, 0, :8], jacobian[:, 1, :8] = (du * along + dv * down).T, (dv * along + ev * down).T
    jacobian[:, 0, 8], jacobian[:, 1, 8] = u * square, v * square
    weighted = (looks @ jacobian).reshape(-1, 9) * root[:, None]
    seen = (looks @ residual[:, :, None]).ravel() * root
    normal, gradient = weighted.T @ weighted, weighted.T @ seen
    # The distortion is held near zero unless many tiles speak for it: a phone bends a photo by a few per cent.
    normal[8, 8] += bend
    gradient[8] += bend * k
    guess = guess - np.linalg.solve(normal + 1e-12 * np.eye(9), gradient)
    return Lattice(np.linalg.inv(unit) @ np.append(guess[:8], 1.0).reshape(3, 3), float(guess[8]), middle, reach)
