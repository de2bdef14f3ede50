"""Who plays, with which martian, by which rules; and a game in the middle of play."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.gardens_of_mars.garden import Garden
from engine.gardens_of_mars.legality import ending
from engine.gardens_of_mars.material import HAND_SIZES, MARTIANS
from engine.gardens_of_mars.record import Record
from engine.gardens_of_mars.referee import require_fit, turn_fault
from engine.gardens_of_mars.rulebook import NUMBERED, Reason
from engine.gardens_of_mars.rules import DEFAULT, Rules
from engine.gardens_of_mars.steps import Roll, Step


@dataclass(frozen=True)
class Player:
    """Someone at the table, with the type of their martians."""

    name: str
    martian: str

    @property
    def colours(self) -> tuple[str, ...]:
        """What the player chose at the start, named as in every game."""
        return (self.martian,)


@dataclass(frozen=True)
class Table:
    """The players in turn order, and their rules; without players, those that a position has."""

    players: tuple[Player, ...] = ()
    rules: Rules = DEFAULT

    @classmethod
    def parse(cls, players: str | None, rules: Rules) -> "Table":
        """Read `Ada=round,Ben=square`, or just `Ada,Ben`."""
        table = cls(tuple(_players(players.split(","))) if players is not None else (), rules)
        if players is not None and (fault := table.fault):
            raise ValueError(str(fault))
        return table

    def __str__(self) -> str:
        """Print the players as they are written."""
        return ",".join(f"{player.name}={player.martian}" for player in self.players)

    @property
    def fault(self) -> Reason | None:
        """Say what is wrong with the players, if something is."""
        count = len(self.players)
        if count not in HAND_SIZES:
            return Reason.of("players-count", count=count)
        if self.rules.two_gardeners == "on" and count != 2:
            return Reason.of("two-gardeners-count", count=count)
        for player in self.players:
            if self.names.count(player.name) > 1:
                return Reason.of("players-name", name=player.name)
            if player.martian not in MARTIANS:
                return Reason.of("players-martian", name=player.name)
            if [other.martian for other in self.players].count(player.martian) > 1:
                return Reason.of("martian-twice", martian=player.martian)
        return None

    @property
    def names(self) -> tuple[str, ...]:
        """The names in turn order."""
        return tuple(player.name for player in self.players)

    def player(self, word: str) -> Player:
        """Find a player by name, martian or number."""
        for i, player in enumerate(self.players, 1):
            if word in (player.name, player.martian, str(i)):
                return player
        raise ValueError(f"there is no player {word!r} at this table; the players are {', '.join(self.names)}")

    def seating(self, count: int) -> "Table":
        """Return the table with so many players, numbered where nobody was named."""
        if self.players and len(self.players) != count:
            raise ValueError(f"this table has {count} players, but {len(self.players)} are named")
        numbered = tuple(Player(name, martian) for name, martian in zip(NUMBERED, MARTIANS, strict=True))
        return self if self.players else replace(self, players=numbered[:count])


def _players(parts: Iterable[str]) -> Iterable[Player]:
    for martian, part in zip((*MARTIANS, *MARTIANS), parts, strict=False):
        name, equals, chosen = (word.strip() for word in part.partition("="))
        if not name or (equals and not chosen):
            raise ValueError(f"players are written as in Ada,Ben or Ada=round,Ben=square; not {part.strip()!r}")
        if equals and chosen not in MARTIANS:
            raise ValueError(f"there is no martian {chosen!r}; there are {', '.join(MARTIANS)}")
        yield Player(name, chosen or martian)


@dataclass(frozen=True)
class State:
    """A game in the middle of play. After `ended_by` the turn passes on by `next_turn`."""

    table: Table
    record: Record
    seat: int
    begun: bool = False
    ended_by: str = ""

    @classmethod
    def at(cls, table: Table, garden: Garden, seat: int | None = None) -> "State":
        """Begin a turn at a table; a seat that is not on turn is one whose claim will be refused."""
        require_fit(garden, table.rules)
        seated = table.seating(len(garden.hands))
        return cls(seated, Record(table.rules, garden), garden.player if seat is None else seat)

    @property
    def position(self) -> Garden:
        """The table as it is now."""
        return self.record.garden

    @property
    def player(self) -> Player:
        """The player whose turn it is."""
        return self.table.players[self.seat]

    @property
    def over(self) -> bool:
        """Tell whether the game is over."""
        return ending(self.position, self.table.rules) is not None

    def play(self, step: Step) -> "State":
        """Return the state after a legal step."""
        if self.ended_by or self.seat != self.position.player:
            wrong = turn_fault(self.position, self.seat, begun=self.begun)
            reason = wrong.reason.naming(self.table.names) if wrong else "the next turn has not begun"
            raise ValueError(str(reason))
        record = self.record.play(step)
        return replace(self, record=record, begun=True, ended_by="" if isinstance(step, Roll) else str(step))

    def next_turn(self) -> "State":
        """Return the state with the next player to begin; after an extra turn was given, that is the same one."""
        if not self.ended_by:
            raise ValueError("the turn is not over")
        return State(self.table, self.record, self.position.player)
