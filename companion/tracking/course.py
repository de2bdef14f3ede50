"""The course of a game over its photos: whose turn it is, and what was played between each two."""

from dataclasses import dataclass, replace
from typing import Any

from companion.tracking.following import Followed, first_known, follow
from companion.tracking.known import Known
from engine import Table
from vision import Reading


@dataclass(frozen=True)
class Course:
    """A game up to its last photo; `seat` is the place of the player whose turn comes next."""

    table: Table
    seat: int
    known: Known | None = None
    unsure: tuple[str, ...] = ()
    hint: int = 0
    found: Followed | None = None

    @classmethod
    def begin(cls, table: Table, starts: str | None = None) -> "Course":
        """Begin before the first photo; the player who `starts` plays after it."""
        return cls(table, table.players.index(table.player(starts)) if starts else 0)

    def next(self, reading: Reading) -> "Course":
        """Follow the game to the next photo."""
        if self.known is None:
            return replace(self, known=first_known(reading), unsure=reading.unsure)
        player = self.table.players[self.seat].name
        found = follow(self.known, reading, player, self.table, self.hint)
        seat = (self.seat + 1) % len(self.table.players)
        return replace(self, seat=seat, known=found.known, unsure=found.unsure, hint=found.turned, found=found)

    def missed(self) -> "Course":
        """Go on after a photo that could not be read: the next one may show more than one turn."""
        return self

    @property
    def needs_an_eye(self) -> bool:
        """Tell whether a person should look at the last photo."""
        return bool(self.unsure) or (self.found is not None and self.found.needs_an_eye)

    def to_json(self) -> dict[str, Any]:
        """Return what `track` prints of the last photo."""
        assert self.known is not None
        said: dict[str, Any] = {"position": str(self.known.position), "unsure": list(self.unsure)}
        return said if self.found is None else {**said, "turn": self.found.turn_json()}

    def told(self) -> str:
        """Tell the last photo to people."""
        assert self.known is not None
        lines = [str(self.known.position)]
        if self.found is not None:
            verdict = self.found.verdict
            rule = f" ({verdict.rule})" if verdict.rule else ""
            story = f" {'; '.join(verdict.story)}." if verdict.story else ""
            lines.append(f"{self.found.player}: {verdict.verdict}{rule}.{story} {verdict.told()}")
            lines += [str(note) for note in self.found.notes]
        if self.unsure:
            lines.append(f"Not sure, please look: {' '.join(self.unsure)}")
        return "\n  ".join(lines)
