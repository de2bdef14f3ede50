"""Profiles in use: they help, they are left aside on another print, and they learn from confirmed photos."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import colours_of, forget_photo, learn_photo, learn_rosette, photo_id, to_text
from calibration.files import MOST_SITTINGS
from engine import Position
from tests.drawer import Wish, draw_photo
from tests.drawer.prints import make_print
from tests.truth import load_truth, marked, truth_of
from vision import PhotoError, Profile, read_photo
from vision.kinds import SHOWN

SAMPLES = Path(__file__).parents[2] / "sample_images"


@pytest.fixture(scope="module")
def garden() -> Profile:
    profile = learn_rosette((SAMPLES / "rosettes" / "garden.jpg").read_bytes()).profile
    assert profile is not None
    return profile


@pytest.fixture(scope="module")
def bed() -> Profile:
    profile = learn_rosette((SAMPLES / "rosettes" / "bed.jpg").read_bytes()).profile
    assert profile is not None
    return profile


def test_ones_own_profile_is_used_and_does_no_harm(garden):
    path = SAMPLES / "game.jpg"
    plain, helped = read_photo(path.read_bytes()), read_photo(path.read_bytes(), garden)
    truth = load_truth(path)
    assert not helped.message.key.endswith("other-copy")
    assert marked(helped, truth).silent == 0
    assert marked(helped, truth).asked <= marked(plain, truth).asked


def test_the_profile_of_another_print_is_noticed_and_left_aside(bed):
    data = (SAMPLES / "game.jpg").read_bytes()
    plain, helped = read_photo(data), read_photo(data, bed)
    assert helped.message.key.endswith("other-copy")
    assert helped.cells == plain.cells


def test_a_confirmed_photo_begins_a_profile_and_can_be_forgotten():
    path = SAMPLES / "easy.jpg"
    data, truth = path.read_bytes(), load_truth(path)
    lesson = learn_photo(None, data, truth.position)
    assert lesson.learned
    assert lesson.profile is not None
    assert lesson.profile.ring == "bvroyg"
    assert len(lesson.profile.sittings[0].shown) >= 7
    assert learn_photo(lesson.profile, data, truth.position).remark.key == "known-photo"
    assert forget_photo(lesson.profile, photo_id(data)) is None


def test_one_wrong_confirmation_changes_nothing_and_many_are_refused(garden):
    path = SAMPLES / "easy.jpg"
    data, truth = path.read_bytes(), load_truth(path)
    right = learn_photo(garden, data, truth.position)
    faces = list(truth.position.faces)
    red, blue = faces.index("r"), faces.index("b")
    faces[red], faces[blue] = "b", "r"
    slip = learn_photo(garden, data, Position(tuple(faces)))
    assert slip.profile is not None
    assert right.profile is not None
    taught, meant = (colours_of(profile.sittings[-1]) for profile in (slip.profile, right.profile))
    for kind in SHOWN:
        assert np.abs(np.subtract(taught[kind], meant[kind])).max() < 30
    swapped = Position(tuple({"r": "b", "b": "r"}.get(face, face) for face in truth.position.faces))
    assert learn_photo(garden, data, swapped).remark.key == "contradicted"
    assert learn_photo(garden, data, swapped).profile == garden


def test_a_profile_stays_small_and_keeps_its_first_photo():
    random = np.random.default_rng(42)
    printing = make_print(random)
    tiles = [*".bvryog" * 10, *[printing.ring] * 13, *"." * 8]
    profile: Profile | None = None
    names = []
    for seed in range(9100, 9102 + MOST_SITTINGS):
        position = Position(tuple(tiles[i] for i in random.permutation(91)))
        plain = Wish(printing=printing, position=position, harsh=0.1, tilt=10.0, cut=False, hand=False, fill=0.85)
        drawing = draw_photo(seed, replace(plain, size=(800, 600)))
        data = cv2.imencode(".jpg", drawing.image)[1].tobytes()
        try:
            lesson = learn_photo(profile, data, drawing.position)
        except PhotoError:
            continue
        profile = lesson.profile
        names += [photo_id(data)] if lesson.learned else []
    assert profile is not None
    assert len(names) > MOST_SITTINGS
    assert len(profile.sittings) == MOST_SITTINGS
    assert profile.sittings[0].photo == names[0]
    assert len(to_text(profile)) < 300_000
    reading = read_photo(data, profile)
    assert not reading.cells or marked(reading, truth_of(drawing)).silent == 0
