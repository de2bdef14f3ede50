"""What is legal, and which rule forbids what is not; when dice are due, and when the game is over."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from engine.gardens_of_mars.garden import BOARD, CENTRE, FREE, Garden
from engine.gardens_of_mars.material import DIE
from engine.gardens_of_mars.rulebook import Reason
from engine.gardens_of_mars.rules import Rules
from engine.gardens_of_mars.steps import Move, Pass, Place, Roll, Stay, Step


def _ray(cell: int, direction: int) -> tuple[int, ...]:
    ray: list[int] = []
    ahead = BOARD.neighbours[cell][direction]
    while ahead is not None:
        ray.append(ahead)
        ahead = BOARD.neighbours[ahead][direction]
    return tuple(ray)


RAYS = tuple(tuple(_ray(cell, direction) for direction in range(6)) for cell in range(len(BOARD.cells)))
"""For each hex and direction, the hexes that follow one another up to the rim."""

NEXT_TO = tuple(tuple(cell for cell in cells if cell is not None) for cells in BOARD.neighbours)


@dataclass(frozen=True)
class Fault:
    """Why a step is not legal: the rule it breaks, and the hexes that show it."""

    rule: str
    reason: Reason
    cells: tuple[str, ...] = ()


def is_placing(garden: Garden, rules: Rules) -> bool:
    """Tell whether gardeners are still being put on the board."""
    return any(len(cells) < rules.gardeners for cells in garden.gardeners)


def dice_due(garden: Garden, player: int) -> tuple[int, ...]:
    """Count the hexes without a flower next to each gardener of a player: so many dice may be rolled.

    The centre never carries a flower, so it is counted like any bare hex; another gardener's hex is too.
    """
    counts = {sum(garden.flowers[near] == FREE for near in NEXT_TO[cell]) for cell in garden.gardeners[player]}
    return tuple(sorted(counts - {0}))


def ending(garden: Garden, rules: Rules) -> Reason | None:
    """Say why the game is over, or return None while it goes on."""
    for player, hand in enumerate(garden.hands):
        if not any(hand):
            return Reason.of("end-no-flowers", player=player + 1)
    players = range(len(garden.hands))
    if is_placing(garden, rules) or any(dice_due(garden, player) for player in players):
        return None
    # Dice that nobody can use do not keep the game alive: gardeners and flowers would stay as they are for ever.
    if any(next(_ways(garden, player, rules), None) for player in players):
        return None
    return Reason.of("end-nobody")


def legal_steps(garden: Garden, rules: Rules) -> tuple[Step, ...]:
    """List every legal step; for a roll, every way the dice can fall."""
    if ending(garden, rules):
        return ()
    if is_placing(garden, rules):
        return tuple(Place(cell) for cell in range(len(BOARD.cells)) if _placing_fault(garden, cell) is None)
    if not garden.dice:
        due = dice_due(garden, garden.player)
        return tuple(Roll(dice) for count in due for dice in combinations_with_replacement(DIE, count)) or (Pass(),)
    moves = [
        Move(die, start, target, colour)
        for die, start, target in _ways(garden, garden.player, rules)
        for colour in (_colours(garden) if garden.flowers[target] == FREE else (None,))
    ]
    return tuple(moves) or tuple(Stay(die) for die in sorted(set(garden.dice)))


def fault(garden: Garden, step: Step, rules: Rules) -> Fault | None:
    """Say what is wrong with a step of the player on turn, or return None when it is legal."""
    player = garden.player + 1
    if why := ending(garden, rules):
        return Fault("end", why)
    if isinstance(step, Place):
        if not is_placing(garden, rules):
            return Fault("place", Reason.of("all-placed"), (BOARD.names[step.cell],))
        return _placing_fault(garden, step.cell)
    if is_placing(garden, rules):
        return Fault("place", Reason.of("place-first", player=player))
    if isinstance(step, Roll | Pass):
        return _roll_fault(garden, step)
    # A turn uses one die that lies on the table.
    if step.die not in DIE:
        return Fault("die", Reason.of("no-such-die", die=step.die))
    if not garden.dice:
        if not dice_due(garden, garden.player):
            return Fault("no-roll", Reason.of("nothing-to-roll"), own_cells(garden))
        return Fault("roll", Reason.of("roll-first", player=player))
    if step.die not in garden.dice:
        return Fault("dice-used", Reason.of("die-not-there", die=step.die, dice=dice_shown(garden)))
    if isinstance(step, Move):
        return _move_fault(garden, step, rules)
    # Only a player who cannot move with any die stays put.
    if way := next(_ways(garden, garden.player, rules), None):
        start, target = names(*way[1:])
        reason = Reason.of("not-stuck", player=player, start=start, target=target, die=way[0])
        return Fault("stuck", reason, (start, target))
    return None


def _ways(garden: Garden, player: int, rules: Rules) -> Iterator[tuple[int, int, int]]:
    """Give every way a player could go with the dice on the table: die, start, target."""
    standing = garden.standing
    for die in sorted(set(garden.dice)):
        for start in garden.gardeners[player]:
            for ray in RAYS[start]:
                if len(ray) >= die and _way_fault(ray[:die], standing, rules) is None:
                    yield die, start, ray[die - 1]


def _way_fault(way: tuple[int, ...], standing: frozenset[int], rules: Rules) -> Fault | None:
    # A gardener neither enters nor crosses a hex with another gardener.
    for cell in way:
        if cell in standing:
            return Fault("no-cross", Reason.of("crosses-gardener", cell=BOARD.names[cell]), names(cell))
    # No gardener ends its move on the centre.
    if way[-1] == CENTRE:
        return Fault("centre", Reason.of("ends-on-centre"), names(CENTRE))
    # Tables may agree that none crosses it either.
    if rules.centre == "no-cross" and CENTRE in way:
        return Fault("centre", Reason.of("crosses-centre"), names(CENTRE))
    return None


def _move_fault(garden: Garden, step: Move, rules: Rules) -> Fault | None:
    start, target = BOARD.names[step.start], BOARD.names[step.target]
    player = garden.player + 1
    # You move a gardener of your own.
    if step.start not in garden.gardeners[garden.player]:
        return Fault("own-gardener", Reason.of("not-own-gardener", player=player, cell=start), (start,))
    # It moves in one straight direction.
    ray = next((ray for ray in RAYS[step.start] if step.target in ray), None)
    if ray is None:
        return Fault("move-straight", Reason.of("not-straight", start=start, target=target), (start, target))
    # It moves exactly as many hexes as the die shows.
    if (distance := ray.index(step.target) + 1) != step.die:
        reason = Reason.of("not-exact", start=start, target=target, distance=distance, die=step.die)
        return Fault("move-exact", reason, (start, target))
    if wrong := _way_fault(ray[: step.die], garden.standing, rules):
        return wrong
    # On a flower nothing is planted; on a free hex one of the player's own flowers is.
    if garden.flowers[step.target] != FREE:
        return Fault("on-flower", Reason.of("flower-there", cell=target), (target,)) if step.colour else None
    if step.colour is None:
        return Fault("plant", Reason.of("must-plant", cell=target), (target,))
    if step.colour not in _colours(garden):
        return Fault("own-flowers", Reason.of("no-such-flower", player=player, colour=step.colour), (target,))
    return None


def _placing_fault(garden: Garden, cell: int) -> Fault | None:
    # A gardener starts on any free hex but the centre.
    name = BOARD.names[cell]
    if cell == CENTRE:
        return Fault("place", Reason.of("place-centre"), (name,))
    if cell in garden.standing or garden.flowers[cell] != FREE:
        return Fault("place", Reason.of("place-taken", cell=name), (name,))
    return None


def _roll_fault(garden: Garden, step: Roll | Pass) -> Fault | None:
    due = dice_due(garden, garden.player)
    # Dice are rolled again only when all of them have been used.
    if garden.dice:
        if isinstance(step, Pass):
            return Fault("dice-used", Reason.of("dice-to-use"))
        return Fault("roll-once", Reason.of("dice-left", dice=dice_shown(garden)))
    count = "/".join(map(str, due))
    if isinstance(step, Pass):
        return Fault("roll", Reason.of("can-roll", count=count), own_cells(garden)) if due else None
    # A die shows 1 to 6.
    if odd := [die for die in step.dice if die not in DIE]:
        return Fault("die", Reason.of("no-such-die", die=odd[0]))
    # With flowers all round nothing is rolled.
    if not due:
        return Fault("no-roll", Reason.of("nothing-to-roll"), own_cells(garden))
    # One die for each hex next to the gardener that carries no flower.
    if len(step.dice) not in due:
        return Fault("roll", Reason.of("roll-count", rolled=len(step.dice), count=count), own_cells(garden))
    return None


def _colours(garden: Garden) -> tuple[str, ...]:
    hand = garden.hands[garden.player]
    return tuple(colour for colour, count in zip(garden.flower_set.colours, hand, strict=True) if count)


def own_cells(garden: Garden) -> tuple[str, ...]:
    """Name the hexes of the gardeners of the player on turn."""
    return names(*garden.gardeners[garden.player])


def dice_shown(garden: Garden) -> tuple[str, ...]:
    """Say what the dice on the table show."""
    return tuple(map(str, garden.dice))


def names(*cells: int) -> tuple[str, ...]:
    """Name hexes, in the order given."""
    return tuple(BOARD.names[cell] for cell in cells)
