"""How well two faces of one's own copy can be told apart: by colour, by pattern, or hardly."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.remarks import Remark
from vision.kinds import SHOWN
from vision.patches import PATCH, SPAN
from vision.profile import Profile, Sitting

NEAR_COLOUR = 20.0
"""Distance in Lab below which two inks are close: lamps and shadows on one table move a colour about that far."""
NEAR_PATTERN = 0.35
"""One minus the correlation of two drawings below which they are the same drawing for a phone."""


@dataclass(frozen=True)
class Pair:
    """Two faces with the distance of their colours (Lab) and of their patterns (0 the same, 1 unrelated)."""

    first: str
    second: str
    colour: float
    pattern: float


def colours_of(sitting: Sitting) -> dict[str, tuple[int, int, int]]:
    """Return the ink of each face (blue, green, red): the mean of the more colourful half of its pixels."""
    out = {}
    for kind, tile in zip(SHOWN, sitting.tiles, strict=True):
        if tile.any():
            blue, green, red = (int(value) for value in np.rint(_ink(tile)))
            out[kind] = (blue, green, red)
    return out


def pairs_of(sitting: Sitting) -> list[Pair]:
    """Compare every two faces of one photo, the closest first."""
    tiles = {kind: tile for kind, tile in zip(SHOWN, sitting.tiles, strict=True) if tile.any() and kind != "S"}
    labs = {kind: _lab(_ink(tile)) for kind, tile in tiles.items()}
    drawings = {kind: _drawing(tile) for kind, tile in tiles.items()}
    out = []
    for first, second in combinations(tiles, 2):
        colour = float(np.linalg.norm(labs[first] - labs[second]))
        out.append(Pair(first, second, colour, _pattern_distance(drawings[first], drawings[second])))
    return sorted(out, key=lambda pair: pair.colour / NEAR_COLOUR + pair.pattern / NEAR_PATTERN)


def warnings_of(profile: Profile) -> Iterator[Remark]:
    """Say which faces of a copy are close to each other, and by what they still differ."""
    for pair in pairs_of(profile.sittings[0]):
        words = {"first": pair.first, "second": pair.second}
        if pair.colour < NEAR_COLOUR:
            yield Remark("alike" if pair.pattern < NEAR_PATTERN else "by-pattern", words)


def _inside() -> NDArray[np.bool_]:
    """Mark the pixels of a patch that lie well inside the tile."""
    y, x = np.mgrid[0:PATCH, 0:PATCH] - (PATCH - 1) / 2
    return np.asarray(np.hypot(x, y) < 0.44 * PATCH / SPAN)


def _ink(tile: NDArray[np.uint8]) -> NDArray[np.float64]:
    pixels = tile[_inside()].astype(np.float64)
    spread = pixels.max(1) - pixels.min(1)
    return np.asarray(pixels[spread >= np.median(spread)].mean(0))


def _lab(colour: NDArray[np.float64]) -> NDArray[np.float64]:
    lab = cv2.cvtColor((colour / 255).astype(np.float32).reshape(1, 1, 3), cv2.COLOR_BGR2LAB)
    return np.asarray(lab, np.float64).reshape(3)


def _drawing(tile: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return what is left of a tile when its colour and brightness are taken away."""
    lab = cv2.cvtColor(tile, cv2.COLOR_BGR2LAB).astype(np.float64)
    flat = lab - lab[_inside()].mean(0)
    return np.asarray(flat * _inside()[..., None])


def _pattern_distance(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return one minus the best correlation over turns: tiles are laid any way round."""
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    if np.sqrt((one**2).mean()) < 3 and np.sqrt((other**2).mean()) < 3:
        return 0.0  # two plain tiles have no pattern to differ in
    best = 0.0
    for angle in range(0, 360, 15):
        turn = cv2.getRotationMatrix2D(((PATCH - 1) / 2, (PATCH - 1) / 2), angle, 1.0)
        best = max(best, float((cv2.warpAffine(one, turn, (PATCH, PATCH)) * other).sum()))
    return 1 - best / max(size, 1e-9)
