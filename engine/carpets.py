"""The open tiles of a position as bit masks, and the carpets that they make.

The cells of a mask lie row by row, with one place after each row that no tile has. So the neighbours of all its cells
in one direction are one shift away.
"""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from engine.board import board_of
from engine.rules import Rules


class Carpet(NamedTuple):
    """A connected group of flowers: its figures, and the masks of its flowers and of the Serendips that touch them."""

    value: int
    flowers: int
    serendips: int
    matches: int
    cells: int
    touching: int


BARE = Carpet(0, 0, 0, 0, 0, 0)


class Layout(NamedTuple):
    """Where the cells of a board lie in a mask: their bits in reading order, and the names by place.

    A place is what `bit_length` gives for its bit: `cell` and `near` hold the bit itself and its neighbours by place.
    """

    width: int
    bits: tuple[int, ...]
    names: dict[int, str]
    cell: tuple[int, ...]
    near: tuple[int, ...]


@lru_cache(maxsize=13)
def layout_of(edge: int) -> Layout:
    """Lay out a board."""
    board, width = board_of(edge), 2 * edge
    places = [(r + edge - 1) * width + q + edge for q, r in board.cells]
    cell = (0, *(1 << place for place in range(width * (width - 1))))
    near = [0] * len(cell)
    for place, neighbours in zip(places, board.neighbours, strict=True):
        near[place] = sum(cell[places[n]] for n in neighbours if n is not None)
    bits, names = tuple(cell[place] for place in places), dict(zip(places, board.names, strict=True))
    return Layout(width, bits, names, cell, tuple(near))


USUAL = ("any-face", "join", "most-valuable")
"""The values of `bridges`, `chains` and `carpet_choice` that most tables play by."""


class OpenTiles:
    """What lies open: flowers by colour, Serendips by their petals, and how often each flower is matched."""

    def __init__(self, faces: tuple[str, ...], edge: int) -> None:
        """Sort the tiles."""
        self.layout = layout_of(edge)
        self.shown = shown = {"b": 0, "v": 0, "r": 0, "y": 0, "o": 0, "g": 0}
        known = shown.get
        for face, bit in zip(faces, self.layout.bits, strict=True):
            shown[face] = known(face, 0) + bit
        width = self.layout.width
        serendips = once = twice = fourfold = 0
        for face, cells in shown.items():
            if len(face) < 6:
                continue
            serendips |= cells
            for matched in (
                cells << 1 & shown[face[0]],
                cells >> width - 1 & shown[face[1]],
                cells >> width & shown[face[2]],
                cells >> 1 & shown[face[3]],
                cells << width - 1 & shown[face[4]],
                cells << width & shown[face[5]],
            ):
                # Matches are counted in binary: three masks hold the three digits of each flower's number.
                if matched:
                    if more := once & matched:
                        fourfold |= twice & more
                        twice ^= more
                    once ^= matched
        self.serendips, self.matched = serendips, (once, twice, fourfold)
        self.beside = self.around(serendips)
        self._carpets: dict[tuple[str, str, str], list[Carpet]] = {}

    def around(self, cells: int) -> int:
        """Return the cells and their neighbours; what lies beyond the board is never a tile."""
        width = self.layout.width
        both = cells | cells << 1
        return both | both >> 1 | both >> width | both << width - 1

    def flowers_of(self, letters: str) -> int:
        """Return all open flowers of these colours."""
        return sum([self.shown[letter] for letter in letters])

    def names(self, cells: int) -> tuple[str, ...]:
        """Name the cells of a mask, in reading order."""
        return tuple([self.layout.names[place] for place in _places(cells)])

    def pairs(self, carpet: int) -> Iterator[tuple[str, str]]:
        """Name each Serendip and flower of the carpet where the petal between them has the flower's colour."""
        for serendip in _places(self.serendips):
            for flower in _places(self.faced[serendip] & carpet):
                yield self.layout.names[serendip], self.layout.names[flower]

    def best_carpet(self, letters: str, rules: Rules) -> Carpet:
        """Return the carpet that counts for a player who owns these colours."""
        if len(letters) == 1 and (rules.bridges, rules.chains, rules.carpet_choice) == USUAL:
            return self._most_valuable(self.shown[letters])
        asked = letters, rules.bridges, rules.chains
        if asked not in self._carpets:
            self._carpets[asked] = self._carpets_of(*asked)
        if rules.carpet_choice == "largest":
            return max(self._carpets[asked], key=lambda carpet: (carpet.flowers, *carpet), default=BARE)
        return max(self._carpets[asked], default=BARE)

    def _most_valuable(self, own: int) -> Carpet:
        """Return the best carpet of one colour by the usual rules, without a look at those that cannot be it."""
        width, _, _, cell, near = self.layout
        serendips, beside, (once, twice, fourfold) = self.serendips, self.beside, self.matched
        both = own | own << 1
        touched = (both | both >> 1 | both >> width | both << width - 1) & serendips
        left, others, scoring, often = own | serendips, own, touched | once & own, (twice | fourfold) & own
        # All that is not counted yet is worth `rest`, and so at most is a carpet: no Serendip touches two of them.
        rest = own.bit_count() + 2 * scoring.bit_count() if not often else 1 << 20
        points = best = 0
        while others and rest >= points:
            reached = cell[(others & beside or others).bit_length()]
            while fresh := reached & left:
                place = fresh.bit_length()
                left ^= cell[place]
                reached |= near[place]
            others &= left
            value = (reached & own).bit_count() + 2 * (reached & scoring).bit_count()
            if often:
                value += 4 * (reached & often & twice).bit_count() + 8 * (reached & often & fourfold).bit_count()
            rest -= value
            # Of equal points, more flowers are better, then more Serendips.
            if value > points or (value == points and _counts(reached, own, touched) > _counts(best, own, touched)):
                points, best = value, reached
        cells, touching = best & own, best & touched
        flowers, number = cells.bit_count(), touching.bit_count()
        return Carpet(points, flowers, number, (points - flowers) // 2 - number, cells, touching)

    def _carpets_of(self, letters: str, bridges: str, chains: str) -> list[Carpet]:
        """Return all carpets of these colours together, under any rules."""
        own, (once, twice, fourfold) = self.flowers_of(letters), self.matched
        left, paths, carpets = own | self.serendips, self._paths(bridges, chains), list[Carpet]()
        while others := own & left:
            reached = self.layout.cell[others.bit_length()]
            while fresh := reached & left:
                place = fresh.bit_length()
                left ^= self.layout.cell[place]
                reached |= paths[place]
            cells = reached & own
            touching = self.around(cells) & self.serendips
            flowers, serendips = cells.bit_count(), touching.bit_count()
            matches = (cells & once).bit_count() + 2 * (cells & twice).bit_count() + 4 * (cells & fourfold).bit_count()
            carpets.append(Carpet(flowers + 2 * (serendips + matches), flowers, serendips, matches, cells, touching))
        return carpets

    def _paths(self, bridges: str, chains: str) -> list[int]:
        """Return for each place the tiles beside it to which a carpet goes on from the tile there."""
        paths, serendips = [*self.layout.near], self.serendips
        for face, cells in self.shown.items():
            if len(face) < 6:
                # Flowers link by touching where their colour is the same.
                for place in _places(cells):
                    paths[place] &= cells | self._linked(place, bridges)
            else:
                for place in _places(cells):
                    flowers = self.faced[place] if bridges == "matching-face" else paths[place] & ~serendips
                    paths[place] = flowers | paths[place] & serendips if chains == "join" else flowers
        return paths

    @cached_property
    def faced(self) -> dict[int, int]:
        """For the place of each Serendip, the flowers that have the colour of the petal towards them."""
        cell, width = self.layout.cell, self.layout.width
        steps = (1, 1 - width, -width, -1, width - 1, width)
        faced: dict[int, int] = {}
        for face, serendips in self.shown.items():
            for place in _places(serendips) if len(face) == 6 else ():
                near = [(place + step, petal) for step, petal in zip(steps, face, strict=True)]
                faced[place] = sum([cell[at] & self.shown[petal] for at, petal in near if 0 < at < len(cell)])
        return faced

    def _linked(self, flower: int, bridges: str) -> int:
        """Return the Serendips that take a flower into a carpet, if they touch it."""
        if bridges != "matching-face":
            return self.serendips if bridges == "any-face" else 0
        cell = self.layout.cell
        return sum([cell[place] for place, faced in self.faced.items() if faced & cell[flower]])


def _counts(reached: int, own: int, touched: int) -> tuple[int, int]:
    return (reached & own).bit_count(), (reached & touched).bit_count()


def _places(cells: int) -> Iterator[int]:
    """Yield the places of a mask's cells, in reading order."""
    while cells:
        low = cells & -cells
        yield low.bit_length()
        cells ^= low
