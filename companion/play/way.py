"""What the pages need to know of a game in order to let people play it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from flask import url_for
from markupsafe import Markup
from werkzeug.datastructures import MultiDict

from companion.drawing import Carpet
from companion.history import Game, Turn
from companion.history.checking import LONGEST_NAME, readable

Words = MultiDict[str, str]
"""What a form or an address says."""


def typed_name(text: str | None) -> str:
    """Return a player's name as it is kept: on one line, readable, and not too long."""
    return readable(" ".join((text or "").split()), LONGEST_NAME)


def cell_links(endpoint: str, **places: Any) -> Callable[[str], str]:
    """Return what gives the address of every cell of one page; the page's own is worked out once, not 91 times."""
    address = url_for(endpoint, **places)
    joint = "&" if "?" in address else "?"
    return lambda name: f"{address}{joint}cell={name}"


class Mistake(Exception):  # noqa: N818 - what happened, said in one sentence
    """Something a person entered that cannot be; `rule` is the rule it breaks, if it is one."""

    def __init__(self, sentence: str, rule: str | None = None, cells: tuple[str, ...] = ()) -> None:
        """Say it in the reader's language."""
        super().__init__(sentence)
        self.sentence, self.rule, self.cells = sentence, rule, cells


@dataclass(frozen=True)
class Played:
    """A turn to be written into the log."""

    player: int
    steps: str
    position: str
    next: int
    over: bool
    verdict: str = "legal"

    def said(self, **more: Any) -> dict[str, Any]:
        """Return what the entry says."""
        words = {"player": self.player, "steps": self.steps, "position": self.position, "verdict": self.verdict}
        return {**words, "next": self.next, "over": self.over, **more}


@dataclass(frozen=True)
class Judgement:
    """What the referee says, in the reader's language.

    `told` is the turn that explains the change; `nearest` the legal one that comes closest; `others` say what another
    reading of the rules would change. `marked` are the cells it is about.
    """

    verdict: str
    sentence: str
    rule: str | None = None
    told: str = ""
    nearest: str = ""
    others: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()


class Way(Protocol):
    """How one game is set up, entered and told on the page."""

    name: str
    setup_template: str
    """Shows who plays with what, inside the form of a new game."""
    turn_template: str
    """Shows the board and asks for the next turn."""
    score_template: str
    """Shows the points."""
    photo_template: str | None
    """Shows what was made of a photo of the table; None where photos of this game cannot be read."""
    dispute_template: str | None
    """Shows what the referee looks at; None where a move of this game cannot be asked about."""

    def settings(self, form: Words) -> dict[str, Any]:
        """Return the players, rules and starter that a form asks for; raises Mistake."""

    def again(self, settings: dict[str, Any]) -> dict[str, Any] | None:
        """Return the settings for another game of the same players; None where something has to be entered anew."""

    def setup_places(self, form: Words | None, last: Game | None) -> dict[str, Any]:
        """Return what the form of a new game shows: what was entered, or else the last game's players."""

    def turn_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Return what the page of a running game shows, with a turn half entered in the address.

        In a dispute anything can be entered: the referee is asked about it.
        """

    def score_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Return what the page shows of the points."""

    def photo_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Return what the page shows of a photo that was read."""

    def dispute_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Return what the page of a dispute shows; `judgement` once there is enough to judge."""

    def take_turn(self, game: Game, form: Words) -> Played:
        """Check a turn that was entered, against the game as it stands; raises Mistake with the rule."""

    def tell(self, game: Game, turn: Turn, *, veiled: bool) -> str:
        """Say a turn in a sentence; veiled, without anything that lies covered now."""

    def seat_icon(self, seat: str) -> Markup:
        """Draw what a player chose at the start."""

    def board(self, game: Game, carpets: Sequence[Carpet], marked: Sequence[str]) -> Markup:
        """Draw the board as it lies, to look at."""

    def rule_text(self, rule: str) -> str:
        """Say a rule."""

    @property
    def options(self) -> Mapping[str, tuple[str, ...]]:
        """The options in which the rules differ, with their values."""
