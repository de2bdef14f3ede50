"""The judgement of a claimed turn, with the rule, the reason, and the options that would change it."""

from dataclasses import dataclass, replace
from typing import Any

from engine.gardens_of_mars.garden import BOARD, Garden, problems
from engine.gardens_of_mars.legality import Fault, fault
from engine.gardens_of_mars.playing import Line, play
from engine.gardens_of_mars.rulebook import Reason
from engine.gardens_of_mars.rules import Rules
from engine.gardens_of_mars.steps import Step, parse_steps

LEGAL, ILLEGAL = "legal", "illegal"


@dataclass(frozen=True)
class Dispute:
    """An option that, set to another value, would change `changes`: verdict, points, turn or winner."""

    option: str
    value: str
    changes: str
    winners: tuple[int, ...] = ()
    verdict: str = ""


@dataclass(frozen=True)
class Verdict:
    """What the referee says: for a legal turn what it gave, for an illegal one the rule it breaks.

    `story` is the claim itself, step by step. `garden` is the table after a legal turn; an illegal one leaves it
    as it was.
    """

    verdict: str
    rule: str | None
    reason: Reason
    cells: tuple[str, ...]
    story: tuple[Step, ...]
    lines: tuple[Line, ...]
    garden: Garden
    disputes: tuple[Dispute, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the verdict in the form that other programs rely on."""
        legal = self.verdict == LEGAL
        return {
            "verdict": self.verdict,
            "story": list(map(str, self.story)) if legal else None,
            "stories": 1 if legal else 0,
            "rule": self.rule,
            "reason": str(self.reason),
            "cells": list(self.cells),
            "disputes": [
                {"option": d.option, "value": d.value, "changes": d.changes, "verdict": d.verdict}
                for d in self.disputes
            ],
        }


def check(garden: Garden, claim: str | tuple[Step, ...], rules: Rules, player: int | None = None) -> Verdict:
    """Judge steps claimed as one turn, or its beginning, of the player on turn (or of the player named)."""
    steps = parse_steps(claim) if isinstance(claim, str) else claim
    if not steps:
        raise ValueError("a turn has at least one step")
    require_fit(garden, rules)
    claimed_by = garden.player if player is None else player
    said = _judge(garden, steps, rules, claimed_by)
    disputes = []
    for option, value, other in rules.others():
        if option == "two_gardeners":
            continue  # the table shows how many gardeners there are
        elsewhere = _judge(garden, steps, other, claimed_by)
        if elsewhere.verdict != said.verdict:
            disputes.append(Dispute(option, value, "verdict", verdict=elsewhere.verdict))
        elif elsewhere.garden.points != said.garden.points:
            disputes.append(Dispute(option, value, "points", verdict=elsewhere.verdict))
        elif elsewhere.garden.player != said.garden.player:
            disputes.append(Dispute(option, value, "turn", verdict=elsewhere.verdict))
    return replace(said, disputes=tuple(disputes))


def require_fit(garden: Garden, rules: Rules) -> None:
    """Refuse a table on which no game under these options can be judged."""
    if rules.two_gardeners == "on" and len(garden.hands) != 2:
        raise ValueError(f"two gardeners each is for two players, not {len(garden.hands)}")
    if any(len(cells) > rules.gardeners for cells in garden.gardeners):
        raise ValueError(f"with two_gardeners={rules.two_gardeners} each player has at most {rules.gardeners}")
    if odd := [problem for problem in problems(garden) if problem.kind not in ("missing", "too-many")]:
        where = f" ({', '.join(odd[0].cells)})" if odd[0].cells else ""
        raise ValueError(f"this table cannot be judged: {odd[0].message}{where}")


def _judge(garden: Garden, steps: tuple[Step, ...], rules: Rules, player: int) -> Verdict:
    lines: list[Line] = []
    now = garden
    for i, step in enumerate(steps):
        wrong = _turn_fault(now, player, begun=i > 0) or fault(now, step, rules)
        if wrong:
            # Nothing of an illegal turn counts: the table is put back as it was.
            return Verdict(ILLEGAL, wrong.rule, wrong.reason, wrong.cells, steps, (), garden)
        played = play(now, step, rules)
        now = played.garden
        lines += played.lines
    cells = sorted({cell for line in lines for cell in line.cells}, key=BOARD.index)
    return Verdict(LEGAL, None, Reason.of("turn-legal"), tuple(cells), steps, tuple(lines), now)


def _turn_fault(garden: Garden, player: int, *, begun: bool) -> Fault | None:
    # One player is on turn; the next follows when the turn is over.
    if player == garden.player:
        return None
    key = "turn-over" if begun else "not-on-turn"
    return Fault("turn-order", Reason.of(key, player=garden.player + 1, claimed=player + 1))
