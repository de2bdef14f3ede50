"""Pictures of a game to keep and share: the board as it lies, the carpets, and everyone's points."""

from collections.abc import Sequence

from markupsafe import escape

from companion import drawing
from companion.history import Game
from companion.painting import is_paintable, paint
from companion.phrases import player_name
from companion.play.serendipity import carpets_of
from companion.records import Result, record_of
from engine import Position
from engine.standing import standing

WIDTH = 1080
"""Pixels across, as messengers show pictures."""
STYLE = (
    "text{fill:#3b3226;font-weight:600}.hole{fill:none;stroke:#b8a98d}.rim{fill:none}.hole-mark{font-size:40px}"
    ".carpet path,.carpet circle{fill:none;stroke-width:7}.carpet .halo{stroke:#fffaf0;stroke-width:12}"
)
ROW, MARGIN, PER_ROW = 92, 36, 2


def picture_of(game: Game, form: str) -> bytes:
    """Draw how a game ended, or stands: as `svg` or as `png`."""
    if form == "svg":
        return share_svg(game).encode()
    return paint(share_svg(game, only_paintable=True), WIDTH)


def share_svg(game: Game, *, only_paintable: bool = False) -> str:
    """Draw the board with everyone's carpet, and below it who has how many points, most first."""
    record = record_of(game)
    shown = sorted((r for r in record.results if r.points or record.is_named), key=lambda r: -r.points)
    left, top, width, height = board_frame(game)
    rows = -(-len(shown) // PER_ROW)
    high = height + MARGIN * 3 + ROW * rows + 40
    legend = ""
    for i, result in enumerate(shown):
        x, y = left + (i % PER_ROW) * width / PER_ROW, top + height + MARGIN * 2 + ROW * (i // PER_ROW)
        name = player_name(result.name)
        legend += _score(result, "" if only_paintable and not is_paintable(name) else name, x, y)
    frame = f"{left - MARGIN:.0f} {top - MARGIN:.0f} {width + 2 * MARGIN:.0f} {high:.0f}"
    day = f'<text x="0" y="{top - MARGIN + high - 16:.0f}" text-anchor="middle" font-size="26">{record.day}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{frame}"><style>{STYLE}</style>'
        f'<rect x="{left - MARGIN:.0f}" y="{top - MARGIN:.0f}" width="{width + 2 * MARGIN:.0f}" height="{high:.0f}"'
        f' fill="#f6efe2"/><defs>{drawing.symbols()}</defs>'
        f'<svg x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}">{board_inside(game)}</svg>{legend}{day}</svg>'
    )


def thumbnail(game: Game) -> str:
    """Draw the board alone, small enough for a list."""
    frame = " ".join(f"{n:.0f}" for n in board_frame(game))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{frame}"><style>{STYLE}</style>'
        f"<defs>{drawing.symbols()}</defs>{board_inside(game, with_carpets=False)}</svg>"
    )


def board_frame(game: Game) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the board in a drawing."""
    left, top, width, height = (float(n) for n in drawing.frame(Position.parse(_shown(game)).board).split())
    return left, top, width, height


def board_inside(game: Game, *, with_carpets: bool = True) -> str:
    """Return the tiles and carpets of a game as the inside of a drawing."""
    position = Position.parse(_shown(game))
    carpets: Sequence[drawing.Carpet] = carpets_of(standing(position, game.table)) if with_carpets else ()
    drawn = str(drawing.board(position, title="", describe=lambda name, _face: name, carpets=carpets))
    return drawn[drawn.index(">") + 1 : drawn.rindex("</svg>")]


def _shown(game: Game) -> str:
    return game.position or str(Position.covered())


def _score(result: Result, name: str, x: float, y: float) -> str:
    icons = "".join(
        f'<g transform="translate({x + 50 + 62 * i:.0f} {y:.0f}) scale(0.7)">{drawing.tile(letter)}</g>'
        for i, letter in enumerate(result.letters)
    )
    text = f"{name} {result.points}".strip() + (" ★" if result.won else "")
    at = x + 50 + 62 * len(result.letters)
    return f'{icons}<text x="{at:.0f}" y="{y + 14:.0f}" font-size="42">{escape(text)}</text>'
