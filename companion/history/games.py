"""A game as it stands: its log, folded. Nothing here is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from companion.history.log import RESTORABLE, Entry
from engine import Position
from engine.rules import Rules
from engine.table import ALONE, Player, Table, letters_of

GAME, SNAPSHOT = "game", "snapshot"
"""A game with players and turns, or a single photo that was scored."""

KINDS = ("settings", "photo", "reading", "position", "turn", "undo", "note", "end", "delete", "restore")


@dataclass(frozen=True)
class Sheet:
    """A photo of the table and what is known of it: the reading, as corrected so far."""

    entry: int
    photo: str
    status: str = "waiting"
    message: str = ""
    position: str = ""
    unsure: tuple[str, ...] = ()
    turned: int = 0
    reading: Mapping[str, Any] = field(default_factory=dict)
    last_change: int = 0

    @cached_property
    def centres(self) -> dict[str, tuple[float, float]]:
        """The pixels of each cell's centre, in the names the board has now."""
        seen = self.reading.get("centres") or {}
        if not seen or not self.position:
            return {}
        board = Position.parse(self.position).board
        return {board.names[board.turns[self.turned % 6][board.indices[name]]]: (x, y) for name, (x, y) in seen.items()}

    @cached_property
    def runners_up(self) -> dict[str, str]:
        """The second most likely face of each cell, as position text, in the names the board has now."""
        if not self.reading or not self.position:
            return {}
        board = Position.parse(self.position).board
        cells = self.reading.get("cells") or {}
        return {
            board.names[board.turns[self.turned % 6][board.indices[name]]]: cell["runner_up"]
            for name, cell in cells.items()
            if cell.get("runner_up")
        }


@dataclass(frozen=True)
class Turn:
    """A turn that was played: who, what in words of the table, and the board after it."""

    entry: int
    player: int
    steps: str
    position: str
    verdict: str
    photo: str | None
    at: datetime


@dataclass(frozen=True)
class Note:
    """What someone wrote down about a game."""

    entry: int
    text: str


@dataclass(frozen=True)
class Game:
    """The state of a game or snapshot."""

    id: str
    kind: str
    begun: datetime
    log: tuple[Entry, ...]
    undone: frozenset[int] = frozenset()
    players: tuple[Player, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    starter: int = 0
    hidden: bool = False
    title: str = ""
    first: str = ""
    turns: tuple[Turn, ...] = ()
    sheet: Sheet | None = None
    notes: tuple[Note, ...] = ()
    ended: datetime | None = None
    deleted: datetime | None = None

    @property
    def last_number(self) -> int:
        """The number of the last entry; a phone that has seen it is up to date."""
        return self.log[-1].number if self.log else 0

    @property
    def position(self) -> str:
        """The board as it lies now, as far as turns have been confirmed."""
        if self.kind == SNAPSHOT:
            return self.sheet.position if self.sheet else self.first
        return self.turns[-1].position if self.turns else self.first

    @property
    def table(self) -> Table:
        """Who plays by which rules; where nobody was named, each colour is a player of its own."""
        return Table(self.players or ALONE, Rules(**self.rules))

    @property
    def on_turn(self) -> int:
        """The place of the player whose turn it is."""
        return (self.starter + len(self.turns)) % len(self.players) if self.players else 0

    def is_restorable(self, now: datetime) -> bool:
        """Tell whether a deleted game can still be brought back."""
        return self.deleted is not None and now - self.deleted < RESTORABLE

    def undoable(self) -> Entry | None:
        """Return the last entry that can be taken back."""
        for entry in reversed(self.log):
            if entry.number not in self.undone and entry.kind in ("turn", "position", "end"):
                return entry
        return None


def fold(game: str, kind: str, begun: datetime, log: Sequence[Entry]) -> Game:
    """Work out from its log how a game stands."""
    undone: set[int] = set()
    for entry in reversed(log):
        if entry.kind == "undo" and entry.number not in undone and entry.replaces is not None:
            undone.add(entry.replaces)
    state = Game(game, kind, begun, tuple(log), frozenset(undone), first=str(Position.covered()))
    for entry in log:
        if entry.number not in undone:
            state = _STEPS.get(entry.kind, _nothing)(state, entry)
    return state


def _settings(game: Game, entry: Entry) -> Game:
    said = entry.said
    players = tuple(Player(p["name"], letters_of(p["colours"])) for p in said.get("players", ()))
    return replace(
        game,
        players=players if "players" in said else game.players,
        rules={**game.rules, **said.get("rules", {})},
        starter=said.get("starter", game.starter),
        hidden=said.get("hidden", game.hidden),
        title=said.get("title", game.title),
    )


def _photo(game: Game, entry: Entry) -> Game:
    return replace(game, sheet=Sheet(entry.number, entry.said["photo"], last_change=entry.number))


def _reading(game: Game, entry: Entry) -> Game:
    if game.sheet is None or entry.said.get("of") != game.sheet.entry:
        return game
    said = entry.said
    sheet = replace(
        game.sheet,
        status=said["status"],
        message=said.get("message", ""),
        position=said.get("position", ""),
        unsure=tuple(said.get("unsure", ())),
        turned=said.get("turned", 0),
        reading=said,
        last_change=entry.number,
    )
    return replace(game, sheet=sheet)


def _position(game: Game, entry: Entry) -> Game:
    said = entry.said
    if said.get("of") is None:
        return replace(game, first=said["position"])
    if game.sheet is None or said["of"] != game.sheet.entry:
        return game
    sheet = replace(
        game.sheet,
        position=said["position"],
        unsure=tuple(said["unsure"]),
        turned=said["turned"],
        last_change=entry.number,
    )
    return replace(game, sheet=sheet)


def _turn(game: Game, entry: Entry) -> Game:
    said = entry.said
    played = Turn(
        entry.number, said["player"], said["steps"], said["position"], said["verdict"], said.get("photo"), entry.at
    )
    return replace(game, turns=(*game.turns, played), sheet=None)


def _note(game: Game, entry: Entry) -> Game:
    others = tuple(note for note in game.notes if note.entry != entry.replaces)
    return replace(game, notes=(*others, Note(entry.number, entry.said["text"])))


def _end(game: Game, entry: Entry) -> Game:
    return replace(game, ended=entry.at)


def _delete(game: Game, entry: Entry) -> Game:
    return replace(game, deleted=entry.at)


def _restore(game: Game, _entry: Entry) -> Game:
    return replace(game, deleted=None)


def _nothing(game: Game, _entry: Entry) -> Game:
    return game


_STEPS = {
    "settings": _settings,
    "photo": _photo,
    "reading": _reading,
    "position": _position,
    "turn": _turn,
    "note": _note,
    "end": _end,
    "delete": _delete,
    "restore": _restore,
}
