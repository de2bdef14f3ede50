"""The points of a player: the best carpet, as lines that add up.

Sets of cells are bit masks over the indices of the board: bit i is the cell with index i.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from engine.board import board_of
from engine.position import LETTERS, Position
from engine.rules import DEFAULT, Rules
from engine.table import letters_of


class Line(NamedTuple):
    """Some of the points: the rule that gives them and the cells that earn them."""

    rule: str
    cells: tuple[str, ...]
    points: int


Carpet = tuple[int, int, int, int, int, int]
"""A connected group of flowers: value, flowers, Serendips, matches; then the cells of its flowers and Serendips."""

BARE: Carpet = (0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Score:
    """What one player's best carpet is worth, and why."""

    points: int
    flowers: int
    serendips: int
    matches: int
    _seen: "tuple[Garden, list[Carpet], str]" = field(repr=False, compare=False)

    @property
    def told(self) -> str:
        """How the points come about, to follow their number."""
        return f" = {self.flowers} flowers + 2 × {self.serendips} Serendips + 2 × {self.matches} matches"

    @cached_property
    def carpet(self) -> tuple[str, ...]:
        """The flowers that count."""
        return self._seen[0].names(self._counted)

    @cached_property
    def apart(self) -> tuple[str, ...]:
        """The player's open flowers that do not count."""
        garden, _, letters = self._seen
        return garden.names(garden.flowers_of(letters) & ~self._counted)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every point with its rule and its cells; a match is a Serendip and the flower that it faces."""
        garden, carpets, _ = self._seen
        lines: list[Line] = []
        for _, flowers, serendips, _, cells, touching in carpets:
            if cells:
                lines.append(Line("point-flower", garden.names(cells), flowers))
            if touching:
                lines.append(Line("point-serendip", garden.names(touching), 2 * serendips))
            lines.extend(Line("point-match", pair, 2) for pair in garden.pairs(cells))
        return tuple(lines)

    @property
    def _counted(self) -> int:
        cells = 0
        for carpet in self._seen[1]:
            cells |= carpet[4]
        return cells


def score(position: Position, colours: str | Iterable[str], rules: Rules = DEFAULT) -> Score:
    """Score a player who owns these colours.

    >>> score(Position.parse("bb/.(bvryog)r/..", edge=2), ["blue"]).points
    4
    """
    letters, garden = letters_of(colours), _garden(position)
    if len(letters) == 1 or rules.several_colours == "linked":
        carpets = [garden.best_carpet(letters, rules)]
    else:
        carpets = [garden.best_carpet(letter, rules) for letter in letters]
        if rules.several_colours == "best-colour":
            carpets = [max(carpets, default=BARE)]
    if len(carpets) == 1:
        points, flowers, serendips, matches, _, _ = carpets[0]
    else:
        points, flowers, serendips, matches, _, _ = map(sum, zip(BARE, *carpets, strict=True))
    return Score(points, flowers, serendips, matches, (garden, carpets, letters))


class Garden:
    """The open tiles of a position as masks: flowers by colour, Serendips, and the flowers that match a petal."""

    def __init__(self, position: Position) -> None:
        """Sort the open tiles."""
        self.board = position.board
        self.near, self.around, self.bits = _masks(position.edge)
        around, bits = self.around, self.bits
        self.faces = faces = position.faces
        self.flowers = flowers = dict.fromkeys(LETTERS, 0)
        self.matched: dict[int, int] = {}
        self.serendips = self.beside = 0
        for face, bit in zip(faces, bits, strict=True):
            if face in flowers:
                flowers[face] |= bit
            elif len(face) == 6:
                self.serendips |= bit
                self.matched[bit.bit_length() - 1] = 0
        self.matches = matches = [0] * len(faces)
        for i in self.matched:
            self.beside |= self.near[i]
            matched, petals = 0, faces[i]
            for direction, neighbour in around[i]:
                if faces[neighbour] == petals[direction]:
                    matched |= bits[neighbour]
                    matches[neighbour] += 1
            self.matched[i] = matched
        self._across: dict[tuple[str, str], list[int]] = {}

    def names(self, cells: int) -> tuple[str, ...]:
        """Name the cells of a mask, in reading order."""
        return tuple(self.board.names[i] for i in _indices(cells))

    def flowers_of(self, letters: str) -> int:
        """Return all open flowers of these colours."""
        return sum([self.flowers[letter] for letter in letters])

    def pairs(self, carpet: int) -> Iterator[tuple[str, str]]:
        """Name each Serendip and flower of the carpet where the petal between them has the flower's colour."""
        for serendip, cells in self.matched.items():
            for flower in _indices(cells & carpet):
                yield self.board.names[serendip], self.board.names[flower]

    def best_carpet(self, letters: str, rules: Rules) -> Carpet:
        """Return the carpet that counts for a player who owns these colours."""
        own = self.flowers_of(letters)
        near, bits, matches_of, several = self.near, self.bits, self.matches, len(letters) > 1
        across, open_serendips = self.across(rules.bridges, rules.chains), self.serendips
        valued, counted = (10, 20) if rules.carpet_choice == "largest" else (20, 10)
        best, best_key = BARE, 0
        # Carpets beside Serendips come first: others are worth their flowers alone, often too few to look at.
        # Masks are taken apart by ^ and &: Python is slow with the negative numbers that ~ gives.
        left, others = own & self.beside, own
        while left or (others and others.bit_count() >= best_key >> 20):
            whole, fresh = others, bits[(left or others).bit_length() - 1]
            others ^= fresh
            touching = matches = 0
            while fresh:
                i = fresh.bit_length() - 1
                fresh ^= bits[i]
                around = near[i]
                touching |= around
                matches += matches_of[i]
                if several:
                    around &= self.flowers[self.faces[i]]
                if grown := (around | across[i]) & others:
                    fresh |= grown
                    others ^= grown
            left &= others
            cells = whole ^ others
            touching &= open_serendips
            flowers, serendips = cells.bit_count(), touching.bit_count()
            value = flowers + 2 * (serendips + matches)
            # The key holds value, flowers and Serendips, the one that decides first; these three settle the matches.
            key = (value << valued) + (flowers << counted) + serendips
            if key > best_key:
                best, best_key = (value, flowers, serendips, matches, cells, touching), key
        return best

    def across(self, bridges: str, chains: str) -> list[int]:
        """Return, for each cell, the cells to which Serendips link a flower there, whoever owns the flowers."""
        if across := self._across.get((bridges, chains)):
            return across
        across = self._across[bridges, chains] = [0] * len(self.faces)
        near, bits, left = self.near, self.bits, self.serendips if bridges != "none" else 0
        matching = bridges == "matching-face"
        reach = self.matched if matching else near
        while left:
            # A group of touching Serendips, or a single one, holds together all flowers that it reaches.
            fresh, linked, group = bits[left.bit_length() - 1], 0, list[int]()
            while fresh:
                i = fresh.bit_length() - 1
                group.append(i)
                left ^= bits[i]
                linked |= reach[i]
                fresh = (fresh | near[i]) & left if chains == "join" else 0
            for i in group:
                for _, neighbour in self.around[i]:
                    if matching and not bits[neighbour] & linked:
                        continue
                    across[neighbour] |= linked
        return across


@lru_cache(maxsize=64)
def _garden(position: Position) -> Garden:
    return Garden(position)


@lru_cache(maxsize=13)
def _masks(edge: int) -> tuple[tuple[int, ...], tuple[tuple[tuple[int, int], ...], ...], tuple[int, ...]]:
    """Return each cell's neighbours as a mask, the same with their directions, and the cell's own bit."""
    neighbours = board_of(edge).neighbours
    around = tuple(tuple((d, n) for d, n in enumerate(cells) if n is not None) for cells in neighbours)
    return tuple(sum(1 << n for _, n in cells) for cells in around), around, tuple(1 << i for i in range(len(around)))


def _indices(cells: int) -> Iterator[int]:
    while cells:
        low = cells & -cells
        yield low.bit_length() - 1
        cells ^= low
