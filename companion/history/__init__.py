"""The history of play: the only mutable state. An append-only log for each game, and the photos beside it."""

from companion.history.database import DataTrouble
from companion.history.games import Game, Sheet, Turn, fold
from companion.history.log import Entry, History, Overtaken, open_history

__all__ = ["DataTrouble", "Entry", "Game", "History", "Overtaken", "Sheet", "Turn", "fold", "open_history"]
