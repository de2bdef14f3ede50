"""Learn one's own copy of the game from a photo of the rosette: 19 tiles laid in a known way."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.backs import Backs, compare_backs
from calibration.petals import lie_right
from calibration.remarks import PLACES, Remark
from engine import board_of
from engine.position import COVERED, EMPTY, LETTERS, UNKNOWN, Face, ring_of
from vision.eyes import TilesSeen
from vision.grid import Grid, find_grid
from vision.kinds import KINDS, SHOWN
from vision.lattice import Lattice, Points, places
from vision.patches import cut_at, cut_patches
from vision.photo import Photo, PhotoError, open_photo
from vision.profile import Profile, Sitting
from vision.reasons import Reason

EDGE, MIDDLE = 3, 9
FLOWERS = tuple(int(i) for i in board_of(EDGE).neighbours[MIDDLE] if i is not None)
"""The cells round the middle, by direction."""
RIM = tuple(i for i in range(19) if i != MIDDLE and i not in FLOWERS)
GAP = 3.0
"""How much likelier (as a log) a tile must be something else before the rosette is called wrong: twenty times."""
LEAST = 0.3
"""The chance that every tile must have of being what it should be; a profile is worth a second photo."""

UNMARKED = 0.35
"""Heat of the finder below which it saw no tile at a place."""
FEWEST_BACKS = 8
"""Clear backs among the twelve: glare on some of them spoils nothing, because any one shows them all."""
NAMED = 3.0
"""How much likelier (as a log) the names of the six colours must be than with any two of them exchanged."""

Chances = NDArray[np.float64]


@dataclass(frozen=True)
class Rosette:
    """A photo of the rosette as read: what was learned, or what is wrong with it; one of the two is there.

    `photo` and `grid` are those it was found with, `kinds` what each of the 19 cells seems to show.
    """

    profile: Profile | None
    faults: tuple[Remark, ...]
    photo: Photo
    grid: Grid
    kinds: tuple[str, ...]


def photo_id(data: bytes) -> str:
    """Name a photo by its bytes."""
    return hashlib.sha256(data).hexdigest()[:16]


def learn_rosette(data: bytes) -> Rosette:
    """Read the rosette; raises PhotoError when the file cannot be opened or shows no rosette at all."""
    photo = open_photo(data)
    try:
        grid = find_grid(photo.image, EDGE)
    except PhotoError as refusal:
        raise NoRosetteError(refusal.reason) from refusal
    kinds, petals = _judged(photo, grid)
    patches = cut_patches(photo.image, grid.lattice, EDGE)
    backs = compare_backs(patches[list(RIM)])
    right = lie_right(patches[list(FLOWERS)], patches[MIDDLE])
    faults = tuple(_faults(grid, kinds, petals, backs, right))
    names = tuple(KINDS[int(k)] for k in kinds.argmax(1))
    if faults:
        return Rosette(None, faults, photo, grid, names)
    flowers = _best_permutation(kinds[list(FLOWERS)][:, 1:7] + petals)
    face = "".join(LETTERS[int(colour)] for colour in flowers)
    cells = {LETTERS[int(colour)]: cell for cell, colour in zip(FLOWERS, flowers, strict=True)}
    cells[COVERED] = typical(patches, [i for i, odd in zip(RIM, backs.odd, strict=True) if not odd])
    tiles = np.stack(
        [
            cut_tile(
                photo, grid.lattice, places(EDGE)[MIDDLE if kind == "S" else cells[kind]], face if kind == "S" else ""
            )
            for kind in SHOWN
        ]
    )
    lenses = {photo.camera: grid.lattice.k1} if photo.camera else {}
    profile = Profile(ring_of(face), (Sitting(photo_id(data), tiles.tobytes()),), lenses)
    return Rosette(profile, (), photo, grid, names)


class NoRosetteError(PhotoError):
    """A photo that shows no rosette; `cause` says what the finder made of it."""

    def __init__(self, cause: Reason) -> None:
        """Keep the advice of the finder where it is about the picture, not about the board."""
        super().__init__(cause.key if cause.key not in ("no-board", "cut-off") else "no-rosette", **cause.params)


def cut_tile(photo: Photo, lattice: Lattice, place: Points, petals: Face = "") -> NDArray[np.uint8]:
    """Cut one tile; a Serendip with these petals is turned so that its blue petal points east."""
    turns = -petals.index("b") % 6 if petals else 0
    angle = np.radians(60 * turns)
    c, s = np.cos(angle), np.sin(angle)
    there = place @ np.array([[c, -s], [s, c]])
    return np.asarray(cut_at(photo.image, lattice.turned(turns), there[None])[0])


def typical(patches: NDArray[np.uint8], cells: list[int]) -> int:
    """Return the cell whose patch is most like the others': one with a hand or glare on it is not."""
    flat = np.stack([patches[i].reshape(-1) for i in cells]).astype(np.float64)
    apart = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    return cells[int(np.median(apart, axis=1).argmin())]


def _judged(photo: Photo, grid: Grid) -> tuple[Chances, Chances]:
    """Return logs of chances of the 19 tiles' kinds (19, 10) and of the middle's petal colours (6, 6)."""
    # The networks know whole boards; the rosette is laid out over one again and again, and its answers are averaged.
    cells = np.arange(91) % 19
    seen = TilesSeen(cut_patches(photo.image, grid.lattice, EDGE)[cells]).look()
    kinds = np.stack([seen.kinds[cells == i].mean(0) for i in range(19)])
    petals = seen.petals[cells == MIDDLE].mean(0)
    return _logs(kinds), _logs(petals)


def _faults(grid: Grid, kinds: Chances, petals: Chances, backs: Backs, right: bool) -> list[Remark]:
    """Name everything that keeps the tiles from being a rosette.

    `backs` are the tiles of the rim beside each other; `right` says that every flower has the hue of its petal.
    """
    free = kinds.argmax(1)
    where = [_place(grid, i) for i in range(19)]
    alike = {i for i, like in zip(RIM, backs.alike, strict=True) if like}
    far = {i for i, off in zip(RIM, backs.far, strict=True) if off}

    def is_other(cell: int, wanted: int) -> bool:
        return bool(kinds[cell].max() - kinds[cell, wanted] > GAP)

    unmarked = np.flatnonzero((grid.support < UNMARKED) & (np.median(grid.support) > 2 * UNMARKED))
    empty = np.exp(kinds[:, KINDS.index(EMPTY)])
    bare = [i for i in range(19) if (KINDS[free[i]] == EMPTY and is_other(i, 0)) or (i in unmarked and empty[i] > 0.01)]
    gone = [i for i in bare if i not in alike]
    faults = [Remark("missing-tile", {"place": where[i]}, (i,)) for i in gone]
    serendip = KINDS.index("S")
    if MIDDLE not in gone and is_other(MIDDLE, serendip):
        faults.append(Remark("no-serendip", {"face": KINDS[free[MIDDLE]]}, (MIDDLE,)))
    readable = MIDDLE not in gone and not is_other(MIDDLE, serendip)
    towards = _best_permutation(petals)
    faults += _flower_faults(kinds, free, towards, where, readable and not right, gone)
    for i in RIM:
        if i not in gone and i not in alike - far and is_other(i, 0) and KINDS[free[i]] not in (EMPTY, UNKNOWN):
            faults.append(Remark("not-covered", {"place": where[i], "face": KINDS[free[i]]}, (i,)))
    return faults or [Remark("unclear", {"place": where[i]}, (i,)) for i in _unclear(kinds, petals, backs)]


def _unclear(kinds: Chances, petals: Chances, backs: Backs) -> list[int]:
    """Return the cells whose faces are not sure enough to learn from."""
    colours = _best_permutation(kinds[list(FLOWERS)][:, 1:7] + petals)
    named = kinds[list(FLOWERS)][:, 1:7] + petals
    lost = named[np.arange(6), colours][:, None] - named[:, colours]
    close = np.argwhere((lost + lost.T < NAMED) & ~np.eye(6, dtype=bool))
    out = sorted({FLOWERS[int(d)] for d in close.ravel()})
    out += [MIDDLE] if np.exp(kinds[MIDDLE, KINDS.index("S")]) < LEAST else []
    joint = _logs(named)[np.arange(6), colours]
    out += [i for i, sure in zip(FLOWERS, joint, strict=True) if np.exp(sure) < LEAST and i not in out]
    rim = list(zip(RIM, backs.odd, backs.alike, strict=True))
    faint = [i for i, odd, alike in rim if odd or (not alike and np.exp(kinds[i, 0]) < LEAST)]
    return out + (faint if len(RIM) - len(faint) < FEWEST_BACKS else [])


def _flower_faults(
    kinds: Chances,
    free: NDArray[np.int64],
    towards: NDArray[np.int64],
    where: list[str],
    readable: bool,
    gone: list[int],
) -> list[Remark]:
    """Name what is wrong with the six flowers; `towards` are the petals' colours by direction."""
    faults = []
    best = {cell: int(kinds[cell, 1:7].argmax()) for cell in FLOWERS}
    for d, cell in enumerate(FLOWERS):
        if cell in gone:
            continue
        if kinds[cell].max() - kinds[cell, 1:7].max() > GAP and KINDS[free[cell]] != UNKNOWN:
            faults.append(Remark("not-a-flower", {"place": where[cell], "face": KINDS[free[cell]]}, (cell,)))
            continue
        petal = int(towards[d])
        if not readable or best[cell] == petal or kinds[cell].max() - kinds[cell, 1 + petal] < GAP:
            continue
        flower, colour = LETTERS[best[cell]], LETTERS[petal]
        twins = tuple(c for c in FLOWERS if best[c] == best[cell])
        if len(twins) > 1 and petal not in best.values():
            faults.append(Remark("two-of-one", {"face": flower, "other": colour}, twins))
        else:
            faults.append(Remark("wrong-petal", {"face": flower, "colour": colour, "place": where[cell]}, (cell,)))
    return faults


def _place(grid: Grid, cell: int) -> str:
    """Return the key of where in the picture a cell of the rosette lies."""
    if cell == MIDDLE:
        return "middle"
    x, y = grid.points[cell] - grid.points[MIDDLE]
    return list(PLACES)[round(float(np.degrees(np.arctan2(-y, x))) / 60) % 6]


def _best_permutation(fits: Chances) -> NDArray[np.int64]:
    """Give each direction a colour of its own so that the sum of logs is largest."""
    return np.asarray(linear_sum_assignment(-fits)[1], np.int64)


def _logs(logits: Chances) -> Chances:
    return np.asarray(logits - np.logaddexp.reduce(logits, -1, keepdims=True))
