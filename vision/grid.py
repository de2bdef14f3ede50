"""Find the hexagonal grid of a board in a photo.

A first glance marks centres of tiles; lattices are laid through the marks and through the board's outline, and the best
place of the whole board is taken. A second look at the board, drawn flat, lays the lattice exactly and decides whether
this is a board of the wanted size at all.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from engine.board import DIRECTIONS, Cell
from vision.flat import EDGE, Look, look_at
from vision.glance import Glance, Levels, Window, glance, whole_of
from vision.lattice import Lattice, Points, places, pulled_lattice
from vision.outline import outline_map
from vision.photo import PhotoError
from vision.refine import refine_lattice
from vision.search import Array, begin, best_place, find_marks, flipped, grow, widened

TINY = 11.0
"""Pixels of the picture that a tile must have for its shape to be seen."""
SMALLEST = 2.0
"""Pixels of heat that a tile must have for marks to be told apart."""
COMFORTABLE = 6.5
"""Pixels of heat a tile should have; with fewer, the board is looked at again from nearer by."""
TRIED = 2
"""Lattices that are tried for the whole board, of all that were grown; more cost time."""
LOOKS = 7
"""How often the board is looked at flat, at most; most boards need two looks, a few that begin amiss need all."""
SIDES = 2
"""From how many sides of the table the last look is, where one side has not convinced: their errors cancel out."""
SETTLED = 0.1
"""Tiles, as they look from the side, by which corners may still have moved at a look that is the last."""
HOPELESS = 0.7
"""Chance, on average, of tiles on their places below which a second look ends it: lattices that lie amiss have less."""

FLAT, FAR = 0.42, 0.22
"""An outline this low for its length is a board seen too flat; one this short for the picture's width is too far."""
WHOLE, COVERED = 0.93, 0.84
"""Chance, on average, that tiles of a board lie on the places that the photo shows: most boards have 0.97 or more. The
second suffices where those in view lie exactly: a hand may hide some."""
BEYOND = 0.16
"""Share of the places round it that may look like tiles: on a dotted cloth a few do; of larger boards half or more."""
ASTRAY, EXACT = (0.045, 0.09), (0.03, 0.06)
"""Tiles beside their places that half and nine tenths of the tiles may lie: hands lay them better, and lattices that
lie amiss, a row off at one corner perhaps, have more. Nearly all boards are exact."""
UNEVEN = 1.15
"""How much longer a tile may be one way than the other on the table: drawn boards have 1.03 at most, squares 1.5."""
IN_VIEW = 0.6
"""Share of a board's places that must be in the photo."""
LEAD, AGREED, FEWEST = 0.8, 0.75, 4.0
"""Share of a row by which the board's place must beat its neighbours'; with less, a cut-off board may be a row off. At
the frame fewer places bear witness, and this share of them suffices; but never fewer places than these."""
ROSETTE = 0.75
"""Share of `WHOLE`, and its square of `LEAD`, that suffices for a smaller board: it is sought only when asked for."""
FINER = 0.7
"""Chance of tiles from which the outline of a smaller board is that of a whole one, with smaller tiles."""


@dataclass(frozen=True)
class Grid:
    """A board found in an image: the lattice, and how much of the board the picture vouches for."""

    edge: int
    lattice: Lattice
    support: NDArray[np.float64]
    """For each cell, the chance that a tile of a board lies there (0..1); 0 outside the image."""
    off: float
    """Median distance of tiles from the lattice, in tiles."""

    @property
    def points(self) -> Points:
        """The pixel of every cell's centre, by index."""
        return self.lattice.project(places(self.edge))

    @property
    def centres(self) -> dict[str, tuple[float, float]]:
        """The pixel of every cell's centre, by name."""
        return {name: (float(x), float(y)) for name, (x, y) in zip(board_of(self.edge).names, self.points, strict=True)}


def find_grid(image: NDArray[np.uint8], edge: int = 6, k1: float = 0.0) -> Grid:
    """Find the board in an upright BGR image; raise PhotoError when there is none.

    `k1` is the distortion that this camera's lens is known to have: a place to start from.
    """
    levels = Levels(image)
    seen = glance(levels, whole_of(levels))
    tried: list[Lattice] = []
    told = "no-board"
    for lattice in lattices_in(levels, seen, edge):
        if all(_differ(lattice, other, edge) for other in tried):
            tried.append(lattice)
            try:
                return _settled(levels, lattice.through_lens(k1), edge)
            except PhotoError as fault:
                told = fault.reason.key if told == "no-board" else told
    obstacle = _obstacle(seen)
    raise PhotoError(told if obstacle == "no-board" else obstacle)


def _obstacle(seen: Glance) -> str:
    """Name what may keep a board from being found, by the outline of what looks like one."""
    shapes, _ = cv2.findContours((seen.board > 0.5).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not shapes:
        return "no-board"
    largest = max(shapes, key=cv2.contourArea)
    _, _, width, height = cv2.boundingRect(largest)
    high, wide = seen.board.shape
    if (width > 0.97 * wide or height > 0.97 * high) and cv2.contourArea(largest) > 0.5 * wide * high:
        return "cut-off"
    _, sides, _ = cv2.minAreaRect(largest)
    if cv2.contourArea(largest) < 0.65 * sides[0] * sides[1] or max(sides) < 12:
        return "no-board"
    if min(sides) < FLAT * max(sides):
        return "too-tilted"
    return "too-far" if max(sides) < FAR * seen.board.shape[1] else "no-board"


def _tile_size(seen: Glance, edge: int) -> float:
    """Return the pixels of heat that a tile has, if all that looks like a board is one."""
    return float(np.sqrt(np.maximum(seen.board - 0.3, 0).sum() / 0.7 / len(places(edge)) / 0.866))


def _nearer(seen: Glance, levels: Levels) -> Window:
    """Return the part of the image that the board is in, or the whole if that is not much less."""
    rows, columns = np.nonzero(seen.board > 0.4)
    if len(rows) < 30:
        return whole_of(levels)
    corners = np.array([[columns.min(), rows.min(), 1], [columns.max(), rows.max(), 1]]) @ seen.back.T
    low, high = corners[:, :2].min(0), corners[:, :2].max(0)
    across, down = (high - low) * 1.25
    # The network sees four by three; what is asked for beyond the frame comes out black.
    long = max(across, down, 4 / 3 * min(across, down))
    if long > 0.9 * max(levels.shape):
        return whole_of(levels)
    size = np.array([long, long * 0.75] if across >= down else [long * 0.75, long])
    left, top = (low + high) / 2 - size / 2
    return Window(float(left), float(top), float(size[0]), float(size[1]))


def lattices_in(levels: Levels, seen: Glance, edge: int) -> Iterator[Lattice]:
    """Yield where the board may lie, the likeliest first: by its outline, from afar and from near, then by marks."""
    small = _tile_size(seen, edge) <= COMFORTABLE
    if not small:
        yield from _lattices(levels, seen, outline_map(seen.board, edge))
    close = glance(levels, _nearer(seen, levels), closer=True)
    yield from _lattices(levels, close, outline_map(close.board, edge))
    if small:
        yield from _lattices(levels, seen, outline_map(seen.board, edge))
    for view in (close, seen):
        yield from _lattices(levels, view, _marked_maps(view, edge))


def _lattices(levels: Levels, seen: Glance, maps: Array) -> Iterator[Lattice]:
    """Yield the lattices of the image by maps (n, 3, 3) from board coordinates to heat."""
    height, width = levels.shape
    middle, reach = ((width - 1) / 2, (height - 1) / 2), float(np.hypot(height, width) / 2)
    for each in maps:
        yield Lattice(seen.back @ each, 0.0, middle, reach)


def _marked_maps(seen: Glance, edge: int) -> Array:
    """Return maps (n, 3, 3) from board coordinates to heat through marks of tiles, the likeliest first."""
    size = _tile_size(seen, edge)
    if size < SMALLEST:
        return np.zeros((0, 3, 3))
    heat = np.asarray(cv2.GaussianBlur(seen.centre, (0, 0), max(0.15 * size, 0.6)), np.float32)
    heat = np.asarray(heat / max(float(heat.max()), 0.3), np.float32)
    marks = find_marks(heat * np.minimum(1, 1.5 * seen.board))
    begun = np.concatenate([outline_map(seen.board, edge), begin(marks, heat)])
    maps, count = grow(begun, marks, (heat.shape[1], heat.shape[0]))
    if not len(maps):
        return maps
    maps = flipped(maps[np.argsort(-count)[:TRIED]])
    worth, _, steps = best_place(0.5 * widened(heat) + 0.5 * seen.board, maps, edge)
    likely = [i for i in np.argsort(-worth)[:3] if worth[i] > 0.6 * worth.max()]
    moves = np.eye(3)[None].repeat(len(likely), 0)
    moves[:, :2, 2] = steps[likely]
    return np.asarray(maps[likely] @ moves)


def _differ(one: Lattice, other: Lattice, edge: int) -> bool:
    """Say whether two lattices put a board's cells to different places, whichever way they are turned."""
    a, b = one.project(places(edge)), other.project(places(edge))
    gaps = np.sqrt(((a[:, None] - b[None]) ** 2).sum(2).min(1)) / np.maximum(one.tile_size(places(edge)), 1e-6)
    return bool(np.max(gaps) > 0.15)


def pull_lattice(image: NDArray[np.uint8], lattice: Lattice, edge: int = 6) -> Lattice:
    """Pull a lattice that someone has laid roughly over a board to its tiles."""
    levels = Levels(image)
    return refine_lattice(levels, _pulled(levels, lattice, edge, may_step=False)[0], edge).rounded()


def _settled(levels: Levels, lattice: Lattice, edge: int) -> Grid:
    """Lay a lattice that is roughly right exactly on a board; raise PhotoError where no such board lies."""
    inner, _, _ = _rings(edge)
    lattice, look, off = _pulled(levels, lattice, edge, may_step=True)
    if fault := _fault(look, off, edge) or _oddity(levels, lattice, edge):
        raise PhotoError(fault)
    lattice, turns = _named(refine_lattice(levels, lattice, edge), edge)
    there = list(board_of(edge).turns[-turns % 6])
    return Grid(edge, lattice.rounded(), (look.chance * look.inside)[inner][there], float(np.median(off)))


def _oddity(levels: Levels, lattice: Lattice, edge: int) -> str | None:
    """Say why tiles in the right places are yet no board: of the wrong shape, or each made of several smaller ones."""
    if lattice.unevenness > UNEVEN:
        # Of a tile as small as this the shape is not to be seen.
        return "too-far" if np.median(lattice.tile_size(places(edge))) < TINY else "no-board"
    if edge < 6:
        share = (edge - 0.5) / 5.5
        finer = Lattice(lattice.homography @ np.diag([share, share, 1]), lattice.k1, lattice.middle, lattice.reach)
        inner, _, _ = _rings(6)
        with suppress(PhotoError):
            _, look, _ = _pulled(levels, finer, 6, may_step=True)
            if (look.chance * look.inside)[inner].mean() > FINER:
                return "no-board"
    return None


def _pulled(levels: Levels, lattice: Lattice, edge: int, may_step: bool) -> tuple[Lattice, Look, Array]:
    """Look at the board drawn flat and move the lattice, until it stays.

    Return it, the last look, and how far beside their places the tiles then lie, in tiles.
    """
    inner, _, _ = _rings(edge)
    ideal = places(edge)
    rim = [i for i, around in enumerate(board_of(edge).neighbours) if around.count(None) == 3]
    for k in range(LOOKS):
        sizes = lattice.tile_size(ideal)
        size = float(np.median(sizes))
        if not 4 < size < 1e4:
            raise PhotoError("no-board")
        look = look_at(levels, lattice, size, sides=SIDES if k > 2 else 1)
        off = np.linalg.norm(look.beside[inner], axis=1)
        if may_step and (step := _better_place(look, edge)) is not None:
            lattice = lattice.shifted(step)
            continue
        weights = (look.chance * look.inside)[inner]
        if (weights > 0.3).sum() < 0.25 * len(weights):
            break
        before, lattice = lattice, pulled_lattice(lattice, ideal, look.beside[inner], weights)
        now = lattice.project(ideal)
        moved = np.linalg.norm(now - before.project(ideal), axis=1) / sizes
        off = np.linalg.norm(before.project(ideal + look.beside[inner]) - now, axis=1) / sizes
        still = moved[rim].max() < SETTLED * lattice.flatness
        if still and (not may_step or _fault(look, off, edge) is None):
            break
        if not still:
            # Of a lattice that yet moves nobody knows where it will lie.
            off = np.maximum(off, moved)
        if may_step and k and look.chance[inner][look.inside[inner]].mean() < HOPELESS:
            break
    return lattice, look, off


@lru_cache(maxsize=8)
def _rings(
    edge: int,
) -> tuple[NDArray[np.intp], NDArray[np.intp], tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]]:
    """Return places of the flat view: the board's, those round it, and for each step what it gains and loses by it."""
    wide = board_of(EDGE)
    inside = set(board_of(edge).cells)
    inner = [wide.index_of[cell] for cell in board_of(edge).cells]
    ring = [wide.index_of[cell] for cell in board_of(edge + 1).cells if cell not in inside]
    steps = []
    for dq, dr in DIRECTIONS:
        there = {Cell(q + dq, r + dr) for q, r in inside}
        gained, lost = ([wide.index_of[c] for c in cells] for cells in (there - inside, inside - there))
        steps.append((np.array(sorted(gained)), np.array(sorted(lost))))
    return np.array(inner), np.array(ring), tuple(steps)


def _leads(look: Look, edge: int) -> Array:
    """Return by how many tiles the board's place beats the six places beside it, as far as the photo shows it."""
    vote = (2 * look.chance - 1) * look.inside
    return np.array([vote[lost].sum() - vote[gained].sum() for gained, lost in _rings(edge)[2]])


def _better_place(look: Look, edge: int) -> Points | None:
    """Return the step, if any, by which the board fits better."""
    leads = _leads(look, edge)
    worst = int(leads.argmin())
    if leads[worst] > -1:
        return None
    q, r = DIRECTIONS[worst]
    return np.array([q + r / 2, r * np.sqrt(3) / 2])


def _fault(look: Look, off: Array, edge: int) -> str | None:
    """Say why this is not a whole board of this edge: too few tiles in view, or tiles going on beyond it.

    `off` is how far beside its place the tile of each cell lies, in tiles.
    """
    inner, ring, steps = _rings(edge)
    shown = look.inside[inner]
    whole = look.chance[inner][shown]
    off = off[shown][whole > 0.5]
    beyond = look.chance[ring][look.inside[ring]]
    if len(off) < 0.5 * len(inner) or (beyond > 0.5).sum() > BEYOND * max(len(beyond), 12):
        return "no-board"
    usual = np.percentile(off, (50, 90))
    ease = 1.0 if edge == 6 else ROSETTE
    if (usual > ASTRAY).any() or whole.mean() < ease * (COVERED if (usual < EXACT).all() else WHOLE):
        return "no-board"
    witnesses = np.array([look.inside[gained].sum() + look.inside[lost].sum() for gained, lost in steps])
    wanted = np.minimum(LEAD * ease**2 * (2 * edge - 1), np.maximum(AGREED * witnesses, FEWEST))
    if len(whole) < IN_VIEW * len(inner) or (_leads(look, edge) < wanted).any():
        return "cut-off"
    return None


def _named(lattice: Lattice, edge: int) -> tuple[Lattice, int]:
    """Turn the names so that row A is the highest in the picture; return the lattice and the turns made."""
    angles = np.radians(60 * np.arange(6))
    tops = np.stack([np.sin(angles), -np.cos(angles)], 1) * (edge - 1)
    turns = int(lattice.project(tops)[:, 1].argmin())
    return lattice.turned(turns), turns
