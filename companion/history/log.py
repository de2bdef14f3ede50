"""The log: entries are appended, never changed. What was acknowledged is on disk."""

import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from companion.history.database import DataTrouble, connect, migrate, naming_troubles
from companion.history.photos import SUFFIX, PhotoShelf
from companion.history.schema import entries, games, keys, photos, readings

RESTORABLE = timedelta(days=30)
PHOTO_LOCK = 0x5E2E4D20
"""Held on PostgreSQL while a photo comes or goes, as SQLite's own lock is."""


class Overtaken(Exception):  # noqa: N818 - what happened, not an error
    """Someone else wrote to the game since this phone last looked."""


@dataclass(frozen=True)
class Entry:
    """One line of a game's log; `replaces` is the number of the entry it corrects or takes back."""

    number: int
    kind: str
    at: datetime
    said: Mapping[str, Any]
    replaces: int | None = None


@dataclass(frozen=True)
class Photo:
    """A kept photo; width and height are those of the upright picture, in pixels."""

    sha256: str
    media_type: str
    width: int
    height: int
    size: int


def utc_now() -> datetime:
    """Return the time as the history keeps it: UTC, without a zone, to the second."""
    return datetime.now(UTC).replace(tzinfo=None, microsecond=0)


def default_folder() -> Path:
    """Return the data folder of the person at this computer."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "serendipity"
    if os.name == "nt":
        return Path(os.environ.get("APPDATA", Path.home())) / "serendipity"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "serendipity"


def open_history(
    folder: Path | None = None, database: str | None = None, clock: Callable[[], datetime] = utc_now
) -> "History":
    """Open the history in a folder, bringing its database up to date; `database` is an address for PostgreSQL."""
    folder = folder or default_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as trouble:
        raise DataTrouble("read-only", str(folder)) from trouble
    engine = connect(folder, database or os.environ.get("SERENDIPITY_DATABASE") or None)
    with naming_troubles():
        migrate(engine)
    return History(engine, folder, clock)


class History:
    """Everything that was played and photographed."""

    def __init__(self, engine: sa.Engine, folder: Path, clock: Callable[[], datetime]) -> None:
        """Work on an open, migrated database."""
        self.engine = engine
        self.folder = folder
        self.shelf = PhotoShelf(folder / "photos")
        self.clock = clock

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()

    def begin(self, kind: str, first: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Open a log with its first entries and return the game's id."""
        game = secrets.token_hex(8)
        now = self.clock()
        with self.writing() as db:
            db.execute(games.insert().values(id=game, kind=kind, begun=now))
            for number, (entry, said) in enumerate(first, 1):
                db.execute(entries.insert().values(game=game, number=number, kind=entry, at=now, said=dict(said)))
        return game

    def append(
        self, game: str, kind: str, said: Mapping[str, Any], *, replaces: int | None = None, seen: int | None = None
    ) -> Entry:
        """Add an entry and return it once it is on disk; with `seen`, only if that is still the last entry."""
        return self.append_all(game, [(kind, said, replaces)], seen=seen)[0]

    def append_all(
        self, game: str, said: Sequence[tuple[str, Mapping[str, Any], int | None]], *, seen: int | None = None
    ) -> tuple[Entry, ...]:
        """Add several entries, each a kind, what it says and what it replaces: all of them or none."""
        with self._adding(game, said, seen) as (_, added):
            return added

    def append_reading(
        self, game: str, of: int, reading: Mapping[str, Any], photo: str, reader: str, *, seen: int | None = None
    ) -> Entry:
        """Add a reading, and remember in the same write what this reader made of the photo: it is read once."""
        with self._adding(game, [("reading", {**reading, "of": of}, None)], seen) as (db, added):
            known = sa.select(readings.c.photo).where(readings.c.photo == photo, readings.c.reader == reader)
            if db.execute(known).first() is None:
                db.execute(readings.insert().values(photo=photo, reader=reader, reading=dict(reading)))
        return added[0]

    @contextmanager
    def _adding(
        self, game: str, said: Sequence[tuple[str, Mapping[str, Any], int | None]], seen: int | None
    ) -> Iterator[tuple[sa.Connection, tuple[Entry, ...]]]:
        try:
            with self.writing() as db:
                if db.execute(sa.select(games.c.id).where(games.c.id == game).with_for_update()).first() is None:
                    raise KeyError(game)
                last = db.execute(sa.select(sa.func.max(entries.c.number)).where(entries.c.game == game)).scalar() or 0
                if seen is not None and last != seen:
                    raise Overtaken(game)
                added = []
                for number, (kind, words, replaces) in enumerate(said, last + 1):
                    entry = Entry(number, kind, self.clock(), dict(words), replaces)
                    row = {"number": number, "kind": kind, "at": entry.at, "said": entry.said, "replaces": replaces}
                    db.execute(entries.insert().values(game=game, **row))
                    added.append(entry)
                yield db, tuple(added)
        except IntegrityError as race:
            raise Overtaken(game) from race

    def last_number(self, game: str) -> int:
        """Return the number of a game's last entry, 0 when there is no such game."""
        with self.looking() as db:
            return db.execute(sa.select(sa.func.max(entries.c.number)).where(entries.c.game == game)).scalar() or 0

    def log(self, game: str) -> tuple[str, datetime, tuple[Entry, ...]]:
        """Return a game's kind, beginning and whole log."""
        with self.looking() as db:
            head = db.execute(sa.select(games).where(games.c.id == game)).first()
            if head is None:
                raise KeyError(game)
            rows = db.execute(sa.select(entries).where(entries.c.game == game).order_by(entries.c.number))
            return head.kind, head.begun, tuple(_entry(row) for row in rows)

    def recent(self, kind: str, most: int) -> Iterator[tuple[str, str, datetime, tuple[Entry, ...]]]:
        """Yield id, kind, beginning and log of the last games of a kind, newest first."""
        query = sa.select(games.c.id).where(games.c.kind == kind).order_by(games.c.begun.desc(), games.c.id)
        with self.looking() as db:
            found = db.execute(query.limit(most)).scalars().all()
        for game in found:
            yield game, *self.log(game)

    def logs(self) -> Iterator[tuple[str, str, datetime, tuple[Entry, ...]]]:
        """Yield id, kind, beginning and log of every game, newest first."""
        with self.looking() as db:
            heads = db.execute(sa.select(games).order_by(games.c.begun.desc(), games.c.id)).all()
            by_game: dict[str, list[Entry]] = {head.id: [] for head in heads}
            for row in db.execute(sa.select(entries).order_by(entries.c.game, entries.c.number)):
                by_game[row.game].append(_entry(row))
        for head in heads:
            yield head.id, head.kind, head.begun, tuple(by_game[head.id])

    def heads(self) -> list[tuple[str, str, datetime, int]]:
        """Return id, kind, beginning and number of the last entry of every game, newest first."""
        last = (
            sa.select(entries.c.game, sa.func.max(entries.c.number).label("last")).group_by(entries.c.game).subquery()
        )
        query = sa.select(games, last.c.last).join(last, last.c.game == games.c.id)
        with self.looking() as db:
            rows = db.execute(query.order_by(games.c.begun.desc(), games.c.id)).all()
        return [(row.id, row.kind, row.begun, row.last) for row in rows]

    def adopt(self, game: str, kind: str, begun: datetime, log: Sequence[Entry]) -> str:
        """Take in a game from elsewhere with its id, and say what became of it.

        It is "new", or "known" where all of it was here already; a game that only went on elsewhere has "grown", and
        one that went on differently here and there is "different" and stays as it is here.
        """
        with self.writing() as db:
            head = db.execute(sa.select(games).where(games.c.id == game).with_for_update()).first()
            rows = db.execute(sa.select(entries).where(entries.c.game == game).order_by(entries.c.number))
            here = [_entry(row) for row in rows]
            if head is None:
                db.execute(games.insert().values(id=game, kind=kind, begun=begun))
            elif (head.kind, head.begun) != (kind, begun) or any(a != b for a, b in zip(here, log, strict=False)):
                return "different"
            for e in log[len(here) :]:
                db.execute(
                    entries.insert().values(
                        game=game, number=e.number, kind=e.kind, at=e.at, said=dict(e.said), replaces=e.replaces
                    )
                )
        if head is None:
            return "new"
        return "grown" if len(log) > len(here) else "known"

    def keep_photo(self, data: bytes, media_type: str, width: int, height: int) -> Photo:
        """Keep a cleaned photo: first the file, forced to disk, then the row. The same photo twice is one photo."""
        with naming_troubles():
            sha256 = self.shelf.put(data, SUFFIX[media_type])
        with self.moving_photos() as db:
            # It may have been swept away since; from here on it cannot be, for it counts as sent just now.
            if not self.shelf.path(sha256, SUFFIX[media_type]).exists():
                with naming_troubles():
                    self.shelf.put(data, SUFFIX[media_type])
            known = photos.update().where(photos.c.sha256 == sha256).values(added=self.clock())
            if not db.execute(known).rowcount:
                row = {"media_type": media_type, "width": width, "height": height, "size": len(data)}
                db.execute(photos.insert().values(sha256=sha256, added=self.clock(), **row))
        return self.photo(sha256)

    def find_photo(self, sha256: str) -> Photo | None:
        """Return what is known of a photo, None where it did not come with its game."""
        try:
            return self.photo(sha256)
        except KeyError:
            return None

    def photo(self, sha256: str) -> Photo:
        """Return what is known of a kept photo; KeyError if there is none."""
        with self.looking() as db:
            row = db.execute(sa.select(photos).where(photos.c.sha256 == sha256)).first()
        if row is None:
            raise KeyError(sha256)
        return Photo(row.sha256, row.media_type, row.width, row.height, row.size)

    def note_photos(self, found: Sequence[Photo]) -> None:
        """Remember photos that a game from elsewhere speaks of but that did not come with it."""
        with self.moving_photos() as db:
            for photo in found:
                if not db.execute(sa.select(photos.c.sha256).where(photos.c.sha256 == photo.sha256)).first():
                    row = {"media_type": photo.media_type, "width": photo.width, "height": photo.height}
                    db.execute(photos.insert().values(sha256=photo.sha256, size=photo.size, added=self.clock(), **row))

    def has_file(self, photo: Photo) -> bool:
        """Tell whether the photo itself is here; one may be known only from a game that came without it."""
        return self.photo_path(photo).exists()

    def photo_path(self, photo: Photo) -> Path:
        """Return the file of a kept photo."""
        return self.shelf.path(photo.sha256, SUFFIX[photo.media_type])

    def reading(self, sha256: str, reader: str) -> dict[str, Any] | None:
        """Return what this reader made of a photo before."""
        query = sa.select(readings.c.reading).where(readings.c.photo == sha256, readings.c.reader == reader)
        with self.looking() as db:
            return db.execute(query).scalar()

    def key(self, name: str) -> str:
        """Return the newest secret of that name; the first call makes one."""
        with self.looking() as db:
            query = sa.select(keys.c.value).where(keys.c.name == name).order_by(keys.c.id.desc()).limit(1)
            value = db.execute(query).scalar()
        return value or self.renew_key(name)

    def renew_key(self, name: str) -> str:
        """Make a new secret of 128 bits; all that was signed with the old one no longer counts."""
        value = secrets.token_urlsafe(16)
        with self.writing() as db:
            db.execute(keys.insert().values(name=name, value=value, made=self.clock()))
        return value

    @contextmanager
    def moving_photos(self) -> Iterator[sa.Connection]:
        """Write alone where photos come or go."""
        with self.writing() as db:
            if self.engine.dialect.name == "postgresql":
                db.execute(sa.text("SELECT pg_advisory_xact_lock(:n)"), {"n": PHOTO_LOCK})
            yield db

    @contextmanager
    def looking(self) -> Iterator[sa.Connection]:
        """Read; every look within one `with` sees the same moment on SQLite."""
        with naming_troubles(), self.engine.connect() as db:
            yield db

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Write all of it or nothing; when this ends it is on disk."""
        with naming_troubles(), self.engine.connect() as db:
            db = db.execution_options(writes=True)
            with db.begin():
                yield db


def _entry(row: Any) -> Entry:
    return Entry(row.number, row.kind, row.at, row.said, row.replaces)
