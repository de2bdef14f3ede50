"""One file that holds everything: a consistent copy of the database and all photos; and back from it."""

import json
import os
import sqlite3
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import sqlalchemy as sa

from companion.history.checking import BadImport, check_game, is_hexadecimal, is_text
from companion.history.database import FILE, DataTrouble, connect, migrate, naming_troubles
from companion.history.exchange import MOST_PHOTO_BYTES, Attached, Import, Progress, take_in
from companion.history.log import History, Photo, default_folder, open_history, utc_now
from companion.history.photos import SUFFIX
from companion.history.profiles import LONGEST_NAME, KeptProfile, kept_profiles
from companion.history.schema import games, metadata, photos

FORMAT, VERSION = "serendipity backup", 1
ROWS, MANIFEST = "rows.jsonl", "backup.json"
MOST_DATABASE_BYTES = 4 * 1024**3
LEFT_BEHIND = {"keys", "readings", "forgotten"}
"""Secrets of the table do not travel; readings can be made again."""


def write_backup(history: History, out: IO[bytes], progress: Progress = lambda _done, _of: None) -> tuple[int, int]:
    """Write everything into one archive while the history is in use; return how many games and photos it holds."""
    with naming_troubles(), tempfile.TemporaryDirectory(prefix="serendipity-") as name:
        folder = Path(name)
        is_file = history.engine.dialect.name == "sqlite"
        copy = _copy_file(history, folder / FILE) if is_file else _copy_rows(history, folder / ROWS)
        kept = copy.photos
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            manifest = {"format": FORMAT, "version": VERSION, "made": history.clock().isoformat()}
            manifest |= {"schema": copy.schema, "games": copy.games, "photos": len(kept)}
            archive.writestr(MANIFEST, json.dumps(manifest))
            archive.write(folder / (FILE if is_file else ROWS), FILE if is_file else ROWS)
            for i, (sha256, media_type) in enumerate(kept, 1):
                file = history.shelf.path(sha256, SUFFIX[media_type])
                if file.exists():  # a photo that no game has may have been swept away since the copy
                    archive.write(file, f"photos/{file.name}", zipfile.ZIP_STORED)
                progress(i, len(kept))
    return copy.games, len(kept)


def save_backup(history: History, file: Path, progress: Progress = lambda _done, _of: None) -> tuple[int, int]:
    """Write a backup file that is whole or not there; an existing file is never replaced."""
    if file.exists():
        raise BadImport("backup-exists", file=str(file))
    with naming_troubles():
        try:
            handle, name = tempfile.mkstemp(dir=file.parent, prefix=".backup-")
        except FileNotFoundError as missing:
            raise BadImport("no-folder", folder=str(file.parent)) from missing
        try:
            with os.fdopen(handle, "w+b") as out:
                counts = write_backup(history, out, progress)
                out.flush()
                os.fsync(out.fileno())
            if file.exists():
                raise BadImport("backup-exists", file=str(file))
            os.replace(name, file)
        finally:
            Path(name).unlink(missing_ok=True)
    return counts


def restore(
    file: Path, folder: Path | None, database: str | None = None, progress: Progress = lambda _done, _of: None
) -> Counter[str]:
    """Bring a backup back into a clean folder (and an empty database); what is there already is never touched."""
    folder = folder or default_folder()
    database = database or os.environ.get("SERENDIPITY_DATABASE") or None
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadImport("not-clean", folder=str(folder))
    with naming_troubles(), opened_backup(file) as found:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".restoring-") as name:
            staging = Path(name) / "data"
            history = open_history(staging, database)
            try:
                # Only a server can hold games by now; those of this backup may come from a restore that was cut off.
                if {head[0] for head in history.heads()} - {log[0] for log in found.games}:
                    raise BadImport("not-clean", folder=sa.make_url(database or "").database or str(folder))
                counts = take_in(history, found, None, progress)
            finally:
                history.close()
            if folder.exists():
                folder.rmdir()
            staging.rename(folder)
    return counts


@contextmanager
def opened_backup(file: Path | IO[bytes]) -> Iterator[Import]:
    """Open a backup and check everything in it; raises BadImport for anything else than a backup."""
    try:
        archive = zipfile.ZipFile(file)
    except FileNotFoundError as fault:
        raise BadImport("no-file", file=str(file)) from fault
    except DAMAGE as fault:
        raise BadImport("not-a-backup") from fault
    with archive, tempfile.TemporaryDirectory(prefix="serendipity-") as name:
        try:
            yield _contents(archive, Path(name))
        except DAMAGE as fault:
            raise fault if isinstance(fault, BadImport) else BadImport("broken-import", where=FILE) from fault


DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    TypeError,
    KeyError,
    sqlite3.Error,
    sa.exc.SQLAlchemyError,
)
"""What reading a damaged or made-up archive can end in."""


def _contents(archive: zipfile.ZipFile, folder: Path) -> Import:
    """Bring the archive's rows up to date in a database of our own, and check them."""
    names = archive.namelist()
    manifest = json.loads(_member(archive, MANIFEST, 10_000)) if MANIFEST in names else {}
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadImport("not-a-backup")
    if manifest.get("version") != VERSION:
        raise BadImport("newer-import")
    engine = connect(folder, None)
    try:
        if FILE in names:
            _extract(archive, FILE, folder / FILE)
            _check_schema(folder / FILE)
        else:
            migrate(engine, str(manifest["schema"]))
            _fill(engine, archive)
        migrate(engine)
        history = History(engine, folder, utc_now)
        logs = tuple(history.logs())
        with history.looking() as db:
            rows = db.execute(sa.select(photos)).all()
        learned = tuple(kept_profiles(history))
    except DataTrouble as trouble:
        raise BadImport("newer-import" if trouble.reason == "newer" else "broken-import", where=FILE) from trouble
    finally:
        engine.dispose()
    for log in logs:
        check_game(*log)
    for kept in learned:
        _check_profile(kept)
    present = set(names)
    attached = {}
    for row in rows:
        member = f"photos/{row.sha256}{SUFFIX.get(row.media_type, '')}"
        if is_hexadecimal(row.sha256, 64) and row.media_type in SUFFIX:
            photo = Photo(row.sha256, row.media_type, row.width, row.height, row.size)
            load = partial(_member, archive, member) if member in present else None
            attached[row.sha256] = Attached(photo, load)
    return Import(logs, attached, learned)


def _check_profile(kept: KeptProfile) -> None:
    from calibration import from_text  # it brings the eye along, which only few need

    is_named = is_hexadecimal(kept.id, 16) and is_text(kept.name, LONGEST_NAME) and kept.name.strip()
    if not is_named or (kept.photo is not None and not is_hexadecimal(kept.photo, 64)):
        raise BadImport("broken-import", where="profiles")
    from_text(kept.text)


def _member(archive: zipfile.ZipFile, name: str, most: int = MOST_PHOTO_BYTES) -> bytes:
    with archive.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BadImport("broken-import", where=name)
    return data


def _extract(archive: zipfile.ZipFile, name: str, to: Path) -> None:
    """Unpack up to the allowed size: what an archive says of its own sizes is not believed."""
    left = MOST_DATABASE_BYTES
    with archive.open(name) as packed, to.open("wb") as file:
        while piece := packed.read(1 << 20):
            left -= len(piece)
            if left < 0:
                raise BadImport("broken-import", where=name)
            file.write(piece)


def _check_schema(file: Path) -> None:
    """Refuse a database with tables, triggers or views other than our own of that version: some run on reading."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        database.execute("PRAGMA trusted_schema=OFF")
        (revision,) = database.execute("SELECT version_num FROM alembic_version").fetchone()
        found = _schema(database)
    with tempfile.TemporaryDirectory(prefix="serendipity-") as name:
        engine = connect(Path(name), None)
        try:
            migrate(engine, str(revision))
        finally:
            engine.dispose()
        with closing(sqlite3.connect(Path(name) / FILE)) as database:
            own = _schema(database)
    if found != own:
        raise BadImport("broken-import", where=FILE)


def _schema(database: sqlite3.Connection) -> set[tuple[str, ...]]:
    return set(database.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master"))


def _copy_file(history: History, to: Path) -> "_Copy":
    """Copy the database through SQLite's own backup, page by page while others write, and leave the secrets out."""
    with history.engine.connect() as db, closing(sqlite3.connect(to)) as copy:
        source = db.connection.dbapi_connection
        assert isinstance(source, sqlite3.Connection)
        source.backup(copy)
        copy.execute("PRAGMA secure_delete=ON")
        for table in sorted(LEFT_BEHIND):
            copy.execute(f"DELETE FROM {table}")
        copy.commit()
        copy.execute("VACUUM")
        (schema,) = copy.execute("SELECT version_num FROM alembic_version").fetchone()
        (count,) = copy.execute("SELECT count(*) FROM games").fetchone()
        kept = copy.execute("SELECT sha256, media_type FROM photos ORDER BY added, sha256").fetchall()
    return _Copy(schema, count, kept)


def _copy_rows(history: History, to: Path) -> "_Copy":
    """Write every row of a PostgreSQL database, all as they were at one moment."""
    with (
        history.engine.connect().execution_options(isolation_level="REPEATABLE READ") as db,
        to.open("w", encoding="utf-8") as file,
    ):
        schema = db.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one()
        for table in metadata.sorted_tables:
            if table.name in LEFT_BEHIND:
                continue
            for row in db.execute(sa.select(table)).mappings():
                told = {
                    name: value.isoformat() if isinstance(value, datetime) else value for name, value in row.items()
                }
                file.write(json.dumps({"table": table.name, "row": told}, ensure_ascii=False) + "\n")
        count = db.execute(sa.select(sa.func.count()).select_from(games)).scalar_one()
        kept = [tuple(row) for row in db.execute(sa.select(photos.c.sha256, photos.c.media_type))]
    return _Copy(schema, count, kept)


def _fill(engine: sa.Engine, archive: zipfile.ZipFile) -> None:
    """Put the rows of an archive into an empty database of their version."""
    tables = sa.MetaData()
    tables.reflect(engine)
    with engine.connect().execution_options(writes=True) as db, db.begin(), archive.open(ROWS) as lines:
        left = MOST_DATABASE_BYTES
        for line in iter(partial(lines.readline, 1 << 26), b""):
            left -= len(line)
            told = json.loads(line)
            table, row = tables.tables[told["table"]], told["row"]
            if left < 0 or table.name in LEFT_BEHIND or not set(row) <= set(table.columns.keys()):
                raise BadImport("broken-import", where=ROWS)
            values = {name: _value(table.columns[name], value) for name, value in row.items()}
            db.execute(table.insert().values(**values))


def _value(column: sa.Column[Any], value: Any) -> Any:
    is_time = isinstance(column.type, sa.DateTime) and value is not None
    return datetime.fromisoformat(value) if is_time else value


class _Copy(NamedTuple):
    """What a copy of the database holds: its version, how many games, and the photos it speaks of."""

    schema: str
    games: int
    photos: list[tuple[str, str]]
