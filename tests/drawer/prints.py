"""Prints: seeded tile art nobody has seen, as small pictures of the eight faces.

A face is drawn for a tile whose centre is the middle of the sprite and whose neighbours are `SPRITE / 2` pixels away:
half the sprite's width is the distance between two tile centres, which leaves room for the hexagon's corners.
Angles run counter-clockwise from east, as the board's directions do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Colour = tuple[float, float, float]
Random = np.random.Generator

SPRITE = 192
TILE = SPRITE / 2
RADIUS = TILE / np.sqrt(3)
"""From a tile's centre to its corner; corners point up and down."""

LETTERS = "bvryog"
PETALS_TUNED = ("ellipse", "pointed", "drop", "round", "diamond", "notched")
PETALS_HELD = ("heart", "strap", "spade")
SERENDIPS_TUNED = ("petals", "sectors", "sectors-flower", "bed-petals", "discs", "framed-sectors", "pairs")
SERENDIPS_HELD = ("arcs", "rosette")
BACKS_TUNED = ("star", "rings", "plain", "dots", "leaf")
BACKS_HELD = ("hexes", "spiral", "stripes")
GROUNDS_TUNED = ("card", "bed", "ornament", "framed")
GROUNDS_HELD = ("two-tone", "rays")

HUES = {"r": (-18, 7), "o": (19, 35), "y": (46, 61), "g": (88, 160), "b": (196, 238), "v": (258, 308)}
"""Degrees round the colour circle; red to orange to yellow never come closer than about 11 degrees."""


@dataclass(frozen=True)
class Print:
    """The eight faces of one printing (sprites, BGR) and the order of its Serendips' colours."""

    flowers: dict[str, Image]
    serendip: Image
    back: Image
    ring: str
    side: Colour


def hsv(hue: float, saturation: float, value: float) -> Colour:
    """Return a BGR colour from hue in degrees and saturation and value in 0..1."""
    i, f = divmod((hue % 360) / 60, 1)
    p, q, t = value * (1 - saturation), value * (1 - saturation * f), value * (1 - saturation * (1 - f))
    r, g, b = ((value, t, p), (q, value, p), (p, value, t), (p, q, value), (t, p, value), (value, p, q))[int(i)]
    return (255 * b, 255 * g, 255 * r)


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """Blend two colours."""
    return tuple(float(x + (y - x) * share) for x, y in zip(a, b, strict=True))  # type: ignore[return-value]


def make_print(random: Random, held: bool = False) -> Print:
    """Draw a new printing; `held` picks from the shapes and layouts that nothing is tuned on."""
    palette = _palette(random)
    ground = str(random.choice(GROUNDS_HELD if held else GROUNDS_TUNED))
    card = _card(random)
    common = _flower(random, held) if random.random() < 0.12 else None
    flowers = {}
    for letter, colour in palette.items():
        flower = common or _flower(random, held)
        flowers[letter] = _face(random, ground, card, colour, flower)
    ring = "".join(random.permutation(list(LETTERS)))
    if random.random() < 0.3:
        ring = "bvroyg"
    serendip = _serendip(random, held, ground, card, [palette[c] for c in ring], common or _flower(random, held))
    side = mixed(hsv(random.uniform(20, 45), random.uniform(0.05, 0.5), random.uniform(0.4, 0.95)), card, 0.3)
    return Print(flowers, serendip, _back(random, held, palette, card), ring, side)


def _palette(random: Random) -> dict[str, Colour]:
    mood = random.choice(["vivid", "deep", "soft"], p=[0.6, 0.2, 0.2])
    saturation, value = {"vivid": (0.88, 0.88), "deep": (0.9, 0.68), "soft": (0.6, 0.92)}[mood]
    palette = {}
    for letter, (low, high) in HUES.items():
        s = np.clip(saturation + random.uniform(-0.12, 0.12), 0.42, 1)
        v = np.clip(value + random.uniform(-0.14, 0.12), 0.42, 1)
        if letter == "y":
            v = max(v, 0.82)
        if letter == "o":
            v = max(v, 0.72)
        palette[letter] = hsv(random.uniform(low, high), s, v)
    return palette


def _card(random: Random) -> Colour:
    kind = random.choice(["white", "cream", "pastel", "grey", "dark", "kraft"], p=[0.4, 0.25, 0.12, 0.08, 0.08, 0.07])
    hue = random.uniform(0, 360)
    return {
        "white": hsv(hue, random.uniform(0, 0.04), random.uniform(0.92, 1)),
        "cream": hsv(random.uniform(35, 55), random.uniform(0.05, 0.22), random.uniform(0.88, 1)),
        "pastel": hsv(hue, random.uniform(0.05, 0.18), random.uniform(0.85, 1)),
        "grey": hsv(hue, 0.04, random.uniform(0.55, 0.85)),
        "dark": hsv(hue, random.uniform(0.05, 0.35), random.uniform(0.1, 0.28)),
        "kraft": hsv(random.uniform(25, 40), random.uniform(0.25, 0.45), random.uniform(0.6, 0.8)),
    }[kind]


@dataclass(frozen=True)
class _Flower:
    """A flower's build: each layer a petal shape, its length and width, how many, and a turn."""

    layers: tuple[tuple[str, float, float, int, float], ...]
    disc: float
    disc_kind: str
    vein: bool


def _flower(random: Random, held: bool) -> _Flower:
    count = int(random.choice([4, 5, 6, 7, 8, 10, 12, 16]))
    layers = []
    length = random.uniform(0.68, 0.98)
    for _ in range(int(random.choice([1, 2, 3], p=[0.5, 0.35, 0.15]))):
        shape = str(random.choice(PETALS_HELD if held else PETALS_TUNED))
        width = random.uniform(0.75, 1.25) * np.pi * length * 0.55 / count
        layers.append((shape, length, min(width, 0.5), count, random.uniform(0, 2 * np.pi)))
        length *= random.uniform(0.5, 0.75)
        count = int(random.choice([count, count, max(4, count - 1)]))
    kind = str(random.choice(["yellow", "dark", "white", "tone"]))
    return _Flower(tuple(layers), random.uniform(0.08, 0.24), kind, bool(random.random() < 0.4))


def petal_outline(shape: str, length: float, width: float) -> NDArray[np.float64]:
    """Return the outline of a petal along +x, as points (along, across) in units of the tile's inner radius."""
    t = np.linspace(0, 1, 24)
    half: dict[str, NDArray[np.float64]] = {
        "ellipse": np.sqrt(np.clip(1 - (2 * t - 1) ** 2, 0, 1)),
        "pointed": np.sin(np.pi * t) * (1 - 0.35 * t),
        "drop": np.sin(np.pi * t**1.6),
        "round": np.where(t < 0.55, t / 0.55, np.sqrt(np.clip(1 - ((t - 0.55) / 0.45) ** 2, 0, 1))),
        "diamond": 1 - np.abs(2 * t - 1),
        "notched": np.sqrt(np.clip(1 - (2 * t - 1) ** 2, 0, 1)),
        "heart": np.sin(np.pi * t**2.2) ** 0.8,
        "strap": np.clip(np.minimum(t * 3, (1 - t) * 6), 0, 1) * 0.7,
        "spade": np.where(t < 0.35, 0.35 * t / 0.35, np.sin(np.pi * (t - 0.15) / 0.85)),
    }
    along = t * length
    if shape in ("notched", "heart"):
        along = along - 0.14 * length * (t > 0.93) * (t - 0.93) / 0.07
    across = half[shape] * width
    return np.concatenate([np.stack([along, across], 1), np.stack([along, -across], 1)[::-1]])


def _fill(image: Image, points: NDArray[np.float64], colour: Colour) -> None:
    """Fill an outline given in units of the tile's inner radius, y upwards."""
    pixels = points * (TILE / 2) * [1, -1] + SPRITE / 2
    cv2.fillPoly(image, [np.round(pixels * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def _turned(points: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, s], [-s, c]])


def _hexagon(scale: float) -> NDArray[np.float64]:
    angles = np.radians(30 + 60 * np.arange(6))
    return np.stack([np.cos(angles), np.sin(angles)], 1) * 2 / np.sqrt(3) * scale


def _sector(direction: int, inner: float, outer: float) -> NDArray[np.float64]:
    """Return the part of the hexagon that belongs to one edge."""
    corners = _turned(np.array([[1, -1 / np.sqrt(3)], [1, 1 / np.sqrt(3)]]), np.radians(60 * direction))
    return np.concatenate([corners * outer, corners[::-1] * inner])


def _canvas(colour: Colour) -> Image:
    return np.full((SPRITE, SPRITE, 3), colour, np.uint8)


def _disc(image: Image, radius: float, colour: Colour) -> None:
    centre = int(SPRITE / 2 * 16)
    cv2.circle(image, (centre, centre), int(radius * TILE / 2 * 16), colour, -1, cv2.LINE_AA, 4)


def _paint_flower(image: Image, flower: _Flower, tones: Sequence[Colour], disc: Colour, scale: float = 1.0) -> None:
    """Paint the layers; each takes the next tone, petals of one layer may alternate two."""
    for i, (shape, length, width, count, turn) in enumerate(flower.layers):
        tone = tones[i % len(tones)]
        for k in range(count):
            angle = turn + 2 * np.pi * k / count
            _fill(image, _turned(petal_outline(shape, length * scale, width * scale), angle), tone)
            if flower.vein:
                vein = petal_outline("ellipse", length * scale * 0.85, 0.018)
                _fill(image, _turned(vein, angle), mixed(tone, disc, 0.5))
    _disc(image, flower.disc * scale, disc)


def _tones(random: Random, colour: Colour) -> list[Colour]:
    dark, light = (0.0, 0.0, 0.0), (255.0, 255.0, 255.0)
    second = mixed(colour, dark if random.random() < 0.6 else light, random.uniform(0.12, 0.4))
    return [colour, second, mixed(colour, light, random.uniform(0.1, 0.35))]


def _disc_colour(kind: str, colour: Colour) -> Colour:
    dark = mixed(colour, (20.0, 20.0, 20.0), 0.65)
    return {"yellow": (70.0, 210.0, 245.0), "dark": dark, "white": (245.0, 245.0, 245.0), "tone": dark}[kind]


def _face(random: Random, ground: str, card: Colour, colour: Colour, flower: _Flower) -> Image:
    tones = _tones(random, colour)
    disc = _disc_colour(flower.disc_kind, colour)
    pale = mixed(colour, (255.0, 255.0, 255.0), random.uniform(0.5, 0.85))
    deep = mixed(colour, (0.0, 0.0, 0.0), random.uniform(0.3, 0.55))
    inks = [pale, colour] if random.random() < 0.7 else [deep, pale]
    if ground == "card":
        image = _canvas(card)
        _paint_flower(image, flower, tones, disc)
    elif ground == "bed":
        image = _canvas(colour)
        _paint_flower(image, flower, inks, disc)
    elif ground == "framed":
        image = _canvas(card)
        _fill(image, _hexagon(random.uniform(0.8, 0.92)), colour)
        _paint_flower(image, flower, inks, disc, 0.82)
    elif ground == "two-tone":
        image = _canvas(deep if random.random() < 0.5 else mixed(card, colour, 0.25))
        _disc(image, random.uniform(0.75, 0.95), colour)
        _paint_flower(image, flower, inks, disc, 0.85)
    else:
        image = _canvas(tones[1])
        _paint_ornament(random, image, [colour, *tones, pale], rays=ground == "rays")
        _paint_flower(image, flower, [pale, colour], disc, 0.6)
    return image


def _paint_ornament(random: Random, image: Image, inks: Sequence[Colour], rays: bool) -> None:
    """Cover the tile to its edge with a kaleidoscope of few shapes."""
    fold = int(random.choice([6, 8, 12, 18]))
    if rays:
        for k in range(fold):
            wedge = np.array([[0, 0], [1.4, -1.4 * np.tan(np.pi / fold / 2)], [1.4, 1.4 * np.tan(np.pi / fold / 2)]])
            _fill(image, _turned(wedge, 2 * np.pi * k / fold), inks[0])
        return
    for ring in np.linspace(1.05, 0.35, int(random.integers(3, 6))):
        shape, ink = str(random.choice(PETALS_TUNED)), inks[int(random.integers(len(inks)))]
        turn, length, width = random.uniform(0, np.pi), random.uniform(0.2, 0.5), random.uniform(0.06, 0.18)
        for k in range(fold):
            outline = petal_outline(shape, length, width) + np.array([ring - length / 2, 0])
            _fill(image, _turned(outline, turn + 2 * np.pi * k / fold), ink)


def _serendip(
    random: Random, held: bool, ground: str, card: Colour, colours: Sequence[Colour], flower: _Flower
) -> Image:
    style = str(random.choice(SERENDIPS_HELD if held else SERENDIPS_TUNED))
    if ground == "card" and not held:
        style = "petals" if random.random() < 0.75 else style
    image = _canvas(card)
    white = (250.0, 250.0, 250.0)
    disc = _disc_colour(flower.disc_kind, (60.0, 60.0, 60.0))
    shape = flower.layers[0][0]
    if style in ("sectors", "sectors-flower", "rosette"):
        for d, colour in enumerate(colours):
            _fill(image, _sector(d, 0, 1.2), colour)
    if style == "bed-petals":
        image = _canvas(hsv(random.uniform(0, 360), random.uniform(0.1, 0.5), random.uniform(0.15, 0.45)))
    if style == "arcs":
        for d, colour in enumerate(colours):
            _fill(image, _sector(d, random.uniform(0.5, 0.6), 0.95), colour)
    if style == "framed-sectors":
        for d, colour in enumerate(colours):
            _fill(image, _sector(d, 0, random.uniform(0.84, 0.9)), colour)
    if style == "discs":
        away, size = random.uniform(0.52, 0.62), random.uniform(0.2, 0.3)
        angles = np.linspace(0, 2 * np.pi, 24)
        for d, colour in enumerate(colours):
            spot = np.stack([np.cos(angles) * size + away, np.sin(angles) * size], 1)
            _fill(image, _turned(spot, np.radians(60 * d)), colour)
    if style == "pairs":
        length, width = random.uniform(0.75, 0.95), random.uniform(0.14, 0.2)
        for d, colour in enumerate(colours):
            for side in (-1, 1):
                _fill(image, _turned(petal_outline(shape, length, width), np.radians(60 * d + 15 * side)), colour)
    if style in ("petals", "bed-petals", "rosette"):
        length, width = random.uniform(0.8, 0.97), random.uniform(0.28, 0.46)
        for d, colour in enumerate(colours):
            ink = mixed(colour, white, 0.55) if style == "rosette" else colour
            _fill(image, _turned(petal_outline(shape, length, width), np.radians(60 * d)), ink)
            if random.random() < 0.5:
                inner = petal_outline(shape, length * 0.6, width * 0.4)
                _fill(image, _turned(inner, np.radians(60 * d)), mixed(colour, white, 0.4))
    if style == "sectors-flower":
        for d in range(6):
            _fill(image, _turned(petal_outline(shape, 0.7, 0.2), np.radians(60 * d)), white)
    _disc(image, flower.disc, disc)
    return image


def _back(random: Random, held: bool, palette: dict[str, Colour], card: Colour) -> Image:
    kind = str(random.choice(BACKS_HELD if held else BACKS_TUNED))
    chance = random.random()
    if chance < 0.4:
        # A back in the colour of a flower, most often green, is told from it by its pattern alone.
        near = palette["g"] if random.random() < 0.7 else palette[str(random.choice(list(LETTERS)))]
        colour = mixed(near, (45.0, 75.0, 45.0), random.uniform(0.1, 0.7))
    elif chance < 0.5:
        colour = hsv(random.uniform(15, 40), random.uniform(0.3, 0.7), random.uniform(0.3, 0.7))
    elif chance < 0.65:
        colour = hsv(random.uniform(0, 360), random.uniform(0, 0.12), random.uniform(0.2, 0.95))
    else:
        colour = hsv(random.uniform(0, 360), random.uniform(0.25, 0.8), random.uniform(0.25, 0.7))
    other = mixed(
        colour, (255.0, 255.0, 255.0) if random.random() < 0.5 else (0.0, 0.0, 0.0), random.uniform(0.15, 0.45)
    )
    image = _canvas(card if random.random() < 0.12 else colour)
    _fill(image, _hexagon(random.uniform(0.86, 1.1)), colour)
    painters: dict[str, Callable[[], None]] = {
        "plain": lambda: None,
        "star": lambda: _paint_flower(image, _star(random), [other], other),
        "leaf": lambda: _leaves(random, image, colour),
        "rings": lambda: _rings(random, image, [other, colour]),
        "dots": lambda: _scatter(random, image, other),
        "hexes": lambda: _nested(image, [other, colour]),
        "spiral": lambda: _spiral(random, image, other),
        "stripes": lambda: _stripes(random, image, other),
    }
    painters[kind]()
    return image


def _star(random: Random) -> _Flower:
    count = int(random.choice([3, 5, 6, 8, 12]))
    layer = ("pointed", random.uniform(0.6, 0.95), random.uniform(0.06, 0.2), count, random.uniform(0, 2 * np.pi))
    return _Flower((layer,), 0.08, "tone", False)


def _leaves(random: Random, image: Image, colour: Colour) -> None:
    """Paint a wreath of lighter and darker leaves, much like a flower in the back's own colour."""
    count, turn = int(random.choice([6, 8, 10, 12])), random.uniform(0, 2 * np.pi)
    shape, length = str(random.choice(PETALS_TUNED)), random.uniform(0.65, 0.95)
    tones = [
        mixed(colour, (255.0, 255.0, 255.0), random.uniform(0.1, 0.4)),
        mixed(colour, (0.0, 0.0, 0.0), random.uniform(0.1, 0.4)),
    ]
    for k in range(count):
        outline = petal_outline(shape, length, random.uniform(0.14, 0.2) * 8 / count)
        _fill(image, _turned(outline, turn + 2 * np.pi * k / count), tones[k % 2])
    _disc(image, random.uniform(0.08, 0.2), tones[int(random.integers(2))])


def _rings(random: Random, image: Image, inks: Sequence[Colour]) -> None:
    for i, radius in enumerate(np.linspace(random.uniform(0.6, 0.95), 0.15, int(random.integers(2, 6)))):
        _disc(image, float(radius), inks[i % 2])


def _scatter(random: Random, image: Image, ink: Colour) -> None:
    for x, y in random.uniform(-1, 1, (int(random.integers(8, 40)), 2)):
        angles = np.linspace(0, 2 * np.pi, 12)
        _fill(image, np.stack([np.cos(angles), np.sin(angles)], 1) * random.uniform(0.04, 0.12) + [x, y], ink)


def _nested(image: Image, inks: Sequence[Colour]) -> None:
    for i, scale in enumerate(np.linspace(0.85, 0.15, 5)):
        _fill(image, _hexagon(float(scale)), inks[i % 2])


def _spiral(random: Random, image: Image, ink: Colour) -> None:
    for t in np.linspace(0.1, 1, 60):
        angle = 2 * np.pi * 2.5 * t
        angles = np.linspace(0, 2 * np.pi, 10)
        dot = np.stack([np.cos(angles), np.sin(angles)], 1) * 0.08
        _fill(image, dot + 0.85 * t * np.array([np.cos(angle), np.sin(angle)]), ink)


def _stripes(random: Random, image: Image, ink: Colour) -> None:
    turn = random.uniform(0, np.pi)
    for x in np.arange(-1.5, 1.5, random.uniform(0.2, 0.4)):
        bar = np.array([[x, -2], [x + 0.09, -2], [x + 0.09, 2], [x, 2]])
        _fill(image, _turned(bar, turn), ink)
