"""The steps of a turn as values and as text, such as `reveal D4 serendip bvroyg, turn vroygb, swap A1 B2`.

Text that can be read may still break the rules: judging it is another matter.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

from engine.board import Board
from engine.position import COLOUR_OF, LETTER_OF, LETTERS, Face, is_serendip

WORDS = {"cover": 0, "stay": 0, "leave": 0, "pass": 0, "turn": 1, "move": 1, "swap": 2}
"""What may be done with a tile, and the most words that follow."""

LONGEST = 20_000
"""Characters in the text of a turn; all 91 tiles turned up, turned and swapped need fewer than 7000."""


class Act(NamedTuple):
    """One thing done: a verb, then the cells or the petals it is about."""

    verb: str
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Print the text form."""
        return " ".join((self.verb, *self.words))


@dataclass(frozen=True)
class Step:
    """A tile turned up and what was done with it; without a cell, something done without turning up a tile.

    >>> str(Step("D4", "b", (Act("swap", ("E6",)),)))
    'reveal D4 blue, swap E6'
    """

    cell: str
    face: Face
    acts: tuple[Act, ...]

    @classmethod
    def of(cls, cell: str, face: Face, *acts: str) -> "Step":
        """Make a step from its parts, each act as text."""
        return cls(cell, face, tuple(Act(verb, tuple(words)) for verb, *words in map(str.split, acts)))

    def __str__(self) -> str:
        """Print the text form."""
        face = f"serendip {self.face}" if is_serendip(self.face) else COLOUR_OF.get(self.face, "")
        shown = [f"reveal {self.cell} {face}"] if self.cell else []
        return ", ".join([*shown, *map(str, self.acts)])


def parse_steps(text: str, board: Board) -> tuple[Step, ...]:
    """Read the steps of one turn, joined by `;`."""
    if len(text) > LONGEST:
        raise ValueError(f"a turn is written in at most {LONGEST} characters, not {len(text)}")
    parts = [part.strip() for part in text.split(";") if part.strip()]
    return tuple(_step(part, f"step {i}", board) for i, part in enumerate(parts, 1))


def _step(text: str, where: str, board: Board) -> Step:
    cell, face = "", ""
    parts = [part.split() for part in text.split(",")]
    if parts[0][:1] and parts[0][0].lower() == "reveal":
        _, *words = parts.pop(0)
        cell, face = _shown(words, where, board)
        if not parts:
            raise ValueError(f"{where}: {text!r} does not say what happens with the tile")
    return Step(cell, face, tuple(_act(words, where, board) for words in parts))


def _shown(words: list[str], where: str, board: Board) -> tuple[str, Face]:
    if len(words) < 2:
        raise ValueError(f"{where}: a reveal names a cell and what it shows, as in 'reveal D4 blue'")
    cell, colour, *petals = words
    colour = colour.lower()
    if colour == "serendip" and len(petals) == 1:
        return _cell(cell, where, board), _petals(petals[0], where)
    if colour == "serendip":
        raise ValueError(f"{where}: a Serendip is written with its six petals, as in 'serendip bvroyg'")
    letter = LETTER_OF.get(colour, colour)
    if letter not in COLOUR_OF or petals:
        raise ValueError(f"{where}: {' '.join(words[1:])!r} is neither a colour nor a Serendip")
    return _cell(cell, where, board), letter


def _act(words: list[str], where: str, board: Board) -> Act:
    verb, *rest = words or [""]
    verb, rest = verb.lower(), [word for word in rest if word.lower() not in ("to", "and")]
    if verb not in WORDS:
        raise ValueError(f"{where}: {' '.join(words)!r} is not one of {', '.join(WORDS)}")
    if len(rest) > WORDS[verb] or (WORDS[verb] and not rest):
        raise ValueError(f"{where}: {' '.join(words)!r} has the wrong number of words")
    if verb == "turn":
        return Act(verb, (_petals(rest[0], where),))
    return Act(verb, tuple(_cell(word, where, board) for word in rest))


def _cell(word: str, where: str, board: Board) -> str:
    try:
        return board.names[board.index(word)]
    except ValueError as mistake:
        raise ValueError(f"{where}: {mistake}") from None


def _petals(word: str, where: str) -> Face:
    if not re.fullmatch(f"[{LETTERS}]{{6}}", word.lower()):
        raise ValueError(f"{where}: {word!r} is not six petals by direction, as in bvroyg")
    return word.lower()
