"""Boards, flowers and curves as SVG. Every colour has a shape of its own, so that colour is never the only cue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, pi, sin, sqrt

from markupsafe import Markup, escape

from engine import Position
from engine.board import DIRECTIONS, Board, Cell
from engine.position import COLOUR_OF, COVERED, EMPTY, LETTERS, UNKNOWN, Face, is_serendip

SIZE = 50.0
"""From the centre of a tile to its corner, in the units of the drawing."""
INK: Mapping[str, str] = {
    "b": "#2a6ad8",
    "v": "#8a3fc7",
    "r": "#db2f48",
    "y": "#eeb500",
    "o": "#f0761c",
    "g": "#2c9a4b",
}
SHADE: Mapping[str, str] = {
    "b": "#1b4796",
    "v": "#5d2490",
    "r": "#9c1830",
    "y": "#9a6900",
    "o": "#a94706",
    "g": "#1b6b32",
}
"""The rim of a flower: yellow on cream could hardly be seen without it."""
GLOW: Mapping[str, str] = {
    "b": "#8dbaf9",
    "v": "#cfa6f2",
    "r": "#f9a3ad",
    "y": "#fff0a8",
    "o": "#ffc690",
    "g": "#93dba7",
}
CARD, EDGE, BACK, BACK_EDGE, HEART = "#fffaf0", "#d9cdb8", "#7d9c8c", "#5f7f70", "#ffe9a8"
BACK_GLOW, POLLEN = "#a3bdb0", "#b9770e"

Describe = Callable[[str, Face], str]


def _corner(i: int, size: float) -> tuple[float, float]:
    return size * sin(i * pi / 3), -size * cos(i * pi / 3)


def hexagon(size: float) -> str:
    """Return the corners of a tile of that size, as a polygon wants them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in (_corner(i, size) for i in range(6)))


def turned_copies(shape: str, count: int, first: float = 0.0) -> str:
    """Repeat a shape, one element, round (0, 0)."""
    turns = (f' transform="rotate({first + 360 / count * i:.1f})" ' for i in range(count))
    return "".join(shape.replace(" ", turn, 1) for turn in turns)


def _lens(length: float, width: float, start: float = 3.0) -> str:
    middle = (start + length) * 0.55
    return f'<path d="M0,{-start}Q{width},{-middle} 0,{-length}Q{-width},{-middle} 0,{-start}Z"/>'


def _star(points: int, outer: float, inner: float) -> str:
    corners = ((r * sin(pi * i / points), -r * cos(pi * i / points)) for i, r in enumerate((outer, inner) * points))
    return f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}"/>'


_HEART_PETAL = '<path d="M0,-2C10,-8 22,-17 15,-28C11,-34 3,-33 0,-27C-3,-33 -11,-34 -15,-28C-22,-17 -10,-8 0,-2Z"/>'
_SQUARE_PETAL = '<path d="M-4,-6L-14,-24Q-15,-34 -6,-34L6,-34Q15,-34 14,-24L4,-6Z"/>'
FLOWERS: Mapping[str, str] = {
    "b": turned_copies('<ellipse cx="0" cy="-20" rx="12" ry="14"/>', 5),
    "v": turned_copies(_lens(37, 15), 6, 30),
    "r": turned_copies('<ellipse cx="0" cy="-22" rx="6.6" ry="15"/>', 8),
    "y": _star(12, 37, 24),
    "o": turned_copies(_SQUARE_PETAL, 4, 45),
    "g": turned_copies(_HEART_PETAL, 3),
}
_SERENDIP_PETAL = '<path d="M0,-6C13,-13 17,-26 9,-36Q0,-42 -9,-36C-17,-26 -13,-13 0,-6Z"/>'
_VEINS: Mapping[str, str] = {
    "b": turned_copies('<ellipse cx="0" cy="-17" rx="4.6" ry="8"/>', 5),
    "v": turned_copies(_lens(30, 5, 8), 6, 30),
    "r": turned_copies('<ellipse cx="0" cy="-18" rx="2.4" ry="8"/>', 8),
    "y": _star(12, 25, 17),
    "o": turned_copies('<path d="M-2.5,-9L-6,-22Q-6,-27 0,-27Q6,-27 6,-22L2.5,-9Z"/>', 4, 45),
    "g": turned_copies('<path d="M0,-8C6,-12 10,-17 9,-23Q3,-24 0,-18Q-3,-24 -9,-23C-10,-17 -6,-12 0,-8Z"/>', 3),
}
"""The lighter heart of each petal."""
_SIGNS: Mapping[str, str] = {
    "b": '<circle cx="0" cy="-25" r="5.5"/>',
    "v": '<polygon points="0,-34 5.5,-25 0,-16 -5.5,-25"/>',
    "r": '<rect x="-2.4" y="-34" width="4.8" height="18"/>',
    "y": '<polygon points="0,-33 7,-19 -7,-19"/>',
    "o": '<rect x="-5.2" y="-30.5" width="10.4" height="10.4"/>',
    "g": '<path d="M0,-17C6,-21 9,-26 6,-31Q3,-33 0,-29Q-3,-33 -6,-31C-9,-26 -6,-21 0,-17Z"/>',
}
"""What tells the petals of a Serendip apart without their colours."""


def _symbol(name: str, shapes: str) -> str:
    return f'<symbol id="{name}" viewBox="-50 -50 100 100" overflow="visible">{shapes}</symbol>'


def symbols() -> Markup:
    """Return the drawings that boards refer to; once on each page is enough."""
    heart = f'<circle r="8.5" fill="{HEART}" stroke="{POLLEN}" stroke-width="1.6"/>'
    pollen = turned_copies('<circle cx="0" cy="-4.4" r="1.3"/>', 5)
    drawn = [
        _symbol("card", f'<polygon points="{hexagon(47)}" fill="{CARD}" stroke="{EDGE}" stroke-width="2"/>'),
        _symbol(
            "back",
            f'<polygon points="{hexagon(47)}" fill="{BACK}" stroke="{BACK_EDGE}" stroke-width="2"/>'
            f'<polygon points="{hexagon(40)}" fill="none" stroke="{BACK_EDGE}" stroke-width="1.6"/>'
            f'<g fill="{BACK_EDGE}">{turned_copies(_lens(31, 12, 6), 6)}</g>'
            f'<g fill="{BACK_GLOW}">{turned_copies(_lens(26, 4, 10), 6)}</g><circle r="5" fill="{BACK_GLOW}"/>',
        ),
    ]
    for letter, shape in FLOWERS.items():
        petals = f'<g fill="{INK[letter]}" stroke="{SHADE[letter]}" stroke-width="1.8">{shape}</g>'
        veins = f'<g fill="{GLOW[letter]}">{_VEINS[letter]}</g>'
        drawn.append(_symbol(f"flower-{letter}", f'{petals}{veins}{heart}<g fill="{POLLEN}">{pollen}</g>'))
        petal = f'<g fill="{INK[letter]}" stroke="{SHADE[letter]}" stroke-width="1.8">{_SERENDIP_PETAL}</g>'
        drawn.append(_symbol(f"petal-{letter}", f'{petal}<g fill="{GLOW[letter]}">{_SIGNS[letter]}</g>'))
    return Markup("".join(drawn))


def _use(symbol: str, extra: str = "") -> str:
    return f'<use href="#{symbol}" x="-50" y="-50" width="100" height="100"{extra}/>'


@lru_cache(maxsize=2048)
def tile(face: Face) -> Markup:
    """Draw one tile round (0, 0)."""
    if face == COVERED:
        return Markup(_use("back"))
    if face in COLOUR_OF:
        return Markup(_use("card") + _use(f"flower-{face}"))
    if is_serendip(face):
        # Direction 0 is east and petals are drawn pointing up; directions run counter-clockwise.
        petals = "".join(
            f'<g transform="rotate({90 - 60 * d})">{_use(f"petal-{letter}")}</g>' for d, letter in enumerate(face)
        )
        heart = f'<circle r="7.5" fill="{HEART}" stroke="{POLLEN}" stroke-width="1.6"/>'
        return Markup(f"{_use('card')}{petals}{heart}")
    mark = "?" if face == UNKNOWN else ""
    return Markup(
        f'<polygon points="{hexagon(45)}" class="hole {"unknown" if face == UNKNOWN else "empty"}"'
        ' fill="none" stroke="#b8a98d" stroke-width="2.5" stroke-dasharray="7 7"/>'
        f'<text class="hole-mark" text-anchor="middle" dominant-baseline="central" fill="#8a7d68">{mark}</text>'
    )


def icon(face: Face, label: str = "") -> Markup:
    """Draw one tile as a picture of its own."""
    name = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    return Markup('<svg class="tile" viewBox="-48 -52 96 104" {}>{}</svg>').format(name, tile(face))


def bar(letters: str, share: float) -> Markup:
    """Draw how many points someone has beside the most."""
    stripes = "".join(
        f'<rect x="{i * share * 100 / len(letters):.1f}" width="{share * 100 / len(letters):.1f}" height="4"'
        f' fill="{INK[letter]}"/>'
        for i, letter in enumerate(letters)
    )
    return Markup(f'<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">{stripes}</svg>')


def centre(cell: Cell) -> tuple[float, float]:
    """Return where a cell lies in the drawing."""
    return sqrt(3) * SIZE * (cell.q + cell.r / 2), 1.5 * SIZE * cell.r


@dataclass(frozen=True)
class Carpet:
    """A carpet to draw: whose it is, a colour letter for its line, its flowers and the Serendips that touch it."""

    owner: int
    letter: str
    cells: frozenset[str]
    serendips: frozenset[str] = frozenset()


def board(
    position: Position,
    *,
    title: str,
    describe: Describe,
    link: Callable[[str], str] | None = None,
    carpets: Sequence[Carpet] = (),
    unsure: Iterable[str] = (),
    marked: Iterable[str] = (),
    chosen: str = "",
    lit: Iterable[str] | None = None,
) -> Markup:
    """Draw a whole board; with `link` every cell can be tapped, and with `lit` all other cells step back."""
    shape = position.board
    asked, shown = set(unsure), set(marked)
    bright = set(shape.names if lit is None else lit)
    role = "group" if link else "img"
    words = [f'<svg class="board" viewBox="{frame(shape)}" role="{role}" aria-label="{escape(title)}">']
    # Joined as plain strings: to format 91 Markups took longer than all else on the page.
    for name, place, face in zip(shape.names, _places(shape), position.faces, strict=True):
        classes = "cell" + " asked" * (name in asked) + " marked" * (name in shown) + " chosen" * (name == chosen)
        classes += " dim" * (name not in bright) + " lit" * (lit is not None and name in bright)
        drawn = f'<g class="{classes}" data-cell="{name}" {place}>{tile(face)}{RIM}</g>'
        if link:
            label = escape(describe(name, face))
            drawn = f'<a href="{escape(link(name))}" aria-label="{label}" data-swift>{drawn}</a>'
        words.append(drawn)
    words.extend(_outline(shape, carpet) for carpet in carpets)
    return Markup("".join(words) + "</svg>")


@lru_cache(maxsize=8)
def _places(shape: Board) -> tuple[str, ...]:
    points = (centre(cell) for cell in shape.cells)
    return tuple(f'transform="translate({x:.1f} {y:.1f})"' for x, y in points)


RIM = Markup('<polygon class="rim" fill="none" points="{}"/>').format(hexagon(44))
"""What a page lights up to mark a cell."""


def frame(shape: Board) -> str:
    """Return the view box of a board."""
    width, height = sqrt(3) * SIZE * (2 * shape.edge - 1) + 8, SIZE * (3 * shape.edge - 1) + 8
    return f"{-width / 2:.0f} {-height / 2:.0f} {width:.0f} {height:.0f}"


Corner = Callable[[str, int], tuple[float, float]]
"""Where a corner of a cell lies: corner 0 is at the top, and corners run clockwise."""


def _outline(shape: Board, carpet: Carpet) -> Markup:
    """Draw a carpet over the board."""

    def corner(name: str, i: int) -> tuple[float, float]:
        (x, y), (dx, dy) = centre(shape.cell(name)), _corner(i, 46.5)
        return x + dx, y + dy

    return woven(shape, carpet, corner, 8, {name: centre(shape.cell(name)) for name in carpet.serendips})


def woven(
    shape: Board, carpet: Carpet, corner: Corner, width: float, serendips: Mapping[str, tuple[float, float]]
) -> Markup:
    """Draw a carpet: its tiles tinted, a rim where it ends, and a ring on every Serendip that touches it."""
    tiles, rim = [], []
    for name in sorted(carpet.cells):
        corners = [corner(name, i) for i in range(6)]
        tiles.append("M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in corners) + "Z")
        for direction in range(len(DIRECTIONS)):
            neighbour = shape.neighbours[shape.indices[name]][direction]
            if neighbour is not None and shape.names[neighbour] in carpet.cells:
                continue
            # The east edge lies between corners 1 and 2; edges run against the corners.
            (x1, y1), (x2, y2) = corners[(1 - direction) % 6], corners[(2 - direction) % 6]
            rim.append(f"M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}")
    ink = INK[carpet.letter]
    rings = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{1.7 * width:.1f}" stroke-width="{0.7 * width:.1f}"/>'
        for _, (x, y) in sorted(serendips.items())
    )
    return Markup(
        f'<g class="carpet" data-owner="{carpet.owner}" stroke="{ink}" stroke-width="{width:.1f}" fill="none">'
        f'<path class="tint" fill="{ink}" stroke="none" opacity=".2" d="{"".join(tiles)}"/>'
        f'<path class="halo" stroke="{CARD}" stroke-width="{1.6 * width:.1f}" d="{"".join(rim)}"/>'
        f'<path d="{"".join(rim)}"/>{rings}</g>'
    )


def letters_in_order(colours: Iterable[str]) -> str:
    """Return the letters of colours in the order of the rules."""
    wanted = set(colours)
    return "".join(letter for letter in LETTERS if COLOUR_OF[letter] in wanted)


__all__ = [
    "EMPTY",
    "Carpet",
    "bar",
    "board",
    "centre",
    "frame",
    "icon",
    "letters_in_order",
    "symbols",
    "tile",
    "woven",
]
