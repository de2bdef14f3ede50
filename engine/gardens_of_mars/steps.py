"""What a player does at the table, as values and as text."""

import re
from dataclasses import dataclass

from engine.gardens_of_mars.garden import BOARD


@dataclass(frozen=True)
class Place:
    """Put a gardener on the board."""

    cell: int

    def __str__(self) -> str:
        """Print the step."""
        return f"place {BOARD.names[self.cell]}"


@dataclass(frozen=True)
class Roll:
    """Throw dice, which now show these numbers."""

    dice: tuple[int, ...]

    def __str__(self) -> str:
        """Print the step."""
        return f"roll {' '.join(map(str, self.dice))}"


@dataclass(frozen=True)
class Move:
    """Use a die to move a gardener, and plant a flower where it ends if the hex is free."""

    die: int
    start: int
    target: int
    colour: str | None = None

    def __str__(self) -> str:
        """Print the step."""
        plant = f", plant {self.colour}" if self.colour else ""
        return f"use {self.die}, move {BOARD.names[self.start]} {BOARD.names[self.target]}{plant}"


@dataclass(frozen=True)
class Stay:
    """Use up a die without being able to move."""

    die: int

    def __str__(self) -> str:
        """Print the step."""
        return f"use {self.die}, stuck"


@dataclass(frozen=True)
class Pass:
    """End a turn in which nothing could be rolled."""

    def __str__(self) -> str:
        """Print the step."""
        return "pass"


Step = Place | Roll | Move | Stay | Pass

_NUMBER = r"([0-9]{1,3})"
_CELL = r"([a-z][0-9]{1,2})"
_STEP_FORMS = {
    "place": re.compile(rf"place {_CELL}"),
    "roll": re.compile(r"roll((?: [0-9]{1,3})+)"),
    "stay": re.compile(rf"use {_NUMBER}, ?stuck"),
    "move": re.compile(rf"use {_NUMBER}, ?move {_CELL} {_CELL}(?:, ?plant ([a-z]+))?"),
    "pass": re.compile("pass"),
}


def parse_step(text: str) -> Step:
    """Read one step; whether it is legal is another question.

    >>> str(parse_step("use 3, move d4 g7, plant red"))
    'use 3, move D4 G7, plant red'
    """
    plain = " ".join(text.lower().split())
    for form, pattern in _STEP_FORMS.items():
        if match := pattern.fullmatch(plain):
            words = match.groups()
            if form == "place":
                return Place(BOARD.index(words[0]))
            if form == "roll":
                return Roll(tuple(sorted(map(int, words[0].split()))))
            if form == "stay":
                return Stay(int(words[0]))
            if form == "move":
                return Move(int(words[0]), BOARD.index(words[1]), BOARD.index(words[2]), words[3])
            return Pass()
    raise ValueError(
        f"{text.strip()[:60]!r} is no step; write 'place D4', 'roll 1 3 5', 'use 3, move D4 G7, plant red', "
        "'use 3, move D4 G7', 'use 3, stuck' or 'pass'"
    )


def parse_steps(text: str) -> tuple[Step, ...]:
    """Read steps joined by ';'."""
    return tuple(parse_step(part) for part in text.split(";"))
