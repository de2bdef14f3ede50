"""The few things a companion needs of any game, and the games that offer them."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from engine import play
from engine.position import COLOURS, Position, problems
from engine.referee import referee
from engine.rulebook import RULEBOOK
from engine.rules import OPTIONS, PRESETS, Rules
from engine.standing import Standing, standing
from engine.steps import parse_steps
from engine.table import Table
from engine.turns import State, check, legal_steps
from engine.verdict import Verdict


class Game(Protocol):
    """A game as the companion sees it: values it need not understand, and text that people read and write.

    A state has `.position`, and its position prints as text that `parse` reads; verdicts and scores have `as_json()`.
    """

    name: str
    title: str
    seats: tuple[str, ...]
    players: range
    options: Mapping[str, tuple[str, ...]]
    presets: Mapping[str, Any]
    rulebook: Mapping[str, str]

    def table(self, players: str, rules: str) -> Any:
        """Seat the players, and choose the rules."""

    def new(self, table: Any) -> Any:
        """Return the state in which a game starts."""

    def parse(self, text: str) -> Any:
        """Read a position."""

    def problems(self, position: Any) -> tuple[Any, ...]:
        """Name what cannot be true of a position."""

    def legal_steps(self, state: Any) -> Iterator[str]:
        """Yield the legal next steps."""

    def play(self, state: Any, step: str) -> Any:
        """Return the state after a legal step; refuse any other with a ValueError."""

    def next_turn(self, state: Any) -> Any:
        """Return the state with the next player to begin."""

    def check(self, state: Any, steps: str) -> Any:
        """Judge a claimed turn."""

    def referee(self, before: Any, after: Any) -> Any:
        """Judge the turn between two states."""

    def score(self, state: Any) -> Any:
        """Say everyone's points and who wins."""

    def is_over(self, state: Any) -> bool:
        """Tell whether the game is over."""

    def practice(self, table: Any, seed: int) -> Iterator[tuple[Any, str]]:
        """Play a whole legal game: each state at the start of a turn, and the steps of that turn."""


class Serendipity:
    """The game of 91 tiles."""

    name = "serendipity"
    title = "Serendipity"
    seats: tuple[str, ...] = COLOURS
    players = range(2, 7)
    options: Mapping[str, tuple[str, ...]] = OPTIONS
    presets: Mapping[str, Any] = PRESETS
    rulebook: Mapping[str, str] = RULEBOOK

    def table(self, players: str, rules: str) -> Table:
        """Seat the players, as in `A=blue,B=red+violet`, and choose the rules."""
        return Table.parse(players, Rules.parse(rules))

    def new(self, table: Table) -> State:
        """Return the state in which a game starts: every tile face down."""
        return State(Position.covered(), table)

    def parse(self, text: str) -> Position:
        """Read a position."""
        return Position.parse(text, edge=6)

    def problems(self, position: Position) -> tuple[Any, ...]:
        """Name what cannot be true of a position."""
        return problems(position)

    def legal_steps(self, state: State) -> Iterator[str]:
        """Yield the legal next steps, whatever may lie under each covered tile."""
        return map(str, legal_steps(state))

    def play(self, state: State, step: str) -> State:
        """Return the state after a legal step; refuse any other."""
        for value in parse_steps(step, state.position.board):
            state = state.play(value)
        return state

    def next_turn(self, state: State) -> State:
        """Return the state with the next player to begin."""
        return state.next_turn()

    def check(self, state: State, steps: str) -> Verdict:
        """Judge a claimed turn."""
        return check(state.position, steps, state.player.name, state.table)

    def referee(self, before: State, after: State) -> Verdict:
        """Judge the turn between two states from what they show."""
        return referee(before.position, after.position, before.player.name, before.table)

    def score(self, state: State) -> Standing:
        """Say everyone's points and who wins."""
        return standing(state.position, state.table)

    def is_over(self, state: State) -> bool:
        """Tell whether the game is over."""
        return state.over

    def practice(self, table: Table, seed: int) -> Iterator[tuple[State, str]]:
        """Play a whole legal game at random."""
        for turn in play.play_game(table, seed):
            yield turn.before, "; ".join(map(str, turn.steps))


GAMES: dict[str, Game] = {game.name: game for game in (Serendipity(),)}
