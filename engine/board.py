"""The hexagonal board: its cells, their names, and the six ways it can be turned.

A cell is an axial pair (q, r): q grows to the right, r downwards, and the centre is (0, 0).
Directions 0..5 run counter-clockwise from east: E, NE, NW, W, SW, SE.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple


class Cell(NamedTuple):
    """A place on the board in axial coordinates."""

    q: int
    r: int


DIRECTIONS = (Cell(1, 0), Cell(1, -1), Cell(0, -1), Cell(-1, 0), Cell(-1, 1), Cell(0, 1))


def turned(cell: Cell, turns: int) -> Cell:
    """Return where a cell comes to lie when the board is turned counter-clockwise by 60 degrees, `turns` times.

    >>> turned(Cell(1, 0), 1)
    Cell(q=1, r=-1)
    """
    q, r = cell
    for _ in range(turns % 6):
        q, r = q + r, -q
    return Cell(q, r)


@dataclass(frozen=True)
class Board:
    """A hexagon of hexagons with `edge` cells along each side; rows are named A, B, ... from the top.

    >>> Board(6).name(Cell(0, 0)), Board(6).cell("A1"), len(Board(6).cells)
    ('F6', Cell(q=0, r=-5), 91)
    """

    edge: int

    def __post_init__(self) -> None:
        """Refuse an edge that names cannot reach."""
        if not 1 <= self.edge <= 13:
            raise ValueError(f"a board has an edge of 1 to 13 cells, not {self.edge}")

    @cached_property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells row by row, top to bottom, left to right."""
        n = self.edge - 1
        return tuple(tuple(Cell(q, r) for q in range(max(-n, -n - r), min(n, n - r) + 1)) for r in range(-n, n + 1))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells in reading order; the place of a cell in this tuple is its index."""
        return tuple(cell for row in self.rows for cell in row)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all cells, by index."""
        return tuple(f"{chr(65 + i)}{j + 1}" for i, row in enumerate(self.rows) for j in range(len(row)))

    @cached_property
    def indices(self) -> dict[str, int]:
        """From a cell's name to its index."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def index_of(self) -> dict[Cell, int]:
        """From a cell to its index."""
        return {cell: i for i, cell in enumerate(self.cells)}

    @cached_property
    def neighbours(self) -> tuple[tuple[int | None, ...], ...]:
        """For each index, the neighbours' indices by direction 0..5; None beyond the rim."""
        return tuple(tuple(self.index_of.get(Cell(q + dq, r + dr)) for dq, dr in DIRECTIONS) for q, r in self.cells)

    @cached_property
    def turns(self) -> tuple[tuple[int, ...], ...]:
        """For each of the six turns, where each index goes: `turns[k][i]` is the index that i comes to lie on."""
        return tuple(tuple(self.index_of[turned(cell, k)] for cell in self.cells) for k in range(6))

    def name(self, cell: Cell) -> str:
        """Name a cell."""
        return self.names[self.index_of[cell]]

    def cell(self, name: str) -> Cell:
        """Find a cell by its name."""
        return self.cells[self.index(name)]

    def index(self, name: str) -> int:
        """Find a cell's index by its name."""
        try:
            return self.indices[name.strip().upper()]
        except KeyError:
            raise ValueError(f"there is no cell {name!r} on a board of edge {self.edge}") from None


@lru_cache(maxsize=13)
def board_of(edge: int) -> Board:
    """Return the one shared board of that edge, with its tables made once."""
    return Board(edge)
