"""A database of every released schema comes up to date without loss, on both databases."""

import shutil
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory

from companion.history import open_history
from companion.history.database import MIGRATIONS, connect, migrate

RELEASED = Path(__file__).parent / "released"


def revisions() -> list[str]:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    return [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()][::-1]


OLD = revisions()[:-1]


def rows(database: sqlite3.Connection) -> dict[str, list[dict[str, object]]]:
    database.row_factory = sqlite3.Row
    names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'alembic_version'")
    return {name: [dict(row) for row in database.execute(f"SELECT * FROM {name}")] for (name,) in names.fetchall()}


@pytest.mark.parametrize("revision", OLD)
def test_every_released_schema_has_its_database_here(revision: str) -> None:
    assert (RELEASED / f"{revision}.sqlite").exists(), f"keep a small database of {revision} before it is replaced"


@pytest.mark.parametrize("revision", OLD)
def test_an_old_file_comes_up_to_date_and_keeps_every_row(revision: str, tmp_path: Path) -> None:
    shutil.copy(RELEASED / f"{revision}.sqlite", tmp_path / "history.sqlite")
    with sqlite3.connect(tmp_path / "history.sqlite") as old:
        before = rows(old)
    old.close()
    assert before["entries"]
    assert before["photos"]
    history = open_history(tmp_path)
    history.close()
    with sqlite3.connect(tmp_path / "history.sqlite") as new:
        after = rows(new)
        assert new.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    new.close()
    for table, lines in before.items():
        shared = [{name: line[name] for name in was} for was, line in zip(lines, after[table], strict=True)]
        assert shared == lines


@pytest.mark.parametrize("revision", OLD)
def test_an_old_postgresql_comes_up_to_date_and_keeps_every_row(
    revision: str, tmp_path: Path, database: str | None
) -> None:
    engine = connect(tmp_path, database)
    migrate(engine, revision)
    with sqlite3.connect(RELEASED / f"{revision}.sqlite") as old:
        before = rows(old)
    old.close()
    tables = sa.MetaData()
    tables.reflect(engine)
    with engine.begin() as db:
        for table in tables.sorted_tables:
            for line in before.get(table.name, ()):
                names = ", ".join(line)
                values = ", ".join(f":{name}" for name in line)
                db.execute(sa.text(f"INSERT INTO {table.name} ({names}) VALUES ({values})"), line)
    engine.dispose()
    history = open_history(tmp_path, database)
    logs = list(history.logs())
    assert sum(len(log) for _, _, _, log in logs) == len(before["entries"])
    assert {game for game, *_ in logs} == {line["id"] for line in before["games"]}
    history.close()
