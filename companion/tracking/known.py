"""What is known of the table from before, and what a new photo says about each cell."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine import Position
from engine.position import COVERED, EMPTY, LETTERS, UNKNOWN, Face, is_serendip, ring_of, turned_face
from vision import CellReading, Reading
from vision.reader import VOUCH

FACES = 14
"""How many faces a tile may have once the ring is known: covered, six flowers, six facings, none there."""
USUAL = {COVERED: 0.45, **dict.fromkeys(LETTERS, 0.07), EMPTY: 0.02}
USUAL_FACING = 0.013
"""How often a face is met on any board: the eye's chances hold it already, and a game knows better."""
NEVER = 1e-5
"""No picture is given more trust than this: the judge of faces is wrong now and then where it has no doubt at all."""
NO_HAND = 0.2
"""What a slight chance of being hidden counts where no tile is: a hand or a glare hides several, or none."""
PETAL = 20.0
"""By how much a petal of the right colour speaks for a facing, where the eye took the ring for another one."""
ASKED = 0.995
"""The most that is believed of a cell the eye is sure of and yet asks about: a tile at the rim of the photo, or one of
fourteen of a kind."""


@dataclass(frozen=True)
class Known:
    """The last position in the names of the game; `doubts` are the chances of cells, by index, nobody was sure of."""

    position: Position
    doubts: Mapping[int, Mapping[Face, float]] = field(default_factory=dict)

    @cached_property
    def ring(self) -> str:
        """The order of the Serendips' colours, "" while none lies open."""
        rings = Counter(ring_of(self.position.faces[i]) for i in self.position.serendips if i not in self.doubts)
        return rings.most_common(1)[0][0] if rings else ""


@dataclass(frozen=True)
class Sight:
    """What a photo says about one cell: the face, the chance of each, and of not being seen at all."""

    face: Face
    chances: Mapping[Face, float]
    blind: float
    vouched: bool
    slips: Mapping[Face, float] = field(default_factory=dict)
    """What to add for a face that the eye takes for another one elsewhere on the photo, too."""

    def chance(self, face: Face) -> float:
        """Return how likely the picture would look like this, were this the face; one where it says nothing."""
        shown = self.chances.get(face, 0.0) / USUAL.get(face, USUAL_FACING)
        return shown + self.slips.get(face, 0.0) + self.blind + NEVER

    @property
    def is_hidden(self) -> bool:
        """Tell whether the picture says next to nothing."""
        return self.face == UNKNOWN or self.blind > 0.5

    @property
    def likely(self) -> dict[Face, float]:
        """The faces that the picture leaves open, with their chances."""
        most = max((self.chance(face) for face in self.chances), default=1.0)
        return {face: self.chance(face) for face in self.chances if self.chance(face) > 0.003 * most}


def sights_of(reading: Reading, turned: int, ring: str = "") -> tuple[Sight, ...]:
    """Return what a reading says about each cell, by index, in the names it has once turned by so many sixths.

    `ring` is that of the copy on the table, once it is known: all Serendips are printed alike.
    """
    board = reading.board
    if ring:
        reading = _with_ring(reading, ring)
    trust = 1.0 if any(cell.face == UNKNOWN for cell in reading.cells.values()) else NO_HAND
    sights: list[Sight | None] = [None] * len(board.names)
    for i, name in enumerate(board.names):
        there = board.turns[turned % 6][i]
        sights[there] = _sight(reading.cells[name], name not in reading.unsure, turned, trust)
    return tuple(sight for sight in sights if sight is not None)


def _sight(cell: CellReading, vouched: bool, turned: int, trust: float) -> Sight:
    chances = _of_any_ring(cell)
    blind = max(0.0, 1 - sum(chances.values())) + trust * chances.pop(UNKNOWN, 0.0)
    if cell.face == UNKNOWN:
        chances, blind = {}, 1.0
    elif not vouched and cell.confidence >= VOUCH:
        chances, blind = {face: ASKED * chance for face, chance in chances.items()}, 1 - ASKED * (1 - blind)
    faces = {turned_face(face, turned): chance for face, chance in chances.items()}
    return Sight(turned_face(cell.face, turned), faces, blind, vouched)


def _with_ring(reading: Reading, ring: str) -> Reading:
    """Read Serendips of another ring again by the one that is known; none of these is vouched for then."""
    turns = [ring[k:] + ring[:k] for k in range(6)]
    cells, unsure = dict(reading.cells), set(reading.unsure)
    for name, cell in reading.cells.items():
        if is_serendip(cell.face) and cell.face not in turns:
            shares = _in_turns(_of_any_ring(cell), turns)
            face = max(shares, key=lambda face: shares[face])
            cells[name] = CellReading(face, min(1.0, shares[face]), UNKNOWN, shares)
            unsure.add(name)
    return Reading.of(cells, unsure, reading.centres, ring, reading.ms, reading.edge)


def _in_turns(chances: Mapping[Face, float], turns: list[Face]) -> dict[Face, float]:
    """Share the chance of every Serendip among the turns of one ring, by the petals they have in common."""
    found: dict[Face, float] = {}
    for face, chance in chances.items():
        alike = {face: 1.0}
        if is_serendip(face):
            alike = {turn: PETAL ** sum(a == b for a, b in zip(turn, face, strict=True)) for turn in turns}
        for other, weight in alike.items():
            found[other] = found.get(other, 0.0) + chance * weight / sum(alike.values())
    return found


def _of_any_ring(cell: CellReading) -> dict[Face, float]:
    """Return the chances of a cell, its facings with that of a Serendip of another ring: it faces where it seems to.

    The eye leaves out what another ring would show; a doubt about the ring is none about there being a Serendip.
    """
    chances = dict(cell.chances) or _guessed(cell)
    facings = {face: chance for face, chance in chances.items() if is_serendip(face)}
    left_out = 1 - sum(chances.values())
    if left_out <= 0 or not is_serendip(cell.face) or not facings:
        return chances
    more = 1 + left_out / sum(facings.values())
    return chances | {face: more * chance for face, chance in facings.items()}


def _guessed(cell: CellReading) -> dict[Face, float]:
    """Make chances where only the face and the runner-up are known."""
    rest = 1 - cell.confidence
    chances = {cell.face: cell.confidence}
    if cell.runner_up not in (UNKNOWN, cell.face):
        chances[cell.runner_up] = 0.8 * rest
    return chances
