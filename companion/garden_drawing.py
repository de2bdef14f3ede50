"""Gardens of Mars as SVG: the garden, gardeners, dice and the score track. A shape tells every colour and martian."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt

from markupsafe import Markup

from companion.drawing import FLOWERS, SIZE, centre, hexagon, turned_copies
from engine.game import Look
from engine.gardens_of_mars import MARTIANS, SETS, Garden
from engine.gardens_of_mars.garden import BOARD, CENTRE, FREE
from engine.gardens_of_mars.material import GROUND

FLOWER_SHAPES: Mapping[str, str] = {
    "round": FLOWERS["b"],
    "pointed": FLOWERS["v"],
    "rays": FLOWERS["r"],
    "star": FLOWERS["y"],
    "square": FLOWERS["o"],
    "heart": FLOWERS["g"],
    "beads": turned_copies('<circle cx="0" cy="-25" r="9.5"/>', 7),
    "trefoil": turned_copies('<circle cx="0" cy="-18" r="15"/>', 3),
}
HEADS: Mapping[str, str] = {
    "round": '<circle cy="-16" r="17"/>',
    "square": '<rect x="-17" y="-33" width="34" height="32" rx="4"/>',
    "pointed": '<path d="M0,-44L19,-2L-19,-2Z"/>',
    "horned": '<path d="M-15,-5C-24,-22 -25,-34 -22,-45Q-16,-34 -9,-32L9,-32Q16,-34 22,-45C25,-34 24,-22 15,-5Z"/>',
    "crowned": '<path d="M-18,-2L-20,-38L-9,-26L0,-42L9,-26L20,-38L18,-2Z"/>',
}
BODY = '<path d="M-12,0Q0,-8 12,0Q21,22 17,38Q0,45 -17,38Q-21,22 -12,0Z"/>'
HEART, CRATER, RIM = "#ffe9a8", "#7d3d23", "#8f4a2b"
PIPS: Mapping[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
TRACK_ROW = 13
"""Fields of the track in a row: so many can still be read on a phone."""
FIELD = 40.0
KNOWN_FLOWERS = {look.letter: look for flower_set in SETS.values() for look in flower_set.flowers}


def flower(look: Look) -> Markup:
    """Draw a flower round (0, 0), with a dark rim so that white and yellow stand out."""
    return Markup(
        f'<g fill="{look.rgb}" stroke="#2a1a12" stroke-width="2.2" stroke-linejoin="round">'
        f'{FLOWER_SHAPES[look.shape]}</g><circle r="7.5" fill="{HEART}" stroke="#2a1a12" stroke-width="1.5"/>'
    )


def martian(look: Look) -> Markup:
    """Draw a martian round (0, 0); the head tells the type."""
    dark = look.rgb < "#8"
    line, eye = ("#fff6e6", "#ffd35c") if dark else ("#241a14", "#241a14")
    return Markup(
        f'<g fill="{look.rgb}" stroke="{line}" stroke-width="3" stroke-linejoin="round">{BODY}{HEADS[look.shape]}</g>'
        f'<circle cx="-6.5" cy="-15" r="3.6" fill="{eye}"/><circle cx="6.5" cy="-15" r="3.6" fill="{eye}"/>'
    )


def icon(drawn: Markup, label: str = "") -> Markup:
    """Make a small picture of its own; without a label it is only decoration."""
    name = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    return Markup('<svg class="tile" viewBox="-50 -50 100 100" {}>{}</svg>').format(name, drawn)


def flower_icon(letter: str, label: str = "") -> Markup:
    """Draw a flower as a picture."""
    return icon(flower(KNOWN_FLOWERS[letter]), label)


def martian_icon(name: str, label: str = "") -> Markup:
    """Draw a martian as a picture."""
    return icon(martian(MARTIANS[name]), label)


def die(number: int, label: str = "") -> Markup:
    """Draw a die."""
    pips = "".join(f'<circle cx="{22 * x}" cy="{22 * y}" r="8.5"/>' for x, y in PIPS[number])
    return icon(
        Markup(
            '<rect x="-42" y="-42" width="84" height="84" rx="16" fill="#fffaf0" stroke="#3b2a20" stroke-width="4"/>'
            f'<g fill="#2b2320">{pips}</g>'
        ),
        label,
    )


def board(
    garden: Garden,
    martians: Sequence[str],
    *,
    title: str,
    describe: Callable[[str], str],
    link: Callable[[str], str] | None = None,
    lit: Mapping[str, str] | None = None,
    marked: Iterable[str] = (),
    chosen: str = "",
) -> Markup:
    """Draw the garden; with `link` every cell can be tapped, and those in `lit` show what is written for them."""
    gardeners = {cell: martians[seat] for seat, cells in enumerate(garden.gardeners) for cell in cells}
    own = set(garden.gardeners[garden.player])
    lit, shown = lit or {}, set(marked)
    width, height = sqrt(3) * SIZE * 11 + 8, SIZE * 17 + 8
    used = sorted({letter for letter in garden.flowers if letter != FREE})
    parts = [
        Markup('<svg class="board garden" viewBox="{:.0f} {:.0f} {:.0f} {:.0f}" role="{}" aria-label="{}">').format(
            -width / 2, -height / 2, width, height, "group" if link else "img", title
        ),
        Markup("<defs>{}</defs>").format(
            Markup("").join(
                Markup('<g id="garden-{}">{}</g>').format(letter, flower(KNOWN_FLOWERS[letter])) for letter in used
            )
        ),
    ]
    for i, (name, cell) in enumerate(zip(BOARD.names, BOARD.cells, strict=True)):
        x, y = centre(cell)
        classes = "cell" + " lit" * (name in lit) + " marked" * (name in shown) + " chosen" * (name == chosen)
        classes += " own" * (i in own) + " loss" * lit.get(name, "").startswith("−")
        drawn = Markup('<g class="{}" data-cell="{}" transform="translate({:.1f} {:.1f})">{}{}{}{}</g>').format(
            classes,
            name,
            x,
            y,
            _ground(i),
            _standing(garden.flowers[i], gardeners.get(i)),
            Markup('<polygon class="rim" fill="none" points="{}"/>').format(hexagon(44)),
            _label(lit[name], bool(garden.flowers[i] != FREE)) if lit.get(name) else "",
        )
        if link:
            # Any hex can be tapped, to learn why not; the keyboard goes only to those that may be.
            aside = "" if name in lit else Markup(' tabindex="-1"')
            drawn = Markup('<a href="{}" aria-label="{}" data-swift{}>{}</a>').format(
                link(name), describe(name), aside, drawn
            )
        parts.append(drawn)
    return Markup("").join([*parts, Markup("</svg>")])


def _ground(i: int) -> Markup:
    if i == CENTRE:
        rings = f'<circle r="31" fill="{CRATER}"/><circle r="20" fill="#5c2a17"/>'
        return Markup(f'<polygon points="{hexagon(48)}" fill="{RIM}" stroke="{CRATER}" stroke-width="2"/>{rings}')
    return Markup(f'<polygon points="{hexagon(48)}" fill="{GROUND.rgb}" stroke="{RIM}" stroke-width="2"/>')


def _standing(letter: str, who: str | None) -> Markup:
    """Draw what stands on a hex: a gardener beside its flower, so that both can be seen."""
    parts = Markup("")
    if letter != FREE:
        place = "translate(-13 -12) scale(.66)" if who else "scale(.98)"
        parts += Markup('<use href="#garden-{}" transform="{}"/>').format(letter, place)
    if who:
        place = "translate(14 11) scale(.62)" if letter != FREE else "scale(.86)"
        parts += Markup('<g class="gardener" transform="{}">{}</g>').format(place, martian(MARTIANS[who]))
    return parts


def _label(words: str, on_flower: bool) -> Markup:
    return Markup(
        '<g class="worth"{}><rect x="-30" y="-17" width="60" height="34" rx="17"/>'
        '<text text-anchor="middle" dominant-baseline="central">{}</text></g>'
    ).format(Markup(' transform="translate(0 22)"') if on_flower else "", words)


def track(points: Sequence[int], martians: Sequence[str], *, title: str, extra_above: int | None = None) -> Markup:
    """Draw the score track as a path that turns at the end of each row; beyond `extra_above` fields are tinted."""
    rows = (max(25, *points) + 4) // TRACK_ROW + 1
    width, height = TRACK_ROW * FIELD + 8, rows * FIELD + 8

    def place(field: int) -> tuple[float, float]:
        row, column = divmod(field, TRACK_ROW)
        column = TRACK_ROW - 1 - column if row % 2 else column
        return FIELD * (column + 0.5), FIELD * (row + 0.5)

    parts = [Markup(f'<svg class="track" viewBox="-4 -4 {width:.0f} {height:.0f}" role="img" aria-label="')]
    parts.append(Markup('{}">').format(title))
    for field in range(rows * TRACK_ROW):
        x, y = place(field)
        number = "" if field in points else field
        kind = "field start" if not field else "field extra" if extra_above and field > extra_above else "field"
        parts.append(
            Markup(
                f'<g class="{kind}" transform="translate({x:.0f} {y:.0f})"><rect x="-18" y="-18" width="36" height="36"'
                f' rx="8"/><text text-anchor="middle" dominant-baseline="central">{number}</text></g>'
            )
        )
    for seat, field in enumerate(points):
        x, y = place(field)
        # Only before field 1 there is room for several.
        crowd = [other for other, stands in enumerate(points) if stands == field]
        shift = (crowd.index(seat) - (len(crowd) - 1) / 2) * (24 / max(1, len(crowd) - 1) if len(crowd) > 1 else 0)
        size = 0.38 if len(crowd) == 1 else 0.3
        parts.append(
            Markup('<g class="martian" transform="translate({:.1f} {:.0f}) scale({})">{}</g>').format(
                x + shift, y, size, martian(MARTIANS[martians[seat]])
            )
        )
    return Markup("").join([*parts, Markup("</svg>")])
