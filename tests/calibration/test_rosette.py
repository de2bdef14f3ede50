"""The rosette: learned from photographs, and explained where it is laid wrong."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import described, draw_rosette, learn_rosette, load_profile
from calibration.rosette import FLOWERS, MIDDLE
from companion.cli import main
from engine import Position
from engine.position import ring_of
from tests.drawer import Wish, draw_photo
from tests.drawer.prints import make_print
from tests.drawer.scenes import rosette
from vision import PhotoError

ROSETTES = Path(__file__).parents[2] / "sample_images" / "rosettes"


def spoilt(faces: tuple[str, ...], how: str) -> tuple[str, ...]:
    out = list(faces)
    if how == "two flowers changed places":
        out[FLOWERS[1]], out[FLOWERS[4]] = out[FLOWERS[4]], out[FLOWERS[1]]
    if how == "one flower twice":
        out[FLOWERS[2]] = out[FLOWERS[5]]
    if how == "no Serendip":
        out[MIDDLE] = "."
    if how == "a flower still covered":
        out[FLOWERS[0]] = "."
    if how == "a tile missing":
        out[FLOWERS[3]] = "_"
    if how == "a flower in the outer ring":
        out[0] = "r"
    return tuple(out)


def photograph(seed: int, how: str = "") -> tuple[bytes, str]:
    """Draw a rosette, right or spoilt; return the photo and the print's ring."""
    random = np.random.default_rng(seed)
    printing = make_print(random)
    position = Position(spoilt(rosette(random, printing.ring).faces, how), 3)
    wish = Wish(edge=3, position=position, printing=printing, harsh=0.1, tilt=12.0, fill=0.8, hand=False, cut=False)
    image = draw_photo(seed, wish).image
    return cv2.imencode(".jpg", image)[1].tobytes(), ring_of(printing.ring)


@pytest.mark.parametrize("name", ["garden", "bed"])
def test_the_rosettes_of_both_prints_are_learned(name):
    learned = learn_rosette((ROSETTES / f"{name}.jpg").read_bytes())
    assert learned.profile is not None
    assert learned.profile.ring == "bvroyg"
    assert learned.profile.sittings[0].shown == "bvryog.S"
    assert str(described(learned.profile)[0]).startswith("Your copy is learned")


def test_a_green_back_beside_a_green_flower_is_warned_of():
    learned = learn_rosette((ROSETTES / "garden.jpg").read_bytes())
    assert learned.profile is not None
    said = [str(remark) for remark in described(learned.profile)]
    assert "Green flower and back differ mainly in pattern." in said


@pytest.mark.parametrize("seed", [5000, 5004])
def test_drawn_rosettes_are_learned(seed):
    data, ring = photograph(seed)
    learned = learn_rosette(data)
    assert learned.faults == ()
    assert learned.profile is not None
    assert learned.profile.ring == ring


@pytest.mark.parametrize(
    ("how", "key"),
    [
        ("two flowers changed places", "wrong-petal"),
        ("one flower twice", "two-of-one"),
        ("no Serendip", "no-serendip"),
        ("a flower still covered", "not-a-flower"),
        ("a tile missing", "missing-tile"),
        ("a flower in the outer ring", "not-covered"),
    ],
)
def test_a_wrong_rosette_is_explained_and_nothing_is_saved(how, key, tmp_path, capsys):
    data, _ = photograph(5000, how)
    learned = learn_rosette(data)
    assert learned.profile is None
    assert key in {fault.key for fault in learned.faults}
    (tmp_path / "photo.jpg").write_bytes(data)
    out, picture = tmp_path / "mine.json", tmp_path / "seen.png"
    assert main(["calibrate", str(tmp_path / "photo.jpg"), "--out", str(out), "--overlay", str(picture)]) == 3
    said = capsys.readouterr()
    assert "Nothing was saved" in said.err
    assert not said.out
    assert not out.exists()
    # The fault is drawn in red on the tile it is about.
    fault = next(fault for fault in learned.faults if fault.key == key)
    drawn = draw_rosette(learned)
    x, y = learned.grid.points[fault.cells[0]] * 1000 / learned.photo.image.shape[1]
    near = drawn[int(y) - 80 : int(y) + 80, int(x) - 80 : int(x) + 80].reshape(-1, 3).astype(int)
    assert ((near - (30, 30, 230)).__abs__().sum(1) < 12).sum() > 200


def test_calibrate_writes_a_profile_that_loads(tmp_path, capsys):
    out = tmp_path / "mine.json"
    assert main(["calibrate", str(ROSETTES / "garden.jpg"), "--out", str(out)]) == 0
    assert "blue violet red orange yellow green" in capsys.readouterr().out
    assert load_profile(out).ring == "bvroyg"


def test_a_photo_without_a_rosette_is_refused(tmp_path, capsys):
    data = (ROSETTES.parent / "no_board.jpg").read_bytes()
    with pytest.raises(PhotoError):
        learn_rosette(data)
    assert main(["calibrate", str(ROSETTES.parent / "no_board.jpg"), "--out", str(tmp_path / "mine.json")]) == 4
    assert main(["calibrate", str(tmp_path / "none.jpg"), "--out", str(tmp_path / "mine.json")]) == 4
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not (tmp_path / "mine.json").exists()
