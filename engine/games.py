"""Serendipity as the companion sees any game, and all the games there are."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine import play
from engine.game import Game, Look
from engine.gardens_of_mars.game import GardensOfMars
from engine.position import COLOUR_OF, COPIES, LETTERS, Position, problems
from engine.referee import referee
from engine.rulebook import RULEBOOK
from engine.rules import OPTIONS, PRESETS, Rules
from engine.standing import SERENDIP, Standing, standing
from engine.steps import parse_steps
from engine.table import ALONE, MOST_COLOURS, Player, Table, letters_of
from engine.turns import State, check, legal_steps
from engine.verdict import Verdict

__all__ = ["GAMES", "Game", "Look", "Serendipity"]

INKS = {"b": "#2a6ad8", "v": "#8a3fc7", "r": "#db2f48", "y": "#eeb500", "o": "#f0761c", "g": "#2c9a4b"}
SHAPES = {"b": "round", "v": "pointed", "r": "rays", "y": "star", "o": "square", "g": "heart"}
FLOWERS = {COLOUR_OF[x]: Look(x, COLOUR_OF[x], COPIES, INKS[x], SHAPES[x]) for x in LETTERS}


class Serendipity:
    """The game of 91 tiles."""

    name = "serendipity"
    title = "Serendipity"
    players = range(2, 7)
    seats: Mapping[str, Look] = FLOWERS
    sets: Mapping[str, tuple[Look, ...]] = {
        "box": (*FLOWERS.values(), Look(SERENDIP, "serendip", COPIES, "#fffaf0", "petals"))
    }
    options: Mapping[str, tuple[str, ...]] = OPTIONS
    presets: Mapping[str, Any] = PRESETS
    rulebook: Mapping[str, str] = RULEBOOK

    def seats_each(self, players: int) -> int:
        """Return how many colours a player may have."""
        return MOST_COLOURS.get(players, 1)

    def draws(self, players: int) -> int:
        """Return how many tiles each player draws: none."""
        return 0

    def table(self, players: str | None, rules: str = "") -> Table:
        """Seat the players, as in `A=blue,B=red+violet`, and choose the rules; else each colour is a player."""
        return Table.parse(players, Rules.parse(rules))

    def seated(self, players: Sequence[tuple[str, Sequence[str]]], rules: Mapping[str, str]) -> Table:
        """Seat players by their names and colours; without players, each colour is a player."""
        named = tuple(Player(name, letters_of(colours)) for name, colours in players)
        return Table(named or ALONE, Rules(**rules))

    def new(self, table: Table, set_up: str = "") -> State:
        """Return the state in which a game starts: every tile face down."""
        if set_up:
            raise ValueError(f"nothing is drawn before a game of Serendipity, so {set_up!r} means nothing")
        return State(Position.covered(), table)

    def at(self, table: Table, position: str, seat: int | None = None) -> State:
        """Return the state at the start of a turn; whose it is cannot be seen."""
        return State(self.parse(position), table, seat or 0)

    def parse(self, text: str) -> Position:
        """Read a position."""
        return Position.parse(text, edge=6)

    def problems(self, position: Position) -> tuple[Any, ...]:
        """Name what cannot be true of a position."""
        return problems(position)

    def legal_steps(self, state: State) -> Iterator[str]:
        """Yield the legal next steps, whatever may lie under each covered tile."""
        return map(str, legal_steps(state))

    def play(self, state: State, steps: str) -> State:
        """Return the state after legal steps; refuse any other."""
        for step in parse_steps(steps, state.position.board):
            state = state.play(step)
        return state

    def may_stop(self, state: State) -> bool:
        """Tell whether the turn may end here: after any step."""
        return state.begun

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


GAMES: dict[str, Game] = {game.name: game for game in (Serendipity(), GardensOfMars())}
