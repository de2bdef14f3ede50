"""From the bytes of a photo to a reading: open it, find the grid, judge the faces, and vouch only for what is known."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

import cv2
import numpy as np

from engine import board_of
from engine.position import EMPTY, UNKNOWN
from vision.consult import consult
from vision.eyes import TilesSeen
from vision.faces import Judgement, judge_faces
from vision.grid import Grid, find_grid, pull_lattice
from vision.lattice import Lattice, Points, fit_lattice, places
from vision.patches import cut_patches
from vision.photo import Photo, PhotoError, Picture, open_photo
from vision.profile import Profile
from vision.reading import CellReading, Reading
from vision.recognition import contradicts, recognised
from vision.vouching import weighed

VOUCH = 0.99
"""The chance from which a face is vouched for; lower asks less and is wrong unasked more often."""
MARGIN, KNOWN_MARGIN = 0.15, 0.1
"""How far in tiles the centre of a tile must lie inside the frame for it to be vouched for; less of it must be seen of
one's own copy, because its tiles are compared with the part that is in view."""
LEGIBLE = 0.6
"""A photo where half of the cells have a lower chance than this is refused: such guesses help nobody."""
MOST_EMPTY, MOST_HIDDEN = 5, 20
"""Places without a tile that a board may have: with more, tiles lie in another outline, or it is another thing. And
places in the picture where none is to be seen, hidden ones with them: 75 tiles in view leave 16, and a few beside."""
SMALLEST_TILE = 11.0
"""Pixels a tile of the working picture must have for its petals to be told apart."""
FINE_TILE = 24.0
"""Pixels a tile should have; with fewer, a photo that has more of them is opened again at a larger size."""
FLAT = 0.45
"""How low a tile may look for its width before a photo that cannot be read is called too tilted: some 63 degrees."""
CORNERS = ("A1", "A6", "F11", "K6", "K1", "F1")


def read_photo(data: bytes, profile: Profile | None = None, opened: Photo | None = None) -> Reading:
    """Read a photo of the table, with the help of a profile of one's own copy if there is one.

    A photo that cannot be read comes back refused, with the reason; a profile of another print is left aside and said.
    `opened` is what `open_photo` has made of the same bytes, where that is known already.
    """
    lenses = profile.lenses if profile else {}

    def lay(photo: Photo) -> Lattice:
        return find_board(photo, lenses.get(photo.camera or "", 0.0)).lattice

    return _read(data, profile, lay, "", opened)


def read_at(data: bytes, corners: Points, profile: Profile | None = None) -> Reading:
    """Read a photo on which someone has marked the six corner tiles, (6, 2) pixels at full size in any order.

    Row A is the side that lies highest in the picture, as it is when the board is found without help.
    """
    return _read(data, profile, lambda photo: _laid(photo, corners), "corners")


def _read(
    data: bytes, profile: Profile | None, lay: Callable[[Photo], Lattice], illegible: str, opened: Photo | None = None
) -> Reading:
    """Read a photo with a lattice that `lay` finds; `illegible` is the reason when most faces are mere guesses."""
    ms: dict[str, float] = {}
    try:
        with _timed(ms, "open"):
            photo = opened or open_photo(data)
    except PhotoError as refusal:
        return Reading.refused("bad-file", refusal.reason, ms)
    try:
        with _timed(ms, "grid"):
            photo, lattice = _enlarged(data, photo, lay(photo))
        with _timed(ms, "faces"):
            reading = read_tiles(photo, lattice, TilesSeen(cut_patches(photo.image, lattice, 6)), profile, illegible)
        return replace(reading, ms=ms)
    except PhotoError as refusal:
        return Reading.refused("no-board", refusal.reason, ms)


def read_tiles(
    photo: Photo, lattice: Lattice, seen: TilesSeen, profile: Profile | None = None, illegible: str = ""
) -> Reading:
    """Read the tiles cut out of a photo; raises PhotoError when most are mere guesses."""
    consulted = consult(seen, profile)
    judged, ring = judge_faces(consulted.seen, consulted.ring)
    judged = weighed(seen.patches, judged, consulted.copies[0] if consulted.copies else None)
    own = recognised(seen.patches, judged, consulted.copies) if consulted.copies else None
    if own and contradicts(judged, own):
        consulted = replace(consult(seen, None), fits=False)
        judged, ring = judge_faces(consulted.seen)
        judged, own = weighed(seen.patches, judged), None
    cells, unsure = _vouched(photo, lattice, own or judged, KNOWN_MARGIN if own else MARGIN)
    unseen = [cell.face for cell in cells.values() if cell.face in (EMPTY, UNKNOWN) and cell.chances]
    if unseen.count(EMPTY) > MOST_EMPTY or len(unseen) > MOST_HIDDEN:
        raise PhotoError(illegible or "no-board")
    if sum(cell.confidence < LEGIBLE for cell in cells.values()) > len(cells) / 2:
        flat = "too-tilted" if lattice.flatness < FLAT else "too-blurred"
        raise PhotoError(illegible or _hindrance(photo.image) or flat)
    points = tuple(map(tuple, lattice.project(places(6))))
    centres = dict(zip(cells, photo.full_size(points), strict=True))
    return Reading.of(cells, unsure, centres, ring, other_copy=not consulted.fits)


def _laid(photo: Photo, corners: Points) -> Lattice:
    """Lay a lattice through six marks and pull it to the tiles."""
    marks = (np.asarray(corners, float) + 0.5) / photo.scale - 0.5
    away = marks - marks.mean(0)
    # Clockwise in the picture, where y points down; the pair that lies highest is A1 and A6.
    marks = marks[np.argsort(np.arctan2(away[:, 1], away[:, 0]))]
    first = min(range(6), key=lambda k: float(marks[k, 1] + marks[(k + 1) % 6, 1]))
    marks = np.roll(marks, -first, axis=0)
    if not cv2.isContourConvex(marks.astype(np.float32)):
        raise PhotoError("corners")
    lattice = fit_lattice(places(6)[[board_of(6).index(name) for name in CORNERS]], marks, photo.image.shape)
    size = lattice.tile_size(places(6))
    if not np.isfinite(size).all() or float(np.median(size)) < SMALLEST_TILE:
        raise PhotoError("corners")
    return pull_lattice(photo.image, lattice)


@contextmanager
def _timed(ms: dict[str, float], stage: str) -> Iterator[None]:
    start = perf_counter()
    try:
        yield
    finally:
        ms[stage] = 1000 * (perf_counter() - start)


def find_board(photo: Photo, k1: float = 0.0) -> Grid:
    """Find the board, or say what keeps it from being found; `k1` is what is known of the camera's lens."""
    try:
        return find_grid(photo.image, k1=k1)
    except PhotoError as refusal:
        raise PhotoError(_hindrance(photo.image) or refusal.reason.key) from None


def _enlarged(data: bytes, photo: Photo, lattice: Lattice) -> tuple[Photo, Lattice]:
    """Open a photo again at a larger size, if its tiles are small and it has the pixels."""
    size = float(np.median(lattice.tile_size(places(6))))
    if size < FINE_TILE and photo.scale > 1:
        larger = open_photo(data, finer=2 if size > FINE_TILE / 2 else 4)
        more = photo.scale / larger.scale
        photo, lattice, size = larger, lattice.scaled(more), size * more
    if size < SMALLEST_TILE:
        raise PhotoError("too-far")
    return photo, lattice


def _hindrance(image: Picture) -> str | None:
    """Name what is wrong with a picture as such: too dark, too bright, or blurred."""
    grey = cv2.cvtColor(cv2.resize(image, (512, 384), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    dark, bright = np.percentile(grey, (5, 95))
    if bright < 45:
        return "too-dark"
    if dark > 225:
        return "too-bright"
    if float(np.percentile(np.abs(cv2.Laplacian(grey, cv2.CV_32F)), 99)) < 0.06 * (bright - dark):
        return "too-blurred"
    return None


def _vouched(
    photo: Photo, lattice: Lattice, judged: list[Judgement], least: float
) -> tuple[dict[str, CellReading], list[str]]:
    """Turn judgements into cells, and those to ask about: only what is sure is vouched for."""
    height, width = photo.image.shape[:2]
    cells, unsure = {}, []
    points, sizes = lattice.project(places(6)), lattice.tile_size(places(6))
    for name, judgement, (x, y), size in zip(board_of(6).names, judged, points, sizes, strict=True):
        margin = least * size
        cut = not (margin <= x < width - margin and margin <= y < height - margin)
        gone = not (0 <= x < width and 0 <= y < height)
        face, chance = (UNKNOWN, 0.0) if gone else (judgement.face, judgement.chance)
        cells[name] = CellReading(face, chance, judgement.runner_up, {} if gone else judgement.chances)
        if cut or judgement.bound or chance < VOUCH:
            unsure.append(name)
    return cells, unsure
