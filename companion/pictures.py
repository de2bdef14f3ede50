"""Pictures of a game to keep and share: the board as it lies, the carpets, and everyone's points."""

from collections.abc import Sequence

from markupsafe import Markup, escape

from companion import drawing, garden_drawing
from companion.history import Game
from companion.painting import is_paintable, paint
from companion.phrases import player_name
from companion.play.serendipity import carpets_of
from companion.records import Result, record_of
from engine import GAMES, Position
from engine.gardens_of_mars import MARTIANS
from engine.standing import standing

WIDTH = 1080
"""Pixels across, as messengers show pictures."""
TEXT = 'fill="#3b3226" font-weight="600" font-family="system-ui, sans-serif"'
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
    day = (
        f'<text x="0" y="{top - MARGIN + high - 16:.0f}" text-anchor="middle" {TEXT} font-size="26">{record.day}</text>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{frame}">'
        f'<rect x="{left - MARGIN:.0f}" y="{top - MARGIN:.0f}" width="{width + 2 * MARGIN:.0f}" height="{high:.0f}"'
        f' fill="#f6efe2"/><defs>{drawing.symbols()}</defs>'
        f'<svg x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}">{board_inside(game)}</svg>{legend}{day}</svg>'
    )


def thumbnail(game: Game) -> str:
    """Draw the board alone, small enough for a list."""
    frame = " ".join(f"{n:.0f}" for n in board_frame(game))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{frame}">'
        f"<defs>{drawing.symbols()}</defs>{board_inside(game, with_carpets=False)}</svg>"
    )


def board_frame(game: Game) -> tuple[float, float, float, float]:
    """Return left, top, width and height of the board in a drawing."""
    drawn = str(board_of_game(game))
    left, top, width, height = (float(n) for n in drawn.partition('viewBox="')[2].partition('"')[0].split())
    return left, top, width, height


def board_inside(game: Game, *, with_carpets: bool = True) -> str:
    """Return the tiles and carpets of a game as the inside of a drawing."""
    drawn = str(board_of_game(game, with_carpets=with_carpets))
    return drawn[drawn.index(">") + 1 : drawn.rindex("</svg>")]


def board_of_game(
    game: Game, position: str | None = None, *, title: str = "", with_carpets: bool = True, only: str | None = None
) -> Markup:
    """Draw the board of any game, as it lies or as a position has it; `only` names whose carpet is drawn."""
    rules = GAMES[game.plays]
    found = rules.parse(position or game.position or str(Position.covered()))
    if not isinstance(found, Position):
        martians = [player.colours[0] for player in game.players]
        return garden_drawing.board(found, martians, title=title, describe=lambda name: name)
    carpets: Sequence[drawing.Carpet] = carpets_of(standing(found, game.table)) if with_carpets else ()
    names = [player.name for player in game.table.players]
    carpets = [carpet for carpet in carpets if only in (None, names[carpet.owner])]
    return drawing.board(found, title=title, describe=lambda name, _face: name, carpets=carpets)


def _score(result: Result, name: str, x: float, y: float) -> str:
    pictures = [drawing.tile(letter) for letter in result.letters]
    pictures = pictures or [garden_drawing.martian(MARTIANS[seat]) for seat in result.colours if seat in MARTIANS]
    icons = "".join(
        f'<g transform="translate({x + 50 + 62 * i:.0f} {y:.0f}) scale(0.7)">{picture}</g>'
        for i, picture in enumerate(pictures)
    )
    text = f"{name} {result.points}".strip() + (" ★" if result.won else "")
    at = x + 50 + 62 * len(pictures)
    return f'{icons}<text x="{at:.0f}" y="{y + 14:.0f}" {TEXT} font-size="42">{escape(text)}</text>'
