"""Which legal turns lead from one position to another, counted without walking through them.

No rule of a turn asks where a tile lies, so all that matters of a change is its census: how many cells showed one face
before and another after. A turn is unwound from its end: the last step first, then the steps that let it go on.
Any open Serendip is written S, and one that lay there before already is #.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

from engine.position import COVERED, EMPTY, LETTERS, Face, is_serendip
from engine.standing import SERENDIP, is_over
from engine.table import Table
from engine.turns import leaving_allowed

PLACED = "#"
Kind = tuple[str, str]
"""What a cell showed before and after."""

STEP_LIMIT = 10
"""Up to here the steps that let a turn go on are put in every order; eleven have more than 3000 orders at least.

Serendips that move onto covered tiles may all come first, then those that take a flower's place, then own flowers:
each of the three in any order, and 4! * 4! * 3! is the least that eleven steps can give.
"""


def kind_of(before: Face, after: Face) -> Kind:
    """Sort a cell by what it showed before and after."""
    if is_serendip(before):
        return PLACED, PLACED if after == before else SERENDIP if is_serendip(after) else after
    return before, SERENDIP if is_serendip(after) else after


class Going(NamedTuple):
    """A census that steps which let the turn go on may have made: own flowers that stay and Serendips that move."""

    covered: int
    flowers: tuple[int, ...]
    serendips: int
    displaced: tuple[int, ...]

    def without(self, *, flower: int | None = None, serendip: bool = False, displaced: int | None = None) -> "Going":
        """Return the census before a step that brought a flower, a Serendip, or a Serendip in a flower's place."""
        return Going(
            self.covered + 1,
            tuple(n - (i in (flower, displaced)) for i, n in enumerate(self.flowers)),
            self.serendips - serendip,
            tuple(n - (i == displaced) for i, n in enumerate(self.displaced)),
        )


def goes_on(kind: Kind) -> bool:
    """Tell whether steps that let the turn go on can have made this of a cell."""
    before, after = kind
    if before == after:
        return True
    return (after == SERENDIP and before in COVERED + LETTERS) or (before == COVERED and after in LETTERS)


def going(census: Counter[Kind], own: str) -> Going | None:
    """Return the census in the form that can be unwound, or None where no steps that go on lead to it."""
    if not all(map(goes_on, census)):
        return None
    found = Going(
        census[COVERED, COVERED],
        tuple(census[COVERED, letter] for letter in LETTERS),
        census[COVERED, SERENDIP],
        tuple(census[letter, SERENDIP] for letter in LETTERS),
    )
    # A flower comes to lie elsewhere only when a Serendip takes its place; new ones are the player's own.
    for letter, landed, displaced in zip(LETTERS, found.flowers, found.displaced, strict=True):
        if landed < displaced or (landed > displaced and letter not in own):
            return None
    # A Serendip that moved came from another tile that was covered.
    if found.serendips and not found.covered and not any(found.flowers):
        return None
    return found


@lru_cache(maxsize=1 << 16)
def orders(change: Going, own: str) -> int:
    """Count the sequences of steps that make this change and let the turn go on."""
    if not (change.serendips or any(change.flowers) or any(change.displaced)):
        return 1
    return sum(ways * orders(before, own) for _, ways, before in last_going(change, own))


def last_going(change: Going, own: str) -> Iterator[tuple[Kind, int, Going]]:
    """Yield the last step of such a sequence: the cell it settled, in how many ways, and the change before it."""
    for i, letter in enumerate(LETTERS):
        if letter in own and change.flowers[i] > change.displaced[i]:
            yield (COVERED, letter), change.flowers[i], change.without(flower=i)
        if change.displaced[i]:
            ways = change.displaced[i] * change.flowers[i]
            yield (letter, SERENDIP), ways, change.without(displaced=i)
    if change.serendips and (sources := change.covered + sum(change.flowers)):
        yield (COVERED, SERENDIP), change.serendips * sources, change.without(serendip=True)


class Ending(NamedTuple):
    """One kind of last step: its name, the kinds of the cells it settled, its ways, and the census before it."""

    name: str
    kinds: tuple[Kind, ...]
    ways: int
    before: Counter[Kind]


def counts_of(census: Counter[Kind], side: int) -> Counter[str]:
    """Count the open tiles before (side 0) or after (side 1)."""
    counts: Counter[str] = Counter()
    for kind, number in census.items():
        face = kind[side]
        counts[SERENDIP if face == PLACED else face] += number
    return counts


def endings(census: Counter[Kind], own: str, table: Table, facings: int) -> Iterator[Ending]:
    """Yield every kind of last step that a legal turn to this census may have had, the plainest first.

    `facings` is in how many ways the Serendips that may have stayed can have faced at first, all together.
    """
    if all(before == after for before, after in census) or too_strange(census, 2):
        return
    before, after = counts_of(census, 0), counts_of(census, 1)
    if any(after[face] > max(table.copies, before[face]) for face in (*LETTERS, SERENDIP)):
        return
    for ending in _last_steps(census, after, own, table, facings):
        if ending.ways and going(ending.before, own) and not is_over(counts_of(ending.before, 1), table):
            yield ending


def _last_steps(census: Counter[Kind], after: Counter[str], own: str, table: Table, facings: int) -> Iterator[Ending]:
    covered = after[COVERED]
    foreign = sum(letter not in own and after[letter] < table.copies for letter in LETTERS)
    # A turn that may go on may also have shown a foreign flower, which leaves no trace.
    tail = 1 if is_over(after, table) else 1 + covered * foreign
    if census[COVERED, SERENDIP]:
        alike = sum(comb(after[face], 2) for face in (COVERED, *LETTERS))
        before = _moved(census, (COVERED, SERENDIP), (COVERED, COVERED))
        yield Ending("serendip-stay", ((COVERED, SERENDIP),), facings * (1 + alike), before)
    for kind in _present(census, COVERED, own):
        yield Ending("own-stay", (kind,), census[kind] * tail, _moved(census, kind, (COVERED, COVERED)))
    for letter in LETTERS:
        kind, landed = (letter, SERENDIP), (COVERED, letter)
        if census[kind] and census[landed]:
            before = _moved(_moved(census, kind, (letter, letter)), landed, (COVERED, COVERED))
            yield Ending("serendip-move", (kind, landed), census[kind] * census[landed] * tail, before)
    sources = census[COVERED, COVERED] + sum(census[COVERED, letter] for letter in LETTERS)
    for kind in _present(census, COVERED, SERENDIP):
        yield Ending("serendip-move", (kind,), census[kind] * sources * tail, _moved(census, kind, (COVERED, COVERED)))
    if leaving_allowed(after[SERENDIP], table):
        for kind in _present(census, COVERED, table.ownerless):
            yield Ending("leave", (kind,), census[kind], _moved(census, kind, (COVERED, COVERED)))
    if census[COVERED, SERENDIP]:
        for one, other in swappable(census):
            before = exchanged(_moved(census, (COVERED, SERENDIP), (COVERED, COVERED)), one, other)
            yield Ending("serendip-swap", (one, other), facings * census[one] * census[other], before)
    for kind in _present(census, COVERED, own):
        yield Ending("own-swap", (kind,), census[kind] * covered, _moved(census, kind, (COVERED, COVERED)))


def _present(census: Counter[Kind], before: str, afters: str) -> list[Kind]:
    return [(before, after) for after in afters if census[before, after]]


def swappable(census: Counter[Kind]) -> Iterator[tuple[Kind, Kind]]:
    """Yield the pairs of kinds whose tiles may have changed places as the last thing done, and show it."""
    kinds = [
        kind
        for kind, number in census.items()
        if number and (kind[1] == COVERED or (kind[1] in LETTERS and kind[0] != kind[1]))
    ]
    yield from ((one, other) for one, other in combinations(kinds, 2) if one[1] != other[1])


def too_strange(census: Counter[Kind], most: int) -> bool:
    """Tell whether more than `most` cells show what only a swap at the end explains, or one what no swap does."""
    strange = [(kind, number) for kind, number in census.items() if not goes_on(kind)]
    return sum(number for _, number in strange) > most or any(
        before in (PLACED, EMPTY) or after == EMPTY for (before, after), _ in strange
    )


def exchanged(census: Counter[Kind], one: Kind, other: Kind) -> Counter[Kind]:
    """Return the census before a tile of one kind and one of another changed places."""
    return _moved(_moved(census, one, (one[0], other[1])), other, (other[0], one[1]))


def _moved(census: Counter[Kind], kind: Kind, to: Kind) -> Counter[Kind]:
    moved = Counter(census)
    moved[kind] -= 1
    moved[to] += 1
    if not moved[kind]:
        del moved[kind]
    return moved


def is_legal(census: Counter[Kind], own: str, table: Table) -> bool:
    """Tell whether some legal turn makes this change."""
    if all(before == after for before, after in census):
        return bool(_traceless(census, own, table))
    return next(endings(census, own, table, 1), None) is not None


def count_turns(census: Counter[Kind], own: str, table: Table, facings: int, turnings: int) -> int | None:
    """Count all legal turns to this census; None where there are too many to put in order.

    `turnings` is in how many ways all new Serendips together can have faced at first.
    """
    if all(before == after for before, after in census):
        return _traceless(census, own, table)
    may_turn = table.rules.moved_serendip == "may-turn"
    total = 0
    for ending in endings(census, own, table, census[COVERED, SERENDIP] if may_turn else facings):
        change = going(ending.before, own)
        assert change is not None
        if change.serendips + sum(change.flowers) > STEP_LIMIT:
            return None
        total += ending.ways * orders(change, own)
    return total * turnings if may_turn else total


def _traceless(census: Counter[Kind], own: str, table: Table) -> int:
    """Count the foreign flowers that may have been shown and covered again."""
    counts = counts_of(census, 1)
    if is_over(counts, table):
        return 0
    return counts[COVERED] * sum(letter not in own and counts[letter] < table.copies for letter in LETTERS)
