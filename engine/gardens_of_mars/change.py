"""Judge the turn between two tables: the turn that explains every change, or the rule that stands against it."""

from collections import Counter
from collections.abc import Iterator

from engine.gardens_of_mars.garden import BOARD, FREE, Garden
from engine.gardens_of_mars.legality import RAYS, Fault, dice_due, legal_steps, names
from engine.gardens_of_mars.material import DIE
from engine.gardens_of_mars.playing import play
from engine.gardens_of_mars.referee import ILLEGAL, LEGAL, Verdict, judge, require_fit
from engine.gardens_of_mars.rulebook import Reason
from engine.gardens_of_mars.rules import Rules
from engine.gardens_of_mars.steps import Move, Pass, Place, Roll, Stay, Step


def judge_change(before: Garden, after: Garden, rules: Rules, player: int) -> Verdict:
    """Judge the turn of a player from what stood on the table before and after it."""
    require_fit(before, rules)
    require_fit(after, rules)
    if len(before.hands) != len(after.hands) or before.set_name != after.set_name:
        raise ValueError("the two tables are of different games: the players and the set have to be the same")
    if player == before.player:
        turns = [turn for turn in _turns(before, after, rules) if _after(before, turn, rules) == after]
        if turns:
            story = judge(before, turns[0], rules, player).story
            changed = _changed(before, after)
            return Verdict(LEGAL, Reason.of("explained"), story, len(turns), cells=names(*changed), garden=after)
    if wrong := _plain_fault(before, after, player):
        return Verdict(ILLEGAL, wrong.reason, rule=wrong.rule, cells=wrong.cells)
    claim = _claim(before, after, player)
    said = judge(before, claim, rules, player)
    if said.garden is None:
        return said
    wrong = _difference(said.garden, after, before, player)
    return Verdict(ILLEGAL, wrong.reason, rule=wrong.rule, cells=wrong.cells, nearest=tuple(map(str, claim)))


def _turns(before: Garden, after: Garden, rules: Rules) -> Iterator[tuple[Step, ...]]:
    """Yield the legal turns that could leave these dice on the table."""
    due = dice_due(before, before.player)
    if before.dice or not due or any(len(cells) < rules.gardeners for cells in before.gardeners):
        yield from ((step,) for step in legal_steps(before, rules))
        return
    if len(after.dice) + 1 in due:
        for die in DIE:
            roll = Roll(tuple(sorted((*after.dice, die))))
            rolled = play(before, roll, rules).garden
            uses = (step for step in legal_steps(rolled, rules) if isinstance(step, Move | Stay) and step.die == die)
            yield from ((roll, step) for step in uses)


def _after(before: Garden, turn: tuple[Step, ...], rules: Rules) -> Garden:
    for step in turn:
        before = play(before, step, rules).garden
    return before


def _changed(before: Garden, after: Garden) -> tuple[int, ...]:
    flowers = {i for i in range(len(BOARD.cells)) if before.flowers[i] != after.flowers[i]}
    return tuple(sorted(flowers | (before.standing ^ after.standing)))


def _plain_fault(before: Garden, after: Garden, player: int) -> Fault | None:
    """Find what no turn does, whatever the dice."""
    # own-gardener: you move a gardener of your own, and one of them.
    for other, (old, new) in enumerate(zip(before.gardeners, after.gardeners, strict=True)):
        if old != new and other != player:
            return _fault("own-gardener", "other-gardener", {*old} ^ {*new})
    old, new = before.gardeners[player], after.gardeners[player]
    if len(new) < len(old) or len(new) > len(old) + 1:
        return _fault("place", "gardener-gone", {*old} ^ {*new})
    if len({*new} - {*old}) > 1:
        return _fault("own-gardener", "two-moved", {*old} ^ {*new})
    # plant: one flower where the gardener ends; the others stay as they are.
    if gone := [i for i, face in enumerate(before.flowers) if face not in (FREE, after.flowers[i])]:
        return _fault("plant", "flower-gone", gone)
    planted = [i for i, face in enumerate(after.flowers) if face != before.flowers[i]]
    if len(planted) > 1:
        return _fault("plant", "two-planted", planted)
    if planted and planted[0] not in {*new} - {*old}:
        return _fault("plant", "planted-elsewhere", planted)
    # dice-used: one of those that lay there.
    used = Counter(before.dice) - Counter(after.dice)
    placed = len(new) > len(old)
    if before.dice and not placed and (used.total() != 1 or len(after.dice) != len(before.dice) - 1):
        dice = {"before": _shown(before.dice), "after": _shown(after.dice)}
        return Fault("dice-used", Reason.of("dice-wrong", **dice))
    if not before.dice and after.dice and old == new and before.points == after.points:
        return Fault("dice-used", Reason.of("roll-not-used"))
    return None


def _claim(before: Garden, after: Garden, player: int) -> tuple[Step, ...]:
    """Work out which turn was meant."""
    old, new = {*before.gardeners[player]}, {*after.gardeners[player]}
    if len(new) > len(old):
        return (Place(next(iter(new - old))),)
    used = next(iter((Counter(before.dice) - Counter(after.dice)).elements()), None)
    if old == new:
        if used is None and not after.dice:
            return (Pass(),)
        die = used or DIE[0]
        use: Step = Stay(die)
    else:
        (start,), (target,) = old - new, new - old
        ray = next((ray for ray in RAYS[start] if target in ray), ())
        die = used or (min(ray.index(target) + 1, DIE[-1]) if ray else DIE[0])
        letter = after.flowers[target]
        planted = after.flower_set.colour(letter) if before.flowers[target] == FREE != letter else None
        use = Move(die, start, target, planted)
    rolled: tuple[Step, ...] = () if before.dice else (Roll(tuple(sorted((*after.dice, die)))),)
    return (*rolled, use)


def _difference(right: Garden, after: Garden, before: Garden, player: int) -> Fault:
    """Say what is not as the turn leaves it."""
    for other, (hand, wanted) in enumerate(zip(after.hands, right.hands, strict=True)):
        for k, colour in enumerate(right.flower_set.colours):
            if hand[k] != wanted[k]:
                counts = {"right": wanted[k], "count": hand[k]}
                return Fault("own-flowers", Reason.of("hand-wrong", player=other + 1, colour=colour, **counts))
    for other, (field, wanted_field) in enumerate(zip(after.points, right.points, strict=True)):
        if field != wanted_field:
            # Either the points are wrong, or the martian did not go on to a free field.
            rule = "track-hop" if field and after.points.count(field) > 1 else "track"
            return Fault(rule, Reason.of("points-wrong", player=other + 1, right=wanted_field, field=field))
    if right.dice != after.dice:
        dice = {"before": _shown(before.dice), "after": _shown(after.dice)}
        return Fault("dice-used", Reason.of("dice-wrong", **dice))
    return Fault("turn-order", Reason.of("next-wrong", player=right.player + 1))


def _fault(rule: str, key: str, cells: set[int] | list[int]) -> Fault:
    named = names(*sorted(cells))
    return Fault(rule, Reason.of(key, cells=named), named)


def _shown(dice: tuple[int, ...]) -> str:
    return " ".join(map(str, dice)) or "–"
