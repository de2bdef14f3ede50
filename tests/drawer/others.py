"""What lies on a table and is no board of this game: other games, and tiles that make no hexagon."""

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import board_of
from tests.drawer.camera import Camera, Points
from tests.drawer.prints import Image, Random, hsv
from tests.drawer.tables import table_colour

PRINTED = ("chess", "go", "keys", "discs", "numbers")
GAMES = (*PRINTED, "heap", "shape")
SIDE = 480


def lay_game(random: Random, kind: str, albedo: NDArray[np.float32], camera: Camera) -> None:
    """Lay a square sheet with another game on it, and its pieces, over the table."""
    sheet, pieces = _sheet(random, kind)
    turn, reach = random.uniform(0, 2 * np.pi), random.uniform(3.5, 6)
    c, s = np.cos(turn), np.sin(turn)
    frame = np.array([[c, s], [-s, c]]) * reach
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    corners = np.float32([[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]]) - 0.5
    matrix = cv2.getPerspectiveTransform(corners, camera.project(square @ frame).astype(np.float32))
    size = (camera.width, camera.height)
    picture = cv2.warpPerspective(sheet, matrix, size, flags=cv2.INTER_AREA)
    mask = cv2.warpPerspective(np.full((SIDE, SIDE), 255, np.uint8), matrix, size) > 127
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


def _sheet(random: Random, kind: str) -> tuple[Image, list[tuple[Points, float, float, tuple[float, ...]]]]:
    """Draw a game's board; return it with pieces (place in -1..1, radius, height in tiles, colour)."""
    sheet = np.full((SIDE, SIDE, 3), table_colour(random), np.uint8)
    other, third = table_colour(random), table_colour(random)
    pieces = []
    count = {"chess": int(random.choice([8, 8, 10])), "go": int(random.choice([9, 13, 19]))}.get(kind, 11)
    spots = (np.arange(count) + 0.5) / count * 2 - 1
    step = SIDE / count
    if kind == "chess":
        squares = (np.add.outer(np.arange(count), np.arange(count)) % 2).astype(np.uint8)
        sheet[cv2.resize(squares, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST) > 0] = other
    elif kind == "go":
        for at in ((spots + 1) / 2 * SIDE).astype(int):
            cv2.line(sheet, (int(step / 2), int(at)), (int(SIDE - step / 2), int(at)), (20, 20, 20), 2)
            cv2.line(sheet, (int(at), int(step / 2)), (int(at), int(SIDE - step / 2)), (20, 20, 20), 2)
    elif kind in ("keys", "discs"):
        for x, y in np.stack(np.meshgrid(spots, spots), -1).reshape(-1, 2):
            at = ((np.array([x, y]) + 1) / 2 * SIDE).astype(int)
            colour = other if random.random() < 0.8 else third
            if kind == "discs":
                cv2.circle(sheet, tuple(int(v) for v in at), int(step * 0.4), colour, -1, cv2.LINE_AA)
            else:
                low, high = at - int(step * 0.42), at + int(step * 0.42)
                cv2.rectangle(sheet, tuple(int(v) for v in low), tuple(int(v) for v in high), colour, -1)
    else:
        _draw_numbers(random, sheet)
    if kind in ("chess", "go"):
        share = random.uniform(0.1, 0.6)
        for place in np.stack(np.meshgrid(spots, spots), -1).reshape(-1, 1, 2):
            if random.random() < share:
                colour = other if random.random() < 0.5 else third
                height = random.uniform(0.5, 1.5) if kind == "chess" else 0.12
                pieces.append((place, (0.3 if kind == "chess" else 0.45) * 2 / count, height, colour))
    return sheet, pieces


def _draw_numbers(random: Random, sheet: Image) -> None:
    """Draw an island of nineteen large hexagons in few colours, each with a number on a disc."""
    size = SIDE / 6
    corners = np.stack([np.cos(np.radians(30 + 60 * np.arange(6))), np.sin(np.radians(30 + 60 * np.arange(6)))], 1)
    colours = [hsv(random.uniform(20, 140), random.uniform(0.2, 0.8), random.uniform(0.4, 0.9)) for _ in range(5)]
    for q, r in board_of(3).cells:
        centre = np.array([q + r / 2, r * 0.866]) * size + SIDE / 2
        outline = (centre + corners * size * 0.56).round().astype(np.int32)
        cv2.fillPoly(sheet, [outline], colours[int(random.integers(5))], cv2.LINE_AA)
        at = tuple(int(v) for v in centre)
        cv2.circle(sheet, at, int(size * 0.2), (200, 225, 235), -1, cv2.LINE_AA)
        number = str(random.integers(2, 13))
        cv2.putText(sheet, number, (at[0] - 12, at[1] + 8), 0, 0.7, (10, 10, 90), 2, cv2.LINE_AA)


def scattered(random: Random, kind: str) -> list[tuple[Points, float]]:
    """Return places and twists of tiles that make no board: a heap, or neat rows in the outline of something else."""
    if kind == "heap":
        count, spread = int(random.integers(15, 90)), random.uniform(2, 5)
        places = random.normal(0, spread / 1.5, (count, 2))
        return [(place, random.uniform(0, 2 * np.pi)) for place in places]
    cells = np.array(board_of(9).cells, float)
    places = np.stack([cells[:, 0] + cells[:, 1] / 2, cells[:, 1] * np.sqrt(3) / 2], 1)
    outline = str(random.choice(["box", "ring", "half", "blob"]))
    far = np.abs(places).max(1) if outline == "box" else np.hypot(*places.T)
    kept = far < random.uniform(3.5, 6)
    if outline == "box":
        kept = (np.abs(places[:, 0]) < random.uniform(2, 6.5)) & (np.abs(places[:, 1]) < random.uniform(1.2, 4))
    elif outline == "ring":
        kept &= far > random.uniform(1.5, 3)
    elif outline == "half":
        kept = (far < 6) & (places[:, 1] > random.uniform(-1, 1))
    else:
        wave = np.sin(places @ random.normal(0, 1, (2, 3))).sum(1)
        kept = (far < 7) & (wave > random.uniform(-0.3, 0.6))
    twist = random.normal(0, 0.012, len(places))
    return [(places[i] + random.normal(0, 0.012, 2), float(twist[i])) for i in np.flatnonzero(kept)]
