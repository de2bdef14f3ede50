"""Profiles in files: they come back as they were, and a broken one gets one sentence."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration import ProfileError, from_text, load_profile, save_profile, to_text
from calibration.files import MOST_SITTINGS
from vision.kinds import SHOWN
from vision.patches import PATCH
from vision.profile import Profile, Sitting


def sitting(seed: int, lacking: str = "") -> Sitting:
    tiles = np.random.default_rng(seed).integers(1, 255, (len(SHOWN), PATCH, PATCH, 3)).astype(np.uint8)
    for kind in lacking:
        tiles[SHOWN.index(kind)] = 0
    return Sitting(f"photo{seed}", tiles.tobytes())


PROFILE = Profile("bvroyg", (sitting(1), sitting(2, "ro")), {"Phone 9": 0.0123})


def test_a_profile_comes_back_as_it_was(tmp_path):
    save_profile(PROFILE, tmp_path / "mine.json")
    assert load_profile(tmp_path / "mine.json") == PROFILE
    assert (tmp_path / "mine.json").stat().st_size < 200_000
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]


def test_a_profile_says_which_faces_it_shows():
    assert PROFILE.sittings[1].shown == "bvyg.S"


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(to_text(PROFILE)), **fields})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not readable JSON"),
        ("[1]", "not a profile"),
        ("{}", "not a profile"),
        (changed(serendipity_profile=2), "newer version"),
        (changed(serendipity_profile=0), "known version"),
        (changed(more=1), "known version"),
        (changed(ring="bvroyy"), "six colours once"),
        (changed(ring=7), "six colours once"),
        (changed(sittings=[]), f"one to {MOST_SITTINGS} photos"),
        (changed(sittings=[{"photo": "a"}]), "not complete"),
        (changed(sittings=[{"photo": "a", "tiles": "!"}]), "damaged"),
        (changed(sittings=[{"photo": "a", "tiles": "aGVsbG8="}]), "damaged"),
        (changed(lenses={"Phone": "wide"}), "not numbers"),
        (" " * 2_000_000, "too large"),
    ],
)
def test_a_broken_profile_gets_one_sentence(text, said):
    with pytest.raises(ProfileError, match=said) as refusal:
        from_text(text)
    assert "\n" not in str(refusal.value)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.characters())
def test_a_profile_damaged_anywhere_is_refused_or_still_a_profile(at, mark):
    text = to_text(PROFILE)
    at %= len(text)
    try:
        read = from_text(text[:at] + mark + text[at + 1 :])
    except ProfileError:
        return
    assert read.ring == PROFILE.ring


def test_a_file_that_is_not_there_or_not_text_gets_one_sentence(tmp_path):
    with pytest.raises(ProfileError, match="no such file"):
        load_profile(tmp_path / "none.json")
    (tmp_path / "photo.json").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(ProfileError, match="not readable JSON"):
        load_profile(tmp_path / "photo.json")


def test_a_profile_that_cannot_be_written_leaves_the_old_one(tmp_path):
    save_profile(PROFILE, tmp_path / "mine.json")
    with pytest.raises(ProfileError, match="cannot write"):
        save_profile(PROFILE, tmp_path / "no" / "mine.json")
    assert load_profile(tmp_path / "mine.json") == PROFILE
