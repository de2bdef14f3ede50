"""Games as people look back on them: who had how many points, how they grew, and what that says of the players."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from threading import Lock

from companion.history import Game, History, fold
from companion.history.exchange import photos_of
from companion.history.games import GAME, SNAPSHOT
from engine import GAMES, Position
from engine.position import COLOURS
from engine.scoring import score


@dataclass(frozen=True)
class Result:
    """How one player came out of a game."""

    name: str
    letters: str
    """The letters of the player's flowers; none where players have no flowers of their own."""
    colours: tuple[str, ...]
    points: int
    won: bool


@dataclass(frozen=True)
class Record:
    """What is worth knowing of a game or snapshot without opening its log."""

    id: str
    kind: str
    plays: str
    begun: datetime
    last: datetime
    deleted: datetime | None
    over: bool
    results: tuple[Result, ...]
    turns: int
    position: str
    photo: str | None
    title: str
    notes: tuple[str, ...]
    hidden: bool
    waiting: bool
    """A photo that is still being read."""
    starter: int
    number: int

    @property
    def winners(self) -> tuple[Result, ...]:
        """Those with the most points; nobody while nobody has any."""
        return tuple(result for result in self.results if result.won)

    @property
    def is_named(self) -> bool:
        """Tell whether people played, not only colours."""
        return any(result.name not in COLOURS for result in self.results)

    @property
    def counts(self) -> bool:
        """Tell whether it counts in the statistics: played to its end by people with names."""
        return self.over and self.is_named and self.deleted is None

    @property
    def minutes(self) -> int:
        """How long it took, from the first entry to the last turn."""
        return max(0, round((self.last - self.begun).total_seconds() / 60))

    @property
    def day(self) -> date:
        """The day it began."""
        return self.begun.date()


def points_of(game: Game, position: str) -> tuple[int, ...]:
    """Return everyone's points on a position of this game, in the order of the players."""
    players = game.table.players
    if not position:
        return (0,) * len(players)
    rules = GAMES[game.plays]
    state = rules.at(game.table, position)
    if isinstance(state.position, Position):
        # Only the points are wanted here; a whole standing also looks at every other reading of the rules.
        return tuple(score(state.position, player.letters, game.table.rules).points for player in players)
    return tuple(own.points for _, own in rules.score(state).scores)


def record_of(game: Game) -> Record:
    """Sum up a game."""
    points = points_of(game, game.position)
    most = max(points, default=0)
    results = tuple(
        Result(player.name, getattr(player, "letters", ""), tuple(player.colours), own, own == most > 0)
        for player, own in zip(game.table.players, points, strict=True)
    )
    photos = photos_of(entry for entry in game.log if entry.number not in game.undone)
    played = [entry.at for entry in game.log if entry.kind in ("turn", "end") and entry.number not in game.undone]
    return Record(
        id=game.id,
        kind=game.kind,
        plays=game.plays,
        begun=game.begun,
        last=max(played, default=game.begun),
        deleted=game.deleted,
        over=game.ended is not None or _is_complete(game),
        results=results,
        turns=len(game.turns),
        position=game.position,
        photo=photos[-1] if photos else None,
        title=game.title,
        notes=tuple(note.text for note in game.notes),
        hidden=game.hidden and game.ended is None,
        waiting=game.sheet is not None and game.sheet.status == "waiting",
        starter=game.starter,
        number=game.last_number,
    )


def _is_complete(game: Game) -> bool:
    if game.kind != SNAPSHOT or not game.position or (game.sheet and game.sheet.unsure):
        return False
    rules = GAMES[game.plays]
    return rules.is_over(rules.at(game.table, game.position))


class Records:
    """Sums up every game once, and again only when something was added to it."""

    def __init__(self, history: History) -> None:
        """Know nothing yet."""
        self.history = history
        self._known: dict[str, Record] = {}
        self._lock = Lock()

    def all(self, *more: str) -> list[Record]:
        """Return every game and snapshot, and what is of the other kinds named, newest first; deleted ones too."""
        found = []
        for game, _kind, _begun, number in self.history.heads():
            known = self._known.get(game)
            if known is None or known.number != number:
                try:
                    known = record_of(fold(game, *self.history.log(game)))
                except KeyError:
                    continue  # forgotten since
            found.append(known)
        with self._lock:
            self._known = {record.id: record for record in found}
        return [record for record in found if record.kind in (GAME, SNAPSHOT, *more)]


def matching(records: Iterable[Record], words: str, names: Callable[[Record], str]) -> list[Record]:
    """Return the records in which every word occurs; `names` says what the page shows of one, in its language."""
    wanted = words.casefold().split()
    return [record for record in records if all(word in _haystack(record, names(record)) for word in wanted)]


def _haystack(record: Record, shown: str) -> str:
    people = " ".join(result.name for result in record.results)
    return " ".join((people, record.title, *record.notes, record.begun.isoformat(" "), record.id, shown)).casefold()


@dataclass(frozen=True)
class Frame:
    """One picture of a replay: the board after a turn, with the photo that shows it, and everyone's points."""

    entry: int
    at: datetime
    position: str
    photo: str | None
    points: tuple[int, ...]
    turn: int | None = None
    """Which of the game's turns led here; none for the beginning and for a snapshot."""


def frames_of(game: Game) -> list[Frame]:
    """Return the pictures of a game in order: its beginning and every turn, or a snapshot and its corrections."""
    if game.kind == GAME:
        start = Frame(game.log[0].number, game.begun, game.first, None, points_of(game, game.first))
        turns = [
            Frame(turn.entry, turn.at, turn.position, turn.photo, points_of(game, turn.position), i)
            for i, turn in enumerate(game.turns)
        ]
        return [start, *turns]
    photo = game.sheet.photo if game.sheet else None
    frames = [
        Frame(entry.number, entry.at, entry.said["position"], photo, points_of(game, entry.said["position"]))
        for entry in game.log
        if entry.kind in ("reading", "position") and entry.number not in game.undone and entry.said.get("position")
    ]
    return frames or [Frame(1, game.begun, game.first if game.sheet is None else "", photo, points_of(game, ""))]


@dataclass(frozen=True)
class PlayerStatistics:
    """What the history says of one player."""

    name: str
    results: tuple[tuple[Record, Result], ...]

    @property
    def games(self) -> int:
        """How many games were played to the end."""
        return len(self.results)

    @property
    def wins(self) -> int:
        """How many of them were won, alone or shared."""
        return sum(result.won for _, result in self.results)

    @property
    def average(self) -> float:
        """Points a game."""
        return sum(result.points for _, result in self.results) / len(self.results)

    @cached_property
    def best(self) -> tuple[Record, Result]:
        """The game with the most points, the first of equals."""
        return max(reversed(self.results), key=lambda pair: pair[1].points)

    @property
    def favourite(self) -> str:
        """The letter of the colour played most often."""
        letters = "".join(result.letters for _, result in self.results)
        return max(letters, key=letters.count) if letters else ""


@dataclass(frozen=True)
class Rivalry:
    """Two players against each other: who had more points how often."""

    first: str
    second: str
    ahead: int
    behind: int
    level: int

    @property
    def games(self) -> int:
        """How often they met."""
        return self.ahead + self.behind + self.level


def statistics(records: Sequence[Record]) -> list[PlayerStatistics]:
    """Return what the finished games say of each player, most wins first."""
    by_name: defaultdict[str, list[tuple[Record, Result]]] = defaultdict(list)
    for record in records:
        if record.counts:
            for result in record.results:
                if result.name not in COLOURS:
                    by_name[result.name].append((record, result))
    players = [PlayerStatistics(name, tuple(results)) for name, results in by_name.items()]
    return sorted(players, key=lambda player: (-player.wins, -player.average, player.name))


def rivalries(records: Sequence[Record]) -> list[Rivalry]:
    """Return every two who met, those who met most often first."""
    met: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for record in records:
        people = [result for result in record.results if result.name not in COLOURS] if record.counts else []
        for first, second in _pairs(people):
            met[first.name, second.name].append(first.points - second.points)
    found = [
        Rivalry(*names, sum(d > 0 for d in margins), sum(d < 0 for d in margins), sum(d == 0 for d in margins))
        for names, margins in met.items()
    ]
    return sorted(found, key=lambda rivalry: (-rivalry.games, rivalry.first, rivalry.second))


def _pairs(people: Sequence[Result]) -> Iterator[tuple[Result, Result]]:
    inorder = sorted(people, key=lambda result: result.name)
    for i, first in enumerate(inorder):
        for second in inorder[i + 1 :]:
            yield first, second
