"""Your data leaves with you: exports and backups come back whole, and nothing is overwritten."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from companion.history import History, fold, open_history
from companion.history.backup import opened_backup, restore, save_backup
from companion.history.checking import BadImport
from companion.history.exchange import export, parse, take_in
from engine import Position

SETTINGS = {
    "players": [{"name": "Ada", "colours": ["blue"]}, {"name": "Zoë <script>", "colours": ["red", "violet"]}],
    "rules": {"carpet_choice": "largest"},
}


def picture(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(out, "PNG")
    return out.getvalue()


def play(history: History) -> History:
    """Fill a history with a game, corrections, an undone turn, a note, a deleted snapshot and a photo in two games."""
    photo = history.keep_photo(picture("red"), "image/png", 40, 30)
    other = history.keep_photo(picture("blue"), "image/png", 40, 30)
    one, two = (str(Position.covered().with_faces({0: "b", 1: face})) for face in "rv")
    game = history.begin("game", [("settings", SETTINGS)])
    said = {"player": 0, "steps": "reveal A1 blue, stay", "position": one, "verdict": "legal", "photo": photo.sha256}
    history.append(game, "photo", {"photo": photo.sha256})
    turn = history.append(game, "turn", said)
    history.append(game, "undo", {}, replaces=turn.number)
    history.append(game, "turn", {**said, "position": two})
    history.append(game, "note", {"text": "rain, and cake\nand tea"})
    snapshot = history.begin("snapshot", [("photo", {"photo": photo.sha256})])
    reading = {"status": "ok", "of": 1, "position": one, "unsure": ["A1"], "centres": {"A1": [3.5, 4.25]}}
    history.append(snapshot, "reading", reading)
    correction = {"of": 1, "position": two, "unsure": [], "turned": 2}
    history.append(snapshot, "position", correction, replaces=2)
    gone = history.begin("snapshot", [("photo", {"photo": other.sha256})])
    history.append(gone, "delete", {})
    return history


@pytest.fixture
def played(history: History) -> History:
    return play(history)


def contents(history: History) -> tuple[list[object], dict[str, bytes]]:
    files = {file.name: file.read_bytes() for file in history.shelf.folder.rglob("*.png")}
    return list(history.logs()), files


def exported(history: History, *, with_photos: bool) -> bytes:
    return "".join(export(history, history.logs(), with_photos=with_photos)).encode()


def test_a_backup_comes_back_whole_in_a_clean_folder(played: History, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    assert save_backup(played, file) == (3, 2)
    before = contents(played)
    restore(file, tmp_path / "new" / "data")
    back = open_history(tmp_path / "new" / "data")
    assert contents(back) == before
    assert all(fold(*log) == fold(*old) for log, old in zip(back.logs(), before[0], strict=True))
    assert not list((tmp_path / "new").glob(".restoring*"))
    back.close()


def test_secrets_do_not_leave_with_a_backup(played: History, tmp_path: Path) -> None:
    secret = played.key("table")
    save_backup(played, tmp_path / "backup.zip")
    with zipfile.ZipFile(tmp_path / "backup.zip") as archive:
        inside = b"".join(archive.read(name) for name in archive.namelist())
    assert secret.encode() not in inside
    assert b"rain, and cake" in inside


def test_a_backup_moves_between_databases(played: History, tmp_path: Path, postgresql: str) -> None:
    if played.engine.dialect.name == "postgresql":
        pytest.skip("the way from PostgreSQL to a file is the test above")
    import sqlalchemy as sa

    admin = sa.create_engine(postgresql, isolation_level="AUTOCOMMIT")
    with admin.connect() as db:
        db.execute(sa.text("DROP DATABASE IF EXISTS moved"))
        db.execute(sa.text("CREATE DATABASE moved"))
    admin.dispose()
    address = sa.make_url(postgresql).set(database="moved").render_as_string()
    save_backup(played, tmp_path / "backup.zip")
    restore(tmp_path / "backup.zip", tmp_path / "club", address)
    back = open_history(tmp_path / "club", address)
    assert contents(back) == contents(played)
    game = next(back.logs())[0]
    back.append(game, "note", {"text": "goes on"})
    back.close()
    with pytest.raises(BadImport, match="not-clean"):
        restore(tmp_path / "backup.zip", tmp_path / "club", address)


def test_nothing_is_overwritten(played: History, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    save_backup(played, file)
    whole = file.read_bytes()
    with pytest.raises(BadImport, match="backup-exists"):
        save_backup(played, file)
    with pytest.raises(BadImport, match="not-clean"):
        restore(file, played.folder)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("mine")
    with pytest.raises(BadImport, match="not-clean"):
        restore(file, tmp_path / "other")
    assert file.read_bytes() == whole
    assert [f.name for f in (tmp_path / "other").iterdir()] == ["letter.txt"]


def test_an_export_comes_back_whole(played: History, tmp_path: Path) -> None:
    data = exported(played, with_photos=True)
    other = open_history(tmp_path / "other")
    assert take_in(other, parse(data), None) == {"new": 3, "photos": 2}
    assert contents(other) == contents(played)
    assert take_in(other, parse(data), None) == {"known": 3, "photos": 2}
    game = next(log[0] for log in played.logs() if log[1] == "game")
    other.append(game, "note", {"text": "elsewhere"})
    assert take_in(played, parse(exported(other, with_photos=False)), None) == {"grown": 1, "known": 2, "photos": 0}
    played.append(game, "note", {"text": "here"})
    other.append(game, "note", {"text": "there"})
    assert take_in(played, parse(exported(other, with_photos=False)), None)["different"] == 1
    assert played.log(game)[2][-1].said["text"] == "here"
    other.close()


def spoilt(data: bytes, change) -> bytes:
    document = json.loads(data)
    change(document)
    return json.dumps(document).encode()


def _entries(document, kind):
    return [line for game in document["games"] for line in game["log"] if line["kind"] == kind]


def _entry(document, kind):
    return _entries(document, kind)[0]


SPOILT = {
    "id with a path": lambda d: d["games"][0].update(id="../../../etc/pass"),
    "same id twice": lambda d: d["games"].append(d["games"][0]),
    "unknown kind of game": lambda d: d["games"][0].update(kind="film"),
    "unknown kind of entry": lambda d: d["games"][0]["log"][0].update(kind="dance"),
    "a number left out": lambda d: d["games"][0]["log"][0].update(number=2),
    "replaces itself": lambda d: _entry(d, "undo").update(replaces=4),
    "undoes nothing": lambda d: _entry(d, "undo").pop("replaces"),
    "photo with a path": lambda d: _entry(d, "photo")["said"].update(photo="../../../etc/passwd"),
    "other bytes for a photo": lambda d: d["photos"][0].update(data="iVBORw0KGgo="),
    "no bytes for a photo": lambda d: d["photos"][0].update(data={"a": 1}),
    "not base64": lambda d: d["photos"][0].update(data="<script>"),
    "photo of another kind": lambda d: d["photos"][0].update(media_type="image/svg+xml"),
    "photo of no size": lambda d: d["photos"][0].update(width=-1),
    "name of a mile": lambda d: _entry(d, "settings")["said"]["players"][0].update(name="A" * 5000),
    "name of nothing": lambda d: _entry(d, "settings")["said"]["players"][0].update(name="  "),
    "name with control characters": lambda d: _entry(d, "settings")["said"]["players"][0].update(name="A\x1b[2J\x00"),
    "name that turns text round": lambda d: _entry(d, "settings")["said"]["players"][0].update(name="A\u202egnp.exe"),
    "no such colour": lambda d: _entry(d, "settings")["said"]["players"][0].update(colours=["plaid"]),
    "colour with two owners": lambda d: _entry(d, "settings")["said"]["players"][0].update(colours=["red"]),
    "no such option": lambda d: _entry(d, "settings")["said"]["rules"].update(cheating="on"),
    "no such player": lambda d: [line["said"].update(player=7) for line in _entries(d, "turn")],
    "no such position": lambda d: _entry(d, "turn")["said"].update(position="bbb/"),
    "no such cell": lambda d: _entry(d, "reading")["said"].update(unsure=["Z99"]),
    "a centre far away": lambda d: _entry(d, "reading")["said"].update(centres={"A1": [1e99, 0]}),
    "a reading of nothing": lambda d: _entry(d, "reading")["said"].update(of=77),
    "time runs backwards": lambda d: _entry(d, "note").update(at="2001-01-01T00:00:00"),
    "no time": lambda d: _entry(d, "note").update(at="yesterday"),
    "deep as a well": lambda d: _entry(d, "note")["said"].update(more=[[[[[[[[[[1]]]]]]]]]]),
    "wide as the sea": lambda d: _entry(d, "note")["said"].update(more=list(range(100_000))),
    "note of a novel": lambda d: _entry(d, "note")["said"].update(text="x" * 100_000),
    "games that are none": lambda d: d.update(games=7),
    "log that is none": lambda d: d["games"][0].update(log="none"),
    "said that is none": lambda d: d["games"][0]["log"][0].update(said="none"),
    "a newer form": lambda d: d.update(version=2),
    "another form": lambda d: d.update(format="chess"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    opened = play(open_history(tmp_path_factory.mktemp("whole")))
    data = exported(opened, with_photos=True)
    opened.close()
    return data


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    opened = open_history(tmp_path_factory.mktemp("empty"))
    yield opened
    opened.close()


@pytest.mark.parametrize("change", SPOILT)
def test_a_spoilt_export_is_refused_and_leaves_no_trace(change: str, whole: bytes, empty: History) -> None:
    with pytest.raises(BadImport):
        take_in(empty, parse(spoilt(whole, SPOILT[change])), None)
    assert not empty.heads()
    assert not list(empty.shelf.folder.rglob("*.png"))


def test_a_name_is_kept_as_it_was_typed(whole: bytes, tmp_path: Path) -> None:
    opened = open_history(tmp_path)
    take_in(opened, parse(whole), None)
    names = {player.name for log in opened.logs() for player in fold(*log).players}
    assert names == {"Ada", "Zoë <script>"}
    opened.close()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 100,
        b"[" * 100_000,
        b"{}",
        b"[]",
        b"null",
        b'{"format": NaN}',
        b"\xff\xfe{",
        b"9" * 10_000,
        b'"\\ud800"',
    ],
)
def test_what_is_no_export_is_refused(data: bytes) -> None:
    with pytest.raises(BadImport):
        parse(data)


@settings(max_examples=150, deadline=None)
@given(at=st.integers(0, 10**6), noise=st.binary(min_size=1, max_size=8), cut=st.booleans())
def test_damage_anywhere_is_refused_or_harmless(whole: bytes, at: int, noise: bytes, cut: bool) -> None:
    at %= len(whole)
    data = whole[:at] if cut else whole[:at] + noise + whole[at + len(noise) :]
    with suppress(BadImport):
        for log in parse(data).games:
            fold(*log)


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("backup")
    opened = play(open_history(folder / "data"))
    save_backup(opened, folder / "backup.zip")
    opened.close()
    return (folder / "backup.zip").read_bytes()


@settings(max_examples=40, deadline=None)
@given(at=st.integers(0, 10**6), noise=st.binary(min_size=1, max_size=8), cut=st.booleans())
def test_a_damaged_backup_is_refused_or_harmless(backup: bytes, at: int, noise: bytes, cut: bool) -> None:
    at %= len(backup)
    data = backup[:at] if cut else backup[:at] + noise + backup[at + len(noise) :]
    with suppress(BadImport), opened_backup(io.BytesIO(data)) as found:
        for photo in found.photos.values():
            photo.load()


def packed(**members: bytes) -> io.BytesIO:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return out


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW evil AS SELECT 1",
        "CREATE TRIGGER evil AFTER INSERT ON games BEGIN DELETE FROM photos; END",
        "CREATE TABLE evil (x)",
        "DROP TRIGGER entries_are_kept",
    ],
)
def test_a_backup_with_a_made_up_database_is_refused(backup: bytes, statement: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(backup)) as archive:
        manifest = archive.read("backup.json")
        (tmp_path / "x.sqlite").write_bytes(archive.read("history.sqlite"))
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute(statement)
        database.commit()
    made_up = packed(backup_json=manifest, history_sqlite=(tmp_path / "x.sqlite").read_bytes())
    with pytest.raises(BadImport), opened_backup(made_up):
        pass


@pytest.mark.parametrize("name", ["x.txt", "missing.zip"])
def test_what_is_no_backup_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a letter")
    with pytest.raises(BadImport):
        restore(tmp_path / name, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_rows_that_fit_no_table_are_refused() -> None:
    manifest = json.dumps({"format": "serendipity backup", "version": 1, "schema": "0002"}).encode()
    for row in ({"table": "keys", "row": {}}, {"table": "games", "row": {"id": 1, "more": 2}}, {"table": "x"}, [], 7):
        with pytest.raises(BadImport), opened_backup(packed(backup_json=manifest, rows_jsonl=json.dumps(row).encode())):
            pass
