"""What a step does to the table: every point with its reason, the track, extra turns and the winner."""

from dataclasses import dataclass, replace
from typing import TypeVar

from engine.gardens_of_mars.garden import BOARD, Garden
from engine.gardens_of_mars.legality import NEXT_TO, dice_shown, ending, fault, legal_steps, names, own_cells
from engine.gardens_of_mars.material import TRACK_EXTRA_ABOVE
from engine.gardens_of_mars.rulebook import Reason
from engine.gardens_of_mars.rules import Rules
from engine.gardens_of_mars.steps import Move, Pass, Place, Roll, Stay, Step

T = TypeVar("T")


@dataclass(frozen=True)
class Line:
    """One entry of the log: what a rule gave to a player, or took."""

    player: int
    rule: str
    points: int
    reason: Reason
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Played:
    """A step that was played: the table after it, and every point it gave."""

    garden: Garden
    lines: tuple[Line, ...]

    @property
    def points(self) -> int:
        """What the step was worth to the player who took it."""
        return sum(line.points for line in self.lines)


def winners(garden: Garden) -> tuple[int, ...]:
    """Return the players with most points; only before field 1 of the track can there be several."""
    return tuple(player for player, points in enumerate(garden.points) if points == max(garden.points))


def play(garden: Garden, step: Step, rules: Rules) -> Played:
    """Take a legal step; refuse any other with its reason. The old table stays as it was, so undoing is keeping it."""
    if wrong := fault(garden, step, rules):
        raise ValueError(f"{wrong.reason} [{wrong.rule}]")
    player = garden.player
    if isinstance(step, Place):
        gardeners = _exchanged(garden.gardeners, tuple(sorted((*garden.gardeners[player], step.cell))), player)
        placed = Reason.of("placed", player=player + 1, cell=BOARD.names[step.cell])
        after = replace(garden, gardeners=gardeners, player=garden.next_player)
        return Played(after, (Line(player, "place", 0, placed, names(step.cell)),))
    if isinstance(step, Roll):
        after = replace(garden, dice=tuple(sorted(step.dice)))
        return Played(after, (Line(player, "roll", 0, Reason.of("rolled", player=player + 1, dice=dice_shown(after))),))
    if isinstance(step, Pass):
        line = Line(player, "no-roll", 0, Reason.of("nothing-to-roll"), own_cells(garden))
        return Played(replace(garden, player=garden.next_player), (line,))
    dice = list(garden.dice)
    dice.remove(step.die)
    after = replace(garden, dice=tuple(dice))
    if isinstance(step, Stay):
        return _score(after, Line(player, "stuck", -1, Reason.of("stuck", player=player + 1), own_cells(garden)), rules)
    own = tuple(sorted(step.target if cell == step.start else cell for cell in garden.gardeners[player]))
    after = replace(after, gardeners=_exchanged(garden.gardeners, own, player))
    if step.colour is None:
        reason = Reason.of("on-flower", cell=BOARD.names[step.target])
        return _score(after, Line(player, "on-flower", -1, reason, names(step.target)), rules)
    return _plant(after, step.target, step.colour, rules)


def worth(garden: Garden, rules: Rules) -> tuple[tuple[Move, int], ...]:
    """Return every legal move of the player on turn with the points it gives, hops on the track included."""
    moves = (step for step in legal_steps(garden, rules) if isinstance(step, Move))
    return tuple((move, play(garden, move, rules).points) for move in moves)


def connected(garden: Garden, cell: int, letter: str, rules: Rules) -> tuple[int, ...]:
    """Return the flowers that a flower planted on a hex scores: its group, or only its neighbours; never itself."""
    near = [other for other in NEXT_TO[cell] if garden.flowers[other] == letter]
    if rules.group_score == "adjacent":
        return tuple(sorted(near))
    group = {cell}
    while near:
        reached = near.pop()
        if reached not in group:
            group.add(reached)
            near += (other for other in NEXT_TO[reached] if garden.flowers[other] == letter)
    return tuple(sorted(group - {cell}))


def _plant(garden: Garden, cell: int, colour: str, rules: Rules) -> Played:
    k = garden.flower_set.colours.index(colour)
    letter = garden.flower_set.letters[k]
    hand = garden.hands[garden.player]
    left = _exchanged(hand, hand[k] - 1, k)
    group = connected(garden, cell, letter, rules)
    key = "planted" if rules.group_score == "connected" else "planted-adjacent"
    reason = Reason.of(key, colour=colour, cell=BOARD.names[cell], count=len(group))
    line = Line(garden.player, "group", len(group), reason, names(cell, *group))
    after = replace(
        garden, flowers=_exchanged(garden.flowers, letter, cell), hands=_exchanged(garden.hands, left, garden.player)
    )
    was_last = colour if not left[k] else None
    return _score(after, line, rules, was_last)


def _score(garden: Garden, line: Line, rules: Rules, last_colour: str | None = None) -> Played:
    """Walk the scoring martian along the track, then pass the turn on unless another is due."""
    player, lines = garden.player, [line]
    landed = garden.points[player] + line.points
    if landed < 0:
        lines.append(Line(player, "track-start", -landed, Reason.of("track-start")))
        landed = 0
    # Everyone has room at the start; any other field holds one martian.
    taken = {points for other, points in enumerate(garden.points) if other != player and points}
    reached, hopped = landed, landed in taken
    while reached in taken:
        reached += 1 if line.points > 0 else -1
    if hopped:
        key = "track-hop-on" if reached > landed else "track-hop-back"
        lines.append(Line(player, "track-hop", reached - landed, Reason.of(key, field=landed, reached=reached)))
    after = replace(garden, points=_exchanged(garden.points, reached, player))
    goes_again = False
    # The end comes before any extra turn, and an extra turn needs a die that is left.
    if after.dice and ending(after, rules) is None:
        if last_colour and rules.last_of_colour_extra_turn == "on":
            reason = Reason.of("last-of-colour", colour=last_colour, player=player + 1)
            lines.append(Line(player, "last-of-colour", 0, reason))
            goes_again = True
        if hopped and landed > TRACK_EXTRA_ABOVE and rules.track_hop_extra_turn == "on":
            lines.append(Line(player, "hop-turn", 0, Reason.of("hop-turn", field=landed)))
            goes_again = True
    return Played(after if goes_again else replace(after, player=garden.next_player), tuple(lines))


def _exchanged(values: tuple[T, ...], value: T, at: int) -> tuple[T, ...]:
    return (*values[:at], value, *values[at + 1 :])
