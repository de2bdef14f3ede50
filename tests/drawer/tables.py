"""Tables and the things that lie about on them, as seeded pictures (BGR)."""

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.drawer.prints import Colour, Image, Random, hsv, mixed

TABLES_TUNED = ("wood", "plain", "checked", "felt", "noise", "stripes", "gingham", "spots", "honeycomb", "squares")
TABLES_HELD = ("tartan", "marble", "dots")


def clouds(random: Random, height: int, width: int, octaves: int = 4, stretch: float = 1.0) -> NDArray[np.float32]:
    """Return smooth seeded noise in 0..1; `stretch` draws it out along x."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        across = max(2, int((3 << octave) / stretch))
        grid = random.random((3 << octave, across), np.float32)
        total += cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC) / (1 << octave)
    low, high = float(total.min()), float(total.max())
    return (total - low) / max(high - low, 1e-6)


def table_colour(random: Random) -> Colour:
    """Pick a colour that a table or a cloth may have."""
    return hsv(random.uniform(0, 360), random.uniform(0, 0.85), random.uniform(0.12, 0.98))


def draw_table(random: Random, size: int, held: bool = False) -> Image:
    """Draw a square patch of table top, seen from above."""
    kind = str(random.choice(TABLES_HELD if held else TABLES_TUNED))
    base, other = table_colour(random), table_colour(random)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    if kind == "wood":
        base = hsv(random.uniform(8, 38), random.uniform(0.25, 0.75), random.uniform(0.25, 0.9))
        other = mixed(base, (15.0, 20.0, 30.0), random.uniform(0.2, 0.6))
        grain = clouds(random, size, size, 5, stretch=8)
        share = 0.5 + 0.5 * np.sin(grain * random.uniform(15, 60) + y / size * random.uniform(10, 120))
        share = share * clouds(random, size, size, 3)
    elif kind == "plain":
        share = clouds(random, size, size) * random.uniform(0, 0.3)
    elif kind == "felt":
        base = hsv(random.uniform(90, 150), random.uniform(0.4, 0.8), random.uniform(0.25, 0.6))
        share = random.random((size, size), np.float32) * random.uniform(0.05, 0.3)
        other = (0.0, 0.0, 0.0)
    elif kind == "noise":
        share = clouds(random, size, size, 6)
    elif kind == "marble":
        share = np.abs(np.sin(6 * clouds(random, size, size, 6) + x / size * 4)) ** random.uniform(0.5, 3)
    elif kind in ("spots", "honeycomb"):
        share = _hexagons(random, x, y, size / random.uniform(8, 40), kind == "honeycomb")
    else:
        period = size / random.uniform(12, 60)
        a, b = (x // period) % 2, (y // period) % 2
        share = {
            "checked": np.abs(a - b),
            "stripes": a * 0.8,
            "gingham": 0.5 * (a + b),
            "squares": np.maximum(x % period, y % period) / period < random.uniform(0.8, 0.96),
            "tartan": 0.4 * a + 0.4 * b + 0.2 * (((x + y) // (period / 4)) % 2),
            "dots": (np.hypot(x % period - period / 2, y % period - period / 2) < period * 0.3) * 1.0,
        }[kind].astype(np.float32)
    share = np.clip(share, 0, 1)[..., None]
    return np.clip(np.asarray(base) * (1 - share) + np.asarray(other) * share, 0, 255).astype(np.uint8)


def _hexagons(
    random: Random, x: NDArray[np.float32], y: NDArray[np.float32], period: float, whole: bool
) -> NDArray[np.float32]:
    """Pattern a cloth or a floor with spots, or hexagonal tiles of uneven shade, in the rows of a honeycomb."""
    x, y = x / period, y / period
    rows = np.floor(y / 0.866) + np.arange(2, dtype=np.float32)[:, None, None]
    columns = np.round(x - rows / 2)
    nearer = np.hypot(x - columns - rows / 2, y - rows * 0.866).argmin(0)
    r, q = np.where(nearer == 0, rows[0], rows[1]), np.where(nearer == 0, columns[0], columns[1])
    dx, dy = x - (q + r / 2), y - r * 0.866
    if not whole:
        return np.asarray(np.hypot(dx, dy) < random.uniform(0.15, 0.42), np.float32)
    across = np.maximum(np.abs(dx), 0.5 * np.abs(dx) + 0.866 * np.abs(dy))
    shade = np.sin(q * random.uniform(1, 9) + r * random.uniform(1, 9)) * random.uniform(0, 0.4)
    return np.asarray(np.where(across < random.uniform(0.4, 0.49), 0.3 + shade, 1.0), np.float32)


def draw_backdrop(random: Random, height: int, width: int) -> Image:
    """Draw the blurred room behind the table."""
    small = random.integers(0, 255, (5, 7, 3)).astype(np.uint8)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
