"""Is this move allowed? The evidence is photos, positions or a claimed turn; the answer is the engine's."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from companion.history import Game, Sheet
from companion.languages import gettext as _
from companion.phrases import option_text, player_name, say
from companion.play.photographed import answered, faces_of, likely_faces
from companion.play.telling import tell_nothing_seen, tell_steps
from companion.play.way import Judgement, Words, cell_links
from companion.tracking import Followed, Known, follow
from companion.tracking.following import first_known
from engine import Position, Verdict, check, referee
from engine.position import COVERED, UNKNOWN, Face
from engine.steps import parse_steps
from vision import Reading


@dataclass(frozen=True)
class View:
    """A table to look at: the board, its photo, and where each cell lies on it."""

    role: str
    position: Position
    sheet: Sheet | None = None
    centres: dict[str, tuple[float, float]] | None = None


@dataclass(frozen=True)
class Dispute:
    """A move that the referee was asked about."""

    game: Game

    @property
    def player(self) -> str:
        """The player whose move it was."""
        return str(self.game.players[self.game.on_turn].name)

    def sheet(self, role: str) -> Sheet | None:
        """Return the photo of before or after."""
        return next((sheet for sheet in self.game.sheets if sheet.role == role), None)

    def reading(self, role: str) -> Reading | None:
        """Return what was read off that photo, as answered so far; None where there is none."""
        sheet = self.sheet(role)
        return answered(sheet) if sheet and sheet.status in ("ok", "unsure") else None

    @property
    def waiting(self) -> Sheet | None:
        """The photo that is being read."""
        return next((sheet for sheet in self.game.sheets if sheet.status == "waiting"), None)

    @property
    def unread(self) -> Sheet | None:
        """The photo on which no board was found."""
        return next((sheet for sheet in self.game.sheets if sheet.status in ("no-board", "bad-file")), None)

    @cached_property
    def before(self) -> Known:
        """The table before the move."""
        reading = self.reading("before")
        if reading is None:
            return Known(Position.parse(self.game.evidence.get("before") or self.game.first))
        return first_known(reading)

    @cached_property
    def followed(self) -> Followed | None:
        """The photo after the move, in the names of the table before."""
        reading, sheet = self.reading("after"), self.sheet("after")
        if reading is None or sheet is None:
            return None
        return follow(self.before, reading, self.player, self.game.table, turned=sheet.side)

    @property
    def after(self) -> Position | None:
        """The table after the move."""
        if self.followed:
            return self.followed.position
        text = self.game.evidence.get("after")
        return Position.parse(text) if text else None

    @property
    def unsure(self) -> tuple[tuple[str, str], ...]:
        """The cells to ask about, each with the photo it is on; those of before first."""
        reading = self.reading("before")
        first = tuple(("before", cell) for cell in (reading.unsure if reading else ()))
        return first + tuple(("after", cell) for cell in (self.followed.unsure if self.followed else ()))

    def turned(self, role: str) -> int:
        """By how many sixths the board of a photo is turned to get the names that are used here."""
        return self.followed.turned if role == "after" and self.followed else 0

    @property
    def verdict(self) -> Verdict | None:
        """What the engine says."""
        if self.followed:
            return self.followed.verdict
        if self.after:
            return referee(self.before.position, self.after, self.player, self.game.table)
        if claim := self.game.evidence.get("claim"):
            return check(self.before.position, claim, self.player, self.game.table)
        return None

    @property
    def judgement(self) -> Judgement | None:
        """What the referee says, in the reader's language."""
        verdict = self.verdict
        if verdict is None:
            return None
        name = player_name(self.player)
        seen = verdict.verdict == "legal" and self.after is not None and self.after == self.before.position
        story = tell_nothing_seen(name) if seen else self._told(verdict.story or ())
        others = tuple(option_text(dispute.option, dispute.value) for dispute in verdict.disputes)
        sentence = say(verdict.reason)
        return Judgement(
            verdict.verdict, sentence, verdict.rule, story, self._told(verdict.nearest), others, verdict.cells
        )

    def _told(self, steps: Iterable[str]) -> str:
        parsed = parse_steps("; ".join(steps), self.before.position.board)
        return tell_steps(player_name(self.player), parsed) if parsed else ""

    @property
    def views(self) -> list[View]:
        """The tables to look at, before and after."""
        views = [View("before", self.before.position, self.sheet("before"), self._centres("before"))]
        if self.after:
            views.append(View("after", self.after, self.sheet("after"), self._centres("after")))
        return views

    def _centres(self, role: str) -> dict[str, tuple[float, float]]:
        reading = self.reading(role)
        if reading is None:
            return {}
        board, turned = reading.board, self.turned(role)
        return {board.names[board.turns[turned % 6][board.indices[n]]]: at for n, at in reading.centres.items()}

    def likely(self, role: str, cell: str) -> tuple[Face, ...]:
        """Return the likeliest faces of a cell to ask about."""
        if role == "after" and self.followed:
            return likely_faces(self.followed, cell)
        reading = self.reading(role)
        found = (reading.cells[cell].face, reading.cells[cell].runner_up) if reading else (COVERED,)
        return tuple(dict.fromkeys(face for face in found if face != UNKNOWN))


def dispute_places(game: Game, words: Words) -> dict[str, Any]:
    """Return what the page of a dispute shows."""
    dispute = Dispute(game)
    judgement = None if dispute.waiting or dispute.unread else dispute.judgement
    role, cell = words.get("role", ""), words.get("cell", "")
    shown = next((view for view in dispute.views if view.role == role and view.centres), None) if judgement else None
    asked = dispute.unsure[0] if judgement and dispute.unsure else None
    position = dispute.after or dispute.before.position
    return {
        "dispute": dispute,
        "judgement": None if asked else judgement,
        "question": (*asked, dispute.likely(*asked)) if asked else None,
        "corrected": (role, cell) if shown and cell in position.board.indices else None,
        "faces": faces_of(position, _ring(dispute)),
        "correct_link": lambda role: cell_links("disputes.show", game=game.id, role=role),
        "whose": _("Was {name}’s move allowed?", name=player_name(dispute.player)),
    }


def _ring(dispute: Dispute) -> str:
    return next((str(sheet.reading.get("ring")) for sheet in dispute.game.sheets if sheet.reading.get("ring")), "")
