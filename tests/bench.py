"""Print the figures that the engine promises, measured in one run on this machine.

usage: python -m tests.bench
Each line ends with the bound it is held to; the exit status is 1 where one is not kept.
"""

import random
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import networkx as nx

from engine import Position, Rules, State, Step, Table, board_of, referee, score
from engine.play import play_game
from engine.position import LETTERS, Face, is_serendip
from engine.turns import ends_turn
from engine.verdict import Verdict
from tests.plain_scorer import Figures, PlainScorer

RING = "bvroyg"
FACINGS = [RING[k:] + RING[:k] for k in range(6)]
RULES = Rules()

Pair = tuple[Position, Position, str, Table]
"""What lay there before and after, the player, and the table."""


def full_boards(number: int, seed: int = 1) -> list[Position]:
    """Shuffle complete sets of tiles, all of them open."""
    chance = random.Random(seed)
    boards = []
    for _ in range(number):
        tiles = [*LETTERS * 13, *(chance.choice(FACINGS) for _ in range(13))]
        chance.shuffle(tiles)
        boards.append(Position(tuple(tiles)))
    return boards


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the shortest processor time of some rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def scoring_times(number: int = 100) -> tuple[float, float, float]:
    """Return the seconds to score six colours of a full board: with bit masks, plainly with networkx, and lean with it.

    The plain scorer keeps every option and finds neighbours by coordinates; the lean one knows the default rules only
    and looks neighbours up. Each round has boards that were never scored before, so that nothing comes from a cache;
    reading the text of a board is counted on no side.
    """

    def masked(board: Position) -> None:
        for letter in LETTERS:
            score(board, letter, RULES)

    def plain(board: PlainScorer) -> None:
        for letter in LETTERS:
            board.score(letter, RULES.chosen)

    def time_of(work: Callable[[Any], object], made: Callable[[Position], Any], rounds: int) -> float:
        boards = iter([[*map(made, full_boards(number, seed))] for seed in range(rounds)])
        return seconds(lambda: [work(board) for board in next(boards)], rounds) / number

    return (
        time_of(masked, lambda board: board, 5),
        time_of(plain, lambda board: PlainScorer(str(board)), 2),
        time_of(lean_figures, lambda board: board.faces, 5),
    )


def lean_figures(faces: tuple[Face, ...]) -> list[Figures]:
    """Score six colours under the default rules as fast as networkx lets one."""
    around = _neighbours()
    serendips = {i for i, face in enumerate(faces) if is_serendip(face)}
    found = []
    for letter in LETTERS:
        flowers = {i for i, face in enumerate(faces) if face == letter}
        shown = flowers | serendips
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(shown)
        graph.add_edges_from([(i, n) for i in shown for _, n in around[i] if i < n and n in shown])
        carpets = [(0, 0, 0, 0)]
        for group in nx.connected_components(graph):
            carpet = group & flowers
            pairs = [(d, n) for i in carpet for d, n in around[i] if n in serendips]
            touching = len({n for _, n in pairs})
            matches = sum(faces[n][d - 3] == letter for d, n in pairs)
            carpets.append((len(carpet) + 2 * (touching + matches), len(carpet), touching, matches))
        found.append(max(carpets))
    return found


@cache
def _neighbours() -> list[list[tuple[int, int]]]:
    return [[(d, n) for d, n in enumerate(cells) if n is not None] for cells in board_of(6).neighbours]


def six_changes(number: int = 40) -> list[Pair]:
    """Take turns with exactly six changed cells from games of players who go on as long as they may."""
    pairs: list[Pair] = []
    table = Table.parse("A=blue+red+green,B=violet+orange+yellow")

    def go_on(state: State, steps: tuple[Step, ...], chance: random.Random) -> Step:
        return chance.choice([step for step in steps if not ends_turn(step, state.player)] or steps)

    for seed in range(1000):
        for turn in play_game(table, seed, go_on):
            before, after = turn.before.position, turn.after.position
            if sum(was != now for was, now in zip(before.faces, after.faces, strict=True)) == 6:
                pairs.append((before, after, turn.before.player.name, table))
        if len(pairs) >= number:
            break
    return pairs[:number]


def strange_pairs(number: int = 300, seed: int = 5) -> Iterable[Pair]:
    """Yield pairs that no table shows: all shuffled, half unknown, every Serendip moved, whole hands of new flowers."""
    chance = random.Random(seed)
    players = ("A=blue,B=red", "A=blue+red+green,B=violet+orange+yellow", "A=b,B=v,C=r,D=y,E=o,F=g")
    rules = ("", "ownerless=open,moved_serendip=may-turn,complete_colour=any")
    tables = [Table.parse(who, Rules.parse(how)) for who in players for how in rules]
    for i in range(number):
        table = chance.choice(tables)
        kinds = [".", *LETTERS, *FACINGS, "?", "_"]
        weights = [chance.choice((0, 1, 5, 30)), *(chance.choice((0, 1, 3)) for _ in LETTERS + RING)]
        weights += [chance.choice((0, 0, 1, 5, 30)), chance.choice((0, 0, 0, 1))]
        before = chance.choices(kinds, weights if any(weights) else None, k=91)
        after = list(before)
        own = chance.choice(table.players)
        if i % 5 == 0:
            chance.shuffle(after)
        elif i % 5 == 1:
            after = chance.choices(kinds, weights if any(weights) else None, k=91)
        elif i % 5 == 2:
            new = [".", *own.letters, *FACINGS]
            after = [chance.choice(new) if face == "." or chance.random() < 0.2 else face for face in after]
        else:
            for _ in range(chance.randint(1, 4)):
                a, b = chance.sample(range(91), 2)
                after[a], after[b] = after[b], after[a]
            hidden = chance.random() / 2
            before = ["?" if chance.random() < hidden else face for face in before]
            after = ["?" if chance.random() < hidden else face for face in after]
        yield Position(tuple(before)), Position(tuple(after)), own.name, table


def worst_pair(pairs: Iterable[Pair]) -> tuple[float, Verdict]:
    """Return the longest time that a verdict took, and that verdict."""
    worst = 0.0, None
    for pair in pairs:
        start = time.process_time()
        verdict = referee(*pair)
        if (took := time.process_time() - start) > worst[0]:
            worst = took, verdict
    assert worst[1] is not None
    return worst[0], worst[1]


def main() -> int:
    """Measure, print and compare."""
    kept = True

    def say(what: str, figure: float, unit: str, bound: str, is_kept: bool) -> None:
        nonlocal kept
        kept &= is_kept
        print(f"{what:68} {figure:10.3f} {unit:9} {bound}{'' if is_kept else '  NOT KEPT'}")

    ours, plain, lean = scoring_times()
    say("scoring six colours of a full board", 1000 * ours, "ms", "", True)
    say("the same with networkx's connected components", 1000 * plain, "ms", "", True)
    say("networkx takes longer by", plain / ours, "times", "at least 10", plain >= 10 * ours)
    say("networkx with neighbours looked up and the default rules alone, by", lean / ours, "times", "", True)
    pairs = six_changes()
    judging = seconds(lambda: [referee(*pair) for pair in pairs]) / len(pairs)
    say(f"judging a turn with six changed cells (mean of {len(pairs)})", judging / ours, "scorings", "", True)
    slowest, _ = worst_pair(pairs)
    say("judging the slowest of them", slowest / ours, "scorings", "at most 200", slowest <= 200 * ours)
    slowest, verdict = worst_pair(strange_pairs())
    say(f"judging the slowest of 300 strange pairs ({verdict.reason.key})", slowest, "s", "at most 1", slowest <= 1)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
