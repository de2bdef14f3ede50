"""What was read off a photo: a face and a confidence for every cell, as a value, as a position and as JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.board import Board, board_of
from engine.position import COLOUR_OF, COVERED, EMPTY, LETTERS, UNKNOWN, Face, Position, is_serendip
from vision.reasons import Reason

Status = Literal["ok", "unsure", "no-board", "bad-file"]

FACE_WORDS = {COVERED: "covered", EMPTY: "empty", UNKNOWN: "unknown", **COLOUR_OF}
FACES_BY_WORD = {word: face for face, word in FACE_WORDS.items()}

FADED = 1e-6
"""Chances below this are left out: nothing that is known of a game outweighs them."""


def face_word(face: Face) -> str:
    """Say a face as programs read it.

    >>> face_word("."), face_word("b"), face_word("bvroyg")
    ('covered', 'blue', 'serendip:bvroyg')
    """
    return f"serendip:{face}" if is_serendip(face) else FACE_WORDS[face]


def face_of(word: str) -> Face:
    """Return the face that a word names.

    >>> face_of("green"), face_of("serendip:bvroyg")
    ('g', 'bvroyg')
    """
    petals = word.removeprefix("serendip:")
    face = petals if petals != word else FACES_BY_WORD.get(word, "")
    _check_face(face)
    return face


@dataclass(frozen=True)
class CellReading:
    """The face read at one cell, how sure that is (0..1), and the face it would be otherwise.

    `chances` are those of every face the picture leaves open, where they were judged; that of `?` is the chance that
    the tile is not to be seen at all.
    """

    face: Face
    confidence: float
    runner_up: Face = UNKNOWN
    chances: Mapping[Face, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is no face or no confidence."""
        _check_face(self.face)
        _check_face(self.runner_up)
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"a confidence lies between 0 and 1, not at {self.confidence}")


@dataclass(frozen=True)
class Reading:
    """A photo as read; cells in `unsure` are to be asked about, all others are vouched for.

    `centres` are (x, y) in pixels of the upright photo at full size; `ring` is the cyclic order of the Serendip's
    colours, "" while none is known; `ms` are milliseconds by stage. A refused photo has no cells.
    """

    status: Status
    message: Reason
    edge: int = 6
    cells: Mapping[str, CellReading] = field(default_factory=dict)
    unsure: tuple[str, ...] = ()
    ring: str = ""
    centres: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ms: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a reading that vouches for what it does not know, or leaves cells out."""
        read = self.status in ("ok", "unsure")
        if set(self.cells) != (set(self.board.names) if read else set()):
            raise ValueError("a reading has every cell of its board, or none when the photo is refused")
        if (self.status == "unsure") != bool(self.unsure) or not set(self.unsure) <= set(self.cells):
            raise ValueError("a reading is unsure exactly when some of its cells are")
        if vouched := [n for n, c in self.cells.items() if c.face == UNKNOWN and n not in self.unsure]:
            raise ValueError(f"cells that are not known must be unsure: {' '.join(vouched)}")

    @classmethod
    def of(
        cls,
        cells: Mapping[str, CellReading],
        unsure: Iterable[str],
        centres: Mapping[str, tuple[float, float]],
        ring: str = "",
        ms: Mapping[str, float] | None = None,
        edge: int = 6,
        other_copy: bool = False,
    ) -> "Reading":
        """Make the reading of a board that was found; unknown cells become unsure by themselves.

        With `other_copy` the message says that the profile is of another print and was left aside.
        """
        asked = set(unsure) | {name for name, cell in cells.items() if cell.face == UNKNOWN}
        in_order = tuple(name for name in board_of(edge).names if name in asked)
        if in_order:
            message = Reason("ask-other-copy" if other_copy else "ask", {"asked": len(in_order), "cells": len(cells)})
        else:
            message = Reason("read-other-copy" if other_copy else "read", {"cells": len(cells)})
        return cls("unsure" if in_order else "ok", message, edge, cells, in_order, ring, centres, ms or {})

    @classmethod
    def refused(cls, status: Literal["no-board", "bad-file"], reason: Reason, ms: Mapping[str, float]) -> "Reading":
        """Make the reading of a photo that shows no board or cannot be opened."""
        return cls(status, reason, ms=ms)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "Reading":
        """Take back what `to_json` or `to_kept` gave; the sentence of a refusal is known by its reason alone."""
        ms = said.get("ms") or {}
        if said["status"] in ("no-board", "bad-file"):
            return cls(said["status"], Reason(said.get("reason", "no-board"), said.get("places") or {}), ms=ms)
        kept = said.get("chances") or {}
        cells = {
            name: CellReading(
                face_of(cell["face"]),
                cell["confidence"],
                face_of(cell["runner_up"]),
                {face_of(word): chance for word, chance in kept.get(name, {}).items()},
            )
            for name, cell in said["cells"].items()
        }
        centres = {name: (float(x), float(y)) for name, (x, y) in said["centres"].items()}
        return cls.of(cells, said["unsure"], centres, said["ring"], ms)

    @property
    def board(self) -> Board:
        """The board that was looked for."""
        return board_of(self.edge)

    @property
    def position(self) -> Position:
        """The best guess for every cell; all unknown when the photo was refused."""
        faces = (self.cells[name].face if self.cells else UNKNOWN for name in self.board.names)
        return Position(tuple(faces), self.edge)

    def to_json(self, photo_name: str) -> dict[str, Any]:
        """Return what `serendipity read --json` prints."""
        names = [name for name in self.board.names if name in self.cells]
        return {
            "photo": photo_name,
            "status": self.status,
            "message": str(self.message),
            "position": str(self.position) if self.cells else "",
            "ring": self.ring,
            "cells": {
                name: {
                    "face": face_word(self.cells[name].face),
                    "confidence": round(float(self.cells[name].confidence), 5),
                    "runner_up": face_word(self.cells[name].runner_up),
                }
                for name in names
            },
            "unsure": list(self.unsure),
            "centres": {name: [round(float(at), 1) for at in self.centres[name]] for name in self.centres},
            "ms": {stage: round(float(spent), 1) for stage, spent in self.ms.items()},
        }

    def to_kept(self) -> dict[str, Any]:
        """Return what the history keeps: `to_json`, the reason for any language, and the chances of open questions."""
        chances = {
            name: {face_word(face): round(float(chance), 7) for face, chance in cell.chances.items()}
            for name, cell in self.cells.items()
            if cell.chances and cell.confidence < 1 - FADED
        }
        reason = {"reason": self.message.key, "places": dict(self.message.params)}
        return {**self.to_json(""), **reason, "chances": chances}


def _check_face(face: Face) -> None:
    if face not in FACE_WORDS and not (is_serendip(face) and set(face) <= set(LETTERS)):
        raise ValueError(f"{face!r} is no face")
