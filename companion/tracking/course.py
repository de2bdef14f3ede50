"""The course of a game over its photos: whose turn it is, and what was played between each two."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Any

from companion.tracking.following import Followed, first_known, follow
from companion.tracking.known import Known
from engine import Table
from vision import Reading

WORTH = {"legal": 0.0, "undecided": log(0.3), "illegal": log(0.02)}
"""How likely a verdict on an honest guess at whose turn it was."""
FORGOTTEN = log(0.01)
"""How likely a photo was forgotten; a cheat that looks like that is called a cheat, until the next photos tell."""
LEAST = log(1e-4)
"""Guesses at whose turn it is are dropped when they are less likely than this, compared with the best."""


@dataclass(frozen=True)
class Course:
    """A game up to its last photo; `seats` are the places of those whose turn may come next, each with a log chance."""

    table: Table
    seats: Mapping[int, float]
    known: Known | None = None
    unsure: tuple[str, ...] = ()
    hint: int = 0
    found: Followed | None = None
    gap: bool = False
    """Whether a photo is known to be missing before the next one."""
    skipped: bool = False
    """Whether the last photo showed that more was played before it than was thought."""
    last: Reading | None = None
    again: bool = False
    """Whether the last photo is the one before it once more."""
    aside: "Course | None" = None
    """The course before a photo that did not fit: the next one tells whether it was put right, or of another table."""
    returned: bool = False
    """Whether the last photo goes on from there."""

    @classmethod
    def begin(cls, table: Table, starts: str | None = None) -> "Course":
        """Begin before the first photo; the player who `starts` plays after it."""
        return cls(table, {table.players.index(table.player(starts)) if starts else 0: 0.0})

    @cached_property
    def seat(self) -> int:
        """The place of the player whose turn most likely comes next."""
        return max(self.seats, key=lambda seat: self.seats[seat])

    def next(self, reading: Reading) -> "Course":
        """Follow the game to the next photo."""
        if self.known is None:
            return replace(self, known=first_known(reading), unsure=reading.unsure, last=reading)
        if self.last is not None and _is_same_photo(self.last, reading):
            return replace(self, again=True, found=None, last=reading)
        course = self._followed(self.known, reading)
        if self.aside is not None and self.aside.known is not None:
            seats = {
                seat: max(each.get(seat, LEAST) for each in (self.seats, self.aside.seats)) for seat in self._places
            }
            back = replace(self.aside, seats=seats)._followed(self.aside.known, reading)
            if (not back.is_in_order, back.strangeness) < (not course.is_in_order, course.strangeness):
                return replace(back, returned=True, aside=None if back.is_in_order else self.aside)
        return course if course.is_in_order else replace(course, aside=replace(self, aside=None))

    def _followed(self, known: Known, reading: Reading) -> "Course":
        """Follow the game from what was known, for everyone whose turn it may have been."""
        worth: dict[int, float] = {}
        guesses: list[tuple[float, int, Followed]] = []
        for seat, before in self.seats.items():
            found = follow(known, reading, self.table.players[seat].name, self.table, self.hint)
            after = self._after(seat, found)
            guesses.append((before + max(after.values()), seat, found))
            for other, much in after.items():
                worth[other] = max(worth.get(other, before + much), before + much)
        most, best, found = max(guesses, key=lambda guess: guess[0])
        return Course(
            self.table,
            {seat: much - most for seat, much in worth.items() if much - most > LEAST},
            found.known,
            found.unsure,
            found.turned,
            found,
            skipped=best != self.seat,
            last=reading,
        )

    def missed(self) -> "Course":
        """Go on after a photo that could not be read: the next one may show more than one turn."""
        return replace(self, gap=True)

    def _after(self, seat: int, found: Followed) -> dict[int, float]:
        """Return whose turn may come next if it was this seat's, with log chances: after one turn, or after several."""
        count = len(self.table.players)
        after = {(seat + 1) % count: WORTH[found.verdict.verdict] + (log(0.5) if self.gap else 0.0)}
        if len(found.several) > 1:
            missing = len(found.several) - 1 - self.gap
            after[(seat + len(found.several)) % count] = missing * FORGOTTEN
        return after

    @property
    def _places(self) -> range:
        return range(len(self.table.players))

    @property
    def is_in_order(self) -> bool:
        """Tell whether the last photo shows a turn, or several, or leaves only questions about cells."""
        found = self.found
        return found is None or bool(found.several) or (found.verdict.verdict != "illegal" and not found.is_a_gap)

    @property
    def strangeness(self) -> int:
        """How many cells the last photo shows otherwise than the one it was compared with, or leaves open."""
        found = self.found
        if found is None or found.before is None:
            return 0
        changed = {i for i, face in enumerate(found.position.faces) if face != found.before.faces[i]}
        return len(changed.union(found.doubts))

    @property
    def needs_an_eye(self) -> bool:
        """Tell whether a person should look at the last photo."""
        return bool(self.unsure) or (self.found is not None and self.found.needs_an_eye)

    def to_json(self) -> dict[str, Any]:
        """Return what `track` prints of the last photo."""
        assert self.known is not None
        said: dict[str, Any] = {"position": str(self.known.position), "unsure": list(self.unsure)}
        return said if self.found is None else {**said, "turn": self.found.turn_json()}

    @property
    def hints(self) -> list[str]:
        """What people should know beside the verdict: turns that went unseen, what was seen, inferred, unknowable."""
        if self.again:
            return ["This is the photo before it once more; no turn lies between them."]
        if self.found is None:
            return []
        lines = []
        if self.returned:
            lines.append("It goes on from the photo before the last one, which was put right or does not belong here.")
        if self.skipped:
            lines.append(f"It is {self.found.player}'s turn only if more was played before than the photos show.")
        if self.found.several:
            lines.append("If a photo is missing, these turns explain it:")
            lines += [f"  {turn.player.name}: {'; '.join(turn.story)}" for turn in self.found.several]
        if self.found.verdict.verdict == "illegal" and (others := self.found.fits):
            lines.append(f"It would be a legal turn of {' or '.join(others)}; is the order of the players right?")
        return lines + [str(note) for note in self.found.notes]

    def told(self) -> str:
        """Tell the last photo to people."""
        assert self.known is not None
        lines = [str(self.known.position)]
        if self.found is not None:
            lines += self._told_turn(self.found)
        elif self.again:
            lines += self.hints
        if self.unsure:
            lines.append(f"Not sure, please look: {' '.join(self.unsure)}")
        return "\n  ".join(lines)

    def _told_turn(self, found: Followed) -> list[str]:
        verdict = found.verdict
        rule = f" ({verdict.rule})" if verdict.rule else ""
        story = f" {'; '.join(verdict.story)}." if verdict.story else ""
        return [f"{found.player}: {verdict.verdict}{rule}.{story} {verdict.told()}", *self.hints]


def _is_same_photo(one: Reading, other: Reading) -> bool:
    """Tell whether two readings are of one photo: no two photos put every tile at the same pixel."""
    return len(set(one.centres.values())) > 1 and one.centres == other.centres and one.cells == other.cells
