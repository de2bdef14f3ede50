"""`serendipity read`: order, exit status, one line of JSON a photo, overlays, and bad files among good ones."""

import io
import json
import time
from pathlib import Path
from typing import Any

import cv2
import pytest
from PIL import Image

import vision
from companion import cli
from companion.commands import photos
from companion.commands.photos import Task, overlay_names
from engine import Position, board_of
from vision import CellReading, PhotoError, Reading, Reason, open_photo

POSITION = (
    "....../..r..../bb....../...(bvroyg)...../........../..........g/.........?/......._./......../......./......"
)


def reading_of(text: str, unsure: tuple[str, ...] = (), size: int = 600) -> Reading:
    position = Position.parse(text)
    cells = {
        name: CellReading(face, 0.0 if face == "?" else 0.6 if name in unsure else 0.9999, "?" if face == "?" else "o")
        for name, face in zip(position.board.names, position.faces, strict=True)
    }
    step = size / 14
    centres = {
        name: (size / 2 + step * (q + r / 2), size / 2 + step * r * 0.866)
        for name, (q, r) in zip(position.board.names, position.board.cells, strict=True)
    }
    return Reading.of(cells, unsure, centres, "bvroyg", {"open": 1.25})


# Stands in for vision.read_photo: a photo is told by its camera's name, so that only the command is on trial.
# When the real one is there, `test_the_real_reader` below takes its place for whole photos.
def told_by_the_camera(data: bytes, profile: object = None) -> Reading:
    try:
        photo = open_photo(data)
    except PhotoError as refusal:
        return Reading.refused("bad-file", refusal.reason, {})
    if photo.camera == "no board":
        return Reading.refused("no-board", Reason("no-board"), {"open": 1.0})
    return reading_of(POSITION.replace("?", "."), ("C1",) if photo.camera == "unsure" else ())


def slow_first(task: Task) -> Reading:
    time.sleep(0.5 if "first" in task.photo else 0)
    return told_by_the_camera(Path(task.photo).read_bytes())


def table(path: Path, camera: str = "sure") -> str:
    exif = Image.Exif()
    exif[0x0110] = camera
    file = io.BytesIO()
    image = Image.linear_gradient("L").resize((600, 600))
    Image.merge("RGB", (image, image.rotate(90), image.rotate(180))).save(file, "JPEG", exif=exif.tobytes())
    path.write_bytes(file.getvalue())
    return str(path)


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vision, "read_photo", told_by_the_camera, raising=False)


def test_exit_codes_are_those_of_the_command_line() -> None:
    assert (photos.DONE, photos.NEEDS_AN_EYE, photos.UNREADABLE) == (cli.DONE, cli.NEEDS_AN_EYE, cli.UNREADABLE)


@pytest.mark.parametrize(
    ("camera", "status", "code"), [("sure", "ok", 0), ("unsure", "unsure", 3), ("no board", "no-board", 4)]
)
def test_one_photo(camera: str, status: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", "--json", table(tmp_path / "a.jpg", camera)]) == code
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == status
    assert answer["photo"].endswith("a.jpg")
    assert answer["message"]
    if code == 4:
        assert answer["cells"] == answer["centres"] == {}
        assert answer["position"] == ""
    else:
        assert Position.parse(answer["position"])["C1"] == "b"
        assert list(answer["cells"]) == list(board_of(6).names)
        assert answer["cells"]["D4"] == {"face": "serendip:bvroyg", "confidence": 0.9999, "runner_up": "orange"}
        assert answer["unsure"] == (["C1"] if code == 3 else [])


def test_json_of_a_reading_is_the_contract() -> None:
    answer = json.loads(json.dumps(reading_of(POSITION, ("C1",)).to_json("x.jpg")))
    assert list(answer) == ["photo", "status", "message", "position", "ring", "cells", "unsure", "centres", "ms"]
    assert answer["position"] == POSITION
    assert answer["unsure"] == ["C1", "G10"]
    faces = {cell["face"] for cell in answer["cells"].values()}
    assert faces == {"covered", "red", "blue", "serendip:bvroyg", "green", "unknown", "empty"}
    assert answer["centres"]["F6"] == [300.0, 300.0]


def test_a_reading_cannot_vouch_for_what_it_does_not_know() -> None:
    cells = dict(reading_of(POSITION).cells)
    with pytest.raises(ValueError, match="must be unsure: G10"):
        Reading("ok", Reason("read", {"cells": 91}), 6, cells)
    with pytest.raises(ValueError, match="every cell"):
        Reading("ok", Reason("read", {"cells": 91}))
    with pytest.raises(ValueError, match="confidence"):
        CellReading("b", 1.2)
    with pytest.raises(ValueError, match="no face"):
        CellReading("x", 0.5)


def test_a_batch_keeps_its_order_and_survives_bad_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photos, "read_one", slow_first)
    (tmp_path / "notes.jpg").write_text("not a photo")
    names = [table(tmp_path / "first.jpg"), str(tmp_path / "notes.jpg"), table(tmp_path / "last.jpg", "unsure")]
    assert cli.main(["read", "--json", *names]) == 4
    out, err = capsys.readouterr()
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["photo"] for answer in answers] == names
    assert [answer["status"] for answer in answers] == ["ok", "bad-file", "unsure"]
    assert len(err.splitlines()) == 3


def test_missing_files_and_folders_are_bad_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path / "none.jpg", tmp_path):
        assert cli.main(["read", "--json", str(path)]) == 4
        answer = json.loads(capsys.readouterr().out)
        assert answer["status"] == "bad-file"
        assert answer["message"].startswith("The file cannot be opened: ")


def test_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", table(tmp_path / "a.jpg", "unsure")]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("a.jpg: 1 of 91 tiles need your eye.")
    assert lines[1] == "  A      . . . . . ."
    assert lines[3] == "  C    b!b . . . . . ."
    assert lines[4] == "  D   . . . * . . . . ."
    assert lines[-2:] == ["  * Serendips: D4 bvroyg", "  ! C1: blue (60%), or else orange"]


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_overlay(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{suffix}"
    assert cli.main(["read", table(tmp_path / "a.jpg", "unsure"), "--overlay", str(out)]) == 3
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert max(drawn.shape) >= 1600


def test_overlay_shows_the_face_the_petals_and_the_question(tmp_path: Path) -> None:
    from vision.overlay import PAINT, draw_overlay

    photo = open_photo(Path(table(tmp_path / "a.jpg")).read_bytes())

    def painted(reading: Reading, letter: str) -> int:
        drawn = draw_overlay(photo, reading)
        return int((abs(drawn.astype(int) - PAINT[letter]).max(axis=2) < 6).sum())

    covered = "/".join("." * n for n in (6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6))
    blank = reading_of(covered)
    for letter in PAINT:
        flower, serendip = covered.replace(".", letter, 1), covered.replace(".", "(bvroyg)", 1)
        assert painted(reading_of(flower), letter) > painted(reading_of(serendip), letter) + 300
        assert painted(reading_of(serendip), letter) > painted(blank, letter) + 100
    sure, asked = draw_overlay(photo, blank), draw_overlay(photo, reading_of(covered, ("F6",)))
    caption = sure.shape[0] - round(sure.shape[1] / 20)
    assert (sure[:caption] != asked[:caption]).any(axis=2).sum() > 5000
    refused = Reading.refused("no-board", Reason("no-board"), {})
    assert draw_overlay(photo, refused).shape[1] == 1600


@pytest.mark.parametrize(
    ("pattern", "names", "complaint"),
    [
        ("out.gif", ["a.jpg"], "written as"),
        ("{name}.jpg", ["x/a.jpg", "y/a.jpg"], "same name"),
        ("a.jpg", ["a.jpg"], "replace the photo"),
        ("nowhere/out.jpg", ["a.jpg"], "no folder"),
    ],
)
def test_overlays_that_cannot_be(pattern: str, names: list[str], complaint: str, capsys: Any) -> None:
    with pytest.raises(ValueError, match=complaint):
        overlay_names(pattern, names)
    assert cli.main(["read", *names, "--overlay", pattern]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
