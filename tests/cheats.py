"""Cheats of every kind, planted into an honest turn; each breaks one rule that the referee must name."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine import Position
from engine.play import Turn
from engine.position import COPIES, COVERED, LETTERS


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
