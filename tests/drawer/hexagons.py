"""Other things of hexagons that lie on tables, or are the table: islands, landscapes, floors, boards for marbles."""

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from tests.drawer.camera import Points
from tests.drawer.prints import Colour, Image, Random, hsv, mixed
from tests.drawer.tables import clouds, table_colour

HEXAGONAL = ("numbers", "landscape", "floor", "marbles", "rhombus")
CORNERS = np.stack([np.cos(np.radians(30 + 60 * np.arange(6))), np.sin(np.radians(30 + 60 * np.arange(6)))], 1)


def lattice(reach: int) -> Points:
    """Return the places of a wide hexagonal lattice, in tiles."""
    cells = np.array(board_of(reach).cells, float)
    return np.stack([cells[:, 0] + cells[:, 1] / 2, cells[:, 1] * np.sqrt(3) / 2], 1)


def draw_hexagons(random: Random, kind: str, sheet: Image) -> tuple[Points, NDArray[np.bool_]]:
    """Draw a thing of hexagons on a square sheet; return where they lie, as shares (-1..1) of it, and what they hide.

    Half of them lie on the table itself: then only what they hide of it is to be shown.
    """
    side, before = sheet.shape[0], sheet.copy()
    on_paper = random.random() < 0.5
    places, tile = {"numbers": _island, "landscape": _landscape, "rhombus": _rhombus}.get(kind, _everywhere)(random)
    if kind == "marbles":
        edge = int(random.integers(4, 6))
        places, tile = lattice(edge), 0.9 / edge
        rim = np.stack([np.cos(np.radians(60 * np.arange(6))), np.sin(np.radians(60 * np.arange(6)))], 1)
        plate = (rim * (edge - 0.2) * tile + 1) * side / 2
        cv2.fillPoly(sheet, [plate.round().astype(np.int32)], table_colour(random), cv2.LINE_AA)
    pixels = places * tile
    size = tile * side / 4
    colours = _colours(random)
    gap, motif, ink = random.uniform(0.8, 1.0), str(random.choice(_MOTIFS[kind])), table_colour(random)
    grout = mixed(colours[0], (0.0, 0.0, 0.0), random.uniform(0.2, 0.8))
    for at in (pixels + 1) * side / 2:
        colour = colours[int(random.integers(len(colours)))]
        if kind == "marbles":
            _marble(random, sheet, at, size, colour, ink)
            continue
        outline = at + CORNERS * size * 2 / np.sqrt(3)
        if gap > 0.9 or kind == "floor":
            cv2.fillPoly(sheet, [(outline * 16).round().astype(np.int32)], grout, cv2.LINE_AA, 4)
        inner = at + CORNERS * size * 2 / np.sqrt(3) * gap
        cv2.fillPoly(sheet, [(inner * 16).round().astype(np.int32)], colour, cv2.LINE_AA, 4)
        _draw_motif(random, sheet, at, size, motif, ink)
    hidden = on_paper | (sheet != before).any(2)
    shade = 0.75 + 0.4 * clouds(random, side, side, 6)[..., None]
    np.copyto(sheet, np.clip(sheet * shade, 0, 255).astype(np.uint8))
    return np.asarray(pixels), hidden


_MOTIFS = {
    "numbers": ("number", "number", "none"),
    "landscape": ("trees", "number", "star", "none"),
    "floor": ("none", "none", "star", "disc"),
    "rhombus": ("none", "disc"),
    "marbles": ("none",),
}


def _colours(random: Random) -> list[Colour]:
    """Choose what tiles are made of: shades of one thing, or several lands."""
    if random.random() < 0.4:
        base = table_colour(random)
        return [mixed(base, table_colour(random), random.uniform(0, 0.25)) for _ in range(4)]
    count = int(random.integers(2, 7))
    return [hsv(random.uniform(0, 360), random.uniform(0.2, 0.85), random.uniform(0.3, 0.95)) for _ in range(count)]


def _island(random: Random) -> tuple[Points, float]:
    """Return nineteen places, some with the sea round them."""
    edge = int(random.choice([3, 3, 4]))
    return lattice(edge), 2 / (2 * edge - 0.6)


def _landscape(random: Random) -> tuple[Points, float]:
    """Return a coast, or a chain, of hexagons grown one by one, as players lay it."""
    around = board_of(7).neighbours
    laid = [63]
    clinging = random.uniform(0, 4)
    for _ in range(int(random.integers(8, 75))):
        free = sorted({j for i in laid for j in around[i] if j is not None} - set(laid))
        weights = np.array([sum(j in laid for j in around[i]) for i in free], float) ** clinging
        if free:
            laid.append(int(random.choice(free, p=weights / weights.sum())))
    return lattice(7)[laid], 2 / 13


def _rhombus(random: Random) -> tuple[Points, float]:
    """Return the places of a rhombus, on which two players join opposite sides."""
    count = int(random.integers(7, 14))
    q, r = np.meshgrid(np.arange(count) - (count - 1) / 2, np.arange(count) - (count - 1) / 2)
    return np.stack([(q + r / 2).ravel(), (r * np.sqrt(3) / 2).ravel()], 1), 2 / (1.5 * count + 0.5)


def _everywhere(random: Random) -> tuple[Points, float]:
    """Return the places of a floor that ends nowhere in the picture."""
    count = int(random.integers(9, 17))
    q, r = np.meshgrid(np.arange(-2 * count, 2 * count + 1), np.arange(-2 * count, 2 * count + 1))
    places = np.stack([(q + r / 2).ravel(), (r * np.sqrt(3) / 2).ravel()], 1)
    return places[np.abs(places).max(1) < count - 0.5], 1 / count


def _marble(random: Random, sheet: Image, at: Points, size: float, colour: Colour, hole: Colour) -> None:
    """Draw a hole of a board for marbles, and mostly a marble in it."""
    spot = tuple(int(v) for v in at)
    cv2.circle(sheet, spot, int(size * 0.8), hole, -1, cv2.LINE_AA)
    if random.random() < 0.7:
        cv2.circle(sheet, spot, int(size * 0.72), colour, -1, cv2.LINE_AA)
        bright = tuple(int(v - size * 0.25) for v in at)
        cv2.circle(sheet, bright, max(int(size * 0.2), 1), mixed(colour, (255.0, 255.0, 255.0), 0.7), -1, cv2.LINE_AA)


def _draw_motif(random: Random, sheet: Image, at: Points, size: float, motif: str, ink: Colour) -> None:
    """Draw what is printed on a hexagon."""
    spot = tuple(int(v) for v in at)
    if motif in ("number", "disc"):
        cv2.circle(sheet, spot, int(size * 0.42), (200, 225, 235) if motif == "number" else ink, -1, cv2.LINE_AA)
    if motif == "number":
        corner = (int(at[0] - size * 0.35), int(at[1] + size * 0.2))
        said = str(random.integers(2, 13))
        cv2.putText(sheet, said, corner, 0, size / 45, (10, 10, 90), max(1, int(size / 16)), cv2.LINE_AA)
    elif motif == "star":
        angles = np.radians(60 * np.arange(6)) + random.uniform(0, 0.2)
        for x, y in np.stack([np.cos(angles), np.sin(angles)], 1) * size * 0.6 + at:
            cv2.line(sheet, spot, (int(x), int(y)), ink, max(1, int(size / 6)), cv2.LINE_AA)
    elif motif == "trees":
        for x, y in random.normal(0, size * 0.35, (int(random.integers(0, 9)), 2)) + at:
            cv2.circle(sheet, (int(x), int(y)), max(1, int(size / 7)), ink, -1, cv2.LINE_AA)
