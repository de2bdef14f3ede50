"""A game as it stands: its log, folded. Nothing here is stored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from companion.history.log import RESTORABLE, Entry, History
from engine import GAMES, Position

GAME, SNAPSHOT, DISPUTE = "game", "snapshot", "dispute"
"""A game with players and turns, a single photo that was scored, or a move that the referee was asked about."""

KINDS = ("settings", "photo", "reading", "corners", "position", "turn", "undo", "note", "end", "delete", "restore")


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
    corners: tuple[tuple[float, float], ...] = ()
    """Where someone has put the six corner tiles, in pixels, when no board was found."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """What people have said about cells, in the names that the photo has by itself."""
    side: int | None = None
    """From which side people say it was taken, in sixths of a turn."""
    role: str = "after"
    """Whether it shows the table `before` or `after` a move."""

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
    """A turn that was played: who, what in words of the table, and the board after it.

    With the verdict `gap` it stands for turns that nobody noted, of which `player` was the first; `next` is whose turn
    follows. Steps are empty where nothing is known of them.
    """

    entry: int
    player: int
    steps: str
    position: str
    verdict: str
    photo: str | None
    at: datetime
    next: int = 0
    said: Mapping[str, Any] = field(default_factory=dict)


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
    players: tuple[Any, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    starter: int = 0
    hidden: bool = False
    title: str = ""
    plays: str = "serendipity"
    """Which of `engine.GAMES` is played."""
    first: str = ""
    turns: tuple[Turn, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)
    """What the referee was told: positions `before` and `after`, a `claim` in steps, the `game` it is about."""
    notes: tuple[Note, ...] = ()
    ended: datetime | None = None
    deleted: datetime | None = None

    @property
    def sheet(self) -> Sheet | None:
        """The photo that is being looked at."""
        return self.sheets[-1] if self.sheets else None

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
    def table(self) -> Any:
        """Who plays by which rules, as the game that is played has it."""
        return GAMES[self.plays].seated([(player.name, player.colours) for player in self.players], self.rules)

    @property
    def is_running(self) -> bool:
        """Tell whether people still play it, so that what they have seen and covered again is theirs to remember."""
        return self.kind == GAME and self.ended is None

    @property
    def on_turn(self) -> int:
        """The place of the player whose turn it is."""
        return self.turns[-1].next if self.turns else self.starter

    def is_restorable(self, now: datetime) -> bool:
        """Tell whether a deleted game can still be brought back."""
        return self.deleted is not None and now - self.deleted < RESTORABLE

    def undoable(self) -> Entry | None:
        """Return the last entry that can be taken back."""
        for entry in reversed(self.log):
            if entry.number not in self.undone and entry.kind in ("turn", "position", "end"):
                return entry
        return None

    def without(self, number: int) -> "Game":
        """Return the game as it would stand if one entry were taken back."""
        undo = Entry(self.last_number + 1, "undo", self.begun, {}, replaces=number)
        return fold(self.id, self.kind, self.begun, (*self.log, undo))


def fold(game: str, kind: str, begun: datetime, log: Sequence[Entry]) -> Game:
    """Work out from its log how a game stands."""
    undone: set[int] = set()
    for entry in reversed(log):
        # A turn may take the place of another; a corrected position only says what it was made from.
        if entry.kind in ("undo", "turn") and entry.number not in undone and entry.replaces is not None:
            undone.add(entry.replaces)
    state = Game(game, kind, begun, tuple(log), frozenset(undone), first=str(Position.covered()))
    for entry in log:
        if entry.number not in undone:
            state = _STEPS.get(entry.kind, _nothing)(state, entry)
    return state


def recent_games(history: History, most: int) -> Iterator[Game]:
    """Yield the last games with players, newest first; deleted ones are left out."""
    for game in history.recent(GAME, most):
        state = fold(*game)
        if state.deleted is None:
            yield state


def _settings(game: Game, entry: Entry) -> Game:
    said = entry.said
    plays = said.get("game", game.plays)
    players = game.players
    if "players" in said:
        seats = [(player["name"], player["colours"]) for player in said["players"]]
        players = GAMES[plays].seated(seats, {}).players if seats else ()
    return replace(
        game,
        players=players,
        rules={**game.rules, **said.get("rules", {})},
        starter=said.get("starter", game.starter),
        hidden=said.get("hidden", game.hidden),
        title=said.get("title", game.title),
        plays=plays,
        first=said.get("first", game.first),
        evidence={**game.evidence, **said.get("evidence", {})},
    )


def _photo(game: Game, entry: Entry) -> Game:
    role = entry.said.get("role", "after")
    sheet = Sheet(entry.number, entry.said["photo"], last_change=entry.number, role=role)
    others = tuple(other for other in game.sheets if game.kind == DISPUTE and other.role != role)
    return replace(game, sheets=(*others, sheet))


def _reading(game: Game, entry: Entry) -> Game:
    said = entry.said
    return _on_sheet(
        game,
        entry,
        status=said["status"],
        message=said.get("message", ""),
        position=said.get("position", ""),
        unsure=tuple(said.get("unsure", ())),
        turned=said.get("turned", 0),
        reading=said,
        answers={},
    )


def _corners(game: Game, entry: Entry) -> Game:
    corners = tuple((float(x), float(y)) for x, y in entry.said["corners"])
    return _on_sheet(game, entry, status="waiting", corners=corners)


def _position(game: Game, entry: Entry) -> Game:
    said = entry.said
    if said.get("of") is None:
        return replace(game, first=said["position"])
    places = {"position": said["position"], "unsure": tuple(said["unsure"]), "turned": said["turned"]}
    if "answer" in said:
        known = next((sheet.answers for sheet in game.sheets if sheet.entry == said["of"]), {})
        places["answers"] = {**known, **said["answer"]}
    if "side" in said:
        places["side"] = said["side"]
    return _on_sheet(game, entry, **places)


def _on_sheet(game: Game, entry: Entry, **places: Any) -> Game:
    """Change what is known of the photo that an entry speaks of."""
    sheets = tuple(
        replace(sheet, **places, last_change=entry.number) if sheet.entry == entry.said.get("of") else sheet
        for sheet in game.sheets
    )
    return replace(game, sheets=sheets)


def _turn(game: Game, entry: Entry) -> Game:
    said = entry.said
    player = said["player"]
    played = Turn(
        entry.number,
        player,
        said["steps"],
        said["position"],
        said["verdict"],
        said.get("photo"),
        entry.at,
        said.get("next", (player + 1) % max(1, len(game.players))),
        said,
    )
    ended = entry.at if said.get("over") else game.ended
    return replace(game, turns=(*game.turns, played), sheets=(), ended=ended)


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
    "corners": _corners,
    "position": _position,
    "turn": _turn,
    "note": _note,
    "end": _end,
    "delete": _delete,
    "restore": _restore,
}
