"""How a game stands: everyone's points line by line, who wins, and what another reading of the rules would change."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.gardens_of_mars.garden import Garden
from engine.gardens_of_mars.legality import ending
from engine.gardens_of_mars.playing import Line, winners
from engine.gardens_of_mars.record import Record
from engine.gardens_of_mars.rulebook import Reason
from engine.gardens_of_mars.table import Player, State, Table
from engine.standing import Dispute


@dataclass(frozen=True)
class Score:
    """A player's points, the lines that give them, and the flowers that are left."""

    points: int
    lines: tuple[Line, ...]
    flowers: int
    apart: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """What is left to plant, to follow the number of points."""
        return f" (flowers left: {self.flowers})"


@dataclass(frozen=True)
class Standing:
    """The scores in turn order, the winners (or leaders) and the end of the game."""

    position: Garden
    table: Table
    scores: tuple[tuple[Player, Score], ...]
    winners: tuple[str, ...]
    over: bool
    ending: Reason
    record: Record
    unsure: tuple[str, ...] = ()

    @cached_property
    def disputes(self) -> tuple[Dispute, ...]:
        """The options that would have changed the points or the winner, had the same steps been taken."""
        return self.record.disputes(self.table.names)

    def as_json(self) -> dict[str, Any]:
        """Return the standing in the form that other programs rely on."""
        return {
            "position": str(self.position),
            "over": self.over,
            "winners": list(self.winners),
            "players": [
                {
                    "name": player.name,
                    "colours": list(player.colours),
                    "points": score.points,
                    "flowers": score.flowers,
                    "lines": [{"rule": ln.rule, "cells": list(ln.cells), "points": ln.points} for ln in score.lines],
                }
                for player, score in self.scores
            ],
            "disputes": [
                {"option": d.option, "value": d.value, "changes": d.changes, "winners": list(d.winners)}
                for d in self.disputes
            ],
            "unsure": list(self.unsure),
            "rules": self.table.rules.chosen,
        }


def standing(state: State) -> Standing:
    """Say how everyone stands, with a line for every point since the record began."""
    garden, names = state.position, state.table.names
    scores = []
    for seat, player in enumerate(state.table.players):
        carried = state.record.start.points[seat]
        lines = [Line(seat, "track", carried, Reason.of("carried", field=carried))] if carried else []
        lines += [line for line in state.record.lines if line.player == seat and line.points]
        scores.append((player, Score(garden.points[seat], tuple(lines), sum(garden.hands[seat]))))
    why = ending(garden, state.table.rules)
    fewest = min(range(len(names)), key=lambda seat: sum(garden.hands[seat]))
    goes_on = Reason.of("flowers-left", player=fewest + 1, count=sum(garden.hands[fewest]))
    return Standing(
        garden,
        state.table,
        tuple(scores),
        tuple(names[seat] for seat in winners(garden)),
        why is not None,
        (why or goes_on).naming(names),
        state.record,
    )
