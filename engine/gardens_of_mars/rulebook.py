"""Every rule in one sentence of our own, and every sentence the engine says to a player.

What the engine says is a `Reason`: a key with parameters, so that a page can say it in any language.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engine import rulebook
from engine.rulebook import Value

NUMBERED = tuple(f"Player {number}" for number in range(1, 6))
"""What players are called as long as nobody has named them."""

RULEBOOK = {
    "players": "Two to five play. Seats are counted in turn order, which runs counter-clockwise round the table.",
    "draw": "Each player draws 30, 20, 15 or 12 flowers for 2, 3, 4 or 5 players, and shows them.",
    "place": "In turn order each player puts a gardener on any free hex but the centre.",
    "two-gardeners": "Two players may agree on two gardeners each; one chooses which to move, and by which to roll.",
    "turn-order": "One player is on turn; the next follows when the turn is over.",
    "roll": "With no dice on the table, roll one die for each hex next to your gardener that carries no flower.",
    "die": "A die shows 1 to 6.",
    "no-roll": "With no dice on the table and flowers all round your gardener nothing is rolled, and the turn is over.",
    "roll-once": "Dice are rolled again only when all of them have been used.",
    "dice-used": "A turn uses one die that lies on the table; it then goes back into the box.",
    "own-gardener": "You move a gardener of your own.",
    "move-straight": "A gardener moves in one straight direction.",
    "move-exact": "A gardener moves exactly as many hexes as the die shows.",
    "centre": "No gardener ends its move on the centre; tables may agree that none crosses it either.",
    "no-cross": "A gardener neither enters nor crosses a hex with another gardener.",
    "stuck": "Only a player who cannot move with any die stays put: a die is used up and 1 point is lost.",
    "on-flower": "A gardener that ends on a flower plants nothing, and 1 point is lost.",
    "plant": "A gardener that ends on a free hex plants one flower there.",
    "own-flowers": "You plant a flower that you have in front of you.",
    "group": "A planted flower scores the other flowers of its colour that it is connected to.",
    "track": "A player has as many points as the field of the track says on which the scoring martian stands.",
    "track-hop": "Two scoring martians never share a field: the one that arrives goes on to the next free field.",
    "track-start": "The track starts at 0, where all have room; nobody falls behind it.",
    "last-of-colour": "Where agreed, planting your last flower of a colour gives another turn if a die is left.",
    "hop-turn": "Where agreed, landing above 25 on a taken field of the track gives another turn if a die is left.",
    "end": "The game is over when a player has no flowers left, or when nobody can move or roll any more.",
    "winner": "Most points win; players with equally many share the win.",
}

MESSAGES = {
    "players-count": "Two to five play Gardens of Mars, not {count}.",
    "two-gardeners-count": "Two gardeners each is for two players, not {count}.",
    "players-name": "Two players are called {name}.",
    "players-martian": "{name} has no type of martians.",
    "martian-twice": "Two players have the same martians: {martian}.",
    "drawn-count": "Each draws {right} flowers, but {player} has {count}.",
    "drawn-copies": "There are {copies} {colour} flowers, but {count} were drawn.",
    "not-on-turn": "It is the turn of {player}, not of {claimed}.",
    "turn-over": "The turn of {claimed} ended before this step; {player} is on turn.",
    "place-first": "{player} has to place a gardener first.",
    "all-placed": "All gardeners are on the board already.",
    "place-centre": "A gardener is not placed on the centre.",
    "place-taken": "{cell} is not free: a gardener is put on a free hex.",
    "placed": "{player} puts a gardener on {cell}.",
    "no-such-die": "No die shows {die}: a die shows 1 to 6.",
    "dice-left": "Dice are rolled again only when all have been used, and {dice} still lie on the table.",
    "roll-count": "Next to the gardener, hexes without a flower number {count}: so many dice are rolled, not {rolled}.",
    "nothing-to-roll": "The gardener stands among flowers on all sides: nothing is rolled and the turn is over.",
    "can-roll": "The turn is not over: dice have to be rolled, {count} of them.",
    "dice-to-use": "The turn is not over: dice lie on the table, and one of them has to be used.",
    "rolled": "{player} rolls {dice}.",
    "roll-first": "There are no dice on the table: {player} has to roll first.",
    "die-not-there": "No {die} lies on the table; the dice there show {dice}.",
    "not-own-gardener": "{player} has no gardener on {cell}.",
    "not-straight": "{target} does not lie in a straight line from {start}.",
    "not-exact": "From {start} to {target} is {distance} hexes, but the die shows {die}.",
    "crosses-gardener": "Another gardener stands on {cell}: it can be neither entered nor crossed.",
    "ends-on-centre": "No gardener ends its move on the centre.",
    "crosses-centre": "At this table no gardener crosses the centre.",
    "flower-there": "A flower stands on {cell} already, so nothing is planted there.",
    "must-plant": "{cell} is free, so one of the player's flowers is planted there.",
    "no-such-flower": "{player} has no {colour} flower.",
    "not-stuck": "{player} can move: from {start} to {target} with the {die}, for one.",
    "stuck": "{player} cannot move with any die on the table: 1 point lost.",
    "on-flower": "The gardener ends on the flower on {cell}: 1 point lost.",
    "planted": "The {colour} flower on {cell} is connected to {count} more of its colour.",
    "planted-adjacent": "Next to the {colour} flower on {cell} stand {count} more of its colour.",
    "track-hop-on": "Field {field} of the track is taken, so the martian goes on to {reached}.",
    "track-hop-back": "Field {field} of the track is taken, so the martian goes on back to {reached}.",
    "track-start": "The track starts at 0, so there is no point to lose.",
    "last-of-colour": "It was the last {colour} flower of {player}, and a die is left: another turn.",
    "hop-turn": "Field {field} was taken and lies above 25, and a die is left: another turn.",
    "end-no-flowers": "The game is over: {player} has no flowers left.",
    "end-nobody": "The game is over: nobody can move or roll any more.",
    "flowers-left": "The game goes on: {player} has fewest flowers left, {count}.",
    "carried": "The scoring martian stood on field {field} when this record began.",
    "turn-legal": "Every step keeps the rules.",
    # Two tables, one turn apart.
    "explained": "A legal turn explains every change.",
    "roll-not-used": "Dice were rolled, but none of them was used.",
    "other-gardener": "A gardener of another player changed places: {cells}.",
    "two-moved": "Only one gardener moves in a turn, but more changed places: {cells}.",
    "gardener-gone": "A gardener came or went: {cells}.",
    "flower-gone": "A flower that has been planted stays as it is, but {cells} changed.",
    "two-planted": "Only one flower is planted in a turn, but there are more: {cells}.",
    "planted-elsewhere": "A flower is planted where the gardener ends, not on {cells}.",
    "dice-wrong": "A turn uses one die: {before} lay there before, {after} lie there now.",
    "hand-wrong": "{player} should have {right} {colour} flowers left, not {count}.",
    "points-wrong": "{player} should stand on field {right} of the track, not on {field}.",
    "next-wrong": "It is the turn of {player} after that.",
    # What cannot be on a table.
    "too-many-flowers": "there are {copies} {colour} flowers in the game, not {count}",
    "missing-flowers": "of {copies} {colour} flowers only {count} are in the game",
    "flower-on-centre": "a flower stands on the centre, where none can be planted",
    "gardener-on-centre": "a gardener stands on the centre, where none can end",
    "shared-hex": "two gardeners stand on one hex",
    "shared-field": "two scoring martians stand on one field of the track",
    "odd-die": "no die shows {die}: a die shows 1 to 6",
    "too-many-dice": "{count} dice lie on the table, but there are only {dice}",
}
"""Every sentence of the referee in English; what stands in braces is filled in from the reason's parameters."""


@dataclass(frozen=True)
class Reason(rulebook.Reason):
    """A sentence for players. A player is a number until `naming` puts a name in its place.

    >>> why = Reason.of("no-such-flower", player=2, colour="red")
    >>> str(why), str(why.naming(["Ada", "Ben"]))
    ('Player 2 has no red flower.', 'Ben has no red flower.')
    """

    @classmethod
    def of(cls, key: str, **params: Value) -> "Reason":
        """Make a reason from its key and its parameters by name."""
        return cls(key, tuple(params.items()))

    @property
    def sentence(self) -> str:
        """The English sentence with places for the parameters."""
        return MESSAGES[self.key]

    def naming(self, names: Sequence[str]) -> "Reason":
        """Return the same sentence with the names of the players, who are in turn order."""
        return Reason(self.key, tuple((name, _named(name, value, names)) for name, value in self.params))

    def __str__(self) -> str:
        """Say it in English."""
        words = {name: _named(name, value, NUMBERED) for name, value in self.params}
        return self.sentence.format(**{n: ", ".join(v) if isinstance(v, tuple) else v for n, v in words.items()})


def _named(place: str, value: Value, names: Sequence[str]) -> Value:
    return names[value - 1] if place in ("player", "claimed") and isinstance(value, int) else value
