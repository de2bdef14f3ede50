"""Whole photographs: deal a board, lay it on a table by hand, light it, photograph it, and keep the truth."""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import Position, board_of
from engine.board import DIRECTIONS
from engine.position import COVERED, EMPTY, LETTERS, is_serendip
from tests.drawer.camera import Camera, Points, make_camera
from tests.drawer.light import TO_LINEAR, develop, shine
from tests.drawer.others import OUTLINES, PRINTED, lay_game, scattered
from tests.drawer.prints import Colour, Image, Print, Random, hsv, make_print
from tests.drawer.tables import draw_backdrop, draw_table, table_colour

THICKNESS = 0.06
CORNERS = np.stack([np.cos(np.radians(30 + 60 * np.arange(6))), np.sin(np.radians(30 + 60 * np.arange(6)))], 1)


@dataclass(frozen=True)
class Wish:
    """What a photo should show; None leaves it to the seed."""

    edge: int = 6
    held: bool = False
    position: Position | None = None
    printing: Print | None = None
    harsh: float | None = None
    warmth: float | None = None
    tilt: float | None = None
    fill: float | None = None
    size: tuple[int, int] | None = None
    board: bool = True
    hand: bool | None = None
    cut: bool | None = None
    blur: float = 0.0
    game: str | None = None
    """Another game (one of `others.GAMES`) that lies where the board would; only without a board."""
    frame: int | None = None
    """The number of a picture in a film: all frames of a seed have one table, camera and light; hands differ."""


@dataclass(frozen=True)
class Drawing:
    """A drawn photo with its truth: faces, centres in pixels by cell index, and the cells nobody could read."""

    image: Image
    position: Position
    centres: Points
    hidden: frozenset[int]
    ring: str
    loose: tuple[tuple[float, float], ...] = field(default=())


def plane(edge: int) -> Points:
    """Return the ideal place of each cell of a board, by index, in tiles."""
    cells = np.array(board_of(edge).cells, float)
    return np.stack([cells[:, 0] + cells[:, 1] / 2, cells[:, 1] * np.sqrt(3) / 2], 1)


def deal(random: Random, ring: str, edge: int = 6) -> Position:
    """Deal a board at a random moment of a game; sometimes a tile or two is missing."""
    if edge == 3:
        return rosette(random, ring)
    if edge != 6:
        faces = random.choice([COVERED, *LETTERS, ring], len(board_of(edge).cells), p=[0.4, *[0.08] * 6, 0.12])
        return Position(tuple(str(face) for face in faces), edge)
    tiles = [letter for letter in LETTERS for _ in range(13)] + ["S"] * 13
    order = random.permutation(91)
    faces = [tiles[i] for i in order]
    if random.random() < 0.5:
        _gather(random, faces)
    stage = random.choice([0.0, random.uniform(0, 0.15), random.uniform(0.1, 1.0), 1.0], p=[0.04, 0.16, 0.7, 0.1])
    asleep = set(LETTERS[int(random.integers(0, 6)) :]) if random.random() < 0.2 else set()
    out = []
    for face in faces:
        turn = int(random.integers(6))
        seen = random.random() < stage and face not in asleep
        out.append((ring[turn:] + ring[:turn] if face == "S" else face) if seen else COVERED)
    if random.random() < 0.3:
        for i in random.choice(91, int(random.integers(1, 4)), replace=False):
            out[i] = EMPTY
    return Position(tuple(out))


def _gather(random: Random, faces: list[str]) -> None:
    """Bring like tiles together by swaps, as players do."""
    around = board_of(6).neighbours

    def bonds(i: int) -> int:
        return sum(j is not None and faces[j] == faces[i] for j in around[i])

    for _ in range(1500):
        i, j = (int(k) for k in random.integers(0, 91, 2))
        before = bonds(i) + bonds(j)
        faces[i], faces[j] = faces[j], faces[i]
        if bonds(i) + bonds(j) < before:
            faces[i], faces[j] = faces[j], faces[i]


def rosette(random: Random, ring: str) -> Position:
    """Lay the calibration rosette: a Serendip, its six flowers against their petals, twelve backs."""
    board = board_of(3)
    turn = int(random.integers(6))
    petals = ring[turn:] + ring[:turn]
    faces = [COVERED] * 19
    faces[board.index_of[board.cells[9]]] = petals
    for direction, cell in enumerate(DIRECTIONS):
        faces[board.index_of[cell]] = petals[direction]
    return Position(tuple(faces), 3)


def draw_photo(seed: int, wish: Wish | None = None) -> Drawing:
    """Draw one photograph; the same seed and wish give the same picture."""
    wish = wish or Wish()
    random = np.random.default_rng(seed)
    printing = wish.printing or make_print(random, wish.held)
    position = wish.position or deal(random, printing.ring, wish.edge)
    harsh = random.random() if wish.harsh is None else wish.harsh
    width, height = wish.size or ((1024, 768) if random.random() < 0.7 else (768, 1024))
    tilt = np.radians(np.clip(abs(random.normal(0, 15 + 25 * harsh)), 0, 60) if wish.tilt is None else wish.tilt)
    cut = random.random() < 0.06 if wish.cut is None else wish.cut
    fill = random.uniform(0.42 - 0.1 * harsh, 0.98) if not cut else random.uniform(1.0, 1.25)
    fill = wish.fill or fill
    camera = make_camera(random, width, height, wish.edge - 0.6, tilt, fill, 0.15 if not cut else 0.35)
    # A small photo needs no finer table than it can show.
    table = draw_table(random, 512 if max(width, height) > 700 else 256, wish.held)
    albedo = TO_LINEAR[_lay_table(random, table, camera)]
    gloss = np.full((height, width), random.uniform(0, 0.5), np.float32)
    places, angles = laid_places(random, wish.edge)
    board_gloss = random.uniform(0.1, 1.0)
    loose: list[tuple[float, float]] = []
    _lay_clutter(random, albedo, camera, printing, wish, loose, gloss, board_gloss)
    if wish.game in PRINTED:
        loose += map(tuple, lay_game(random, wish.game, albedo, camera).tolist())
    elif wish.game:
        for place, angle in scattered(random, wish.game):
            face = str(random.choice([COVERED, *LETTERS, printing.ring]))
            _lay_tile(albedo, gloss, camera, printing, face, place, angle, board_gloss)
            if wish.game in OUTLINES:
                loose.append(tuple(camera.project(place[None], THICKNESS)[0]))
    if wish.board:
        _shade(random, albedo, camera, places[[face != EMPTY for face in position.faces]])
        for i in np.argsort(-camera.depth(places)):
            if position.faces[i] != EMPTY:
                laid = random if wish.frame is None else np.random.default_rng([seed, 1, i])
                tilted = board_gloss * laid.uniform(0.75, 1.25)
                # A flower or a back is laid any way round; only a Serendip's turn means something.
                spin = 0.0 if is_serendip(position.faces[i]) else np.pi / 3 * int(laid.integers(6))
                _lay_tile(albedo, gloss, camera, printing, position.faces[i], places[i], angles[i] + spin, tilted)
    hidden = set()
    if wish.hand if wish.hand is not None else random.random() < 0.08:
        reaching = random if wish.frame is None else np.random.default_rng([seed, 2, wish.frame])
        hidden |= _lay_hand(reaching, albedo, camera, places)
    if wish.frame is not None:
        random = np.random.default_rng([seed, 3])
    image = develop(random, shine(random, albedo, gloss, harsh, wish.warmth), harsh, wish.blur)
    centres = camera.project(places, THICKNESS)
    margin = 0.0
    for i, (x, y) in enumerate(centres):
        if not (margin <= x < width - margin and margin <= y < height - margin) or is_burnt(image, x, y):
            hidden.add(i)
    if not wish.board:
        position = Position((EMPTY,) * len(position.faces), wish.edge)
    return Drawing(image, position, centres, frozenset(hidden), printing.ring, tuple(loose))


def is_burnt(image: Image, x: float, y: float) -> bool:
    """Say whether glare has burnt out the middle of a tile, so that nobody could read it."""
    patch = image[max(int(y) - 5, 0) : int(y) + 6, max(int(x) - 5, 0) : int(x) + 6]
    return bool((patch.min(axis=2) > 250).mean() > 0.97)


def laid_places(random: Random, edge: int) -> tuple[Points, NDArray[np.float64]]:
    """Return where hands have laid the tiles, and their twist."""
    gap, jitter, twist = random.uniform(0.0, 0.035), abs(random.normal(0, 0.012)), abs(random.normal(0, 0.012))
    ideal = plane(edge)
    bend = random.normal(0, 0.004, (2, 2)) + np.eye(2)
    places = ideal @ bend * (1 + gap) + random.normal(0, jitter, ideal.shape)
    return places, random.normal(0, twist, len(places))


def _lay_table(random: Random, table: Image, camera: Camera) -> Image:
    """Project the table top into the frame, with the room behind it where the table ends."""
    reach = random.uniform(14, 45)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * reach
    last = table.shape[0] - 1
    corners = np.float32([[0, 0], [last, 0], [last, last], [0, last]])
    turn = random.uniform(0, 2 * np.pi)
    c, s = np.cos(turn), np.sin(turn)
    near = square @ np.array([[c, s], [-s, c]])
    inner = near * 0.2
    matrix = cv2.getPerspectiveTransform(
        (corners - last / 2) * 0.2 + last / 2, camera.project(inner, distort=False).astype(np.float32)
    )
    size = (camera.width, camera.height)
    picture = cv2.warpPerspective(table, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    if random.random() < 0.3:
        horizon = random.uniform(-0.2, 0.25) * camera.height
        slope = random.normal(0, 0.15)
        outline = np.array(
            [[-9, -9e3], [camera.width + 9, -9e3], [camera.width + 9, horizon + slope * camera.width], [-9, horizon]]
        )
        mask = cv2.fillPoly(np.zeros(picture.shape[:2], np.uint8), [np.clip(outline, -9e3, 9e3).astype(np.int32)], 255)
        backdrop = draw_backdrop(random, camera.height, camera.width)
        picture[mask > 0] = backdrop[mask > 0]
    return np.asarray(picture, np.uint8)


def _shade(random: Random, albedo: NDArray[np.float32], camera: Camera, places: Points) -> None:
    """Darken the table round the tiles, where their edges keep light away."""
    mask = np.zeros(albedo.shape[:2], np.float32)
    offset = random.normal(0, 0.08, 2)
    for place in places:
        hexagon = camera.project(place + offset + CORNERS * 0.62)
        cv2.fillPoly(mask, [np.round(hexagon).astype(np.int32)], 1.0)
    size = float(np.hypot(*(camera.project(places[:1]) - camera.project(places[:1] + np.array([1, 0])))[0]))
    mask = cv2.GaussianBlur(mask, (0, 0), max(size * random.uniform(0.03, 0.2), 0.5))
    albedo *= (1 - random.uniform(0.2, 0.7) * mask)[..., None]


def sprite_of(printing: Print, face: str) -> tuple[Image, float]:
    """Return the picture of a face and by how many radians it must be turned."""
    if face == COVERED:
        return printing.back, 0.0
    if is_serendip(face):
        turn = next(
            k for k in range(6) if face == printing.ring[-k:] + printing.ring[:-k] or (k == 0 and face == printing.ring)
        )
        return printing.serendip, turn * np.pi / 3
    return printing.flowers[face], 0.0


def _lay_tile(
    albedo: NDArray[np.float32],
    gloss: NDArray[np.float32],
    camera: Camera,
    printing: Print,
    face: str,
    place: Points,
    angle: float,
    shine_of_tile: float,
) -> None:
    """Paint one tile: its cardboard side, then its face."""
    height, width = albedo.shape[:2]
    c, s = np.cos(angle), np.sin(angle)
    rim = CORNERS @ np.array([[c, s], [-s, c]]) / np.sqrt(3) * 0.985 + place
    base, top = camera.project(rim), camera.project(rim, THICKNESS)
    low = np.floor(np.minimum(base.min(0), top.min(0))).astype(int) - 1
    high = np.ceil(np.maximum(base.max(0), top.max(0))).astype(int) + 2
    low, high = np.maximum(low, 0), np.minimum(high, [width, height])
    if (high - low).min() < 2:
        return
    part = albedo[low[1] : high[1], low[0] : high[0]]
    side = TO_LINEAR[np.clip(np.array(printing.side), 0, 255).astype(int)] * 0.35
    outline = cv2.convexHull(np.concatenate([base, top]).astype(np.float32)).reshape(-1, 2) - low
    _blend(part, _mask(part.shape[:2], outline), side)
    sprite, turn = sprite_of(printing, face)
    spin = angle - turn
    c, s = np.cos(spin), np.sin(spin)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ np.array([[c, s], [-s, c]]) * 0.5
    target = camera.project(place + square, THICKNESS) - low
    pixels = float(np.linalg.norm(target[1] - target[0]))
    while sprite.shape[0] / 2 > pixels * 1.7:
        sprite = cv2.resize(sprite, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    n = sprite.shape[0]
    source = np.float32([[n / 4, n / 4], [n * 3 / 4, n / 4], [n * 3 / 4, n * 3 / 4], [n / 4, n * 3 / 4]]) - 0.5
    matrix = cv2.getPerspectiveTransform(source, target.astype(np.float32))
    picture = cv2.warpPerspective(sprite, matrix, (part.shape[1], part.shape[0]), borderMode=cv2.BORDER_REPLICATE)
    mask = _mask(part.shape[:2], top - low)
    _blend(part, mask, TO_LINEAR[picture])
    gloss[low[1] : high[1], low[0] : high[0]][mask > 0.5] = shine_of_tile


def _mask(shape: tuple[int, ...], outline: Points) -> NDArray[np.float32]:
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return mask.astype(np.float32) / 255


def _blend(part: NDArray[np.float32], mask: NDArray[np.float32], colour: NDArray[np.float32]) -> None:
    part += (colour - part) * mask[..., None]


def _lay_clutter(
    random: Random,
    albedo: NDArray[np.float32],
    camera: Camera,
    printing: Print,
    wish: Wish,
    loose: list[tuple[float, float]],
    gloss: NDArray[np.float32],
    board_gloss: float,
) -> None:
    """Put mugs, boxes and loose tiles beside the board."""
    reach = wish.edge - 0.4 if wish.board else 0.0
    for _ in range(int(random.integers(0, 5))):
        angle, away = random.uniform(0, 2 * np.pi), reach + random.uniform(1.2, 7)
        place = np.array([np.cos(angle), np.sin(angle)]) * away
        kind = random.choice(["mug", "box", "tile", "tile"])
        if kind == "tile":
            face = str(random.choice([COVERED, *LETTERS, printing.ring]))
            _lay_tile(albedo, gloss, camera, printing, face, place, random.uniform(0, 2 * np.pi), board_gloss)
            loose.append(tuple(camera.project(place[None], THICKNESS)[0]))
        else:
            _lay_solid(random, albedo, camera, place, round_=kind == "mug")


def _lay_solid(random: Random, albedo: NDArray[np.float32], camera: Camera, place: Points, round_: bool) -> None:
    """Stand a mug or a box on the table."""
    n = 24 if round_ else 4
    angles = np.linspace(0, 2 * np.pi, n, endpoint=False) + random.uniform(0, 2)
    rim = np.stack([np.cos(angles), np.sin(angles)], 1) * random.uniform(0.5, 1.1) + place
    colour: Colour = table_colour(random)
    linear = TO_LINEAR[np.clip(np.array(colour), 0, 255).astype(int)]
    base, top = camera.project(rim), camera.project(rim, random.uniform(0.5, 2.0))
    outline = cv2.convexHull(np.concatenate([base, top]).astype(np.float32)).reshape(-1, 2)
    if np.abs(outline).max() > 8000:
        return
    _blend(albedo, _mask(albedo.shape, outline), linear * 0.5)
    _blend(albedo, _mask(albedo.shape, top), linear)


def _lay_hand(random: Random, albedo: NDArray[np.float32], camera: Camera, places: Points) -> set[int]:
    """Reach over the board with an arm and fingers; return the cells it hides."""
    skin = TO_LINEAR[
        np.clip(
            np.array(hsv(random.uniform(8, 30), random.uniform(0.2, 0.6), random.uniform(0.3, 0.95))), 0, 255
        ).astype(int)
    ]
    tip = places[int(random.integers(len(places)))] * random.uniform(0.5, 1.0)
    angle = random.uniform(0, 2 * np.pi)
    way = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-way[1], way[0]])
    mask = np.zeros(albedo.shape[:2], np.uint8)
    scale = float(np.linalg.norm(np.diff(camera.project(np.stack([tip, tip + np.array([1, 0])])), axis=0)))
    palm = tip - way * random.uniform(1.2, 1.8)
    strokes = [(palm, palm - way * 14, 1.1), (palm + across * 0.3, palm - across * 0.3, 1.5)]
    strokes += [
        (palm + across * k * 0.35, tip + across * k * random.uniform(0.3, 0.6) - way * abs(k) * 0.2, 0.42)
        for k in (-1.5, -0.5, 0.5, 1.5)
    ]
    for start, end, thick in strokes:
        a, b = np.clip(camera.project(np.stack([start, end]), 0.6), -4000, 4000)
        cv2.line(mask, tuple(int(v) for v in a), tuple(int(v) for v in b), 255, max(2, int(thick * scale)), cv2.LINE_AA)
    shade = cv2.GaussianBlur(mask, (0, 0), max(scale * 0.25, 1)).astype(np.float32) / 255
    albedo *= (1 - 0.5 * shade)[..., None]
    soft = cv2.GaussianBlur(mask, (0, 0), 1.0).astype(np.float32) / 255
    ridge = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3) / max(scale * 0.5, 1)
    _blend(albedo, soft, skin * np.clip(0.55 + 0.5 * ridge, 0, 1.1)[..., None])
    hidden = set()
    for i, place in enumerate(places):
        outline = camera.project(place + CORNERS * 0.5, THICKNESS)
        low = np.clip(outline.min(0).astype(int), 0, [mask.shape[1] - 1, mask.shape[0] - 1])
        high = np.clip(outline.max(0).astype(int) + 1, 1, [mask.shape[1], mask.shape[0]])
        part = mask[low[1] : high[1], low[0] : high[0]]
        if part.size and _mask(part.shape, outline - low)[part > 127].sum() > 0.4 * max(
            _mask(part.shape, outline - low).sum(), 1
        ):
            hidden.add(i)
    return hidden
