"""One's own copy answers questions, also about tiles cut off by the frame, and overrules nothing plain to see."""

from dataclasses import replace

import numpy as np
import pytest

from calibration import learn_rosette
from tests.drawer import Wish, draw_photo
from tests.drawer.prints import make_print
from tests.profile_results import jpeg, rosette_of
from tests.truth import marked, truth_of
from vision import Profile, read_photo
from vision.faces import Judgement
from vision.kinds import SHOWN
from vision.profile import Sitting
from vision.recognition import contradicts, joined, recognised
from vision.resemblance import COLUMNS, column_of, resemble

PRINTING = make_print(np.random.default_rng(8_000_003), held=True)
SIZE = (800, 600)


@pytest.fixture(scope="module")
def own() -> Profile:
    profile = rosette_of(PRINTING, 8_000_003 * 20 + 18)
    assert profile is not None
    return profile


def exchanged(profile: Profile, one: str, other: str) -> Profile:
    tiles = profile.sittings[0].tiles.copy()
    a, b = SHOWN.index(one), SHOWN.index(other)
    tiles[[a, b]] = tiles[[b, a]]
    return replace(profile, sittings=(Sitting("exchanged", tiles.tobytes()),))


def test_a_profile_asks_less_and_is_never_silently_wrong(own):
    asked = {"plain": 0, "own": 0}
    for seed in range(4):
        drawing = draw_photo(seed, Wish(held=True, printing=PRINTING, size=SIZE, harsh=0.8, hand=False))
        data, truth = jpeg(drawing), truth_of(drawing)
        for title, profile in (("plain", None), ("own", own)):
            reading = read_photo(data, profile)
            assert reading.cells
            assert marked(reading, truth).silent == 0
            asked[title] += marked(reading, truth).asked
    assert 0 < 2 * asked["own"] <= asked["plain"]


def test_a_tile_cut_off_by_the_frame_is_vouched_for_only_with_the_copy(own):
    wish = Wish(held=True, printing=PRINTING, size=SIZE, harsh=0.1, tilt=8.0, fill=1.06, cut=True, hand=False)
    vouched = {"plain": 0, "own": 0}
    for seed in range(4):
        drawing = draw_photo(seed, wish)
        for title, profile in (("plain", None), ("own", own)):
            reading = read_photo(jpeg(drawing), profile)
            if reading.cells:
                assert marked(reading, truth_of(drawing)).silent == 0
                vouched[title] += 91 - len(reading.unsure)
    assert vouched["own"] > vouched["plain"]


def test_a_profile_with_two_faces_exchanged_is_noticed_and_misleads_nobody(own):
    drawing = draw_photo(1, Wish(held=True, printing=PRINTING, size=SIZE, harsh=0.3, hand=False))
    readings = [read_photo(jpeg(drawing), exchanged(own, *faces)) for faces in ("ry", "bg", "vo", "g.")]
    assert [marked(reading, truth_of(drawing)).silent for reading in readings] == [0, 0, 0, 0]
    # Where only few tiles show the two faces, they are asked about instead.
    assert sum(reading.message.key.endswith("other-copy") for reading in readings) >= 3


def test_every_face_of_a_rosette_resembles_itself_most(own):
    tiles = own.sittings[0].tiles
    patches = np.concatenate([np.repeat(tiles, 11, axis=0), tiles[:3]])
    faces = [SHOWN[k] if SHOWN[k] != "S" else "bvroyg" for k in [*np.repeat(np.arange(8), 11), 0, 1, 2]]
    like = resemble(patches, faces, [1.0] * 91, tiles)
    assert like is not None
    assert like.alike.shape == (91, COLUMNS, 3)
    assert like.alike[:, :, 0].argmax(1).tolist() == [column_of(face) for face in faces]
    assert like.seen.min() == 1


def test_faces_that_a_photo_of_the_copy_lacks_come_from_another(own):
    tiles = own.sittings[0].tiles.copy()
    patches = np.concatenate([np.repeat(tiles, 11, axis=0), tiles[:3]])
    faces = [SHOWN[k] if SHOWN[k] != "S" else "bvroyg" for k in [*np.repeat(np.arange(8), 11), 0, 1, 2]]
    lacking = tiles.copy()
    lacking[SHOWN.index("r")] = 0
    some = resemble(patches, faces, [1.0] * 91, lacking)
    assert some is not None
    assert np.isnan(some.alike[:, SHOWN.index("r")]).all()
    both = joined([some, resemble(patches, faces, [1.0] * 91, tiles)])
    assert both is not None
    assert not np.isnan(both.alike).any()
    assert joined([None, None]) is None


def test_nothing_is_recognised_while_hardly_a_tile_is_sure(own):
    doubtful = [Judgement("b", 0.5, "v", {"b": 0.5, "v": 0.5})] * 91
    patches = np.full((91, *own.sittings[0].tiles.shape[1:]), 120, np.uint8)
    assert recognised(patches, doubtful, [own.sittings[0].tiles]) is None


def test_a_few_faces_seen_otherwise_are_no_contradiction():
    sure, other = Judgement("b", 0.999, "v", {"b": 1.0}), Judgement("v", 0.9, "b", {"v": 1.0})
    assert not contradicts([sure] * 91, [other] * 3 + [sure] * 88)
    assert contradicts([sure] * 91, [other] * 4 + [sure] * 87)
    assert not contradicts([replace(sure, chance=0.9)] * 91, [other] * 91)


def test_a_rosette_is_learned_with_glare_on_some_backs():
    printing = make_print(np.random.default_rng(8_000_087), held=True)
    wish = Wish(edge=3, held=True, printing=printing, harsh=0.2, tilt=15.0, fill=0.85, size=SIZE, hand=False, cut=False)
    learned = learn_rosette(jpeg(draw_photo(8_000_087 * 20 + 18, wish)))
    assert learned.faults == ()
    assert learned.profile is not None
