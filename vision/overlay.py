"""Draw a reading over its photo, so that a player sees at a glance whether it is right.

Every open tile gets a frame and a badge in the colour read, the badge with that colour's letter; a Serendip gets six
marks towards its edges; a covered tile only a thin frame and a dot. What has to be asked stands out by dashes and a
question mark.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from engine.board import Board
from engine.position import COVERED, EMPTY, UNKNOWN, Face, is_serendip
from vision.photo import Photo, Picture
from vision.reading import CellReading, Reading

Points = npt.NDArray[np.float64]
Colour = tuple[int, int, int]

PAINT: Mapping[str, Colour] = {
    "b": (240, 122, 40),
    "v": (226, 72, 158),
    "r": (44, 40, 226),
    "y": (30, 222, 255),
    "o": (20, 134, 255),
    "g": (70, 178, 40),
}
WHITE, BLACK = (255, 255, 255), (24, 20, 20)
DARK_LETTERS = "yo"
LEAST_LONG_SIDE = 1600
"""Smaller views are enlarged before drawing: the letters of a distant row need pixels."""
MARGIN = 3.0
"""How much of the table is left round the board: the outermost tiles, taken this many times as large."""
DOUBTFUL = 0.99
"""Below this the confidence is written on the tile; above, the number would only be clutter."""
SUBPIXEL = 4

_ANGLES = np.radians(np.arange(6) * 60)
TOWARDS_EDGES: Points = np.stack([np.cos(_ANGLES), -np.sin(_ANGLES)], axis=1)
"""Unit steps to the neighbours in directions 0..5, y downwards."""
CORNERS: Points = np.stack([np.cos(_ANGLES - np.pi / 6), -np.sin(_ANGLES - np.pi / 6)], axis=1) / np.sqrt(3)
"""Corners of a tile whose neighbours are one step away; edge d lies between corners d and d + 1."""


@dataclass(frozen=True)
class _Tile:
    """Where a tile lies in the drawing: its centre and the 2 x 2 matrix from tile steps to pixels."""

    centre: Points
    steps: Points

    @property
    def size(self) -> float:
        """The smallest distance to a neighbour, in pixels: what lettering has room for."""
        return float(np.linalg.svd(self.steps, compute_uv=False)[-1])

    @property
    def height(self) -> float:
        """How far the tile reaches from its highest to its lowest point, in pixels."""
        return float(np.ptp(self.at(CORNERS)[:, 1]))

    def at(self, places: Points) -> Points:
        """Take places in tile steps to pixels."""
        return self.centre + places @ self.steps.T


@dataclass(frozen=True)
class _Text:
    """A word to be set once all shapes are drawn."""

    words: str
    centre: Points
    height: float
    colour: Colour


def draw_overlay(photo: Photo, reading: Reading) -> Picture:
    """Return the board and what lies close to it, with what was read drawn over it and a caption below."""
    centres = {name: (np.array(at) + 0.5) / photo.scale - 0.5 for name, at in reading.centres.items()}
    canvas, corner, zoom = _close_view(photo.image, dict(_tiles(reading.board, centres)).values())
    tiles = dict(_tiles(reading.board, {name: (at - corner + 0.5) * zoom - 0.5 for name, at in centres.items()}))
    canvas = _with_dimmed_surroundings(canvas, tiles.values())
    texts = _row_letters(reading.board, tiles)
    shown = [name for name in reading.cells if name in tiles]
    asked = [name for name in shown if name in reading.unsure]
    for name in shown:
        texts += _draw_face(canvas, tiles[name], reading.cells[name].face)
    canvas = _with_texts(canvas, texts)
    # Frames before question marks, and both after all faces and letters, so that nothing lies over a question.
    for name in asked:
        _draw_dashes(canvas, tiles[name].at(1.02 * CORNERS), tiles[name].size)
    texts = [text for name in shown for text in _confidence(tiles[name], reading.cells[name])]
    for name in asked:
        texts += _draw_question(canvas, tiles[name], reading.cells[name].face)
    return _with_caption(_with_texts(canvas, texts), reading)


def _close_view(image: Picture, tiles: Iterable[_Tile]) -> tuple[Picture, Points, float]:
    """Cut out the board with a margin and enlarge it; return the picture, its corner in `image`, and the zoom."""
    height, width = image.shape[:2]
    outlines = [tile.at(MARGIN * CORNERS) for tile in tiles] or [np.array([[0.0, 0.0], [width, height]])]
    left, top = np.clip(np.floor(np.min(np.concatenate(outlines), axis=0)), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(np.ceil(np.max(np.concatenate(outlines), axis=0)), (left + 1, top + 1), (width, height))
    view = image[top : int(bottom), left : int(right)]
    zoom = max(1.0, LEAST_LONG_SIDE / max(view.shape[:2]))
    canvas = cv2.resize(view, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_CUBIC)
    return canvas.astype(np.uint8), np.array([left, top]), zoom


def _tiles(board: Board, centres: Mapping[str, Points]) -> Iterator[tuple[str, _Tile]]:
    """Estimate the shape of each tile from where its neighbours lie."""
    for i, name in enumerate(board.names):
        around = [(d, board.names[j]) for d, j in enumerate(board.neighbours[i]) if j is not None]
        around = [(d, other) for d, other in around if other in centres]
        if name not in centres or len(around) < 2:
            continue
        steps = TOWARDS_EDGES[[d for d, _ in around]]
        if np.linalg.matrix_rank(steps, tol=0.1) < 2:
            continue
        away = np.array([centres[other] - centres[name] for _, other in around])
        yield name, _Tile(centres[name], np.linalg.lstsq(steps, away, rcond=None)[0].T)


def _with_dimmed_surroundings(canvas: Picture, tiles: Iterable[_Tile]) -> Picture:
    """Darken what is not the board."""
    mask = np.full(canvas.shape[:2], 0.5, np.float32)
    for tile in tiles:
        _fill(mask, tile.at(1.06 * CORNERS), 1.0)
    return (canvas * cv2.GaussianBlur(mask, (0, 0), 2)[:, :, None]).astype(np.uint8)


def _draw_face(canvas: Picture, tile: _Tile, face: Face) -> list[_Text]:
    if is_serendip(face):
        return _draw_serendip(canvas, tile, face)
    if face in PAINT:
        _outline(canvas, tile.at(0.9 * CORNERS), PAINT[face], 0.075 * tile.size)
        return _badge(canvas, tile, tile.centre, 0.17, face)
    if face == COVERED:
        _outline(canvas, tile.at(0.95 * CORNERS), WHITE, 0.015 * tile.size)
        _disc(canvas, tile.centre, 0.075 * tile.size, BLACK)
        _disc(canvas, tile.centre, 0.05 * tile.size, WHITE)
    elif face == EMPTY:
        _outline(canvas, tile.at(0.9 * CORNERS), WHITE, 0.025 * tile.size)
        for d in (0, 1):
            _line(canvas, tile.at(0.45 * CORNERS[[d + 1, d + 4]]), WHITE, 0.05 * tile.size)
    return []


def _draw_serendip(canvas: Picture, tile: _Tile, petals: Face) -> list[_Text]:
    corners = tile.at(0.9 * CORNERS)
    _line(canvas, corners[[*range(6), 0]], BLACK, 0.13 * tile.size)
    for d, petal in enumerate(petals):
        _line(canvas, corners[[d, (d + 1) % 6]], PAINT[petal], 0.075 * tile.size)
    marks = [_badge(canvas, tile, tile.at(0.36 * TOWARDS_EDGES[d]), 0.12, petal) for d, petal in enumerate(petals)]
    return [text for mark in marks for text in mark]


def _badge(canvas: Picture, tile: _Tile, centre: Points, radius: float, letter: str) -> list[_Text]:
    """Draw a disc in a flower's colour; its letter says the same to those who cannot tell the colours apart."""
    _disc(canvas, centre, (radius + 0.025) * tile.size, WHITE)
    _disc(canvas, centre, radius * tile.size, PAINT[letter])
    return [_Text(letter.upper(), centre, 1.45 * radius * tile.size, BLACK if letter in DARK_LETTERS else WHITE)]


def _draw_dashes(canvas: Picture, corners: Points, size: float) -> None:
    _line(canvas, corners[[*range(6), 0]], BLACK, 0.17 * size)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        for dash in (0.05, 0.55):
            ends = np.array([start + (end - start) * at for at in (dash, dash + 0.27)])
            _line(canvas, ends, WHITE, 0.1 * size)


def _draw_question(canvas: Picture, tile: _Tile, face: Face) -> list[_Text]:
    """Put a question mark on the shoulder of a tile, or in its middle where there is no guess to be seen."""
    middle = tile.centre if face == UNKNOWN else tile.centre + np.array([0.32 * tile.size, -0.5 * tile.height])
    _disc(canvas, middle, 0.3 * tile.size, BLACK)
    _disc(canvas, middle, 0.26 * tile.size, WHITE)
    return [_Text("?", middle, 0.44 * tile.size, BLACK)]


def _confidence(tile: _Tile, cell: CellReading) -> list[_Text]:
    """Write a confidence that is worth a look below the letter; a Serendip has room in its middle."""
    if cell.confidence >= DOUBTFUL or cell.face == UNKNOWN:
        return []
    below = np.array([0, 0 if is_serendip(cell.face) else 0.29 * tile.height])
    return [_Text(f"{100 * cell.confidence:.0f}%", tile.centre + below, 0.18 * tile.size, WHITE)]


def _row_letters(board: Board, tiles: Mapping[str, _Tile]) -> list[_Text]:
    """Name the rows beside their first tiles, so that a cell can be found by its name."""
    firsts = [(name[0], tiles[name]) for name in board.names if name[1:] == "1" and name in tiles]
    return [_Text(row, tile.at(0.95 * TOWARDS_EDGES[3]), 0.3 * tile.size, WHITE) for row, tile in firsts]


def _outline(canvas: Picture, corners: Points, colour: Colour, thickness: float) -> None:
    _line(canvas, corners[[*range(len(corners)), 0]], BLACK, 1.8 * thickness)
    _line(canvas, corners[[*range(len(corners)), 0]], colour, thickness)


def _line(canvas: Picture, points: Points, colour: Colour, thickness: float) -> None:
    cv2.polylines(canvas, [_fixed(points)], False, colour, max(1, round(thickness)), cv2.LINE_AA, SUBPIXEL)


def _disc(canvas: Picture, centre: Points, radius: float, colour: Colour) -> None:
    x, y = _fixed(centre)
    cv2.circle(canvas, (int(x), int(y)), round(radius * 2**SUBPIXEL), colour, cv2.FILLED, cv2.LINE_AA, SUBPIXEL)


def _fill(canvas: npt.NDArray[np.float32], corners: Points, value: float) -> None:
    cv2.fillConvexPoly(canvas, _fixed(corners), (value,), cv2.LINE_8, SUBPIXEL)


def _fixed(points: Points) -> npt.NDArray[np.int32]:
    """Return points in the fractions of a pixel that OpenCV draws with; far-off ones come nearer, still unseen."""
    fixed: npt.NDArray[np.int32] = np.round(np.clip(points, -9999, 99999) * 2**SUBPIXEL).astype(np.int32)
    return fixed


@lru_cache(maxsize=64)
def _font(height: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(height)


def _with_texts(canvas: Picture, texts: Iterable[_Text]) -> Picture:
    """Set all words at once: going to Pillow and back copies the picture."""
    picture = Image.fromarray(canvas)
    draw = ImageDraw.Draw(picture)
    for text in texts:
        font, rim = _font(max(8, round(text.height))), 0
        if len(text.words) > 1 or text.colour == WHITE:
            rim = max(1, round(text.height / 12))
        draw.text(tuple(text.centre), text.words, text.colour, font, anchor="mm", stroke_width=rim, stroke_fill=BLACK)
    return np.array(picture)


def _with_caption(canvas: Picture, reading: Reading) -> Picture:
    """Say below the photo how the reading stands and which tiles are asked about."""
    width = canvas.shape[1]
    height = round(width / 20)
    strip = np.full((height, width, 3), BLACK, np.uint8)
    words = str(reading.message)
    if reading.unsure:
        asked = reading.unsure[:12]
        words += f"  {' '.join(asked)}{' ...' if len(asked) < len(reading.unsure) else ''}"
    size = 0.5 * height
    while size > 8 and _font(round(size)).getlength(words) > width - height:
        size *= 0.94
    return np.vstack([canvas, _with_texts(strip, [_Text(words, np.array([width / 2, height / 2]), size, WHITE)])])
