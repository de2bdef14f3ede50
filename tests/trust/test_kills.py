"""Nothing acknowledged is lost; `python -m tests.kills` does the same 200 times."""

import os
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.history import History
from tests.kills import kill_again_and_again
from tests.server import running_server

KILLS = int(os.environ.get("SERENDIPITY_KILLS", "25"))
EASY = Path(__file__).parents[2] / "sample_images" / "easy.jpg"


def test_killed_at_random_moments_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    kept = kill_again_and_again(tmp_path, KILLS, seed=5)
    assert len(kept) > KILLS


def test_neither_is_anything_lost_with_a_database_server(tmp_path: Path, postgresql: str) -> None:
    admin = sa.create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with admin.connect() as db:
        db.execute(sa.text("DROP DATABASE IF EXISTS killed"))
        db.execute(sa.text("CREATE DATABASE killed"))
    admin.dispose()
    address = sa.make_url(postgresql).set(database="killed").render_as_string()
    assert len(kill_again_and_again(tmp_path, max(4, KILLS // 8), seed=6, database=address)) > 4


def test_the_program_itself_killed_while_it_reads_keeps_the_photo(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        where = server.send_photo(EASY.read_bytes()).headers["Location"]
        server.process.kill()
        server.process.wait()
    with running_server(tmp_path) as server:
        assert server.ask("GET", f"{where}/reading").status == 204
        assert "data-waiting" not in server.ask("GET", where).text
        again = server.send_photo(EASY.read_bytes()).headers["Location"]
    assert again != where
    assert len(list((tmp_path / "photos").rglob("*.jpg"))) == 1


def test_what_is_acknowledged_was_forced_to_disk(
    local_history: History, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def watch(handle: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{handle}"))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watch)
    photo = local_history.keep_photo(b"\xff\xd8\xffbytes", "image/jpeg", 4, 3)
    shelf = local_history.photo_path(photo).parent
    assert any(name.startswith(f"{shelf}/.new-") for name in synced)
    assert {str(shelf), str(shelf.parent), str(shelf.parent.parent)} <= set(synced)
    with local_history.engine.connect() as db:
        assert db.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert db.exec_driver_sql("PRAGMA journal_mode").scalar() == "delete"
