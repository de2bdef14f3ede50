"""Find out from which side of the table a photo was taken: its cells get the names that the game has given them."""

from dataclasses import dataclass
from math import log

from companion.tracking.known import FACES, Known, sights_of
from engine.position import UNKNOWN
from vision import Reading

STAYS = 0.96
"""How often a cell shows what it showed on the photo before; a turn changes two or three of 91."""
LEAD = 12.0
"""The lead in log odds within which the rules are asked as well. A single flower gives about ten."""


SIDES = tuple(log(share) for share in (0.6, 0.12, 0.055, 0.05, 0.055, 0.12))
"""From which side the next photo is taken, in sixths from the last one: mostly people stay where they sit."""


@dataclass(frozen=True)
class Naming:
    """By how many sixths the board of a photo is turned to get the names of the game.

    `rivals` are other turns that fit about as well. A naming is `free` where the last position looks the same from
    several sides, as a board that is all covered does: then none of them is wrong.
    """

    turned: int
    rivals: tuple[int, ...] = ()
    free: bool = False

    @property
    def is_sure(self) -> bool:
        """Tell whether the names are those of the game beyond doubt."""
        return not self.rivals


def name_board(last: Known, reading: Reading, hint: int | None = None) -> Naming:
    """Name the cells of a photo as those of the last position; the hint is the turn of the photo before."""
    worth = [_worth(last, reading, turned) + side(turned, hint) for turned in range(6)]
    best = max(range(6), key=lambda k: round(worth[k], 3))
    rivals = [k for k in range(6) if k != best and worth[best] - worth[k] < LEAD]
    alike = [k for k in rivals if last.position.turned(k - best) == last.position and not last.doubts]
    return Naming(best, tuple(k for k in rivals if k not in alike), bool(alike))


def side(turned: int, hint: int | None) -> float:
    """Return the log chance that the photographer came round the table to this side."""
    return SIDES[(turned - (hint or 0)) % 6] if hint is not None else SIDES[0]


def _worth(last: Known, reading: Reading, turned: int) -> float:
    """Return the log likelihood of a photo, were it taken from this side with few cells changed."""
    total = 0.0
    for i, sight in enumerate(sights_of(reading, turned, last.ring)):
        before = last.doubts.get(i) or {last.position.faces[i]: 1.0}
        same = sum(share * (1.0 if face == UNKNOWN else sight.chance(face)) for face, share in before.items())
        total += log(STAYS * same + (1 - STAYS) * sight.chance(sight.face) / FACES)
    return total
