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
    _garden: "Garden" = field(repr=False, compare=False)
    _carpets: tuple[Carpet, ...] = field(repr=False, compare=False)
    _letters: str = field(repr=False, compare=False)

    @property
    def told(self) -> str:
        """How the points come about, to follow their number."""
        return f" = {self.flowers} flowers + 2 × {self.serendips} Serendips + 2 × {self.matches} matches"

    @cached_property
    def carpet(self) -> tuple[str, ...]:
        """The flowers that count."""
        return self._garden.names(self._counted)

    @cached_property
    def apart(self) -> tuple[str, ...]:
        """The player's open flowers that do not count."""
        return self._garden.names(self._garden.flowers_of(self._letters) & ~self._counted)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """Every point with its rule and its cells; a match is a Serendip and the flower that it faces."""
        garden, lines = self._garden, list[Line]()
        for _, flowers, serendips, _, cells, touching in self._carpets:
            if cells:
                lines.append(Line("point-flower", garden.names(cells), flowers))
            if touching:
                lines.append(Line("point-serendip", garden.names(touching), 2 * serendips))
            lines.extend(Line("point-match", pair, 2) for pair in garden.pairs(cells))
        return tuple(lines)

    @property
    def _counted(self) -> int:
        cells = 0
        for carpet in self._carpets:
            cells |= carpet[4]
        return cells


def score(position: Position, colours: str | Iterable[str], rules: Rules = DEFAULT) -> Score:
    """Score a player who owns these colours.

    >>> score(Position.parse("bb/.(bvryog)r/..", edge=2), ["blue"]).points
    4
    """
    letters, garden = letters_of(colours), _garden(position)
    apiece = (letters,) if rules.several_colours == "linked" else tuple(letters)
    carpets = [garden.best_carpet(part, rules) for part in apiece]
    if rules.several_colours == "best-colour":
        carpets = [max(carpets)]
    if len(carpets) == 1:
        points, flowers, serendips, matches, _, _ = carpets[0]
    else:
        points, flowers, serendips, matches, _, _ = map(sum, zip(*carpets, strict=True))
    return Score(points, flowers, serendips, matches, garden, tuple(carpets), letters)


class Garden:
    """The open tiles of a position as masks: flowers by colour, Serendips, and the flowers that match a petal."""

    def __init__(self, position: Position) -> None:
        """Sort the open tiles."""
        self.board = position.board
        self.near = _near(position.edge)
        self.faces = position.faces
        self.flowers = dict.fromkeys(LETTERS, 0)
        self.serendips = 0
        self.matched: dict[int, int] = {}
        self.matches = [0] * len(position.faces)
        bit, found = 1, []
        for i, face in enumerate(position.faces):
            if face in self.flowers:
                self.flowers[face] |= bit
            elif len(face) == 6:
                self.serendips |= bit
                found.append(i)
            bit <<= 1
        for i in found:
            matched = 0
            for petal, neighbour in zip(position.faces[i], self.board.neighbours[i], strict=True):
                if neighbour is not None and position.faces[neighbour] == petal:
                    matched |= 1 << neighbour
                    self.matches[neighbour] += 1
            self.matched[i] = matched
        self._links: dict[tuple[str, str], list[int]] = {}

    def names(self, cells: int) -> tuple[str, ...]:
        """Name the cells of a mask, in reading order."""
        return tuple(self.board.names[i] for i in _indices(cells))

    def flowers_of(self, letters: str) -> int:
        """Return all open flowers of these colours."""
        return sum(self.flowers[letter] for letter in letters)

    def pairs(self, carpet: int) -> Iterator[tuple[str, str]]:
        """Name each Serendip and flower of the carpet where the petal between them has the flower's colour."""
        for serendip, cells in self.matched.items():
            for flower in _indices(cells & carpet):
                yield self.board.names[serendip], self.board.names[flower]

    def best_carpet(self, letters: str, rules: Rules) -> Carpet:
        """Return the carpet that counts for a player who owns these colours."""
        left = own = self.flowers_of(letters)
        near, matches_of, open_serendips = self.near, self.matches, self.serendips
        links = self.links(rules.bridges, rules.chains)
        largest = rules.carpet_choice == "largest"
        best, best_key = BARE, (0, 0)
        while left:
            fresh = left & -left
            cells = touching = matches = 0
            while fresh:
                i = fresh.bit_length() - 1
                cells |= 1 << i
                touching |= near[i]
                matches += matches_of[i]
                fresh = (fresh | links[i] & own) & ~cells
            left &= ~cells
            touching &= open_serendips
            flowers, serendips = cells.bit_count(), touching.bit_count()
            value = flowers + 2 * serendips + 2 * matches
            # Flowers and value leave only serendips to break a tie, and these then settle the matches.
            key = (flowers, value) if largest else (value, flowers)
            if key > best_key or (key == best_key and serendips > best[2]):
                best, best_key = (value, flowers, serendips, matches, cells, touching), key
        return best

    def links(self, bridges: str, chains: str) -> list[int]:
        """Return, for each flower, the cells it is linked to, whoever owns them: its colour, and across Serendips."""
        if (bridges, chains) not in self._links:
            near, flowers = self.near, self.flowers
            links = [near[i] & flowers[face] if face in flowers else 0 for i, face in enumerate(self.faces)]
            for linked in self._linked(bridges, chains):
                for i in _indices(linked):
                    links[i] |= linked
            self._links[bridges, chains] = links
        return self._links[bridges, chains]

    def _linked(self, bridges: str, chains: str) -> Iterator[int]:
        """Yield each set of cells that a Serendip, or a group of touching ones, holds together."""
        if bridges == "none":
            return
        near, left = self.near, self.serendips
        while left:
            fresh, linked = left & -left, 0
            while fresh:
                i = fresh.bit_length() - 1
                left &= ~(1 << i)
                linked |= near[i] if bridges == "any-face" else self.matched[i]
                fresh = (fresh | near[i]) & left if chains == "join" else 0
            yield linked


@lru_cache(maxsize=64)
def _garden(position: Position) -> Garden:
    return Garden(position)


@lru_cache(maxsize=13)
def _near(edge: int) -> tuple[int, ...]:
    return tuple(sum(1 << n for n in around if n is not None) for around in board_of(edge).neighbours)


def _indices(cells: int) -> Iterator[int]:
    while cells:
        low = cells & -cells
        yield low.bit_length() - 1
        cells ^= low
