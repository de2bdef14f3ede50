"""What lies on the board, as a value and as one line of text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.board import Board, board_of
from engine.carpets import OpenTiles
from engine.rulebook import Mistake, Reason

COLOURS = ("blue", "violet", "red", "yellow", "orange", "green")
LETTERS = "bvryog"
COLOUR_OF = dict(zip(LETTERS, COLOURS, strict=True))
LETTER_OF = {colour: letter for letter, colour in COLOUR_OF.items()}

COVERED, EMPTY, UNKNOWN = ".", "_", "?"
COPIES = 13
"""How many tiles there are of each colour, and of Serendips."""

MOST_ROWS = 25
"""The rows of the largest board that has names for them."""

TOKEN = re.compile(r"[.bvryog_?]|\([bvryog]{6}\)")

Face = str
"""`.` covered, a letter a flower, six letters a Serendip's petals by direction, `_` no tile, `?` not known."""


def is_serendip(face: Face) -> bool:
    """Tell a Serendip from every other face."""
    return len(face) == 6


def turned_face(face: Face, turns: int) -> Face:
    """Return the face as it reads once the board has been turned counter-clockwise by `turns` edges."""
    k = turns % 6
    return face[-k:] + face[:-k] if is_serendip(face) and k else face


def ring_of(petals: Face) -> str:
    """Return the cyclic colour order of a Serendip, starting at its first letter in LETTERS order.

    >>> ring_of("roygbv")
    'bvroyg'
    """
    start = min(range(6), key=lambda i: LETTERS.index(petals[i]))
    return petals[start:] + petals[:start]


@dataclass(frozen=True)
class Position:
    """The faces of all cells, by index. Any mixture of faces is a position; `problems` says what cannot be.

    >>> p = Position.parse("b./v(bvryog)?/._", edge=2)
    >>> str(p), p["B2"]
    ('b./v(bvryog)?/._', 'bvryog')
    """

    faces: tuple[Face, ...]
    edge: int = 6

    @property
    def board(self) -> Board:
        """The board under the tiles."""
        return board_of(self.edge)

    @classmethod
    def parse(cls, text: str, edge: int | None = None) -> "Position":
        """Read the text form; without `edge` the number of rows tells it."""
        lines = text.strip().split("/", MOST_ROWS)
        if len(lines) > MOST_ROWS:
            raise Mistake(Reason.of("text-rows", rows=len(board_of(edge or 6).rows), count=text.strip().count("/") + 1))
        rows = [_tokens(row, i) for i, row in enumerate(lines)]
        if edge is None and len(rows) % 2 == 0:
            raise Mistake(Reason.of("text-rows", rows=11, count=len(rows)))
        board = board_of(edge or (len(rows) + 1) // 2)
        if len(rows) != len(board.rows):
            raise Mistake(Reason.of("text-rows", rows=len(board.rows), count=len(rows)))
        for i, (row, cells) in enumerate(zip(rows, board.rows, strict=True)):
            if len(row) != len(cells):
                raise Mistake(Reason.of("text-row", row=chr(65 + i), count=len(row), cells=len(cells)))
        return cls(tuple(face for row in rows for face in row), board.edge)

    @classmethod
    def covered(cls, edge: int = 6) -> "Position":
        """Return the board as a game starts: everything face down."""
        return cls((COVERED,) * len(board_of(edge).cells), edge)

    def __str__(self) -> str:
        """Print the text form."""
        faces = iter(self.faces)
        rows = ((next(faces) for _ in row) for row in self.board.rows)
        return "/".join("".join(f"({face})" if is_serendip(face) else face for face in row) for row in rows)

    def __getitem__(self, name: str) -> Face:
        """Return the face at a named cell."""
        return self.faces[self.board.index(name)]

    def with_faces(self, changes: Mapping[int, Face]) -> "Position":
        """Return the position with some faces exchanged, by index."""
        return Position(tuple(changes.get(i, face) for i, face in enumerate(self.faces)), self.edge)

    def turned(self, turns: int) -> "Position":
        """Return the position seen after the board is turned counter-clockwise by 60 degrees, `turns` times."""
        faces = [""] * len(self.faces)
        for i, j in enumerate(self.board.turns[turns % 6]):
            faces[j] = turned_face(self.faces[i], turns)
        return Position(tuple(faces), self.edge)

    def named(self, indices: Iterable[int]) -> tuple[str, ...]:
        """Name cells, in reading order."""
        return tuple(self.board.names[i] for i in sorted(indices))

    def where(self, face: Face) -> tuple[int, ...]:
        """Return the indices of all cells that show this face."""
        return tuple(i for i, other in enumerate(self.faces) if other == face)

    @cached_property
    def open_tiles(self) -> OpenTiles:
        """What lies open, sorted once for all that is scored."""
        return OpenTiles(self.faces, self.edge)

    @property
    def serendips(self) -> tuple[int, ...]:
        """The indices of all open Serendips."""
        return tuple(i for i, face in enumerate(self.faces) if is_serendip(face))


@dataclass(frozen=True)
class Problem:
    """Something that cannot be on a real table, with the cells that show it."""

    kind: str
    cells: tuple[str, ...]
    reason: Reason

    @property
    def message(self) -> str:
        """The problem in English."""
        return str(self.reason)


def problems(position: Position) -> tuple[Problem, ...]:
    """Name everything about a position that cannot be true of a complete set of tiles."""
    found = []

    def add(kind: str, indices: Iterable[int], reason: Reason) -> None:
        found.append(Problem(kind, position.named(indices), reason))

    for letter, colour in COLOUR_OF.items():
        if (count := len(cells := position.where(letter))) > COPIES:
            add("too-many", cells, Reason.of("too-many-flowers", count=count, colour=colour, copies=COPIES))
    serendips = position.serendips
    if (count := len(serendips)) > COPIES:
        add("too-many", serendips, Reason.of("too-many-serendips", count=count, copies=COPIES))
    if odd := [i for i in serendips if len(set(position.faces[i])) < 6]:
        add("petals", odd, Reason.of("petals"))
    rings = Counter(ring_of(position.faces[i]) for i in serendips if i not in odd)
    if len(rings) > 1:
        usual = rings.most_common(1)[0][0]
        strange = [i for i in serendips if i not in odd and ring_of(position.faces[i]) != usual]
        add("ring", strange, Reason.of("ring", ring=usual))
    if empty := position.where(EMPTY):
        add("missing", empty, Reason.of("missing", count=len(empty)))
    if unknown := position.where(UNKNOWN):
        add("unknown", unknown, Reason.of("unknown", count=len(unknown)))
    return tuple(found)


def _tokens(row: str, i: int) -> list[Face]:
    faces: list[Face] = []
    at = 0
    # A row without end is cut: it has too many cells anyway.
    while at < min(len(row), 100 * MOST_ROWS):
        match = TOKEN.match(row, at)
        if match is None:
            row_name = chr(65 + min(i, 25))
            raise Mistake(Reason.of("text-tile", row=row_name, cell=len(faces) + 1, text=_shown(row[at : at + 8])))
        faces.append(match.group().strip("()"))
        at = match.end()
    return faces


def _shown(text: str) -> str:
    """Return a piece of someone's text fit for a sentence: one line, and nothing that cannot be printed."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
