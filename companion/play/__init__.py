"""How each game is played on the page: who sits down, how a turn is entered, and how it is told.

A game of `engine.GAMES` has a module of its own here; the pages ask it through `WAYS` and know nothing of its rules.
"""

from companion.play.serendipity import SerendipityWay
from companion.play.way import Judgement, Mistake, Played, Way

WAYS: dict[str, Way] = {way.name: way for way in (SerendipityWay(),)}

__all__ = ["WAYS", "Judgement", "Mistake", "Played", "Way"]
