"""A camera that stays where it is: the board is found once, and only the tiles that changed are judged again."""

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from vision.eyes import TilesSeen
from vision.grid import Grid
from vision.heic import reduction_for
from vision.lattice import places
from vision.patches import PATCH, Cut
from vision.photo import Photo, Picture
from vision.profile import Profile
from vision.reader import find_board, read_tiles
from vision.reading import Reading

CHANGED = 5.0
"""Levels by which a patch must differ on the mean to be judged again: noise gives one or two, a turned Serendip ten."""
DIMMED = 1.6
"""By how much the light may change while the tiles are still compared."""
BRIGHTER = 0.1
"""By how much the logarithm of the light may change before tiles that look as they did are looked at again as well."""
MOVED = 45
"""With more changed patches than this the camera was moved or the light went on, and all is read anew."""


@dataclass(frozen=True, eq=False)
class Glimpse:
    """What the camera saw: the grid, a patch a cell, the reading, and the cells that changed since the last glimpse.

    `seen` keeps what the networks' eyes made of each tile.
    """

    grid: Grid
    cut: Cut
    profile: Profile | None
    patches: NDArray[np.uint8]
    seen: TilesSeen
    reading: Reading
    changed: tuple[str, ...]


def first_glimpse(frame: Picture, profile: Profile | None = None) -> Glimpse:
    """Read a frame in full; raises PhotoError when it shows no board."""
    photo = _photo(frame)
    grid = find_board(photo)
    cut = Cut.of(grid.lattice, places(6))
    patches = cut.out_of(photo.image)
    seen = TilesSeen(patches)
    reading = read_tiles(photo, grid.lattice, seen, profile)
    return Glimpse(grid, cut, profile, patches, seen, reading, board_of(6).names)


def glimpse_again(last: Glimpse, frame: Picture) -> Glimpse:
    """Read what changed since the last glimpse; in full where too much did."""
    photo = _photo(frame)
    patches = last.cut.out_of(photo.image)
    changed = changed_cells(last.patches, patches)
    if len(changed) > MOVED:
        return first_glimpse(frame, last.profile)
    if not changed:
        return replace(last, changed=())
    if np.abs(np.log(_light(_thin(last.seen.patches), _thin(patches)))).max() > BRIGHTER:
        seen = TilesSeen(patches)
    else:
        seen = last.seen.again(patches, [board_of(6).index(name) for name in changed])
    told = read_tiles(photo, last.grid.lattice, seen, last.profile)
    cells = {name: (told if name in changed else last.reading).cells[name] for name in told.cells}
    unsure = [name for name in told.cells if name in (told if name in changed else last.reading).unsure]
    reading = Reading.of(cells, unsure, told.centres, told.ring or last.reading.ring, told.ms)
    return Glimpse(last.grid, last.cut, last.profile, patches, seen, reading, changed)


def changed_cells(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> tuple[str, ...]:
    """Name the cells whose patches (91, PATCH, PATCH, 3) differ by more than noise and a change of the light."""
    old, new = _small(before), _small(after)
    differ = np.abs(new - old * _light(old, new))[:, _INSIDE].mean(axis=(1, 2))
    # A lamp that dims or a cloud changes all patches a little: a tile must stand out from the others.
    usual = float(np.median(differ))
    least = 0.0 if usual > CHANGED else max(CHANGED, 3 * usual)
    return tuple(name for name, much in zip(board_of(6).names, differ, strict=True) if much > least)


def _light(old: NDArray[np.floating], new: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return by how much each colour of most patches became brighter."""
    before, after = old.mean(axis=(1, 2)), new.mean(axis=(1, 2))
    return np.asarray(np.clip(np.median((after + 1) / (before + 1), axis=0), 1 / DIMMED, DIMMED), np.float32)


def _thin(patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    return np.asarray(patches[:, ::4, ::4], np.float32)


SMALL = PATCH // 2
_STEPS = (np.arange(SMALL) + 0.5) / SMALL - 0.5
_INSIDE = np.hypot(_STEPS[:, None], _STEPS[None]) < 0.4
"""The pixels of a patch that show its tile and nothing of the neighbours, which may be laid a little differently."""


def _small(patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Halve all patches at once, as one tall picture."""
    tall = patches.reshape(-1, PATCH, 3)
    small = cv2.resize(tall, (SMALL, len(tall) // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32).reshape(-1, SMALL, SMALL, 3)


def _photo(frame: Picture) -> Photo:
    """Take a frame as a photo at working size."""
    height, width = frame.shape[:2]
    reduction = reduction_for(width, height)
    if reduction > 1:
        frame = np.asarray(cv2.resize(frame, (width // reduction, height // reduction), interpolation=cv2.INTER_AREA))
    return Photo(frame, reduction, width, height, "frame")
