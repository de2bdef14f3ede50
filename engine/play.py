"""Seeded players that play whole legal games: one at random, one greedy for points."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from engine.position import COPIES, COVERED, LETTERS, Face, Position, is_serendip
from engine.scoring import score
from engine.steps import Step
from engine.table import Table
from engine.turns import State, facings, fault_of, played

Choice = Callable[[State, tuple[Step, ...], Random], Step]
"""Picks one of some legal steps."""


@dataclass(frozen=True)
class Turn:
    """One turn as it was played: the state before, the steps, and the state after."""

    before: State
    steps: tuple[Step, ...]
    after: State

    def __str__(self) -> str:
        """Print the player and the steps."""
        return f"{self.before.player.name}: {'; '.join(map(str, self.steps))}"


def at_random(state: State, steps: tuple[Step, ...], chance: Random) -> Step:
    """Pick any step."""
    return chance.choice(steps)


def greedily(state: State, steps: tuple[Step, ...], chance: Random) -> Step:
    """Pick the step that gives the player the most points at once."""

    def points(step: Step) -> int:
        return score(played(state.position, step), state.player.letters, state.table.rules).points

    return max(steps, key=points)


def shuffled(chance: Random, ring: str = "bvroyg") -> list[Face]:
    """Shuffle a whole set of tiles, face down: what lies under each cell."""
    tiles = [*LETTERS * COPIES, *(chance.choice(facings(ring)) for _ in range(COPIES))]
    chance.shuffle(tiles)
    return tiles


def play_game(table: Table, seed: int, choose: Choice = at_random) -> Iterator[Turn]:
    """Play a whole game and yield its turns."""
    chance = Random(seed)
    tiles = shuffled(chance)
    state = State(Position.covered(), table)
    while not state.over:
        turn = _play_turn(state, tiles, chance, choose)
        yield turn
        state = turn.after.next_turn()


def _play_turn(before: State, tiles: list[Face], chance: Random, choose: Choice) -> Turn:
    state, steps = before, list[Step]()
    while not state.ended_by and not state.over and not (steps and chance.random() < 0.1):
        cell = chance.choice(state.position.named(state.position.where(COVERED)))
        step = choose(state, _some_steps(state, cell, tiles[state.position.board.index(cell)], chance), chance)
        steps.append(step)
        _carry_out(step, tiles, state)
        state = state.play(step)
        if not state.position.where(COVERED):
            break
    return Turn(before, tuple(steps), state)


def _some_steps(state: State, cell: str, face: Face, chance: Random) -> tuple[Step, ...]:
    """Return some of the legal steps with a tile: there are too many swaps to look at all."""
    names = state.position.board.names
    acts: list[tuple[str, ...]] = [("cover",), ("leave",)]
    if face in state.player.letters:
        acts = [("stay",), *((f"swap {name}",) for name in chance.sample(names, 20))]
    elif is_serendip(face):
        acts = [("stay",), *((f"turn {petals}",) for petals in facings(face)[1:])]
        acts += [(f"move {name}",) for name in chance.sample(names, 20)]
        acts += [("stay", f"swap {' '.join(chance.sample(names, 2))}") for _ in range(20)]
        if state.table.rules.moved_serendip == "may-turn":
            acts += [(f"turn {petals}", f"move {chance.choice(names)}") for petals in facings(face)[1:] * 4]
    tries = (Step.of(cell, face, *parts) for parts in acts)
    return tuple(step for step in tries if fault_of(state, step) is None)


def _carry_out(step: Step, tiles: list[Face], state: State) -> None:
    """Move the tiles themselves as the step says, with what lies under the covered ones."""
    index = state.position.board.index
    for act in step.acts:
        if act.verb == "turn":
            tiles[index(step.cell)] = act.words[0]
        elif act.verb in ("swap", "move"):
            a, b = index(act.words[0]), index((*act.words, step.cell)[1])
            tiles[a], tiles[b] = tiles[b], tiles[a]
