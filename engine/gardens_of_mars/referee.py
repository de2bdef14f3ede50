"""The judgement of a claimed turn, with the rule, the reason, and the options that would change it."""

from dataclasses import dataclass, replace

from engine import verdict
from engine.gardens_of_mars.garden import BOARD, Garden, problems
from engine.gardens_of_mars.legality import Fault, fault
from engine.gardens_of_mars.playing import Line, play
from engine.gardens_of_mars.rulebook import Reason
from engine.gardens_of_mars.rules import Rules
from engine.gardens_of_mars.steps import Step, parse_steps
from engine.standing import Dispute

LEGAL, ILLEGAL = "legal", "illegal"
MISCOUNTED = ("missing", "too-many", "shared-field")
"""What is odd about a table on which moves can be judged all the same."""


@dataclass(frozen=True)
class Verdict(verdict.Verdict):
    """What the referee says of a turn; for a legal one also the table after it, and what it gave.

    The story is the claim itself, step by step.
    """

    garden: Garden | None = None
    lines: tuple[Line, ...] = ()


def check(garden: Garden, claim: str | tuple[Step, ...], rules: Rules, player: int | None = None) -> Verdict:
    """Judge steps claimed as one turn, or its beginning, of the player on turn (or of the player named)."""
    steps = parse_steps(claim) if isinstance(claim, str) else claim
    if not steps:
        raise ValueError("a turn has at least one step")
    require_fit(garden, rules)
    claimed_by = garden.player if player is None else player
    said = judge(garden, steps, rules, claimed_by)
    disputes = []
    for option, value, other in rules.others():
        if option == "two_gardeners":
            continue  # the table shows how many gardeners there are
        elsewhere = judge(garden, steps, other, claimed_by)
        if elsewhere.verdict != said.verdict:
            disputes.append(Dispute(option, value, "verdict", verdict=elsewhere.verdict))
        elif _points(elsewhere) != _points(said):
            disputes.append(Dispute(option, value, "points", verdict=elsewhere.verdict))
        elif _next(elsewhere) != _next(said):
            disputes.append(Dispute(option, value, "turn", verdict=elsewhere.verdict))
    return replace(said, disputes=tuple(disputes))


def require_fit(garden: Garden, rules: Rules) -> None:
    """Refuse a table on which no game under these options can be judged."""
    if rules.two_gardeners == "on" and len(garden.hands) != 2:
        raise ValueError(f"two gardeners each is for two players, not {len(garden.hands)}")
    if any(len(cells) > rules.gardeners for cells in garden.gardeners):
        raise ValueError(f"with two_gardeners={rules.two_gardeners} each player has at most {rules.gardeners}")
    if odd := [problem for problem in problems(garden) if problem.kind not in MISCOUNTED]:
        where = f" ({', '.join(odd[0].cells)})" if odd[0].cells else ""
        raise ValueError(f"this table cannot be judged: {odd[0].message}{where}")


def judge(garden: Garden, steps: tuple[Step, ...], rules: Rules, player: int) -> Verdict:
    """Judge steps under one set of rules."""
    lines: list[Line] = []
    now = garden
    for i, step in enumerate(steps):
        wrong = turn_fault(now, player, begun=i > 0) or fault(now, step, rules)
        if wrong:
            # Nothing of an illegal turn counts: the table is put back as it was.
            return Verdict(ILLEGAL, wrong.reason, rule=wrong.rule, cells=wrong.cells)
        played = play(now, step, rules)
        now = played.garden
        lines += played.lines
    cells = tuple(sorted({cell for line in lines for cell in line.cells}, key=BOARD.index))
    story = tuple(map(str, steps))
    return Verdict(LEGAL, Reason.of("turn-legal"), story, 1, cells=cells, garden=now, lines=tuple(lines))


def _points(said: Verdict) -> tuple[int, ...]:
    return said.garden.points if said.garden else ()


def _next(said: Verdict) -> int | None:
    return said.garden.player if said.garden else None


def turn_fault(garden: Garden, player: int, *, begun: bool) -> Fault | None:
    """Say why it is not this player's turn, or return None when it is."""
    # One player is on turn; the next follows when the turn is over.
    if player == garden.player:
        return None
    key = "turn-over" if begun else "not-on-turn"
    return Fault("turn-order", Reason.of(key, player=garden.player + 1, claimed=player + 1))
