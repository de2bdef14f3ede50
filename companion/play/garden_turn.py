"""A turn of Gardens of Mars entered tap by tap: dice, the hex, the gardener, the flower."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from companion.languages import gettext as _
from companion.phrases import colour_name, player_name
from companion.play.way import Words
from engine import gardens_of_mars as mars
from engine.gardens_of_mars.garden import BOARD, FREE
from engine.gardens_of_mars.legality import RAYS, Fault
from engine.gardens_of_mars.material import DICE, DIE
from engine.gardens_of_mars.table import State


def points_text(points: int) -> str:
    """Write points as they are gained or lost."""
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


@dataclass(frozen=True)
class Draft:
    """A turn half entered: the dice as they fell, the hex that was tapped, and the gardener that goes there.

    With `free` anything can be entered, to ask the referee about it; then `use` is the die that was used.
    """

    start: State
    dice: tuple[int, ...] = ()
    rolled: bool = False
    tap: str = ""
    gardener: str = ""
    use: int = 0
    free: bool = False

    @classmethod
    def of(cls, start: State, words: Words, *, free: bool = False) -> "Draft":
        """Read a draft from an address; what makes no sense is left out."""
        numbers = {str(number): number for number in DIE}
        dice = tuple(numbers[die] for die in words.getlist("die") if die in numbers)
        draft = cls(start, dice, bool(words.get("rolled")), free=free)
        if not draft.counts or len(dice) > draft.counts[-1]:
            draft = cls(start, free=free)
        tap, gardener = (word if word in BOARD.indices else "" for word in (words.get("tap"), words.get("gardener")))
        return replace(draft, tap=tap or "", gardener=gardener or "", use=numbers.get(words.get("use", ""), 0))

    @property
    def rules(self) -> mars.Rules:
        """The rules of the table."""
        return self.start.table.rules

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many dice may be rolled now."""
        before = self.start.position
        if before.dice or mars.is_placing(before, self.rules):
            return ()
        return tuple(range(1, DICE + 1)) if self.free else mars.dice_due(before, before.player)

    @property
    def is_rolled(self) -> bool:
        """Tell whether all dice have been entered: the most there can be, or fewer by another gardener."""
        count = len(self.dice)
        return bool(self.counts) and (count == self.counts[-1] or (self.rolled and count in self.counts))

    @cached_property
    def garden(self) -> mars.Garden:
        """The table with the dice on it."""
        before = self.start.position
        return replace(before, dice=tuple(sorted(self.dice))) if self.is_rolled else before

    @cached_property
    def moves(self) -> tuple[tuple[mars.Move, int], ...]:
        """Every legal move with its points."""
        return mars.worth(self.garden, self.rules) if self.garden.dice else ()

    @property
    def tapped(self) -> tuple[tuple[mars.Move, int], ...]:
        """The moves to the hex that was tapped, by the gardener that was chosen."""
        moves = [(move, n) for move, n in self.moves if BOARD.names[move.target] == self.tap]
        own = [(move, n) for move, n in moves if BOARD.names[move.start] == self.gardener]
        return tuple(own or moves)

    @property
    def stage(self) -> str:
        """Tell what is asked next."""
        if mars.is_placing(self.start.position, self.rules):
            return "place" if not self.tap else "refused" if self.fault and not self.free else "confirm"
        if not self.garden.dice:
            return "dice" if self.counts else "pass"
        if self.free:
            return "target" if not self.tap else "gardener" if not self.start_cell else "claim" if self.use else "use"
        if not self.moves:
            return "stuck"
        if not self.tap:
            return "target"
        if not self.tapped:
            return "refused"
        if len({move.start for move, _ in self.tapped}) > 1:
            return "gardener"
        return "flower" if self.tapped[0][0].colour else "land"

    @cached_property
    def lit(self) -> dict[str, str]:
        """The hexes that may be tapped now, each with the most points it can give."""
        if self.stage in ("dice", "pass", "stuck") or self.free:
            return {}
        if mars.is_placing(self.start.position, self.rules):
            steps = mars.legal_steps(self.start.position, self.rules)
            return {BOARD.names[step.cell]: "" for step in steps if isinstance(step, mars.Place)}
        best: dict[str, int] = {}
        for move, points in self.moves:
            name = BOARD.names[move.target]
            best[name] = max(points, best.get(name, points))
        return {name: points_text(points) for name, points in best.items()}

    @cached_property
    def fault(self) -> Fault | None:
        """Say why the gardener cannot go to the hex that was tapped."""
        if mars.is_placing(self.garden, self.rules):
            return mars.fault(self.garden, mars.Place(BOARD.index(self.tap)), self.rules)
        target = BOARD.index(self.tap)
        faults = [self._fault_from(start, target) for start in self.garden.gardeners[self.garden.player]]
        # What is in the way tells more than a hex that no line or die leads to.
        orders = ("no-cross", "centre", "dice-used", "move-exact", "move-straight")
        return min(filter(None, faults), key=lambda f: orders.index(f.rule) if f.rule in orders else 9, default=None)

    def _fault_from(self, start: int, target: int) -> Fault | None:
        ray = next((ray for ray in RAYS[start] if target in ray), None)
        distance = ray.index(target) + 1 if ray else self.garden.dice[0]
        return mars.fault(self.garden, mars.Move(min(distance, 6), start, target), self.rules)

    def text(self, step: object) -> str:
        """Return the whole turn as text."""
        roll = [str(mars.Roll(tuple(sorted(self.dice))))] if self.is_rolled else []
        return "; ".join([*roll, str(step)])

    @property
    def start_cell(self) -> str:
        """The gardener that is said to have moved, where anything can be said."""
        own = [BOARD.names[cell] for cell in self.garden.gardeners[self.garden.player]]
        return self.gardener or (own[0] if len(own) == 1 else "")

    @property
    def starts(self) -> list[tuple[str, int]]:
        """The gardeners that can go to the hex that was tapped, each with its die."""
        if self.free:
            return [(BOARD.names[cell], 0) for cell in self.garden.gardeners[self.garden.player]]
        return list(dict.fromkeys((BOARD.names[move.start], move.die) for move, _ in self.tapped))

    @property
    def claims(self) -> list[tuple[str, str]]:
        """What may be claimed of the move that was tapped: each colour planted, or none."""
        start, target = BOARD.index(self.start_cell), BOARD.index(self.tap)
        colours = (*self.garden.flower_set.colours, None)
        return [(colour or "", self.text(mars.Move(self.use, start, target, colour))) for colour in colours]

    def letter(self, colour: str) -> str:
        """Return the letter of a colour of this set."""
        return self.garden.flower_set.letters[self.garden.flower_set.colours.index(colour)]

    def left(self, colour: str) -> int:
        """Say how many flowers of a colour the player has."""
        return self.garden.hands[self.garden.player][self.garden.flower_set.colours.index(colour)]

    def words(self, **changes: Any) -> dict[str, Any]:
        """Return the draft as the words of an address, with some changed."""
        here = {"rolled": "1" if self.rolled else "", "tap": self.tap, "gardener": self.gardener, "use": self.use}
        said = {"die": list(self.dice), **here, "again": "1" if self.free else "", **changes}
        return {name: value for name, value in said.items() if value}


def describe(draft: Draft, name: str) -> str:
    """Name a hex, what stands there and what it would give, for those who cannot see it."""
    i = BOARD.index(name)
    letter = draft.garden.flowers[i]
    words = [_("free hex") if letter == FREE else _("flower in {colour}", colour=colour_name(letter))]
    for seat, cells in enumerate(draft.garden.gardeners):
        if i in cells:
            words.append(_("gardener of {name}", name=player_name(draft.start.table.players[seat].name)))
    if worth := draft.lit.get(name):
        words.append(_("up to {points}", points=worth))
    return f"{name}: {', '.join(words)}"
