"""From the bytes of a photo to a reading: open it, find the grid, judge the faces, and vouch only for what is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

import cv2
import numpy as np

from engine import board_of
from engine.position import UNKNOWN
from vision.consult import consult
from vision.faces import Judgement, judge_faces
from vision.grid import Grid, find_grid
from vision.lattice import places
from vision.patches import cut_patches
from vision.photo import Photo, PhotoError, Picture, open_photo
from vision.profile import Profile
from vision.reading import CellReading, Reading

VOUCH = 0.999
"""The chance from which a face is vouched for; lower asks less and is wrong unasked more often."""
LEGIBLE = 0.6
"""A photo where half of the cells have a lower chance than this is refused: such guesses help nobody."""
SMALLEST_TILE = 11.0
"""Pixels a tile of the working picture must have for its petals to be told apart."""


def read_photo(data: bytes, profile: Profile | None = None) -> Reading:
    """Read a photo of the table, with the help of a profile of one's own copy if there is one.

    A photo that cannot be read comes back refused, with the reason; a profile of another print is left aside and said.
    """
    ms: dict[str, float] = {}
    try:
        with _timed(ms, "open"):
            photo = open_photo(data)
    except PhotoError as refusal:
        return Reading.refused("bad-file", refusal.reason, ms)
    try:
        with _timed(ms, "grid"):
            grid = _found(photo)
        with _timed(ms, "faces"):
            consulted = consult(cut_patches(photo.image, grid.lattice, 6), profile)
            judged, ring = judge_faces(consulted.seen, consulted.ring)
        return _vouched(photo, grid, judged, ring, ms, consulted.fits)
    except PhotoError as refusal:
        return Reading.refused("no-board", refusal.reason, ms)


@contextmanager
def _timed(ms: dict[str, float], stage: str) -> Iterator[None]:
    start = perf_counter()
    try:
        yield
    finally:
        ms[stage] = 1000 * (perf_counter() - start)


def _found(photo: Photo) -> Grid:
    """Find the board, or say what keeps it from being found."""
    try:
        grid = find_grid(photo.image)
    except PhotoError:
        raise PhotoError(_hindrance(photo.image) or "no-board") from None
    if float(np.median(grid.lattice.tile_size(places(6)))) < SMALLEST_TILE:
        raise PhotoError("too-far")
    return grid


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


def _vouched(photo: Photo, grid: Grid, judged: list[Judgement], ring: str, ms: dict[str, float], fits: bool) -> Reading:
    """Turn judgements into a reading: vouch for what is sure, ask about the rest."""
    names = board_of(6).names
    height, width = photo.image.shape[:2]
    cells, unsure = {}, []
    for name, judgement, (x, y), size in zip(
        names, judged, grid.points, grid.lattice.tile_size(places(6)), strict=True
    ):
        margin = 0.3 * size
        cut = not (margin <= x < width - margin and margin <= y < height - margin)
        gone = not (0 <= x < width and 0 <= y < height)
        face, chance = (UNKNOWN, 0.0) if gone else (judgement.face, judgement.chance)
        cells[name] = CellReading(face, chance, judgement.runner_up, {} if gone else judgement.chances)
        if cut or judgement.bound or chance < VOUCH:
            unsure.append(name)
    if sum(cell.confidence < LEGIBLE for cell in cells.values()) > len(names) / 2:
        raise PhotoError(_hindrance(photo.image) or "too-blurred")
    centres = dict(zip(names, photo.full_size(tuple(map(tuple, grid.points))), strict=True))
    return Reading.of(cells, unsure, centres, ring, ms, other_copy=not fits)
