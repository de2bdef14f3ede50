"""What is in the box: flowers, dice and martians, as data that a page can draw and an eye can learn."""

from dataclasses import dataclass

from engine.game import Look

NAME = "gardens-of-mars"
TITLE = "Gardens of Mars"

EDGE = 6
"""The board is the hexagon of 91 hexes that Serendipity is played on, with the same names."""

DIE = range(1, 7)
DICE = 6
"""How many dice there are."""

HAND_SIZES = {2: 30, 3: 20, 4: 15, 5: 12}
"""How many flowers each player draws, by the number of players."""

TRACK_EXTRA_ABOVE = 25
"""Fields above this one may give an extra turn, where that is played."""


GROUND = Look(".", "free", 91, "#b5623c", "hexagon")
"""A hex without a flower: bare Martian soil."""


@dataclass(frozen=True)
class FlowerSet:
    """The flowers of one printing of the game. A letter means the same colour in every set."""

    name: str
    flowers: tuple[Look, ...]

    @property
    def letters(self) -> str:
        """The letters of the colours, in the order of the set."""
        return "".join(flower.letter for flower in self.flowers)

    @property
    def colours(self) -> tuple[str, ...]:
        """The names of the colours, in the order of the set."""
        return tuple(flower.name for flower in self.flowers)

    def letter(self, colour: str) -> str | None:
        """Return the letter of a colour, or None when this set has no such flower."""
        return next((flower.letter for flower in self.flowers if flower.name == colour), None)

    def colour(self, letter: str) -> str:
        """Return the name of the colour with this letter."""
        return self.flowers[self.letters.index(letter)].name


_BLUE = Look("b", "blue", 10, "#2f62c4", "round")
_GREEN = Look("g", "green", 10, "#3d9a47", "pointed")
_GREY = Look("e", "grey", 10, "#8c8c8c", "trefoil")
_ORANGE = Look("o", "orange", 10, "#ee8322", "square")
_PINK = Look("p", "pink", 10, "#e884b4", "heart")
_RED = Look("r", "red", 10, "#cf2b2b", "rays")
_WHITE = Look("w", "white", 10, "#f2f2ee", "beads")
_YELLOW = Look("y", "yellow", 10, "#f0cf2d", "star")

SETS = {
    flower_set.name: flower_set
    for flower_set in (
        FlowerSet("pink-orange", (_GREEN, _BLUE, _YELLOW, _ORANGE, _RED, _PINK)),
        FlowerSet("white-grey", (_BLUE, _YELLOW, _WHITE, _GREY, _RED, _GREEN)),
    )
}
"""The printings that are known; the first is the one that the rules describe."""

DEFAULT_SET = "pink-orange"

MARTIANS = {
    look.name: look
    for look in (
        Look("1", "round", 2, "#2b2723", "round"),
        Look("2", "square", 2, "#f4efe6", "square"),
        Look("3", "pointed", 2, "#2b2723", "pointed"),
        Look("4", "horned", 2, "#f4efe6", "horned"),
        Look("5", "crowned", 2, "#2b2723", "crowned"),
    )
}
"""The types of martians: one gardens, one scores; black or white does not matter, the head tells them apart."""
