"""Weigh what the picture says against what was known and what the rules allow.

Every way to answer the open cells has a weight: the chances the picture gives, times a price for each cell that
changed, times a price for breaking a rule. The picture has the last word: what it shows clearly is never weighed away.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import log

from companion.tracking.known import Known, Sight
from engine import Player, Position, Table
from engine.census import Kind, kind_of
from engine.position import UNKNOWN, Face
from engine.story import Change

CHANGES = 0.03
"""The price of a cell that changed: a turn changes two or three of 91."""
CHEATS = 0.05
"""The price of breaking a rule: one turn in twenty, more than any table has, so that little is asked about."""
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
        legal = judge.is_legal(one, other)
        ways.append(Way(one, other, weight * (1.0 if legal else CHEATS), legal))
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
    """Drop the least likely answers until all ways can be weighed."""
    ways = 1
    for pairs in options.values():
        ways *= len(pairs)
    while ways > MOST_WAYS:
        _, cell = min((min(p.values()) / max(p.values()), i) for i, p in options.items() if len(p) > 1)
        pairs = options[cell]
        ways = ways // len(pairs) * (len(pairs) - 1)
        del pairs[min(pairs, key=lambda pair: pairs[pair])]


class _Judge:
    """Tells legal changes from others; many ways have the same census, which is all that matters."""

    def __init__(self, player: Player, table: Table) -> None:
        self.player, self.table = player, table
        self.known: dict[frozenset[tuple[Kind, int]], bool] = {}

    def is_legal(self, before: Position, after: Position) -> bool:
        before = before.with_faces({i: after.faces[i] for i in before.where(UNKNOWN)})
        census = frozenset(Counter(map(kind_of, before.faces, after.faces)).items())
        if census not in self.known:
            self.known[census] = Change(before, after, self.player, self.table).is_legal
        return self.known[census]


def plausible(weighing: Weighing, least: float) -> Iterator[Way]:
    """Yield the ways that have at least such a share of the best one."""
    for way in weighing.ways:
        if way.share < least * weighing.ways[0].share:
            return
        yield way
