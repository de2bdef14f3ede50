"""What a companion needs of any game, and the few values that every game speaks in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.verdict import Verdict


@dataclass(frozen=True)
class Look:
    """One thing that lies on a cell or stands for a player: its name, how many there are, its colour and shape.

    The letter is what position text shows for it; a page draws it and an eye can learn it from this alone.
    """

    letter: str
    name: str
    copies: int
    rgb: str
    shape: str


class Moment(Protocol):
    """A state of any game. It is a value: to take a step back, keep the old one.

    `seat` counts the players in their order from 0. A turn has `begun` with its first step; `ended_by` is the step
    that ended it, after which only `next_turn` goes on. The position prints as text that `Game.parse` reads.
    """

    @property
    def table(self) -> Any:
        """Who plays by which rules: `.players` in their order, each with `.name` and `.colours`; `.rules`."""

    @property
    def position(self) -> Any:
        """What lies on the table."""

    @property
    def seat(self) -> int:
        """The place of the player whose turn it is."""

    @property
    def begun(self) -> bool:
        """Tell whether a step of this turn has been taken."""

    @property
    def ended_by(self) -> str:
        """The step that ended this turn, or nothing."""

    @property
    def over(self) -> bool:
        """Tell whether the game is over."""


class Game(Protocol):
    """A game as the companion sees it: values it need not understand, and text that people read and write.

    Everything a history has to keep is text: players, rules and set-up at the start (`table`, `new`), then the
    position and the steps of each turn. Replaying them by `play` and `next_turn` gives every state again, with every
    point explained; `at` resumes where only a position is known. Sentences are `Reason`s: `str()` says one in
    English, and `.sentence` with `.params` in any language. Rule ids are keys of `rulebook`. What the caller got wrong
    is a ValueError in one line; what a player got wrong is a verdict.
    """

    name: str
    title: str
    players: range
    """How many can play."""
    seats: Mapping[str, Look]
    """What players choose at the start, by name: colours, or martians."""
    sets: Mapping[str, tuple[Look, ...]]
    """The printings by name, the usual one first: everything that can lie on a cell."""
    options: Mapping[str, tuple[str, ...]]
    """Every option with its values, the default first."""
    presets: Mapping[str, Any]
    """Rules that tables often agree on, by name."""
    rulebook: Mapping[str, str]
    """Every rule in one sentence, by its id."""

    def seats_each(self, players: int) -> int:
        """Return how many seats a player may take at most."""

    def draws(self, players: int) -> int:
        """Return how many pieces each player draws at the start; 0 where nothing is drawn."""

    def table(self, players: str | None, rules: str = "") -> Any:
        """Seat the players, as in `A=blue,B=red+violet`, and choose the rules, as in `preset,name=value`."""

    def seated(self, players: Sequence[tuple[str, Sequence[str]]], rules: Mapping[str, str]) -> Any:
        """Seat players by their names and seats, as a history or a form has them; the table's `.fault` may be a Reason.

        Without players the table is that of `table(None)`.
        """

    def new(self, table: Any, set_up: str = "") -> Any:
        """Return the state in which a game starts; where something is drawn, `set_up` says what, or `seed=7`."""

    def at(self, table: Any, position: str, seat: int | None = None) -> Any:
        """Return the state at the start of that seat's turn; None where the position says whose it is, or nobody does.

        A seat that is not on turn is one whose claim will be refused.
        """

    def parse(self, text: str) -> Any:
        """Read a position."""

    def problems(self, position: Any) -> tuple[Any, ...]:
        """Name what cannot be true of a position: each problem has `.cells` and `.reason`."""

    def legal_steps(self, state: Any) -> Iterator[str]:
        """Yield the legal next steps."""

    def play(self, state: Any, steps: str) -> Any:
        """Return the state after legal steps of one turn; refuse any other with a ValueError."""

    def may_stop(self, state: Any) -> bool:
        """Tell whether the player may end the turn here."""

    def next_turn(self, state: Any) -> Any:
        """Return the state with the next player to begin."""

    def check(self, state: Any, steps: str) -> Verdict:
        """Judge a claimed turn of the player on turn."""

    def referee(self, before: Any, after: Any) -> Verdict:
        """Judge the turn between two states."""

    def score(self, state: Any) -> Any:
        """Say how everyone stands.

        The standing has `.scores` (pairs of a player and a score with `.points`, `.told` and `.lines`, which add up
        and have `.rule`, `.cells` and `.points`), `.winners` by name (or who leads), `.over`, `.ending`, `.disputes`
        and `as_json()`.
        """

    def is_over(self, state: Any) -> bool:
        """Tell whether the game is over."""

    def practice(self, table: Any, seed: int) -> Iterator[tuple[Any, str]]:
        """Play a whole legal game: each state at the start of a turn, and the steps of that turn."""
