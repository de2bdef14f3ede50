"""A full disk, a read-only folder, a locked or damaged database: a clear sentence each, and nothing is lost."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from PIL import Image

from companion.app import create_app
from companion.cli import main
from companion.history import DataTrouble, History, fold, open_history
from companion.phrases import TROUBLES
from tests.table import KnowingReader, drawn_photo, finished_position

OWN = {"Origin": "http://localhost"}
SETTINGS = {"players": [{"name": "Ada", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}]}


class Disk:
    """A small disk of its own that can fill up and be write-protected."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._mount("-t", "tmpfs", "-o", "size=1M", "tmpfs")

    def _mount(self, *words: str) -> None:
        subprocess.run(["mount", *words, str(self.folder)], check=True, capture_output=True)

    def protect(self) -> None:
        self._mount("-o", "remount,ro")

    def grow(self) -> None:
        self._mount("-o", "remount,size=8M")

    def remove(self) -> None:
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    try:
        mounted = Disk(tmp_path / "disk")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a disk of one's own needs the right to mount it; the tests below pretend one")
    yield mounted
    mounted.remove()


def page(history: History) -> tuple[Flask, KnowingReader]:
    reader = KnowingReader()
    return create_app(history=history, reader=reader), reader


def fill(history: History, game: str) -> int:
    """Write notes until there is no more room; return how many were acknowledged."""
    for kept in range(2000):
        try:
            history.append(game, "note", {"text": str(kept) * 500})
        except DataTrouble as trouble:
            assert trouble.reason == "full"  # noqa: PT017 - how many were kept before is what the tests ask
            return kept
    raise AssertionError("there was always room")


def noise(side: int) -> bytes:
    out = io.BytesIO()
    Image.effect_noise((side, side), 90).convert("RGB").save(out, "PNG")
    return out.getvalue()


def test_a_disk_that_fills_up_loses_nothing(disk: Disk) -> None:
    history = open_history(disk.folder)
    game = history.begin("game", [("settings", SETTINGS)])
    kept = fill(history, game)
    assert kept > 10
    app, reader = page(history)
    position = finished_position()
    photo = reader.learn(drawn_photo(position), position)
    answer = app.test_client().post("/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    assert answer.status_code == 507
    assert TROUBLES["full"] in answer.text
    answer = app.test_client().post(f"/history/{game}/notes", data={"text": "x" * 3900}, headers=OWN)
    assert answer.status_code == 507
    assert app.test_client().get(f"/history/{game}").status_code == 200
    with pytest.raises(DataTrouble, match="full"):
        history.keep_photo(noise(700), "image/png", 700, 700)
    assert not list(history.shelf.folder.rglob("*.png"))
    history.close()
    disk.grow()
    again = open_history(disk.folder)
    with again.engine.connect() as db:
        assert db.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    notes = fold(game, *again.log(game)).notes
    assert [note.text for note in notes] == [str(n) * 500 for n in range(kept)]
    again.append(game, "note", {"text": "there is room again"})
    again.close()


def test_a_write_protected_disk_can_be_looked_at(disk: Disk, capsys: pytest.CaptureFixture[str]) -> None:
    history = open_history(disk.folder)
    game = history.begin("game", [("settings", SETTINGS)])
    history.engine.dispose()  # a disk in use cannot be protected
    disk.protect()
    with pytest.raises(DataTrouble) as trouble:
        history.append(game, "note", {"text": "x"})
    assert trouble.value.reason == "read-only"
    app, _ = page(history)
    answer = app.test_client().post(f"/history/{game}/notes", data={"text": "x"}, headers=OWN)
    assert answer.status_code == 503
    assert TROUBLES["read-only"] in answer.text
    assert app.test_client().get("/history").status_code == 200
    assert fold(game, *history.log(game)).notes == ()
    history.close()
    assert main(["history", "--data", str(disk.folder / "new")]) == 2
    assert capsys.readouterr().err == f"serendipity: {TROUBLES['read-only']}\n"


def test_a_database_that_may_not_grow_is_a_full_disk(local_history: History) -> None:
    game = local_history.begin("game", [("settings", SETTINGS)])

    @sa.event.listens_for(local_history.engine, "connect")
    def limit(connection, _record) -> None:
        connection.execute("PRAGMA max_page_count=30")

    local_history.engine.dispose()
    kept = fill(local_history, game)
    assert len(fold(game, *local_history.log(game)).notes) == kept


def test_a_photo_that_does_not_fit_leaves_nothing_behind(
    local_history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataTrouble, match="full"):
        local_history.keep_photo(b"\xff\xd8\xff1", "image/jpeg", 4, 3)
    monkeypatch.undo()
    assert [file for file in local_history.shelf.folder.rglob("*") if file.is_file()] == []
    assert local_history.keep_photo(b"\xff\xd8\xff1", "image/jpeg", 4, 3).size == 4


def test_a_backup_onto_a_full_disk_leaves_no_half_file(disk: Disk, tmp_path: Path) -> None:
    from companion.history.backup import save_backup

    history = open_history(tmp_path / "data")
    history.begin("snapshot", [("photo", {"photo": history.keep_photo(noise(900), "image/png", 900, 900).sha256})])
    with pytest.raises(DataTrouble, match="full"):
        save_backup(history, disk.folder / "b.zip")
    assert list(disk.folder.iterdir()) == []
    history.close()


def test_a_locked_database_is_a_sentence_and_then_goes_on(tmp_path: Path) -> None:
    history = open_history(tmp_path)
    game = history.begin("game", [("settings", SETTINGS)])
    app, _ = page(history)
    hold = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1], isolation_level=None); d.execute('BEGIN EXCLUSIVE')"
    command = [sys.executable, "-c", hold + "; print('held', flush=True); input()", str(tmp_path / "history.sqlite")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        answer = app.test_client().post(f"/history/{game}/notes", data={"text": "x"}, headers=OWN)
        assert answer.status_code == 503
        assert TROUBLES["locked"] in answer.text
        other.communicate("\n")
    assert app.test_client().post(f"/history/{game}/notes", data={"text": "x"}, headers=OWN).status_code == 303
    history.close()


@pytest.mark.parametrize("where", [0, 30, 4096 + 8, 3 * 4096 + 3])
def test_a_damaged_file_is_named_and_left_as_it_is(
    tmp_path: Path, where: int, capsys: pytest.CaptureFixture[str]
) -> None:
    history = open_history(tmp_path)
    for _ in range(40):
        history.begin("game", [("settings", SETTINGS)])
    history.close()
    file = tmp_path / "history.sqlite"
    data = bytearray(file.read_bytes())
    data[where : where + 60] = b"\xa5" * 60
    file.write_bytes(data)
    for command in (["history"], ["backup", str(tmp_path / "b.zip")], ["serve", "--port", "0"]):
        assert main([*command, "--data", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert said == f"serendipity: {TROUBLES['corrupt']}\n", said
    assert file.read_bytes() == data
    assert not (tmp_path / "b.zip").exists()


def test_a_file_damaged_while_it_is_open_is_a_sentence(local_history: History) -> None:
    game = local_history.begin("game", [("settings", SETTINGS)])
    app, _ = page(local_history)
    local_history.engine.dispose()
    file = local_history.folder / "history.sqlite"
    whole = file.read_bytes()
    file.write_bytes(b"\xa5" * len(whole))
    answer = app.test_client().get(f"/history/{game}")
    assert answer.status_code == 503
    assert TROUBLES["corrupt"] in answer.text
    local_history.engine.dispose()
    file.write_bytes(whole)
    assert app.test_client().get(f"/history/{game}").status_code == 200
