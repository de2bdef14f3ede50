"""What is known of a player's own copy of the game: tiles from photos of it, its ring, and the lenses used."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.position import LETTERS
from vision.kinds import SHOWN
from vision.patches import PATCH

Tiles = NDArray[np.uint8]
"""One patch for each of `SHOWN` (8, PATCH, PATCH, 3), BGR; black where the face was not to be seen."""


@dataclass(frozen=True)
class Sitting:
    """The eight faces of one's own copy as one photo shows them; `photo` names it, so that it can be forgotten."""

    photo: str
    patches: bytes

    def __post_init__(self) -> None:
        """Refuse patches of another size."""
        if len(self.patches) != len(SHOWN) * PATCH * PATCH * 3:
            raise ValueError("a sitting has eight patches")

    @property
    def tiles(self) -> Tiles:
        """The patches as pictures."""
        return np.frombuffer(self.patches, np.uint8).reshape(len(SHOWN), PATCH, PATCH, 3)

    @property
    def shown(self) -> str:
        """The faces that are there, as letters of `SHOWN`."""
        return "".join(kind for kind, tile in zip(SHOWN, self.tiles, strict=True) if tile.any())


@dataclass(frozen=True)
class Profile:
    """One's own copy: photos of it, first the rosette; the order of the Serendip's colours; k1 by camera."""

    ring: str
    sittings: tuple[Sitting, ...]
    lenses: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a profile that shows nothing or has no ring."""
        if sorted(self.ring) != sorted(LETTERS):
            raise ValueError(f"a ring has each of the six colours once, not {self.ring!r}")
        if not self.sittings:
            raise ValueError("a profile needs at least one photo")


def light_of(tiles: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Estimate the light on tiles (n, PATCH, PATCH, 3): the mean of their brighter pixels, as logs of b/g and r/g.

    All tiles of a photo together show all six hues, so what their sum leans to is the light and not the print.
    """
    pixels = np.concatenate([tile.reshape(-1, 3) for tile in tiles if tile.any()] or [np.full((1, 3), 128)])
    blue, green, red = pixels.astype(np.float64).mean(0) + 1.0
    return np.array([np.log(blue / green), np.log(red / green)])
