"""How each game is played on the page: who sits down, how a turn is entered, and how it is told.

A game of `engine.GAMES` has a module of its own here; the pages ask it through `WAYS` and know nothing of its rules.
"""

from typing import Any

from markupsafe import Markup

from companion.play.gardens_of_mars import GardensOfMarsWay
from companion.play.serendipity import SerendipityWay
from companion.play.way import Judgement, Mistake, Played, Way
from engine import GAMES

WAYS: dict[str, Way] = {way.name: way for way in (SerendipityWay(), GardensOfMarsWay())}


def seat_icons(player: Any) -> Markup:
    """Draw what a player of any game chose at the start."""
    ways = {seat: WAYS[game.name] for game in GAMES.values() for seat in game.seats}
    return Markup("").join(ways[seat].seat_icon(seat) for seat in player.colours)


__all__ = ["WAYS", "Judgement", "Mistake", "Played", "Way", "seat_icons"]
