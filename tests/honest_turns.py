"""Play honest turns, photograph each from any side, follow the game, and count what was said about it.

usage: python -m tests.honest_turns [--turns 300] [--first 0]
A person answers the questions, so that each photo starts from what was known; nobody corrects a silent mistake.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from companion.tracking import Followed, Known, follow
from engine import Position
from tests.drawer import Wish
from tests.drawn_games import FOUR, WISHES, photo_of, played, print_of
from vision import Reading, read_photo

TURNS_EACH = 30


@dataclass(frozen=True)
class Told:
    """What was said about one honest turn: the verdict, questions, silently wrong cells."""

    game: int
    number: int
    found: Followed
    asked: int
    raw_asked: int
    silent: tuple[str, ...]


def follow_game(game: int, turns: int, wish: Wish) -> Iterator[Told | None]:
    """Follow one game over so many turns; None for a photo that could not be read."""
    printing = print_of(7_000 + game, held=game % 2 == 0)
    start = 10 + 37 * (game % 10)
    known, side, hint = None, 0, None
    for number, turn in enumerate(islice(played(FOUR, game, printing.ring, start), turns)):
        seed = 7_000_000 + 1000 * game + number
        if known is None:
            reading = read_photo(photo_of(turn.before.position, printing, seed + 500, wish))
            if not reading.cells:
                yield None
                continue
            side = fitting_side(reading, turn.before.position)
            known = Known(turn.before.position.turned(side))
        reading = read_photo(photo_of(turn.after.position, printing, seed, wish))
        truth = turn.after.position.turned(side)
        if not reading.cells:
            known = Known(truth)
            yield None
            continue
        found = follow(known, reading, turn.before.player.name, FOUR, hint)
        wrong = tuple(
            name for name in truth.board.names if name not in found.unsure and found.position[name] != truth[name]
        )
        yield Told(game, number, found, len(found.unsure), len(reading.unsure), wrong)
        answers = {truth.board.index(name): truth[name] for name in found.unsure}
        known, hint = Known(found.position.with_faces(answers)), found.turned


def fitting_side(reading: Reading, truth: Position) -> int:
    """Return the turn of the truth that fits a reading best."""

    def fits(side: int) -> int:
        return sum(a == b for a, b in zip(truth.turned(side).faces, reading.position.faces, strict=True))

    return max(range(6), key=fits)


def main() -> int:
    """Run and print; the exit status is 1 where an honest turn was called illegal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="the first game")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    began, left, game = time.perf_counter(), args.turns, args.first
    while left > 0:
        for told in follow_game(game, min(left, TURNS_EACH), WISHES[game % len(WISHES)]):
            left -= 1
            if told is None:
                counts["unread"] += 1
                continue
            verdict = told.found.verdict
            counts[verdict.verdict] += 1
            counts["questions of the eye"] += told.raw_asked
            counts["questions left"] += told.asked
            counts["silently wrong cells"] += len(told.silent)
            counts["naming unsure"] += not told.found.sure_of_naming
            if verdict.verdict != "legal" or told.silent:
                print(
                    f"game {told.game} turn {told.number}: {verdict.verdict} {verdict.rule or ''} {verdict.told()}"
                    f" unsure {' '.join(told.found.unsure)} silent {' '.join(told.silent)}",
                    file=sys.stderr,
                    flush=True,
                )
        game += 1
    print(f"{args.turns} honest turns in {time.perf_counter() - began:.0f} s")
    for name, count in sorted(counts.items()):
        print(f"{count:6}  {name}")
    return int(counts["illegal"] > 0)


if __name__ == "__main__":
    sys.exit(main())
