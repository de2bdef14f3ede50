"""Weigh what the picture says against what was known, what the rules allow and what hands do.

Every way to answer the open cells has a weight: the chances the picture gives, times a price for each cell that
changed, for breaking a rule, and for what hardly anybody does. The picture has the last word: what it shows clearly is
never weighed away.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log, prod

from companion.tracking.known import Known, Sight
from engine import Player, Position, Table
from engine.breaches import breaks_one_rule
from engine.census import Kind
from engine.position import EMPTY, LETTERS, UNKNOWN, Face, is_serendip
from engine.story import Change

CHANGES = 0.03
"""The price of a cell that changed: a turn changes two or three of 91."""
LEGAL = 1.0
CHEATS = 0.05
"""The price of breaking a rule: one turn in twenty, more than any table has, so that little is asked about.

It is paid again where no single broken rule explains a change."""
STRANGE = 0.02
"""The price of each cell that hands hardly ever change so, beside that of the broken rule: see `incredible`."""
CLEAR = 2e-5
"""A change is clear where the old face is less likely than this by the picture: no price outweighs it."""
MOST_WAYS = 1500
"""How many ways to answer are weighed; an honest photo has a handful of open cells with two or three faces each."""
MOST_FACES = 6

Pair = tuple[Face, Face]
"""What a cell showed before and what it shows now."""


@dataclass(frozen=True)
class Way:
    """One way to answer every open cell, with its share of all weight."""

    before: Position
    after: Position
    share: float
    is_legal: bool

    @property
    def changed(self) -> tuple[int, ...]:
        """The cells that changed, by index."""
        return tuple(i for i, (a, b) in enumerate(zip(self.before.faces, self.after.faces, strict=True)) if a != b)


@dataclass(frozen=True)
class Weighing:
    """All ways to answer the open cells, by their share, the greatest first; the log of all their weight together."""

    open: tuple[int, ...]
    ways: tuple[Way, ...]
    evidence: float

    def shares(self, cell: int) -> dict[Face, float]:
        """Return the share of each face of a cell."""
        found: dict[Face, float] = {}
        for way in self.ways:
            face = way.after.faces[cell]
            found[face] = found.get(face, 0.0) + way.share
        return found


def weigh(last: Known, sights: Sequence[Sight], player: Player, table: Table) -> Weighing:
    """Weigh every way to answer the cells that are not clear."""
    options = {i: pairs for i, sight in enumerate(sights) if (pairs := _pairs(last, i, sight))}
    _prune(options)
    fixed = {i: sight.face for i, sight in enumerate(sights) if i not in options}
    before, after = last.position, last.position.with_faces(fixed)
    judge = _Judge(player, table)
    ways = []
    for combination in product(*(pairs.items() for pairs in options.values())):
        weight = 1.0
        old, new = {}, {}
        for i, ((was, now), share) in zip(options, combination, strict=True):
            weight *= share
            old[i], new[i] = was, now
        one, other = before.with_faces(old), after.with_faces(new)
        price = judge.price(one, other)
        ways.append(Way(one, other, weight * price, price == LEGAL))
    total = sum(way.share for way in ways)
    ways = [Way(way.before, way.after, way.share / total, way.is_legal) for way in ways]
    evidence = log(total) + sum(
        log(sights[i].chance(face) * (1.0 if face == last.position.faces[i] else CHANGES)) for i, face in fixed.items()
    )
    return Weighing(tuple(options), tuple(sorted(ways, key=lambda way: -way.share)), evidence)


def _pairs(last: Known, i: int, sight: Sight) -> dict[Pair, float]:
    """Return what an open cell may have shown and shows, with the weight of each; nothing for a clear cell."""
    doubts = last.doubts.get(i) or {last.position.faces[i]: 1.0}
    was = last.position.faces[i]
    changed = sight.face != was
    clear = not changed or sight.chance(was) < CLEAR * sight.chance(sight.face)
    if sight.vouched and was != UNKNOWN and i not in last.doubts and clear:
        return {}
    if sight.is_hidden:
        # Nobody sees it: it is taken as unchanged here, and asked about where it may have changed by the rules.
        return {(face, face): share for face, share in doubts.items()}
    faces = {sight.face: sight.chance(sight.face)} if sight.vouched else sight.likely
    faces |= {face: sight.chance(face) for face in doubts if face != UNKNOWN}
    pairs = {
        (before, after): share * chance * (1.0 if before == after else CHANGES)
        for before, share in doubts.items()
        for after, chance in faces.items()
    }
    most = max(pairs.values())
    kept = sorted((pair for pair in pairs if pairs[pair] > 1e-6 * most), key=lambda pair: -pairs[pair])
    return {pair: pairs[pair] for pair in kept[:MOST_FACES]}


def _prune(options: dict[int, dict[Pair, float]]) -> None:
    """Drop the least likely answers until all ways can be weighed; that a cell stayed as it was is never dropped."""
    ways = prod(map(len, options.values()))
    while ways > MOST_WAYS:
        _, cell, pair = min(
            (share / max(pairs.values()), i, pair)
            for i, pairs in options.items()
            for pair, share in pairs.items()
            if len(pairs) > 1 and pair != _unchanged(pairs)
        )
        ways = ways // len(options[cell]) * (len(options[cell]) - 1)
        del options[cell][pair]


def _unchanged(pairs: dict[Pair, float]) -> Pair | None:
    """Return the likeliest answer by which a cell stayed as it was."""
    return max((pair for pair in pairs if pair[0] == pair[1]), key=lambda pair: pairs[pair], default=None)


class _Judge:
    """Prices changes; many ways have the same census, which is all that matters."""

    def __init__(self, player: Player, table: Table) -> None:
        self.player, self.table = player, table
        self.known: dict[frozenset[tuple[Kind, int]], float] = {}

    def price(self, before: Position, after: Position) -> float:
        """Return the price of a change as a whole: LEGAL, or less for broken rules and for what hands hardly do."""
        before = before.with_faces({i: after.faces[i] for i in before.where(UNKNOWN)})
        change = Change(before, after, self.player, self.table)
        key = frozenset(change.census.items())
        if key not in self.known:
            self.known[key] = LEGAL if change.is_legal else self._price_of_breach(change)
        return self.known[key]

    def _price_of_breach(self, change: Change) -> float:
        rules = CHEATS if breaks_one_rule(change) else CHEATS**2
        return rules * STRANGE ** len(incredible(change.before, change.after))


def incredible(before: Position, after: Position) -> list[int]:
    """Return cells that hands hardly ever change so: rather the eye took a colour for another one, or glare for a hole.

    A flower does not change its colour: one lies where another lay only if that one lies elsewhere. A tile does not
    leave the table. And to touch one placed Serendip may be a slip or a trick; two at once are misread petals.
    """
    changed = [(i, old, new) for i, (old, new) in enumerate(zip(before.faces, after.faces, strict=True)) if old != new]
    painted = Counter((old, new) for _, old, new in changed if old in LETTERS and new in LETTERS)
    odd = [i for i, old, new in changed if painted[old, new] > painted[new, old]]
    gone = [i for i, _, new in changed if new == EMPTY]
    touched = [i for i, old, new in changed if is_serendip(old) and new != EMPTY]
    return sorted(odd + gone + (touched if len(touched) > 1 else []))


def plausible(weighing: Weighing, least: float) -> Iterator[Way]:
    """Yield the ways that have at least such a share of the best one."""
    for way in weighing.ways:
        if way.share < least * weighing.ways[0].share:
            return
        yield way
