"""History is never rewritten: the databases themselves refuse it, and only a game deleted long ago is forgotten."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.history import History, fold, open_history
from companion.history.sweeping import forget, sweep
from engine import GAMES

SETTINGS = {"players": [{"name": "Ada", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}]}


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 1, 20, 0)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def kept(tmp_path: Path, database: str | None, clock: Clock) -> Iterator[History]:
    opened = open_history(tmp_path / "data", database, clock)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entries SET said = '{}'",
        "UPDATE entries SET replaces = 1",
        "UPDATE entries SET number = number + 100",
        "DELETE FROM entries",
        "DELETE FROM entries WHERE number = 2",
        "UPDATE games SET kind = 'snapshot'",
        "DELETE FROM games",
        "INSERT INTO forgotten SELECT id, '2099-01-01 00:00:00' FROM games",
    ],
)
def test_the_database_refuses(kept: History, statement: str) -> None:
    game = kept.begin("game", [("settings", SETTINGS)])
    kept.append(game, "note", {"text": "stays"})
    before = kept.log(game)
    with (
        pytest.raises(sa.exc.DBAPIError, match=r"never rewritten|30 days ago|FOREIGN KEY"),
        kept.engine.connect() as db,
        db.begin(),
    ):
        db.execute(sa.text(statement))
    assert kept.log(game) == before


def test_postgresql_cannot_be_emptied(kept: History) -> None:
    if kept.engine.dialect.name != "postgresql":
        return  # SQLite has no such statement
    game = kept.begin("game", [("settings", SETTINGS)])
    with pytest.raises(sa.exc.DBAPIError, match="never rewritten"), kept.engine.begin() as db:
        db.execute(sa.text("TRUNCATE entries"))
    assert kept.last_number(game) == 1


def test_a_deleted_game_is_forgotten_after_thirty_days_and_not_before(kept: History, clock: Clock) -> None:
    photo = kept.keep_photo(b"\xff\xd8\xff1", "image/jpeg", 4, 3)
    shared = kept.keep_photo(b"\xff\xd8\xff2", "image/jpeg", 4, 3)
    stays = kept.begin("snapshot", [("photo", {"photo": shared.sha256})])
    game = kept.begin("game", [("settings", SETTINGS), ("photo", {"photo": photo.sha256})])
    kept.append(game, "photo", {"photo": shared.sha256})
    kept.append_reading(game, 2, {"status": "ok"}, photo.sha256, "r")
    kept.append(game, "delete", {})
    clock.now += timedelta(days=29, hours=23)
    with pytest.raises(sa.exc.DBAPIError, match="30 days ago"):
        forget(kept, game)
    assert sweep(kept) == (0, 0)
    clock.now += timedelta(hours=1)
    assert sweep(kept) == (1, 1)
    with pytest.raises(KeyError):
        kept.log(game)
    assert not kept.photo_path(photo).exists()
    assert kept.find_photo(photo.sha256) is None
    assert kept.photo_path(shared).exists()
    assert kept.last_number(stays) == 1
    assert sweep(kept) == (0, 0)


def test_a_restored_game_is_never_forgotten(kept: History, clock: Clock) -> None:
    game = kept.begin("game", [("settings", SETTINGS)])
    kept.append(game, "delete", {})
    kept.append(game, "restore", {})
    clock.now += timedelta(days=400)
    assert sweep(kept) == (0, 0)
    with pytest.raises(sa.exc.DBAPIError, match="30 days ago"):
        forget(kept, game)
    assert fold(game, *kept.log(game)).deleted is None


def test_a_photo_sent_again_is_not_swept_away(kept: History, clock: Clock) -> None:
    kept.keep_photo(b"\xff\xd8\xff1", "image/jpeg", 4, 3)
    clock.now += timedelta(days=3)
    again = kept.keep_photo(b"\xff\xd8\xff1", "image/jpeg", 4, 3)
    assert sweep(kept) == (0, 0)
    assert kept.photo_path(again).exists()
    clock.now += timedelta(days=3)
    assert sweep(kept) == (0, 1)


def test_a_note_is_corrected_by_a_new_entry(kept: History) -> None:
    game = kept.begin("game", [("settings", SETTINGS)])
    first = kept.append(game, "note", {"text": "rian"})
    kept.append(game, "note", {"text": "cake"})
    kept.append(game, "note", {"text": "rain"}, replaces=first.number)
    assert [note.text for note in fold(game, *kept.log(game)).notes] == ["cake", "rain"]
    assert len(kept.log(game)[2]) == 4


@pytest.mark.parametrize("plays", GAMES)
def test_playing_the_log_again_gives_every_stored_board(kept: History, plays: str) -> None:
    rules = GAMES[plays]
    players = [{"name": name, "colours": [seat]} for name, seat in zip(("Ada", "Bo"), rules.seats, strict=False)]
    table = rules.seated([(player["name"], player["colours"]) for player in players], {})
    turns = list(islice(rules.practice(table, 7), 40))
    first = str(turns[0][0].position)
    game = kept.begin("game", [("settings", {"game": plays, "players": players, "first": first})])
    for before, steps in turns:
        after = rules.play(before, steps)
        said = {"player": before.seat, "steps": steps, "position": str(after.position), "verdict": "legal"}
        last = kept.append(game, "turn", {**said, "next": rules.next_turn(after).seat if after.ended_by else 0})
    kept.append(game, "undo", {}, replaces=last.number)
    state = fold(game, *kept.log(game))
    position = state.first
    for turn in state.turns:
        position = str(rules.play(rules.at(state.table, position, turn.player), turn.steps).position)
        assert position == turn.position
    assert position == state.position
    assert len(state.turns) == len(turns) - 1
