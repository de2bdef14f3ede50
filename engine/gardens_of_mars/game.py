"""Gardens of Mars as the companion sees any game."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.game import Look
from engine.gardens_of_mars.change import judge_change
from engine.gardens_of_mars.garden import Garden, parse_hand, problems
from engine.gardens_of_mars.legality import legal_steps
from engine.gardens_of_mars.material import DEFAULT_SET, HAND_SIZES, MARTIANS, NAME, SETS, TITLE
from engine.gardens_of_mars.record import practice_step
from engine.gardens_of_mars.referee import check
from engine.gardens_of_mars.rulebook import RULEBOOK, Reason
from engine.gardens_of_mars.rules import OPTIONS, PRESETS, Rules
from engine.gardens_of_mars.setting_up import set_up as lay_out
from engine.gardens_of_mars.standing import Standing, standing
from engine.gardens_of_mars.steps import parse_steps
from engine.gardens_of_mars.table import Player, State, Table
from engine.verdict import Verdict


class GardensOfMars:
    """The game of gardeners and dice."""

    name = NAME
    title = TITLE
    players = range(min(HAND_SIZES), max(HAND_SIZES) + 1)
    seats: Mapping[str, Look] = MARTIANS
    sets: Mapping[str, tuple[Look, ...]] = {name: flower_set.flowers for name, flower_set in SETS.items()}
    options: Mapping[str, tuple[str, ...]] = OPTIONS
    presets: Mapping[str, Any] = PRESETS
    rulebook: Mapping[str, str] = RULEBOOK

    def seats_each(self, players: int) -> int:
        """Return how many martians a player may choose: one type."""
        return 1

    def draws(self, players: int) -> int:
        """Return how many flowers each player draws."""
        return HAND_SIZES[players]

    def table(self, players: str | None, rules: str = "") -> Table:
        """Seat the players, as in `Ada,Ben` or `Ada=round,Ben=square`, and choose the rules."""
        return Table.parse(players, Rules.parse(rules))

    def seated(self, players: Sequence[tuple[str, Sequence[str]]], rules: Mapping[str, str]) -> Table:
        """Seat players by their names and martians; without players, those that a position has."""
        return Table(tuple(Player(name, "+".join(seats)) for name, seats in players), Rules(**rules))

    def new(self, table: Table, set_up: str = "") -> State:
        """Lay out a new game: `seed=7`, or `flowers=4g3b...,6g7b...` as they were drawn; `set=` names a printing."""
        said = dict(part.partition("=")[::2] for part in set_up.split())
        if not said.keys() <= {"set", "seed", "flowers"} or ("seed" in said) == ("flowers" in said):
            raise ValueError("a new game is set up by seed=7, or by flowers= and what each player drew, as 4g3b,6g7b")
        name = said.get("set", DEFAULT_SET)
        if name not in SETS:
            raise ValueError(f"there is no set {name!r}; there are {', '.join(SETS)}")
        if "flowers" in said:
            hands = [parse_hand(hand, SETS[name]) for hand in said["flowers"].split(",")]
            return State.at(table, lay_out(len(table.players), table.rules, hands=hands, set_name=name))
        if not said["seed"].isdecimal():
            raise ValueError(f"a seed is a number, not {said['seed']!r}")
        return State.at(table, lay_out(len(table.players), table.rules, seed=int(said["seed"]), set_name=name))

    def at(self, table: Table, position: str, seat: int | None = None) -> State:
        """Return the state at the start of a turn; the position says whose it is."""
        return State.at(table, self.parse(position), seat)

    def parse(self, text: str) -> Garden:
        """Read a position."""
        return Garden.parse(text)

    def problems(self, position: Garden) -> tuple[Any, ...]:
        """Name what cannot be true of a position."""
        return problems(position)

    def legal_steps(self, state: State) -> Iterator[str]:
        """Yield the legal next steps; for a roll, every way the dice can fall."""
        return iter(()) if state.ended_by else map(str, legal_steps(state.position, state.table.rules))

    def play(self, state: State, steps: str) -> State:
        """Return the state after legal steps; refuse any other."""
        for step in parse_steps(steps):
            state = state.play(step)
        return state

    def may_stop(self, state: State) -> bool:
        """Tell whether the turn may end here: only once it has."""
        return bool(state.ended_by)

    def next_turn(self, state: State) -> State:
        """Return the state with the next player to begin."""
        return state.next_turn()

    def check(self, state: State, steps: str) -> Verdict:
        """Judge a claimed turn, or its beginning."""
        return _naming(check(state.position, steps, state.table.rules, state.seat), state)

    def referee(self, before: State, after: State) -> Verdict:
        """Judge the turn between two states."""
        return _naming(judge_change(before.position, after.position, before.table.rules, before.seat), before)

    def score(self, state: State) -> Standing:
        """Say everyone's points and who wins."""
        return standing(state)

    def is_over(self, state: State) -> bool:
        """Tell whether the game is over."""
        return state.over

    def practice(self, table: Table, seed: int) -> Iterator[tuple[State, str]]:
        """Play a whole legal game by chance."""
        chance = random.Random(seed)
        state = self.new(table, f"seed={seed}")
        while not state.over:
            before, steps = state, list[str]()
            while not state.ended_by:
                step = practice_step(state.position, table.rules, chance)
                steps.append(str(step))
                state = state.play(step)
            yield before, "; ".join(steps)
            state = state.next_turn()


def _naming(verdict: Verdict, state: State) -> Verdict:
    assert isinstance(verdict.reason, Reason)
    return replace(verdict, reason=verdict.reason.naming(state.table.names))
