"""`serendipity evaluate`: readings against truth files."""

import csv
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.evaluation import FIELDS, as_table, draw_evaluation, evaluate_photo, photos_in
from calibration.marking import KINDS, confusions, reliability
from companion.cli import main

SAMPLES = Path(__file__).parents[2] / "sample_images"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("easy", "no_board"):
        for ending in (".jpg", ".json"):
            shutil.copy(SAMPLES / f"{name}{ending}", tmp_path)
    return tmp_path


def test_a_row_for_each_photo_with_marks_and_milliseconds(folder, capsys):
    out, picture = folder / "rows.csv", folder / "seen.png"
    assert main(["evaluate", str(folder), "--csv", str(out), "--picture", str(picture)]) == 0
    said = capsys.readouterr().out
    assert "boards read 1 of 1" in said
    assert "tables without a board refused 1 of 1" in said
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["photo"] for row in rows] == ["easy.jpg", "no_board.jpg"]
    assert tuple(rows[0]) == FIELDS
    assert rows[0]["right"] == rows[0]["cells"]
    assert rows[0]["silent"] == "0"
    assert float(rows[0]["ms_faces"]) > 0
    assert rows[1]["status"] == "no-board"
    assert cv2.imread(str(picture)).shape == (620, 1240, 3)


def test_a_wrong_truth_is_counted_as_silently_wrong(folder):
    row = evaluate_photo(folder / "easy.jpg")
    truth = (folder / "easy.json").read_text()
    # Red flowers where backs lie: the reading is right, so against this truth it must come out wrong.
    (folder / "easy.json").write_text(truth.replace('"-"', '"r"'))
    worse = evaluate_photo(folder / "easy.jpg")
    assert row.marks is not None
    assert worse.marks is not None
    covered = truth.count('"-"')
    assert worse.marks.right == row.marks.right - covered
    assert row.marks.silent == 0
    assert worse.marks.silent >= covered - row.marks.asked > 0
    assert f"silently wrong {worse.marks.silent}" in as_table([worse])
    blank = draw_evaluation([row])
    assert (draw_evaluation([worse]) != blank).any()


def test_a_folder_without_photos_or_with_a_broken_truth_gets_one_line(tmp_path, folder, capsys):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no photo"):
        photos_in(tmp_path / "empty")
    assert main(["evaluate", str(tmp_path / "nowhere")]) == 2
    (folder / "easy.json").write_text("{}")
    assert main(["evaluate", str(folder)]) == 2
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "does not tell what lies on a board" in last


def test_reliability_and_confusions_count_every_cell_once():
    random = np.random.default_rng(3)
    sure = [(float(p), bool(random.random() < p)) for p in random.random(500)]
    assert sum(count for _, _, count, _ in reliability(sure)) == 500
    seen = [(str(a), str(b)) for a, b in random.choice(list(KINDS), (400, 2))]
    assert confusions(seen).sum() == 400
