"""What stands on the table, as a value and as one line of text."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from engine.board import board_of
from engine.gardens_of_mars.material import DEFAULT_SET, DICE, DIE, EDGE, GROUND, HAND_SIZES, SETS, FlowerSet
from engine.gardens_of_mars.rulebook import Reason

BOARD = board_of(EDGE)
CENTRE = BOARD.index("F6")
FREE = GROUND.letter

Hand = tuple[int, ...]
"""How many flowers of each colour lie before a player, in the order of the set."""


@dataclass(frozen=True)
class Garden:
    """A moment of the game. Players are seats 0, 1, ... in turn order; people call them 1, 2, ...

    `flowers` holds a letter for each hex by index; `gardeners`, `hands` and `points` go by player; `dice` are sorted.
    """

    flowers: tuple[str, ...]
    gardeners: tuple[tuple[int, ...], ...]
    hands: tuple[Hand, ...]
    points: tuple[int, ...]
    dice: tuple[int, ...] = ()
    player: int = 0
    set_name: str = DEFAULT_SET

    @property
    def flower_set(self) -> FlowerSet:
        """The colours that are played with."""
        return SETS[self.set_name]

    @property
    def next_player(self) -> int:
        """Whose turn follows."""
        return (self.player + 1) % len(self.hands)

    @property
    def standing(self) -> frozenset[int]:
        """The hexes on which gardeners stand."""
        return frozenset(cell for cells in self.gardeners for cell in cells)

    @classmethod
    def parse(cls, text: str) -> "Garden":
        """Read the text form: the rows, then `name=value` for all that lies beside them."""
        rows, *fields = text.split() or [""]
        named = dict(field.partition("=")[::2] for field in fields)
        if len(named) < len(fields) or set(named) != {"set", "turn", "gardeners", "flowers", "points", "dice"}:
            raise ValueError("a table is its rows, then set= turn= gardeners= flowers= points= dice=, each once")
        if named["set"] not in SETS:
            raise ValueError(f"there is no set {named['set']!r}; there are {', '.join(SETS)}")
        flower_set = SETS[named["set"]]
        hands = tuple(parse_hand(hand, flower_set) for hand in named["flowers"].split(","))
        gardeners = tuple(
            tuple(sorted(BOARD.index(name) for name in names.split("+") if names != "-"))
            for names in named["gardeners"].split(",")
        )
        points = tuple(_number(number, "points") for number in named["points"].split(","))
        if not len(hands) == len(gardeners) == len(points):
            raise ValueError("gardeners=, flowers= and points= each name every player, joined by ','")
        require_players(len(hands))
        turn = _number(named["turn"], "a turn")
        if not 1 <= turn <= len(hands):
            raise ValueError(f"turn is the number of a player, 1 to {len(hands)}, not {turn}")
        dice = tuple(sorted(_number(die, "a die") for die in named["dice"].split("+") if named["dice"] != "-"))
        return cls(_parse_rows(rows, flower_set), gardeners, hands, points, dice, turn - 1, named["set"])

    def __str__(self) -> str:
        """Print the text form."""
        flowers = iter(self.flowers)
        rows = "/".join("".join(next(flowers) for _ in row) for row in BOARD.rows)
        gardeners = ",".join("+".join(BOARD.names[i] for i in cells) or "-" for cells in self.gardeners)
        hands = ",".join(hand_text(hand, self.flower_set) for hand in self.hands)
        points = ",".join(map(str, self.points))
        dice = "+".join(map(str, self.dice)) or "-"
        beside = f"gardeners={gardeners} flowers={hands} points={points} dice={dice}"
        return f"{rows} set={self.set_name} turn={self.player + 1} {beside}"


def hand_text(hand: Hand, flower_set: FlowerSet) -> str:
    """Print a hand, as `3g1r`; `-` when nothing is left."""
    return "".join(f"{count}{letter}" for count, letter in zip(hand, flower_set.letters, strict=True) if count) or "-"


def parse_hand(text: str, flower_set: FlowerSet) -> Hand:
    """Read a hand.

    >>> parse_hand("3g1r", SETS["pink-orange"])
    (3, 0, 0, 0, 1, 0)
    """
    parts = re.findall(r"([0-9]{1,2})([a-z])", text)
    counts = {letter: int(count) for count, letter in parts}
    well_formed = "".join(count + letter for count, letter in parts) == text and len(counts) == len(parts)
    if text != "-" and not (text and well_formed and set(counts) <= set(flower_set.letters)):
        raise ValueError(f"{text!r} is no hand; write '3g1r' with the letters {flower_set.letters}, or '-'")
    return tuple(counts.get(letter, 0) for letter in flower_set.letters)


def require_players(players: int) -> None:
    """Refuse a number of players that the game is not made for."""
    if players not in HAND_SIZES:
        raise ValueError(f"two to five play Gardens of Mars, not {players}")


@dataclass(frozen=True)
class Problem:
    """Something that cannot be on a real table, with the hexes that show it."""

    kind: str
    cells: tuple[str, ...]
    reason: Reason

    @property
    def message(self) -> str:
        """The problem in English."""
        return str(self.reason)


def problems(garden: Garden) -> tuple[Problem, ...]:
    """Name everything about a garden that cannot be true of a complete set in play."""
    found = []

    def add(kind: str, indices: Iterable[int], reason: Reason) -> None:
        found.append(Problem(kind, tuple(BOARD.names[i] for i in sorted(indices)), reason))

    for k, flower in enumerate(garden.flower_set.flowers):
        planted = [i for i, letter in enumerate(garden.flowers) if letter == flower.letter]
        count = len(planted) + sum(hand[k] for hand in garden.hands)
        if count != flower.copies:
            kind = "too-many" if count > flower.copies else "missing"
            reason = Reason.of(f"{kind}-flowers", copies=flower.copies, colour=flower.name, count=count)
            add(kind, planted, reason)
    if garden.flowers[CENTRE] != FREE:
        add("centre", [CENTRE], Reason.of("flower-on-centre"))
    if CENTRE in garden.standing:
        add("centre", [CENTRE], Reason.of("gardener-on-centre"))
    standing = Counter(cell for cells in garden.gardeners for cell in cells)
    if shared := [cell for cell, count in standing.items() if count > 1]:
        add("shared-hex", shared, Reason.of("shared-hex"))
    fields = Counter(points for points in garden.points if points)
    if any(count > 1 for count in fields.values()):
        add("shared-field", [], Reason.of("shared-field"))
    if odd := [die for die in garden.dice if die not in DIE]:
        add("die", [], Reason.of("odd-die", die=odd[0]))
    if len(garden.dice) > DICE:
        add("dice", [], Reason.of("too-many-dice", count=len(garden.dice), dice=DICE))
    return tuple(found)


def _number(text: str, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text):
        raise ValueError(f"{text!r} is no number for {what}")
    return int(text)


def _parse_rows(text: str, flower_set: FlowerSet) -> tuple[str, ...]:
    rows = text.split("/")
    if len(rows) != len(BOARD.rows):
        raise ValueError(f"a garden has {len(BOARD.rows)} rows joined by '/', not {len(rows)}")
    for i, (row, cells) in enumerate(zip(rows, BOARD.rows, strict=True)):
        if len(row) != len(cells):
            raise ValueError(f"row {chr(65 + i)} has {len(row)} hexes, not {len(cells)}")
        if odd := row.strip(FREE + flower_set.letters):
            raise ValueError(f"row {chr(65 + i)}: {odd[0]!r} is no flower of this set, nor '{FREE}'")
    return tuple("".join(rows))
