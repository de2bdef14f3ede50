"""Opening the database, bringing it up to date, and naming what is wrong with it."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.util.exc import CommandError
from sqlalchemy.exc import DatabaseError, IntegrityError

FILE = "history.sqlite"
MIGRATIONS = Path(__file__).parent / "migrations"
MIGRATION_LOCK = 0x5E2E4D19
"""Any number that other programs on the same PostgreSQL server are unlikely to lock."""


class DataTrouble(Exception):  # noqa: N818 - a trouble, told in words
    """The data folder or database cannot be used; `reason` is a key of SIGNS, or newer."""

    def __init__(self, reason: str, detail: str = "") -> None:
        """Say which trouble it is."""
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason


def connect(folder: Path, database: str | None) -> sa.Engine:
    """Return an engine for the file in a folder, or for the PostgreSQL server at an address."""
    if database:
        address = sa.make_url(database)
        if address.drivername in ("postgres", "postgresql"):
            address = address.set(drivername="postgresql+psycopg")
        return sa.create_engine(address, pool_pre_ping=True)
    file = folder / FILE
    engine = sa.create_engine(f"sqlite:///{file}", connect_args={"timeout": 5, "isolation_level": None})

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        for pragma in ("journal_mode=DELETE", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A writer takes the lock at once: upgrading a read lock later could deadlock two phones.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def migrate(engine: sa.Engine, revision: str = "head") -> None:
    """Bring the tables up to date, alone; a damaged file is left as it is."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    with engine.connect() as db:
        db = db.execution_options(writes=True)
        with db.begin():
            if engine.dialect.name == "postgresql":
                db.execute(sa.text("SELECT pg_advisory_xact_lock(:n)"), {"n": MIGRATION_LOCK})
            else:
                verdict = db.execute(sa.text("PRAGMA quick_check")).scalar()
                if verdict != "ok":
                    raise DataTrouble("corrupt", str(verdict))
            config.attributes["connection"] = db
            try:
                command.upgrade(config, revision)
            except CommandError as unknown_revision:
                raise DataTrouble("newer", str(unknown_revision)) from unknown_revision


SIGNS = {
    "locked": ("locked",),
    "read-only": ("readonly", "unable to open", "read-only transaction"),
    "full": ("full", "no space", "could not extend"),
    "corrupt": ("malformed", "not a database"),
    "disk": ("disk i/o",),
    "gone": ("connection",),
}
"""Words in the messages of SQLite and PostgreSQL, and what they mean for a person."""
NUMBERS = {
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.EROFS: "read-only",
    errno.EACCES: "read-only",
    errno.EPERM: "read-only",
    errno.EIO: "disk",
}


@contextmanager
def naming_troubles() -> Iterator[None]:
    """Turn the ways a disk or database fails into one exception with a reason a person understands."""
    try:
        yield
    except IntegrityError:
        raise
    except (DatabaseError, sqlite3.DatabaseError) as trouble:
        text = str(getattr(trouble, "orig", trouble)).lower()
        for reason, signs in SIGNS.items():
            if any(sign in text for sign in signs):
                raise DataTrouble(reason, text.splitlines()[0]) from trouble
        raise
    except OSError as trouble:
        if trouble.errno in NUMBERS:
            raise DataTrouble(NUMBERS[trouble.errno], str(trouble)) from trouble
        raise
