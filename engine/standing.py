"""How a table stands: everyone's points, who wins, whether the game is over, and what the booklets dispute."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from engine.position import COLOUR_OF, LETTERS, UNKNOWN, Face, Position, is_serendip
from engine.rulebook import Reason
from engine.scoring import Score, score
from engine.table import Player, Table

SERENDIP = "S"
"""Stands for any open Serendip where the facing does not matter."""


@dataclass(frozen=True)
class Dispute:
    """An option that, set to another value, would change `changes`: the points, the winner or the verdict."""

    option: str
    value: str
    changes: str
    winners: tuple[str, ...] = ()
    verdict: str = ""


@dataclass(frozen=True)
class Standing:
    """The scores in the order of the players, the winners (or leaders) and the end of the game."""

    position: Position
    table: Table
    scores: tuple[tuple[Player, Score], ...]
    winners: tuple[str, ...]
    over: bool
    ending: Reason
    disputes: tuple[Dispute, ...]

    @property
    def unsure(self) -> tuple[str, ...]:
        """The cells that nobody knows."""
        return self.position.named(self.position.where(UNKNOWN))

    def as_json(self) -> dict[str, Any]:
        """Return the standing in the form that other programs rely on."""
        return {
            "position": str(self.position),
            "over": self.over,
            "winners": list(self.winners),
            "players": [_player_json(player, points) for player, points in self.scores],
            "disputes": [
                {"option": d.option, "value": d.value, "changes": d.changes, "winners": list(d.winners)}
                for d in self.disputes
            ],
            "unsure": list(self.unsure),
            "rules": self.table.rules.chosen,
        }


def standing(position: Position, table: Table) -> Standing:
    """Score everyone, and look which options would change it."""
    scores = _scores(position, table)
    winners = _winners(scores)
    complete, ending = game_end(open_counts(position.faces), table)
    return Standing(position, table, scores, winners, complete, ending, _disputes(position, table, scores))


def open_counts(faces: tuple[Face, ...]) -> Counter[str]:
    """Count the open flowers by letter, and the open Serendips."""
    return Counter(SERENDIP if is_serendip(face) else face for face in faces if is_serendip(face) or face in LETTERS)


def is_over(counts: Counter[str], table: Table) -> bool:
    """Apply the rule `end`: all Serendips open, and all flowers of a colour that counts."""
    colours = table.owned if table.rules.complete_colour == "owned" else LETTERS
    return counts[SERENDIP] >= table.copies and any(counts[letter] >= table.copies for letter in colours)


def game_end(counts: Counter[str], table: Table) -> tuple[bool, Reason]:
    """Say whether the game is over and why, or what is missing."""
    colours = table.owned if table.rules.complete_colour == "owned" else LETTERS
    fullest = max(colours, key=lambda letter: counts[letter])
    colour, copies = COLOUR_OF[fullest], table.copies
    flowers, serendips = max(0, copies - counts[fullest]), max(0, copies - counts[SERENDIP])
    if not flowers and not serendips:
        return True, Reason.of("over", copies=copies, colour=colour)
    if not flowers:
        return False, Reason.of("missing-serendips", serendips=serendips)
    if not serendips:
        return False, Reason.of("missing-flowers", flowers=flowers, colour=colour)
    return False, Reason.of("missing-both", serendips=serendips, flowers=flowers, colour=colour)


def _scores(position: Position, table: Table) -> tuple[tuple[Player, Score], ...]:
    return tuple((player, score(position, player.letters, table.rules)) for player in table.players)


def _winners(scores: tuple[tuple[Player, Score], ...]) -> tuple[str, ...]:
    most = max(points.points for _, points in scores)
    return tuple(player.name for player, points in scores if points.points == most)


def _disputes(position: Position, table: Table, scores: tuple[tuple[Player, Score], ...]) -> tuple[Dispute, ...]:
    found = []
    winners, points = _winners(scores), [points.points for _, points in scores]
    for option, value, rules in table.rules.others():
        other = _scores(position, replace(table, rules=rules))
        if (others := _winners(other)) != winners:
            found.append(Dispute(option, value, "winner", others))
        elif [points.points for _, points in other] != points:
            found.append(Dispute(option, value, "points", others))
    return tuple(found)


def _player_json(player: Player, points: Score) -> dict[str, Any]:
    return {
        "name": player.name,
        "colours": list(player.colours),
        "points": points.points,
        "flowers": points.flowers,
        "serendips": points.serendips,
        "matches": points.matches,
        "carpet": list(points.carpet),
        "lines": [{"rule": line.rule, "cells": list(line.cells), "points": line.points} for line in points.lines],
    }
