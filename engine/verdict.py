"""What a judge says: the answer, the rule, the reason and the story."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from engine.rulebook import Reason
from engine.standing import Dispute
from engine.table import Table

MANY = "many"


@dataclass(frozen=True)
class Verdict:
    """Legal, illegal or undecided, and why.

    The story is one shortest legal turn that explains what is seen; `stories` counts all of them. With an illegal
    change `nearest` is the legal turn that comes closest; with an undecided one, the turn that may have been played.
    """

    verdict: str
    reason: Reason
    story: tuple[str, ...] | None = None
    stories: int | str = 0
    rule: str | None = None
    cells: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    disputes: tuple[Dispute, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the verdict in the form that other programs rely on."""
        return {
            "verdict": self.verdict,
            "story": None if self.story is None else list(self.story),
            "stories": self.stories,
            "rule": self.rule,
            "reason": self.told(),
            "cells": list(self.cells),
            "disputes": [
                {"option": d.option, "value": d.value, "changes": d.changes, "verdict": d.verdict}
                for d in self.disputes
            ],
        }

    def told(self) -> str:
        """Say the reason in English, with the nearest turn where there is one."""
        if not self.nearest:
            return str(self.reason)
        which = "Possible" if self.verdict == "undecided" else "Nearest"
        return f"{self.reason} {which} turn: {'; '.join(self.nearest)}."


def with_disputes(judge: Callable[[Table], Verdict], table: Table) -> Verdict:
    """Judge, and add which option, set differently, would change the verdict."""
    found = judge(table)
    if found.rule == "players":
        return found
    disputes = []
    for option, value, rules in table.rules.others():
        if option in ("ownerless", "moved_serendip", "complete_colour"):
            other = judge(replace(table, rules=rules)).verdict
            if other != found.verdict:
                disputes.append(Dispute(option, value, "verdict", verdict=other))
    return replace(found, disputes=tuple(disputes))
