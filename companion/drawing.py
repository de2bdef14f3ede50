"""Boards, flowers and curves as SVG. Every colour has a shape of its own, so that colour is never the only cue."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

from markupsafe import Markup

from engine import Position
from engine.board import DIRECTIONS, Board, Cell, board_of
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
CARD, EDGE, BACK, BACK_EDGE, HEART = "#fffaf0", "#d9cdb8", "#8fa89b", "#728b7e", "#ffe9a8"

Describe = Callable[[str, Face], str]


def _corner(i: int, size: float) -> tuple[float, float]:
    return size * sin(i * pi / 3), -size * cos(i * pi / 3)


def hexagon(size: float) -> str:
    """Return the corners of a tile of that size, as a polygon wants them."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in (_corner(i, size) for i in range(6)))


def turned_copies(shape: str, count: int, first: float = 0.0) -> str:
    """Repeat a shape round (0, 0)."""
    return "".join(f'<g transform="rotate({first + 360 / count * i:.1f})">{shape}</g>' for i in range(count))


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
    "y": _star(14, 37, 21),
    "o": turned_copies(_SQUARE_PETAL, 4, 45),
    "g": turned_copies(_HEART_PETAL, 3),
}
_SERENDIP_PETAL = '<path d="M0,-6C13,-13 17,-26 9,-36Q0,-42 -9,-36C-17,-26 -13,-13 0,-6Z"/>'


def symbols() -> Markup:
    """Return the drawings that boards refer to; once on each page is enough."""
    flowers = "".join(
        f'<symbol id="flower-{letter}" viewBox="-50 -50 100 100" overflow="visible"><g fill="{INK[letter]}">{shape}</g>'
        f'<circle r="8" fill="{HEART}"/></symbol>'
        for letter, shape in FLOWERS.items()
    )
    back = turned_copies(_lens(26, 9, 7), 6)
    return Markup(
        f'<symbol id="card" viewBox="-50 -50 100 100" overflow="visible"><polygon points="{hexagon(47)}" fill="{CARD}"'
        f' stroke="{EDGE}" stroke-width="2"/></symbol>'
        f'<symbol id="back" viewBox="-50 -50 100 100" overflow="visible"><polygon points="{hexagon(47)}" fill="{BACK}"'
        f' stroke="{BACK_EDGE}" stroke-width="2"/><g fill="{BACK_EDGE}" opacity=".55">{back}</g></symbol>'
        f'<symbol id="petal" viewBox="-50 -50 100 100" overflow="visible">{_SERENDIP_PETAL}</symbol>{flowers}'
    )


def _use(symbol: str, extra: str = "") -> str:
    return f'<use href="#{symbol}" x="-50" y="-50" width="100" height="100"{extra}/>'


def tile(face: Face) -> Markup:
    """Draw one tile round (0, 0)."""
    if face == COVERED:
        return Markup(_use("back"))
    if face in COLOUR_OF:
        return Markup(_use("card") + _use(f"flower-{face}"))
    if is_serendip(face):
        # Direction 0 is east and petals are drawn pointing up; directions run counter-clockwise.
        petals = "".join(
            f'<g transform="rotate({90 - 60 * d})" fill="{INK[letter]}">{_use("petal")}</g>'
            for d, letter in enumerate(face)
        )
        return Markup(f'{_use("card")}{petals}<circle r="7" fill="{HEART}"/>')
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
    parts = [
        Markup('<svg class="board" viewBox="{}" role="{}" aria-label="{}">').format(
            frame(shape), "group" if link else "img", title
        )
    ]
    for i, (name, cell) in enumerate(zip(shape.names, shape.cells, strict=True)):
        face = position.faces[i]
        x, y = centre(cell)
        classes = "cell" + " asked" * (name in asked) + " marked" * (name in shown) + " chosen" * (name == chosen)
        classes += " dim" * (name not in bright) + " lit" * (lit is not None and name in bright)
        drawn = Markup('<g class="{}" data-cell="{}" transform="translate({:.1f} {:.1f})">{}{}</g>').format(
            classes,
            name,
            x,
            y,
            tile(face),
            Markup('<polygon class="rim" fill="none" points="{}"/>').format(hexagon(44)),
        )
        if link:
            drawn = Markup('<a href="{}" aria-label="{}" data-swift>{}</a>').format(
                link(name), describe(name, face), drawn
            )
        parts.append(drawn)
    parts.extend(_outline(shape, carpet) for carpet in carpets)
    return Markup("").join([*parts, Markup("</svg>")])


RIM = Markup('<polygon class="rim" fill="none" points="{}"/>').format(hexagon(44))
"""What a page lights up to mark a cell."""


def frame(shape: Board) -> str:
    """Return the view box of a board."""
    width, height = sqrt(3) * SIZE * (2 * shape.edge - 1) + 8, SIZE * (3 * shape.edge - 1) + 8
    return f"{-width / 2:.0f} {-height / 2:.0f} {width:.0f} {height:.0f}"


def _outline(shape: Board, carpet: Carpet) -> Markup:
    """Draw the rim of a carpet: the edges of its tiles that have no tile of the carpet on the other side."""
    lines = []
    for name in sorted(carpet.cells):
        i = shape.indices[name]
        x, y = centre(shape.cells[i])
        for direction in range(len(DIRECTIONS)):
            neighbour = shape.neighbours[i][direction]
            if neighbour is not None and shape.names[neighbour] in carpet.cells:
                continue
            # Corner 0 is at the top and corners run clockwise: the east edge lies between corners 1 and 2.
            first = (1 - direction) % 6
            (x1, y1), (x2, y2) = _corner(first, 46.5), _corner(first + 1, 46.5)
            lines.append(f"M{x + x1:.1f},{y + y1:.1f}L{x + x2:.1f},{y + y2:.1f}")
    dots = "".join(
        '<circle cx="{:.1f}" cy="{:.1f}" r="13"/>'.format(*centre(shape.cell(name)))
        for name in sorted(carpet.serendips)
    )
    return Markup(
        f'<g class="carpet" data-owner="{carpet.owner}" stroke="{INK[carpet.letter]}" stroke-width="8" fill="none">'
        f'<path class="halo" stroke="#fffaf0" stroke-width="13" d="{"".join(lines)}"/>'
        f'<path d="{"".join(lines)}"/>{dots}</g>'
    )


def photo_overlay(
    address: str,
    size: tuple[int, int],
    centres: Mapping[str, tuple[float, float]],
    *,
    title: str,
    carpets: Sequence[Carpet] = (),
    unsure: Iterable[str] = (),
) -> Markup:
    """Draw what was read over the photo: carpets as strings of beads, questions as rings."""
    width, height = size
    bead = _spacing(centres) * 0.3
    parts = [
        Markup(
            '<svg class="photo" viewBox="0 0 {} {}" role="img" aria-label="{}">'
            '<image href="{}" width="{}" height="{}"/>'
        ).format(width, height, title, address, width, height)
    ]
    shape = board_of(6)
    for carpet in carpets:
        lines = "".join(
            "M{:.0f},{:.0f}L{:.0f},{:.0f}".format(*centres[name], *centres[other])
            for name in sorted(carpet.cells | carpet.serendips)
            if name in centres
            for other in _later_neighbours(shape, name, carpet.cells | carpet.serendips)
            if other in centres and (name in carpet.cells or other in carpet.cells)
        )
        beads = "".join(
            '<circle cx="{:.0f}" cy="{:.0f}" r="{:.0f}"/>'.format(*centres[name], bead)
            for name in sorted(carpet.cells)
            if name in centres
        )
        parts.append(
            Markup(
                f'<g class="beads" data-owner="{carpet.owner}" stroke="{INK[carpet.letter]}"'
                f' stroke-width="{bead * 0.32:.1f}"><path d="{lines}"/>{beads}</g>'
            )
        )
    for name in sorted(set(unsure) & set(centres)):
        x, y = centres[name]
        parts.append(
            Markup(
                f'<circle class="asked" cx="{x:.0f}" cy="{y:.0f}" r="{bead * 1.7:.0f}" stroke-width="{bead / 4:.1f}"/>'
            )
        )
    return Markup("").join([*parts, Markup("</svg>")])


def _later_neighbours(shape: Board, name: str, among: frozenset[str]) -> list[str]:
    near = shape.neighbours[shape.indices[name]]
    return [shape.names[i] for i in near[:3] if i is not None and shape.names[i] in among]


def _spacing(centres: Mapping[str, tuple[float, float]]) -> float:
    """Return the usual distance between neighbours, in pixels."""
    if "F6" not in centres or "F7" not in centres:
        return 100.0
    (x1, y1), (x2, y2) = centres["F6"], centres["F7"]
    return float(sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2))


def cutout(
    address: str, size: tuple[int, int], centres: Mapping[str, tuple[float, float]], name: str, title: str
) -> Markup:
    """Show the part of the photo round one tile."""
    x, y = centres[name]
    reach = _spacing(centres) * 0.85
    return Markup(
        '<svg class="cutout" viewBox="{:.0f} {:.0f} {:.0f} {:.0f}" role="img" aria-label="{}">'
        '<image href="{}" width="{}" height="{}"/></svg>'
    ).format(x - reach, y - reach, 2 * reach, 2 * reach, title, address, *size)


def letters_in_order(colours: Iterable[str]) -> str:
    """Return the letters of colours in the order of the rules."""
    wanted = set(colours)
    return "".join(letter for letter in LETTERS if COLOUR_OF[letter] in wanted)


__all__ = [
    "EMPTY",
    "Carpet",
    "board",
    "centre",
    "cutout",
    "frame",
    "icon",
    "letters_in_order",
    "photo_overlay",
    "symbols",
    "tile",
]
