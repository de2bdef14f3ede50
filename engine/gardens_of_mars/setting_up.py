"""A new game: flowers from the bag, or as they were really drawn, and dice for practice."""

import random
from collections import Counter
from collections.abc import Sequence

from engine.gardens_of_mars.garden import BOARD, FREE, Garden, Hand, require_players
from engine.gardens_of_mars.material import DEFAULT_SET, DIE, HAND_SIZES, SETS, FlowerSet
from engine.gardens_of_mars.rulebook import Reason
from engine.gardens_of_mars.rules import Rules
from engine.gardens_of_mars.steps import Roll


def draw(players: int, seed: int, flower_set: FlowerSet) -> tuple[Hand, ...]:
    """Draw every player's flowers from the bag, the same ones for the same seed."""
    require_players(players)
    bag = [flower.letter for flower in flower_set.flowers for _ in range(flower.copies)]
    random.Random(seed).shuffle(bag)
    size = HAND_SIZES[players]
    drawn = (Counter(bag[i * size : (i + 1) * size]) for i in range(players))
    return tuple(tuple(hand[letter] for letter in flower_set.letters) for hand in drawn)


def set_up(
    players: int,
    rules: Rules,
    *,
    seed: int | None = None,
    hands: Sequence[Hand] | None = None,
    set_name: str = DEFAULT_SET,
) -> Garden:
    """Lay out a new game, with flowers drawn by the seed or with those that were really drawn."""
    require_players(players)
    if rules.two_gardeners == "on" and players != 2:
        raise ValueError(f"two gardeners each is for two players, not {players}")
    if set_name not in SETS:
        raise ValueError(f"there is no set {set_name!r}; there are {', '.join(SETS)}")
    if (seed is None) == (hands is None):
        raise ValueError("a new game needs either a seed or the flowers that were drawn")
    flower_set = SETS[set_name]
    drawn = tuple(map(tuple, hands)) if hands is not None else draw(players, seed or 0, flower_set)
    if fault := drawn_fault(drawn, players, flower_set):
        raise ValueError(str(fault))
    return Garden((FREE,) * len(BOARD.cells), ((),) * players, drawn, (0,) * players, set_name=set_name)


def roll_dice(count: int, chance: random.Random) -> Roll:
    """Throw dice for practice."""
    return Roll(tuple(sorted(chance.choice(DIE) for _ in range(count))))


def drawn_fault(hands: Sequence[Hand], players: int, flower_set: FlowerSet) -> Reason | None:
    """Say why these flowers cannot have been drawn, or return None when they can."""
    if len(hands) != players or any(len(hand) != len(flower_set.flowers) for hand in hands):
        raise ValueError(f"{players} players draw {players} hands, each with a count for every colour")
    size = HAND_SIZES[players]
    for number, hand in enumerate(hands, 1):
        if sum(hand) != size or min(hand) < 0:
            return Reason.of("drawn-count", right=size, player=number, count=sum(hand))
    for k, flower in enumerate(flower_set.flowers):
        if (count := sum(hand[k] for hand in hands)) > flower.copies:
            return Reason.of("drawn-copies", copies=flower.copies, colour=flower.name, count=count)
    return None
