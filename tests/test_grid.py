"""Finding the board: lattices through marks, the look at the flat view, and what is refused with which advice."""

import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine import board_of
from tests.drawer import Drawing, Wish, draw_photo
from tests.drawer.others import PRINTED
from vision import PhotoError, find_grid, open_photo, read_photo
from vision.flat import look_at
from vision.glance import Levels
from vision.grid import Grid, pull_lattice
from vision.lattice import Lattice, fit_lattice, places, pulled_lattice
from vision.outline import outline_map
from vision.search import begin, best_place, flipped, grow, project

SAMPLES = sorted((Path(__file__).parents[1] / "sample_images").glob("*.jpg"))
CALM = {"harsh": 0.0, "cut": False, "hand": False, "size": (800, 600)}


def worst_off(grid: Grid, drawing: Drawing) -> float:
    """Return how far the worst centre in view is off, in tiles, in the naming that fits best."""
    tile = np.linalg.norm(drawing.centres[len(drawing.centres) // 2] - drawing.centres[len(drawing.centres) // 2 + 1])
    seen = [i for i in range(len(drawing.centres)) if i not in drawing.hidden]
    turns = board_of(grid.edge).turns
    off = [np.linalg.norm(grid.points[list(there)] - drawing.centres, axis=1)[seen].max() for there in turns]
    return float(min(off) / tile)


def seen_from(seed: int, tilt: float, size: float = 9.0) -> np.ndarray:
    """Return a homography from board coordinates to the pixels of a 192 x 144 heat."""
    random = np.random.default_rng(seed)
    turn = random.uniform(0, 2 * np.pi)
    c, s = np.cos(turn), np.sin(turn)
    flat = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    lean = np.sin(np.radians(tilt)) / 16
    view = np.array([[size, 0, 96], [0, size * np.cos(np.radians(tilt)), 72], [0, 0, 1]])
    return view @ np.array([[1, 0, 0], [0, 1, 0], [0, -lean, 1]]) @ flat


def heat_of(marks: np.ndarray) -> np.ndarray:
    y, x = np.mgrid[0:144, 0:192]
    heat = np.zeros((144, 192), np.float32)
    for mark in marks:
        np.maximum(heat, np.exp(-((x - mark[0]) ** 2 + (y - mark[1]) ** 2) / 2.5), out=heat, casting="unsafe")
    return heat


@pytest.mark.parametrize("tilt", [0, 30, 50, 60])
def test_a_board_is_found_in_its_marks_with_some_missing_and_some_false(tilt):
    for seed in range(3):
        truth = seen_from(seed, tilt)
        random = np.random.default_rng(seed)
        marks = project(truth[None], places(6))[0] + random.normal(0, 0.15, (91, 2))
        shown = np.concatenate([marks[random.random(91) > 0.1], random.uniform(0, 140, (8, 2))])
        heat = heat_of(shown)
        maps, count = grow(begin(shown, heat), shown, (192, 144))
        maps = flipped(maps[np.argsort(-count)[:2]])
        worth, lead, step = best_place(heat, maps, 6)
        best = int(worth.argmax())
        found = Lattice(maps[best], 0.0, (96.0, 72.0), 120.0).shifted(step[best]).project(places(6))
        off = np.linalg.norm(found[:, None] - marks[None], axis=2).min(1)
        assert off.max() < 2.5
        assert lead[best] > 3


def test_a_lattice_is_pulled_back_by_what_lies_beside_it_though_some_of_it_is_wrong():
    truth = fit_lattice(places(6), draw_photo(5, Wish(**CALM)).centres, (600, 800))
    wrong = truth.shifted(np.array([0.15, -0.1]))
    beside = np.tile([-0.15, 0.1], (91, 1))
    beside[::11] += 0.3
    found = pulled_lattice(wrong, places(6), beside, np.ones(91))
    off = np.linalg.norm(found.project(places(6)) - truth.project(places(6)), axis=1) / truth.tile_size(places(6))
    assert off.max() < 0.06


def test_the_flat_view_tells_how_far_a_lattice_is_off_and_where_the_board_ends():
    drawing = draw_photo(6_000_021, Wish(held=True, tilt=30, **CALM))
    truth = fit_lattice(places(6), drawing.centres, drawing.image.shape)
    size = float(np.median(truth.tile_size(places(6))))
    look = look_at(Levels(drawing.image), truth.shifted(np.array([0.12, 0.1])), size)
    inner = [board_of(7).index_of[cell] for cell in board_of(6).cells]
    ring = sorted(set(range(127)) - set(inner))
    assert np.median(np.linalg.norm(look.beside[inner] + [0.12, 0.1], axis=1)) < 0.06
    assert (look.chance[inner] > 0.5).mean() > 0.9
    assert (look.chance[ring][look.inside[ring]] < 0.5).mean() > 0.9


def test_a_lattice_laid_roughly_is_pulled_to_the_tiles():
    drawing = draw_photo(6_000_022, Wish(held=True, tilt=20, **CALM))
    truth = fit_lattice(places(6), drawing.centres, drawing.image.shape)
    pulled = pull_lattice(drawing.image, truth.shifted(np.array([0.2, 0.1])))
    assert worst_off(Grid(6, pulled, np.ones(91), 0.0), drawing) < 0.12


@pytest.mark.parametrize("tilt", [0.0, 35.0, 55.0])
def test_drawn_boards_are_found_within_twelve_hundredths_of_a_tile(tilt):
    found = []
    for seed in range(6_300_000, 6_300_006):
        drawing = draw_photo(seed, Wish(held=True, tilt=tilt, fill=0.8, **CALM))
        try:
            found.append(worst_off(find_grid(drawing.image), drawing))
        except PhotoError:
            continue
    assert len(found) >= 5
    assert max(found) < 0.2
    assert sum(off < 0.12 for off in found) >= len(found) - 1


def test_the_rosette_is_found_and_no_board_takes_the_other_for_itself():
    for seed in range(6_400_000, 6_400_003):
        rosette = draw_photo(seed, Wish(edge=3, fill=0.6, tilt=20, **CALM))
        assert worst_off(find_grid(rosette.image, edge=3), rosette) < 0.12
        with pytest.raises(PhotoError):
            find_grid(rosette.image)
        board = draw_photo(seed, Wish(fill=0.8, tilt=20, **CALM))
        with pytest.raises(PhotoError):
            find_grid(board.image, edge=3)


@pytest.mark.parametrize(("seed", "held"), [(9_500_192, True), (9_600_157, False)], ids=["frame", "hand"])
def test_a_board_is_found_though_the_frame_cuts_a_corner_off_or_a_hand_hides_some(seed, held):
    drawing = draw_photo(seed, Wish(held=held))
    assert 75 <= 91 - len(drawing.hidden) <= 84
    assert worst_off(find_grid(drawing.image), drawing) < 0.12


@pytest.mark.parametrize("game", [*PRINTED, "heap", "box", "half", "blob"])
def test_other_games_heaps_and_other_outlines_are_no_board(game):
    for seed in range(6_500_000, 6_500_003):
        drawing = draw_photo(seed, Wish(board=False, game=game, size=(800, 600)))
        with pytest.raises(PhotoError):
            find_grid(drawing.image)


def jpeg(image: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()


@pytest.mark.parametrize("seed", [9_300_056, 9_300_116])
def test_rings_whose_empty_middle_is_told_from_tiles_are_refused(seed):
    drawing = draw_photo(seed, Wish(board=False, game="ring", held=True, size=(800, 600)))
    assert read_photo(jpeg(drawing.image)).status == "no-board"


def test_refusals_say_what_to_do():
    image = cv2.imread(str(SAMPLES[0]))
    height, width = image.shape[:2]
    far = np.full((600, 800, 3), (70, 90, 110), np.uint8)
    far[200:305, 300:440] = cv2.resize(image, (140, 105), interpolation=cv2.INTER_AREA)
    told = {
        "too-dark": (image * 0.06).astype(np.uint8),
        "too-bright": np.clip(image * 0.02 + 248, 0, 255).astype(np.uint8),
        "too-blurred": cv2.GaussianBlur(image, (0, 0), 30),
        "cut-off": np.ascontiguousarray(
            image[height // 2 - 300 : height // 2 + 300, width // 2 - 400 : width // 2 + 400]
        ),
        "too-far": far,
    }
    got = {key: read_photo(jpeg(picture)).message.key for key, picture in told.items()}
    assert got == {key: key for key in told}


def test_a_small_board_in_a_large_photo_is_opened_again_at_a_larger_size():
    drawing = draw_photo(6_600_000, Wish(harsh=0.0, cut=False, hand=False, tilt=10, fill=0.35, size=(3200, 2400)))
    reading = read_photo(jpeg(drawing.image))
    off = [
        np.linalg.norm(np.array(list(reading.centres.values()))[list(t)] - drawing.centres, axis=1).max()
        for t in board_of(6).turns
    ]
    assert min(off) / np.linalg.norm(drawing.centres[45] - drawing.centres[46]) < 0.12


def test_a_finer_picture_has_more_pixels_but_not_more_than_the_photo():
    data = jpeg(np.random.default_rng(0).integers(0, 255, (1500, 2000, 3)).astype(np.uint8))
    assert [open_photo(data, finer).image.shape[1] for finer in (1, 2, 4)] == [1000, 2000, 2000]


MEASURE = """
import sys
from vision import read_photo
read_photo(open(sys.argv[1], "rb").read())
print(next(int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is told by Linux only")
@pytest.mark.parametrize(("megapixels", "most"), [(12, 400), (60, 1000)])
def test_reading_stays_within_its_memory(tmp_path, megapixels, most):
    image = cv2.imread(str(SAMPLES[0]))
    grown = np.sqrt(megapixels * 0.99e6 / (image.shape[0] * image.shape[1]))
    path = tmp_path / "large.jpg"
    cv2.imwrite(str(path), cv2.resize(image, None, fx=grown, fy=grown, interpolation=cv2.INTER_NEAREST))
    run = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    assert int(run.stdout) < most


@pytest.mark.parametrize("corners", [[(5, 5), (5, 60)], [(5, 5), (60, 5), (60, 60)]])
def test_an_outline_with_too_few_corners_is_no_board(corners):
    board = np.zeros((72, 96), np.float32)
    cv2.polylines(board, [np.array(corners, np.int32)], True, 1.0)
    cv2.fillPoly(board, [np.array(corners, np.int32)], 1.0)
    assert outline_map(board, 6).shape == (0, 3, 3)
