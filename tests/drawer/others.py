"""What lies on a table and is no board of this game: other games, and tiles that make no hexagon."""

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.drawer.camera import Camera, Points
from tests.drawer.hexagons import HEXAGONAL, draw_hexagons, lattice
from tests.drawer.prints import Image, Random, mixed
from tests.drawer.tables import clouds, table_colour

SQUARE = ("chess", "go", "keys", "discs")
PRINTED = (*SQUARE, *HEXAGONAL)
OUTLINES = ("box", "ring", "half", "blob")
GAMES = (*PRINTED, "heap", *OUTLINES)
SIDE = 720


def lay_game(random: Random, kind: str, albedo: NDArray[np.float32], camera: Camera) -> Points:
    """Lay a square sheet with another game on it, and its pieces, over the table; return where its hexagons lie."""
    sheet, hidden, pieces, hexagons = _sheet(random, kind)
    turn, reach = random.uniform(0, 2 * np.pi), random.uniform(9, 16) if kind == "floor" else random.uniform(3.5, 6.5)
    c, s = np.cos(turn), np.sin(turn)
    frame = np.array([[c, s], [-s, c]]) * reach
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    corners = np.float32([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]]) - 0.5
    matrix = cv2.getPerspectiveTransform(corners, camera.project(square @ frame).astype(np.float32))
    size = (camera.width, camera.height)
    shrunk = max(1.0, SIDE / max(float(np.linalg.norm(np.diff(camera.project(square[:2] @ frame), axis=0))), 1.0) / 1.5)
    smooth = cv2.GaussianBlur(sheet, (0, 0), 0.4 * shrunk) if shrunk > 1.3 else sheet
    picture = cv2.warpPerspective(smooth, matrix, size, flags=cv2.INTER_LINEAR)
    mask = cv2.warpPerspective(hidden.astype(np.uint8) * 255, matrix, size) > 127
    albedo[mask] = (picture[mask] / 255.0) ** 2.2
    angles = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    rim = np.stack([np.cos(angles), np.sin(angles)], 1)
    for place, radius, height, colour in sorted(pieces, key=lambda piece: -float(camera.depth(piece[0] @ frame)[0])):
        base = rim * radius * reach + place @ frame
        low, high = camera.project(base), camera.project(base, height)
        outline = cv2.convexHull(np.concatenate([low, high]).astype(np.float32)).reshape(-1, 2)
        if np.abs(outline).max() < 8000:
            linear = (np.array(colour) / 255) ** 2.2
            cv2.fillPoly(albedo, [outline.round().astype(np.int32)], tuple(float(v) * 0.5 for v in linear))
            cv2.fillPoly(albedo, [high.round().astype(np.int32)], tuple(float(v) for v in linear))
    return camera.project(hexagons @ frame) if len(hexagons) else hexagons


Piece = tuple[Points, float, float, tuple[float, ...]]
"""Its place (-1..1), radius, height in tiles, and colour."""


def _sheet(random: Random, kind: str) -> tuple[Image, NDArray[np.bool_], list[Piece], Points]:
    """Draw a game's board; return it with what it hides of the table, its pieces and its hexagons."""
    sheet = np.full((SIDE, SIDE, 3), table_colour(random), np.uint8)
    other, third = table_colour(random), table_colour(random)
    if kind in HEXAGONAL:
        hexagons, hidden = draw_hexagons(random, kind, sheet)
        chosen = random.random(len(hexagons)) < (0.0 if kind == "floor" else random.uniform(0, 0.4))
        pieces = [
            (
                place[None],
                random.uniform(0.02, 0.04),
                random.uniform(0.1, 0.8),
                other if random.random() < 0.5 else third,
            )
            for place in hexagons[chosen]
        ]
        return sheet, hidden, pieces, hexagons
    pieces = _draw_squares(random, kind, sheet, other, third)
    return sheet, np.ones((SIDE, SIDE), bool), pieces, np.zeros((0, 2))


def _draw_squares(
    random: Random, kind: str, sheet: Image, other: tuple[float, ...], third: tuple[float, ...]
) -> list[Piece]:
    """Draw a board of squares inside its frame, with the grain of its wood; return its pieces."""
    count = {"chess": int(random.choice([8, 8, 10])), "go": int(random.choice([9, 13, 19]))}.get(kind, 11)
    rim = random.uniform(0.82, 1) if kind in ("chess", "go") else 1.0
    spots = ((np.arange(count) + 0.5) / count * 2 - 1) * rim
    step = SIDE / count * rim
    low, high = round(SIDE * (1 - rim) / 2), round(SIDE * (1 + rim) / 2)
    field = sheet[low:high, low:high]
    if kind == "chess":
        field[:] = third
        squares = (np.add.outer(np.arange(count), np.arange(count)) % 2).astype(np.uint8)
        field[cv2.resize(squares, field.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0] = other
    elif kind == "go":
        ink = mixed(other, (0.0, 0.0, 0.0), 0.8)
        for at in ((spots + 1) / 2 * SIDE).astype(int):
            first, last = int(low + step / 2), int(high - step / 2)
            cv2.line(sheet, (first, int(at)), (last, int(at)), ink, 3)
            cv2.line(sheet, (int(at), first), (int(at), last), ink, 3)
    else:
        for x, y in np.stack(np.meshgrid(spots, spots), -1).reshape(-1, 2):
            at = ((np.array([x, y]) + 1) / 2 * SIDE).astype(int)
            colour = other if random.random() < 0.8 else third
            if kind == "discs":
                cv2.circle(sheet, tuple(int(v) for v in at), int(step * 0.4), colour, -1, cv2.LINE_AA)
            else:
                corner = at - int(step * 0.42), at + int(step * 0.42)
                cv2.rectangle(sheet, tuple(corner[0].tolist()), tuple(corner[1].tolist()), colour, -1)
    if random.random() < 0.6:
        grain = clouds(random, SIDE, SIDE, 5, stretch=random.uniform(1, 8))[..., None]
        np.copyto(sheet, np.clip(sheet * (0.7 + 0.5 * grain), 0, 255).astype(np.uint8))
    pieces = []
    if kind in ("chess", "go"):
        share = random.uniform(0.1, 0.6)
        bright, dark = mixed(other, (255.0, 255.0, 255.0), 0.6), mixed(third, (0.0, 0.0, 0.0), 0.6)
        for place in np.stack(np.meshgrid(spots, spots), -1).reshape(-1, 1, 2):
            if random.random() < share:
                height = random.uniform(0.5, 1.5) if kind == "chess" else 0.12
                radius = (0.3 if kind == "chess" else 0.45) * 2 / count * rim
                pieces.append((place, radius, height, bright if random.random() < 0.5 else dark))
    return pieces


def scattered(random: Random, kind: str) -> list[tuple[Points, float]]:
    """Return places and twists of tiles that make no board: a heap, or neat rows in the outline of something else."""
    if kind == "heap":
        count, spread = int(random.integers(15, 90)), random.uniform(2, 5)
        places = random.normal(0, spread / 1.5, (count, 2))
        return [(place, random.uniform(0, 2 * np.pi)) for place in places]
    places = lattice(9)
    far = np.hypot(*places.T)
    kept = far < random.uniform(3.5, 6)
    if kind == "box":
        kept = (np.abs(places[:, 0]) < random.uniform(2, 6.5)) & (np.abs(places[:, 1]) < random.uniform(1.2, 4))
    elif kind == "ring":
        kept &= far > random.uniform(1.5, 3)
    elif kind == "half":
        kept = (far < 6) & (places[:, 1] > random.uniform(-1, 1))
    else:
        wave = np.sin(places @ random.normal(0, 1, (2, 3))).sum(1)
        kept = (far < 7) & (wave > random.uniform(-0.3, 0.6))
    twist = random.normal(0, 0.012, len(places))
    return [(places[i] + random.normal(0, 0.012, 2), float(twist[i])) for i in np.flatnonzero(kept)]
