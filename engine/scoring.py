"""The points of a player: the best carpet, as lines that add up."""

from collections.abc import Iterable
from typing import NamedTuple

from engine.carpets import BARE, Carpet, OpenTiles
from engine.position import Position
from engine.rules import DEFAULT, Rules
from engine.table import letters_of


class Line(NamedTuple):
    """Some of the points: the rule that gives them and the cells that earn them."""

    rule: str
    cells: tuple[str, ...]
    points: int


class Score(NamedTuple):
    """What one player's best carpet is worth, and why; where each colour has its own, those carpets together."""

    points: int
    flowers: int
    serendips: int
    matches: int
    letters: str
    carpets: tuple[Carpet, ...]
    tiles: OpenTiles

    @property
    def told(self) -> str:
        """How the points come about, to follow their number."""
        return f" = {self.flowers} flowers + 2 × {self.serendips} Serendips + 2 × {self.matches} matches"

    @property
    def carpet(self) -> tuple[str, ...]:
        """The flowers that count."""
        return self.tiles.names(self._counted)

    @property
    def apart(self) -> tuple[str, ...]:
        """The player's open flowers that do not count."""
        return self.tiles.names(self.tiles.flowers_of(self.letters) & ~self._counted)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every point with its rule and its cells; a match is a Serendip and the flower that it faces."""
        lines: list[Line] = []
        for carpet in self.carpets:
            if carpet.cells:
                lines.append(Line("point-flower", self.tiles.names(carpet.cells), carpet.flowers))
            if carpet.touching:
                lines.append(Line("point-serendip", self.tiles.names(carpet.touching), 2 * carpet.serendips))
            lines.extend(Line("point-match", pair, 2) for pair in self.tiles.pairs(carpet.cells))
        return tuple(lines)

    @property
    def _counted(self) -> int:
        cells = 0
        for carpet in self.carpets:
            cells |= carpet.cells
        return cells


def score(position: Position, colours: str | Iterable[str], rules: Rules = DEFAULT) -> Score:
    """Score a player who owns these colours.

    >>> score(Position.parse("bb/.(bvryog)r/..", edge=2), ["blue"]).points
    4
    """
    letters, tiles = letters_of(colours), position.open_tiles
    if len(letters) == 1 or rules.several_colours == "linked":
        best = tiles.best_carpet(letters, rules)
        return Score(best.value, best.flowers, best.serendips, best.matches, letters, (best,), tiles)
    apiece = [tiles.best_carpet(letter, rules) for letter in letters]
    if rules.several_colours == "best-colour":
        apiece = [max(apiece, default=BARE)]
    points, flowers, serendips, matches, _, _ = map(sum, zip(BARE, *apiece, strict=True))
    return Score(points, flowers, serendips, matches, letters, tuple(apiece), tiles)
