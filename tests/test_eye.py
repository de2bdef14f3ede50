"""The eye on whole photos: the sample images, and drawn boards of art that nothing is tuned on."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine import board_of
from engine.position import EMPTY, Position
from tests.drawer import Wish, draw_photo
from tests.truth import load_truth, marked, truth_of
from vision import PhotoError, Reading, find_grid, read_photo
from vision.lattice import fit_lattice, places

SAMPLES = sorted((Path(__file__).parents[1] / "sample_images").glob("*.jpg"))


def jpeg(image: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_image_is_read_without_a_silent_error(path):
    truth, reading = load_truth(path), read_photo(path.read_bytes())
    if set(truth.position.faces) == {EMPTY}:
        assert reading.status == "no-board"
        return
    marks = marked(reading, truth)
    assert marks.silent == 0
    assert marks.right >= 0.97 * marks.cells
    assert marks.off < 0.12


def test_reading_the_same_photo_twice_gives_the_same_answer():
    data = SAMPLES[0].read_bytes()
    first, second = read_photo(data), read_photo(data)
    assert (first.cells, first.unsure, first.centres) == (second.cells, second.unsure, second.centres)


def test_a_kept_reading_comes_back_as_it_was():
    reading = read_photo(next(path for path in SAMPLES if path.stem == "hand").read_bytes())
    back = Reading.from_json(json.loads(json.dumps(reading.to_kept())))
    assert (back.position, back.unsure, back.ring) == (reading.position, reading.unsure, reading.ring)
    assert back.message == reading.message
    assert reading.unsure
    for name in reading.unsure:
        assert back.cells[name].chances == pytest.approx(reading.cells[name].chances, abs=1e-6)
    refused = read_photo(b"no photo")
    assert Reading.from_json(refused.to_kept()).message == refused.message


def test_a_photo_turned_by_its_exif_or_upside_down_reads_the_same():
    image = cv2.imread(str(SAMPLES[0]))
    upright = read_photo(jpeg(image))
    turned = read_photo(jpeg(np.ascontiguousarray(image[::-1, ::-1])))
    same = [turned.position.turned(k) for k in range(6)]
    assert max(sum(a == b for a, b in zip(p.faces, upright.position.faces, strict=True)) for p in same) >= 90


def test_drawn_boards_of_unknown_art_are_read_or_refused_but_never_silently_wrong():
    read = []
    for seed in range(6_000_000, 6_000_010):
        drawing = draw_photo(seed, Wish(held=True, harsh=0.0, tilt=15.0, cut=False, hand=False, fill=0.85))
        reading = read_photo(jpeg(drawing.image))
        if reading.cells:
            read.append(marked(reading, truth_of(drawing)))
    assert len(read) >= 7
    assert sum(marks.silent for marks in read) == 0
    assert sum(marks.right for marks in read) >= 0.95 * sum(marks.cells for marks in read)


@pytest.mark.parametrize("edge", [4, 5, 8])
def test_boards_of_another_size_are_not_taken_for_this_one(edge):
    for seed in range(6_100_000, 6_100_003):
        drawing = draw_photo(seed, Wish(edge=edge, harsh=0.0, tilt=10.0, cut=False, hand=False, fill=0.8))
        with pytest.raises(PhotoError):
            find_grid(drawing.image)


def test_tables_without_a_board_are_refused():
    for seed in range(6_200_000, 6_200_010):
        assert read_photo(jpeg(draw_photo(seed, Wish(board=False)).image)).status == "no-board"


def test_a_dark_photo_is_refused_with_advice():
    image = (cv2.imread(str(SAMPLES[0])) * 0.06).astype(np.uint8)
    assert read_photo(jpeg(image)).message.key == "too-dark"


def test_a_lattice_is_fitted_back_from_its_own_points():
    drawing = draw_photo(3, Wish(harsh=0.0, cut=False))
    lattice = fit_lattice(places(6), drawing.centres, drawing.image.shape)
    off = np.linalg.norm(lattice.project(places(6)) - drawing.centres, axis=1)
    assert off.max() < 0.08 * np.median(lattice.tile_size(places(6)))
    for turns in range(6):
        names = list(board_of(6).turns[-turns % 6])
        np.testing.assert_allclose(
            lattice.turned(turns).project(places(6)), lattice.project(places(6))[names], atol=1e-6
        )


def test_the_drawer_draws_the_same_photo_from_the_same_seed():
    assert np.array_equal(draw_photo(11).image, draw_photo(11).image)
    assert isinstance(draw_photo(11).position, Position)
