"""The log keeps what it acknowledged, on both databases."""

import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from companion.history import DataTrouble, History, Overtaken, fold, open_history
from companion.history.schema import metadata
from engine import Position

SETTINGS = {"players": [{"name": "Ada", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}]}


def state(history: History, game: str):
    return fold(game, *history.log(game))


def test_entries_come_back_in_order(history: History) -> None:
    game = history.begin("game", [("settings", SETTINGS)])
    history.append(game, "note", {"text": "first"})
    history.append(game, "note", {"text": "zweite, größer"}, seen=2)
    kind, _, log = history.log(game)
    assert kind == "game"
    assert [entry.number for entry in log] == [1, 2, 3]
    assert log[2].said == {"text": "zweite, größer"}
    assert history.last_number(game) == 3


def test_a_phone_that_looked_away_is_overtaken(history: History) -> None:
    game = history.begin("game", [("settings", SETTINGS)])
    history.append(game, "note", {"text": "a"}, seen=1)
    with pytest.raises(Overtaken):
        history.append(game, "note", {"text": "b"}, seen=1)


def test_many_phones_write_at_once_and_nothing_is_lost(history: History) -> None:
    game = history.begin("game", [("settings", SETTINGS)])
    acknowledged: list[int] = []

    def write(phone: int) -> None:
        for i in range(5):
            acknowledged.append(history.append(game, "note", {"text": f"{phone}-{i}"}).number)

    phones = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for phone in phones:
        phone.start()
    for phone in phones:
        phone.join()
    assert sorted(acknowledged) == list(range(2, 22))
    assert [entry.number for entry in history.log(game)[2]] == list(range(1, 22))


def test_the_database_refuses_to_rewrite_an_entry(history: History) -> None:
    game = history.begin("game", [("settings", SETTINGS)])
    with pytest.raises(sa.exc.DBAPIError, match="never rewritten"), history.engine.begin() as db:
        db.execute(sa.text("UPDATE entries SET kind = 'note'"))
    assert history.log(game)[2][0].kind == "settings"


def test_the_migrations_make_exactly_the_schema(history: History) -> None:
    with history.engine.connect() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []


def test_no_migration_begins_by_throwing_things_away() -> None:
    for script in (Path("companion") / "history" / "migrations" / "versions").glob("*.py"):
        assert "DROP" not in script.read_text().upper()


def test_opening_again_finds_everything(tmp_path: Path, database: str | None) -> None:
    first = open_history(tmp_path / "data", database)
    game = first.begin("game", [("settings", SETTINGS)])
    secret = first.key("table")
    first.close()
    again = open_history(tmp_path / "data", database)
    assert state(again, game).players[0].name == "Ada"
    assert again.key("table") == secret
    assert again.renew_key("table") != secret
    assert again.key("table") != secret
    again.close()


def test_undo_points_to_what_it_replaces_and_can_itself_be_undone(history: History) -> None:
    game = history.begin("game", [("settings", SETTINGS)])
    after = str(Position.covered().with_faces({0: "b"}))
    turn = history.append(
        game, "turn", {"player": 0, "steps": "reveal A1 blue, stay", "position": after, "verdict": "legal"}
    )
    assert (state(history, game).position, state(history, game).on_turn) == (after, 1)
    undo = history.append(game, "undo", {}, replaces=turn.number)
    assert (state(history, game).position, state(history, game).on_turn) == (str(Position.covered()), 0)
    history.append(game, "undo", {}, replaces=undo.number)
    assert state(history, game).position == after
    assert len(state(history, game).log) == 4


def test_a_deleted_game_can_be_restored_for_thirty_days(history: History) -> None:
    game = history.begin("game", [("settings", SETTINGS)])
    gone = history.append(game, "delete", {})
    assert state(history, game).is_restorable(gone.at + timedelta(days=29))
    assert not state(history, game).is_restorable(gone.at + timedelta(days=31))
    history.append(game, "restore", {})
    assert state(history, game).deleted is None


def test_a_photo_is_kept_once(history: History) -> None:
    first = history.keep_photo(b"\xff\xd8\xffbytes", "image/jpeg", 4, 3)
    again = history.keep_photo(b"\xff\xd8\xffbytes", "image/jpeg", 4, 3)
    assert first == again
    assert history.photo_path(first).read_bytes() == b"\xff\xd8\xffbytes"
    assert sum(1 for file in (history.folder / "photos").rglob("*") if file.is_file()) == 1
    with pytest.raises(KeyError):
        history.photo("0" * 64)


def test_a_reading_is_remembered_by_photo_and_reader(history: History) -> None:
    photo = history.keep_photo(b"\xff\xd8\xff1", "image/jpeg", 4, 3)
    assert history.reading(photo.sha256, "r1") is None
    game = history.begin("snapshot", [("photo", {"photo": photo.sha256})])
    with pytest.raises(Overtaken):
        history.append_reading(game, 1, {"status": "ok"}, photo.sha256, "r1", seen=7)
    assert history.reading(photo.sha256, "r1") is None
    for last in (1, 2):
        history.append_reading(game, 1, {"status": "ok"}, photo.sha256, "r1", seen=last)
    assert [entry.said for entry in history.log(game)[2][1:]] == [{"status": "ok", "of": 1}] * 2
    assert history.reading(photo.sha256, "r1") == {"status": "ok"}
    assert history.reading(photo.sha256, "r2") is None


def test_a_broken_database_is_named_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "history.sqlite"
    file.write_bytes(b"this was never a database" * 400)
    with pytest.raises(DataTrouble) as trouble:
        open_history(tmp_path)
    assert trouble.value.reason == "corrupt"
    assert file.read_bytes().startswith(b"this was never")


def test_a_database_of_a_newer_program_is_named(tmp_path: Path) -> None:
    opened = open_history(tmp_path)
    with opened.engine.begin() as db:
        db.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    opened.close()
    with pytest.raises(DataTrouble) as trouble:
        open_history(tmp_path)
    assert trouble.value.reason == "newer"


def test_a_locked_database_is_named(local_history: History) -> None:
    game = local_history.begin("game", [("settings", SETTINGS)])
    with local_history.engine.connect() as db:
        db.execution_options(writes=True)
        with db.begin():
            with local_history.engine.connect() as other:
                other.connection.dbapi_connection.execute("PRAGMA busy_timeout=50")
            with pytest.raises(DataTrouble) as trouble:
                local_history.append(game, "note", {"text": "late"})
    assert trouble.value.reason == "locked"
    assert local_history.append(game, "note", {"text": "now"}).number == 2


def test_times_are_plain_utc(history: History) -> None:
    game = history.begin("game", [("settings", SETTINGS)])
    begun = history.log(game)[1]
    assert isinstance(begun, datetime)
    assert begun.tzinfo is None
