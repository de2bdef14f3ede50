"""Cheats of every kind, planted into an honest turn; each breaks one rule that the referee must name.

usage: python -m tests.cheats [--games 12] [--first 0]
Each is drawn, the game is followed to its photo, and what was said is counted.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from companion.tracking import follow
from companion.tracking.known import sights_of
from engine import Position
from engine.play import Turn
from engine.position import COPIES, COVERED, LETTERS
from tests.drawn_games import FOUR, WISHES, photo_of, played, print_of
from vision import read_photo


@dataclass(frozen=True)
class Cheat:
    """What lies on the table after a cheat, and the rule that it breaks."""

    name: str
    rule: str
    after: Position


def cheats_in(turn: Turn) -> Iterator[Cheat]:
    """Yield the cheats that this player could plant instead of the turn."""
    before = turn.before.position
    own, owned = turn.before.player.letters, turn.before.table.owned
    covered, serendips = before.where(COVERED), before.serendips
    flowers = [i for i, face in enumerate(before.faces) if face in LETTERS]
    foreign = next((x for x in owned if x not in own and len(before.where(x)) < COPIES), "")
    if serendips:
        at = serendips[turn.before.seat % len(serendips)]
        face = before.faces[at]
        yield Cheat(
            "a placed Serendip turned by one edge", "serendip-fixed", before.with_faces({at: face[1:] + face[:1]})
        )
        if covered:
            moved = before.with_faces({at: COVERED, covered[-1]: face})
            yield Cheat("a placed Serendip moved", "serendip-fixed", moved)
    if flowers and covered:
        i, j = flowers[len(flowers) // 2], covered[len(covered) // 2]
        yield Cheat(
            "an open flower moved without a Serendip", "reveal", before.with_faces({i: COVERED, j: before.faces[i]})
        )
        yield Cheat("an open flower covered again", "one-at-a-time", before.with_faces({i: COVERED}))
    if foreign and covered:
        i, j = covered[len(covered) // 3], covered[-1]
        yield Cheat("a foreign flower left open", "foreign", before.with_faces({i: foreign}))
        if i != j and len(before.where(own[0])) < COPIES:
            # The foreign flower was shown and not covered, then another tile was turned up.
            yield Cheat("a second reveal after a foreign flower", "foreign", before.with_faces({i: foreign, j: own[0]}))


def main() -> int:
    """Run and print; the exit status is 1 where a cheat was called legal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=12)
    parser.add_argument("--first", type=int, default=0, help="the first game")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    for game in range(args.first, args.first + args.games):
        printing = print_of(7_000 + game, held=game % 2 == 0)
        turn = next(played(FOUR, game, printing.ring, 30 + 29 * game % 200))
        for number, cheat in enumerate(cheats_in(turn)):
            reading = read_photo(photo_of(cheat.after, printing, 7_500_000 + 100 * game + number, WISHES[game % 3]))
            if not reading.cells:
                counts["photo not read"] += 1
                continue
            before = turn.before.position
            found = follow(before, reading, turn.before.player.name, FOUR)
            verdict = found.verdict
            right = (verdict.verdict, verdict.rule) == ("illegal", cheat.rule)
            told = "illegal with the right rule" if right else f"{verdict.verdict} {verdict.rule or ''}".strip()
            sights = sights_of(reading, found.turned)
            unclear = any(not sights[i].vouched for i in range(len(sights)) if before.faces[i] != cheat.after.faces[i])
            counts[f"{told}, where the eye asks about a changed cell" if unclear else told] += 1
            if not right:
                print(f"game {game}, {cheat.name}: {verdict.verdict}. {verdict.told()}", file=sys.stderr, flush=True)
    print(f"{counts.total()} planted cheats")
    for told, count in counts.most_common():
        print(f"{count:6}  {told}")
    return int(any(told.startswith("legal") for told in counts))


if __name__ == "__main__":
    sys.exit(main())
