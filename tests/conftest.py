"""What the tests share: a fresh history on each database, and photos drawn on the spot."""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.history import History, open_history
from companion.history.checking import check_game

IN_CI = os.environ.get("CI") == "true"


def postgresql_programs() -> Path | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a private PostgreSQL server in a temporary folder; it listens on a socket only."""
    programs = postgresql_programs()
    if programs is None:
        if IN_CI:
            pytest.fail("PostgreSQL is not installed")
        pytest.skip("PostgreSQL is not installed")
    # A socket's path may have about 100 characters, so not below pytest's own folder.
    folder = Path(subprocess.check_output(["mktemp", "-d", "/tmp/seren-pg.XXXXXX"], text=True).strip())
    as_other: list[str] = []
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        as_other = ["runuser", "-u", "postgres", "--"]
    data = folder / "data"
    run = lambda *words: subprocess.run([*as_other, *words], check=True, capture_output=True, cwd="/tmp")  # noqa: E731
    try:
        run(programs / "initdb", "-D", data, "-U", "table", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c max_connections=40"
        run(programs / "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start")
        try:
            yield f"postgresql+psycopg://table@/postgres?host={folder}"
        finally:
            run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str | None]:
    """Name a fresh, empty database: None for the file in the folder, or an address of the private server."""
    if request.param == "sqlite":
        yield None
        return
    server = request.getfixturevalue("postgresql")
    name = f"t{os.getpid()}_{abs(hash(request.node.nodeid)) % 10**9}"
    admin = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as db:
        db.execute(sa.text(f'CREATE DATABASE "{name}"'))
    try:
        yield sa.make_url(server).set(database=name).render_as_string()
    finally:
        with admin.connect() as db:
            db.execute(sa.text(f'DROP DATABASE "{name}" WITH (FORCE)'))
        admin.dispose()


@pytest.fixture
def history(tmp_path: Path, database: str | None) -> Iterator[History]:
    opened = open_history(tmp_path / "data", database)
    yield opened
    opened.close()


@pytest.fixture
def local_history(tmp_path: Path) -> Iterator[History]:
    """Open a history in a fresh folder; whatever a test lets the pages write there can be taken in again."""
    opened = open_history(tmp_path / "data")
    yield opened
    for log in opened.logs():
        check_game(*log)
    opened.close()


def pytest_report_header() -> str:
    return f"python {sys.version.split()[0]}, PostgreSQL programs: {postgresql_programs() or 'none'}"
