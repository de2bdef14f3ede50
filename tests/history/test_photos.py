"""A kept photo tells nothing but its picture."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from companion.history.photos import PhotoShelf, cleaned, media_type

GPS = 0x8825


def photo(kind: str, orientation: int = 6, profile: bytes | None = None, **options: object) -> bytes:
    rng = np.random.default_rng(5)
    picture = Image.fromarray(rng.integers(0, 255, (48, 64, 3), dtype=np.uint8))
    exif = picture.getexif()
    exif[0x0112] = orientation
    exif[0x010F] = "A camera"
    exif.get_ifd(GPS).update({1: "N", 2: (47.0, 22.0, 1.0), 3: "E", 4: (8.0, 32.0, 1.0)})
    out = io.BytesIO()
    picture.save(out, kind, exif=exif, icc_profile=profile, **options)
    return out.getvalue()


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_only_orientation_and_profile_stay(kind: str, orientation: int) -> None:
    original = photo(kind, orientation, b"profile" * 20)
    assert b"A camera" in original
    kept = cleaned(original)
    assert b"A camera" not in kept
    before, after = Image.open(io.BytesIO(original)), Image.open(io.BytesIO(kept))
    assert not after.getexif().get_ifd(GPS)
    assert after.getexif().get(0x0112, 1) == orientation
    assert after.info["icc_profile"] == b"profile" * 20
    assert np.array_equal(np.asarray(before), np.asarray(after))
    assert cleaned(kept) == kept


def test_progressive_photos_stay_whole() -> None:
    original = photo("JPEG", progressive=True)
    assert np.array_equal(*(np.asarray(Image.open(io.BytesIO(data))) for data in (original, cleaned(original))))


def test_what_follows_the_picture_is_cut_off() -> None:
    assert cleaned(photo("JPEG") + b"<script>PK\x03\x04") == cleaned(photo("JPEG"))
    assert cleaned(photo("PNG") + b"<script>PK\x03\x04") == cleaned(photo("PNG"))


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_a_photo_cut_short_is_refused(kind: str) -> None:
    whole = photo(kind)
    with pytest.raises(ValueError, match=r"short|damaged"):
        cleaned(whole[: len(whole) * 2 // 3])


def test_the_bytes_tell_the_kind() -> None:
    assert media_type(photo("JPEG")) == "image/jpeg"
    assert media_type(photo("WEBP")) == "image/webp"
    assert media_type(b"\0\0\0\x18ftypheic") == "image/heic"
    assert media_type(b"<svg xmlns='http://www.w3.org/2000/svg'/>") is None
    assert media_type(b"") is None


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(["JPEG", "PNG", "WEBP"]), st.integers(0, 10**6), st.binary(min_size=1, max_size=20))
def test_damage_anywhere_gives_bytes_or_a_clear_refusal(kind: str, at: int, noise: bytes) -> None:
    data = bytearray(photo(kind))
    at %= len(data)
    data[at : at + len(noise)] = noise
    try:
        kept = cleaned(bytes(data))
    except ValueError as refusal:
        assert str(refusal)  # noqa: PT017 - either outcome is allowed, each with its own claim
    else:
        assert len(kept) <= len(data) + 64


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "A" * 64, "0" * 63, "0" * 63 + "/"])
def test_a_photo_has_no_other_name_than_its_hash(tmp_path, name: str) -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        PhotoShelf(tmp_path).path(name, ".jpg")
