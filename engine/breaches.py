"""Find the one rule that, if it did not exist, would make a change explainable.

Each suspicion takes back what the breach would have done; if a legal turn explains the rest, that rule was broken,
and that turn is the nearest legal one.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from engine.census import PLACED, Kind, counts_of, exchanged, is_legal, swappable, too_strange
from engine.position import COVERED, EMPTY, LETTERS, Face
from engine.rulebook import Reason
from engine.standing import SERENDIP, is_over
from engine.story import Change
from engine.turns import leaving_allowed
from engine.verdict import Verdict

LATER = "broken-end-later"
"""The suspicion that the game ended in the middle of the turn."""


class Suspicion(NamedTuple):
    """A rule that may have been broken, the cells that show it, and the change with the breach taken back."""

    rule: str
    cells: tuple[int, ...]
    rest: Change
    key: str = ""

    @property
    def shows(self) -> bool:
        """Tell whether the breach is seen whatever else was done: of the end, only that it had come before the turn."""
        return self.rule in ("start", "end", "serendip-fixed") and self.key != LATER


def breach_of(change: Change) -> Verdict:
    """Say which rule a change breaks, given that no legal turn explains it."""
    if suspicion := _only_breach(change):
        nearest = tuple(map(str, suspicion.rest.story())) if suspicion.rest.cells else ()
        return _illegal(change, suspicion, nearest)
    # Several rules were broken: the first that shows without doubt is named.
    changed = _where(change, lambda kind: kind[0] != kind[1])
    several = Suspicion("one-at-a-time", changed, change)
    shows = (each for each in _suspicions(change) if not changed or each.shows)
    return _illegal(change, next(shows, several), ())


def breaks_one_rule(change: Change) -> bool:
    """Tell whether a change would be a legal turn if a single rule did not exist."""
    return _only_breach(change) is not None


def _only_breach(change: Change) -> Suspicion | None:
    return next((suspicion for suspicion in _suspicions(change) if suspicion.rest.is_legal), None)


def _illegal(change: Change, suspicion: Suspicion, nearest: tuple[str, ...]) -> Verdict:
    cells, key = change.after.named(suspicion.cells), suspicion.key or f"broken-{suspicion.rule}"
    reason = Reason.of(key, cells=cells, copies=change.table.copies)
    return Verdict("illegal", reason, rule=suspicion.rule, cells=cells, nearest=nearest)


def _suspicions(change: Change) -> Iterator[Suspicion]:
    """Yield the rules that may have been broken, those that show without doubt first."""
    # start: no tile comes or goes, and there are only so many of a kind.
    if holes := _where(change, lambda kind: (kind[0] == EMPTY) != (kind[1] == EMPTY)):
        yield Suspicion("start", holes, _restored(change, holes))
    before, after = counts_of(change.census, 0), counts_of(change.census, 1)
    for face in (*LETTERS, SERENDIP):
        if after[face] > max(change.table.copies, before[face]):
            new = _of_kinds(change, (COVERED, face))
            yield Suspicion("start", new, _restored(change, new), "broken-copies")
    # end: nothing is revealed once the game is over.
    changed = _where(change, lambda kind: kind[0] != kind[1])
    if is_over(before, change.table):
        yield Suspicion("end", changed, change)
    elif changed:
        endless = replace(change.table, copies=len(change.kinds) + 1)
        yield Suspicion("end", changed, replace(change, table=endless), LATER)
    else:
        yield from _nothing_shown(change)
    yield from _moved_serendips(change)
    yield from _foreign(change)
    yield from _swaps(change)
    # faces-kept: an open flower stays open in a swap, and never changes its colour; else nobody may turn it back.
    if hidden := _where(change, lambda kind: kind[0] in LETTERS and kind[1] == COVERED):
        swapped = any(kind[1] == SERENDIP for kind in change.census)
        yield Suspicion("faces-kept" if swapped else "one-at-a-time", hidden, _restored(change, hidden))
    if painted := _where(change, lambda kind: kind[0] in LETTERS and kind[1] in LETTERS and kind[0] != kind[1]):
        yield Suspicion("faces-kept", painted, _restored(change, painted))


def _nothing_shown(change: Change) -> Iterator[Suspicion]:
    """own-stay and reveal: nothing changed, yet no foreign flower can have been turned up."""
    counts = counts_of(change.census, 1)
    own = any(counts[letter] < change.table.copies for letter in change.player.letters)
    lenient = replace(change, table=replace(change.table, copies=len(change.kinds) + 1))
    if not counts[COVERED]:
        yield Suspicion("reveal", (), lenient, "no-step")
    elif own:
        yield Suspicion("own-stay", (), lenient)
    else:
        yield Suspicion("one-at-a-time", (), lenient, "passed")


def _moved_serendips(change: Change) -> Iterator[Suspicion]:
    """serendip-fixed: one that lay there before stays there as it is."""
    gone = _where(change, lambda kind: kind[0] == PLACED != kind[1])
    if gone:
        yield Suspicion("serendip-fixed", gone, _restored(change, gone))
    # Changing two tiles back mends two cells at most.
    for i in gone if len(gone) <= 2 else ():
        for j, face in enumerate(change.after.faces):
            if face == change.before.faces[i] != change.before.faces[j]:
                yield Suspicion("serendip-fixed", (i, j), _swapped(change, i, j))


def _foreign(change: Change) -> Iterator[Suspicion]:
    """foreign: more foreign flowers lie open than before; one-at-a-time where only the first might have been left."""
    before, after = counts_of(change.census, 0), counts_of(change.census, 1)
    shown: list[int] = []
    surplus: list[int] = []
    for letter in LETTERS:
        if letter not in change.player.letters and after[letter] > before[letter]:
            new = _of_kinds(change, (COVERED, letter))
            shown += new
            surplus += new[: after[letter] - before[letter]]
    ownerless = [i for i in surplus if change.after.faces[i] in change.table.ownerless]
    if len(surplus) > 1 and ownerless and leaving_allowed(after[SERENDIP], change.table):
        kept = [i for i in surplus if i != ownerless[0]]
        yield Suspicion("one-at-a-time", tuple(shown), _restored(change, kept))
    if surplus:
        yield Suspicion("foreign", tuple(shown), _restored(change, surplus))


def _swaps(change: Change) -> Iterator[Suspicion]:
    """One swap too many: which rule forbids it depends on what else was done."""
    # A legal turn has a swap of its own at most: four cells in all.
    if too_strange(change.census, 4):
        return
    found: list[Suspicion] = []
    for one, other in swappable(change.census):
        if is_legal(exchanged(change.census, one, other), change.player.letters, change.table):
            rest = _swapped(change, change.kinds.index(one), change.kinds.index(other))
            cells = _of_kinds(change, *(kind for kind in (one, other) if kind[0] != kind[1]))
            found.append(Suspicion(_swap_rule(rest, one, other), cells, rest))
    rules = ("reveal", "own-swap", "serendip-stay", "serendip-move", "one-at-a-time")
    yield from sorted(found, key=lambda suspicion: rules.index(suspicion.rule))


def _swap_rule(rest: Change, one: Kind, other: Kind) -> str:
    if not rest.cells:
        return "reveal"
    own = rest.player.letters
    if any(a[0] in LETTERS and b[0] == COVERED and a[1] in own for a, b in ((one, other), (other, one))):
        return "own-swap"
    if any(ending.name in ("serendip-stay", "serendip-swap") for ending in rest.endings()):
        return "serendip-stay"
    return "serendip-move" if any(kind[1] == SERENDIP for kind in rest.census) else "one-at-a-time"


def _where(change: Change, claim: Callable[[Kind], bool]) -> tuple[int, ...]:
    return tuple(i for i, kind in enumerate(change.kinds) if claim(kind))


def _of_kinds(change: Change, *kinds: Kind) -> tuple[int, ...]:
    return _where(change, lambda kind: kind in kinds)


def _restored(change: Change, cells: Iterable[int]) -> Change:
    return _edited(change, {i: change.before.faces[i] for i in cells})


def _swapped(change: Change, i: int, j: int) -> Change:
    return _edited(change, {i: change.after.faces[j], j: change.after.faces[i]})


def _edited(change: Change, faces: dict[int, Face]) -> Change:
    return Change(change.before, change.after.with_faces(faces), change.player, change.table)
