"""Explain a change by several turns in the players' order, as when a photo was forgotten.

The last turn is taken back first: what its player may have done at the end, their own new flowers, and Serendips.
What must have lain there before it is then explained by one turn less.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from engine.census import counts_of, swappable, too_strange
from engine.filling import plain_filling
from engine.position import COVERED, LETTERS, Face, Position
from engine.standing import SERENDIP
from engine.story import Change
from engine.table import Player, Table

CHANGE_LIMIT = 3000
"""How many guesses at a last turn are looked at before the search is given up: about a second."""


@dataclass(frozen=True)
class TurnBetween:
    """One of several turns that explain a change: who played, a story, and what the table showed afterwards."""

    player: Player
    story: tuple[str, ...]
    after: Position


def referee_turns(
    before: Position, after: Position, first_player: str, table: Table, most: int = 3
) -> tuple[TurnBetween, ...] | None:
    """Explain a change by the fewest turns, at most `most`, beginning with `first_player` (a name or colour).

    None where no such turns were found within the limit. The stories are inferred: other turns may have been played.
    Unknown cells are taken as unchanged.
    """
    if before.edge != after.edge:
        raise ValueError(f"the boards have different edges: {before.edge} and {after.edge}")
    if table.fault:
        return None
    seat = table.players.index(table.player(first_player))
    order = tuple(table.players[(seat + i) % len(table.players)] for i in range(most))
    whole = plain_filling(Change(before, after, table.players[seat], table))
    for number in range(1, most + 1):
        search = _Search(whole.before, table, order[:number])
        if (changes := search.explain(whole.after, number)) is not None:
            return tuple(TurnBetween(c.player, tuple(map(str, c.story())), c.after) for c in changes)
    return None


class _Search:
    """A search for the positions between a number of turns."""

    def __init__(self, before: Position, table: Table, order: tuple[Player, ...]) -> None:
        self.before, self.table, self.order = before, table, order
        self.looked_at = 0
        self.failed: set[tuple[Position, int]] = set()

    def explain(self, after: Position, turns: int) -> tuple[Change, ...] | None:
        """Return the changes of the first `turns` turns that lead to `after`, or None."""
        player = self.order[turns - 1]
        whole = Change(self.before, after, player, self.table)
        if turns == 1:
            return (whole,) if whole.is_legal else None
        if (after, turns) in self.failed or not self._hopeful(whole, turns):
            return None
        self.failed.add((after, turns))
        for middle in self._middles(whole, turns):
            self.looked_at += 1
            if self.looked_at > CHANGE_LIMIT:
                return None
            rest = Change(self.before, middle, player, self.table)
            if not self._hopeful(rest, turns - 1):
                continue
            last = Change(middle, after, player, self.table)
            if last.is_legal and (earlier := self.explain(middle, turns - 1)) is not None:
                return (*earlier, last)
        return None

    def _hopeful(self, change: Change, turns: int) -> bool:
        """Tell whether so many turns may be enough: each mends two cells by a swap, and flowers need their owners."""
        if too_strange(change.census, 2 * turns):
            return False
        before, after = counts_of(change.census, 0), counts_of(change.census, 1)
        own = "".join(player.letters for player in self.order[:turns])
        left_open = 0
        for letter in LETTERS:
            more = after[letter] - before[letter]
            if more < 0 or (more and letter not in own and letter not in self.table.ownerless):
                return False
            left_open += more if letter in self.table.ownerless else 0
        return left_open <= turns and after[SERENDIP] >= before[SERENDIP]

    def _middles(self, whole: Change, turns: int) -> Iterator[Position]:
        """Yield what may have lain there before the last turn, the plainest first."""
        faces = list(whole.after.faces)
        again = any(player.letters == whole.player.letters for player in self.order[: turns - 1])
        for ended in self._endings(whole, faces):
            # Own flowers came in this turn, unless the player had an earlier one; Serendips may have come in any.
            for serendips_too, flowers_too in product((False, True), (True, False) if again else (True,)):
                taken = self._without_own(ended, whole) if flowers_too else ended
                if serendips_too:
                    taken = self._without_serendips(taken)
                yield Position(tuple(taken), whole.after.edge)

    def _endings(self, whole: Change, faces: list[Face]) -> Iterator[list[Face]]:
        """Yield the faces before something that ends a turn: nothing seen, a flower left open, a Serendip, a swap."""
        yield faces
        for letter in self.table.ownerless:
            for i, kind in enumerate(whole.kinds):
                if kind[1] == letter and kind[0] != letter:
                    yield _put(faces, {i: COVERED})
                    break
        new = [i for i, kind in enumerate(whole.kinds) if kind[1] == SERENDIP]
        new.sort(key=lambda i: whole.kinds[i][0] != COVERED)
        for i in new[:1]:
            stayed = _put(faces, {i: COVERED})
            yield stayed
            for one, other in swappable(whole.census):
                a, b = whole.kinds.index(one), whole.kinds.index(other)
                yield _put(stayed, {a: faces[b], b: faces[a]})

    def _without_own(self, faces: list[Face], whole: Change) -> list[Face]:
        """Cover the player's own flowers that are more than before, those on tiles that were covered first."""
        taken = list(faces)
        for letter in whole.player.letters:
            surplus = faces.count(letter) - self.before.faces.count(letter)
            new = [i for i, face in enumerate(faces) if face == letter != self.before.faces[i]]
            new.sort(key=lambda i: self.before.faces[i] != COVERED)
            for i in new[: max(0, surplus)]:
                taken[i] = COVERED
        return taken

    def _without_serendips(self, faces: list[Face]) -> list[Face]:
        """Put back what lay there before where Serendips came that turn, with the flowers they took the place of."""
        taken = list(faces)
        for i, face in enumerate(faces):
            was = self.before.faces[i]
            if len(face) != 6 or face == was:
                continue
            if was == COVERED:
                taken[i] = COVERED
            else:
                landed = (j for j, now in enumerate(taken) if now == was and self.before.faces[j] != was)
                if (j := min(landed, key=lambda j: self.before.faces[j] != COVERED, default=None)) is not None:
                    taken[i], taken[j] = was, COVERED
        return taken


def _put(faces: list[Face], changes: dict[int, Face]) -> list[Face]:
    return [changes.get(i, face) for i, face in enumerate(faces)]
