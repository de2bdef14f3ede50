"""A photo of the table after a turn: which turn it was, what to ask, and what to write into the log."""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from companion.history import Game, Sheet
from companion.languages import gettext as _
from companion.phrases import player_name
from companion.play.telling import tell_nothing_seen, tell_steps
from companion.play.way import Played, Words, cell_links
from companion.tracking import Followed, follow
from companion.tracking.notes import NOTES
from engine import Position
from engine.position import COVERED, EMPTY, LETTERS, UNKNOWN, Face, ring_of, turned_face
from engine.steps import parse_steps
from engine.turns import State, facings
from vision import CellReading, Reading

REMEMBERED = 64


@dataclass(frozen=True)
class Sighting:
    """A photo in the names of the game, with the turn that was worked out from it."""

    game: Game
    sheet: Sheet
    followed: Followed

    @property
    def position(self) -> Position:
        """The board as it lies."""
        return self.followed.position

    @cached_property
    def centres(self) -> dict[str, tuple[float, float]]:
        """Where each cell lies on the photo, in the names of the game."""
        board = self.position.board
        turns = board.turns[self.followed.turned % 6]
        seen = self.sheet.reading.get("centres") or {}
        return {board.names[turns[board.indices[name]]]: (x, y) for name, (x, y) in seen.items()}

    @cached_property
    def changed(self) -> tuple[str, ...]:
        """The cells that lie differently than before."""
        before = Position.parse(self.game.position)
        return tuple(name for name in before.board.names if before[name] != self.position[name])

    @property
    def question(self) -> tuple[str, tuple[Face, ...]] | None:
        """The next cell to ask about, and its likeliest faces."""
        if not self.followed.unsure:
            return None
        cell = self.followed.unsure[0]
        return cell, likely_faces(self.followed, cell)

    @property
    def faces(self) -> tuple[Face, ...]:
        """Every face a tile can have, with the facings of this copy's Serendips."""
        return faces_of(self.position, self.sheet.reading.get("ring") or "")

    @property
    def told(self) -> str:
        """The turn in a sentence, as far as the photo tells it."""
        verdict, name = self.followed.verdict, player_name(self.followed.player)
        story = verdict.story or ()
        if verdict.verdict == "legal" and not self.changed:
            return tell_nothing_seen(name)
        return tell_steps(name, parse_steps("; ".join(story), self.position.board)) if story else ""

    @property
    def nearest(self) -> str:
        """The legal turn that comes closest, in a sentence."""
        steps = parse_steps("; ".join(self.followed.verdict.nearest), self.position.board)
        return tell_steps(player_name(self.followed.player), steps) if steps else ""

    @property
    def notes(self) -> list[str]:
        """What was seen, what was inferred, and what nobody can know."""
        return [_(NOTES[note.key], cells=", ".join(note.cells)) for note in self.followed.notes]

    def played(self, verdict: str | None = None, following: int | None = None) -> Played:
        """Return the turn for the log; a `gap` stands for turns nobody noted, and `following` is whose turn comes."""
        found = self.followed.verdict
        verdict = verdict or found.verdict
        told = found.story if verdict == "legal" and self.changed else ()
        seat = self.game.on_turn
        following = (seat + 1) % len(self.game.players) if following is None else following
        over = State(self.position, self.game.table, seat).over
        return Played(seat, "; ".join(told or ()), str(self.position), following, over, verdict)

    @cached_property
    def several(self) -> list[tuple[str, Played]]:
        """The turns that explain the change if a photo was forgotten, each told and ready for the log."""
        found, before = [], Position.parse(self.game.position)
        seat, players = self.game.on_turn, self.game.players
        for turn in self.followed.several:
            name, left_no_trace = player_name(turn.player.name), turn.after == before
            steps = "" if left_no_trace else "; ".join(turn.story)
            told = tell_steps(name, parse_steps(steps, before.board)) if steps else tell_nothing_seen(name)
            following = (seat + 1) % len(players)
            over = State(turn.after, self.game.table, seat).over
            found.append((told, Played(seat, steps, str(turn.after), following, over)))
            before, seat = turn.after, following
        return found

    def said(self) -> dict[str, Any]:
        """Return what the log keeps of the photo beside the turn."""
        reason = self.followed.verdict.reason
        kept = {"photo": self.sheet.photo, "by": "photo", "turned": self.followed.turned, "notes": self.followed.noted}
        if self.followed.verdict.verdict == "illegal":
            kept |= {"reason": [reason.key, dict(reason.params)], "rule": self.followed.verdict.rule}
        return kept

    def answer(self, cell: str, face: Face) -> dict[str, str]:
        """Return what someone says about a cell, in the names that the photo has by itself."""
        board, turned = self.position.board, self.followed.turned
        there = board.turns[-turned % 6][board.index(cell)]
        return {board.names[there]: turned_face(face, -turned)}


def likely_faces(followed: Followed, cell: str) -> tuple[Face, ...]:
    """Return the two likeliest faces of a cell that is asked about."""
    doubts = followed.doubts.get(followed.position.board.index(cell), {})
    likely = sorted((face for face in doubts if face not in (UNKNOWN, EMPTY)), key=lambda face: -doubts[face])
    return tuple(dict.fromkeys([*likely, followed.position[cell]]))[:2]


def faces_of(position: Position, ring: str) -> tuple[Face, ...]:
    """Return every face a tile can have; Serendips in the facings of those that lie open, or of this ring."""
    rings = [ring_of(position.faces[i]) for i in position.serendips]
    ring = rings[0] if rings else ring
    return (*LETTERS, COVERED, *(facings(ring) if ring else ()))


_known: "OrderedDict[tuple[str, int, int], Followed]" = OrderedDict()
_lock = Lock()


def sight(game: Game) -> Sighting | None:
    """Work out what the photo of a game shows; None while there is none that was read."""
    sheet = game.sheet
    if sheet is None or sheet.status not in ("ok", "unsure"):
        return None
    # A log only grows, so its last number says all; the same page is asked for by every phone at the table.
    key = (game.id, game.last_number, game.on_turn)
    with _lock:
        found = _known.get(key)
    if found is None:
        found = _followed(game, sheet)
        with _lock:
            _known[key] = found
            while len(_known) > REMEMBERED:
                _known.popitem(last=False)
    return Sighting(game, sheet, found)


def _followed(game: Game, sheet: Sheet) -> Followed:
    player = game.players[game.on_turn].name
    hint = next((turn.said["turned"] for turn in reversed(game.turns) if "turned" in turn.said), None)
    return follow(Position.parse(game.position), answered(sheet), player, game.table, hint, sheet.side)


def answered(sheet: Sheet) -> Reading:
    """Return the reading of a photo with what people have said about it."""
    reading = Reading.from_json(sheet.reading)
    cells = {**reading.cells, **{name: CellReading(face, 1.0) for name, face in sheet.answers.items()}}
    unsure = [name for name in reading.unsure if name not in sheet.answers]
    return Reading.of(cells, unsure, reading.centres, reading.ring, reading.ms)


def sighting_places(game: Game, words: Words) -> dict[str, Any]:
    """Return what the page shows of the photo."""
    sighting = sight(game)
    if sighting is None:
        return {"sighting": None}
    cell = words.get("cell", "")
    return {
        "sighting": sighting,
        "cell": cell if cell in sighting.position.board.indices else "",
        "cell_link": cell_links("games.show", game=game.id),
    }
