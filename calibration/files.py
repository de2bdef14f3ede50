"""Profiles as small JSON files: versioned, checked on load, written whole or not at all."""

import base64
import binascii
import json
import os
import tempfile
import zlib
from pathlib import Path
from typing import Any

from engine.position import LETTERS
from vision.kinds import SHOWN
from vision.patches import PATCH
from vision.profile import Profile, Sitting

VERSION = 1
MOST_BYTES = 1 << 20
"""No profile comes near this; anything larger is some other file and is not even parsed."""
MOST_SITTINGS = 6
"""The rosette and five evenings: more would only slow the choice of the nearest light."""
BYTES = len(SHOWN) * PATCH * PATCH * 3
FIELDS = {"serendipity_profile", "ring", "sittings", "lenses"}


class ProfileError(ValueError):
    """A profile that cannot be used; its text is one sentence for the player."""


def to_text(profile: Profile) -> str:
    """Write a profile as JSON."""
    sittings = [{"photo": sitting.photo, "tiles": _packed(sitting)} for sitting in profile.sittings]
    lenses = {camera: round(k1, 5) for camera, k1 in sorted(profile.lenses.items())}
    whole = {"serendipity_profile": VERSION, "ring": profile.ring, "sittings": sittings, "lenses": lenses}
    return json.dumps(whole, indent=1) + "\n"


def from_text(text: str) -> Profile:
    """Read a profile from JSON; raises ProfileError with the one thing that is wrong."""
    if len(text) > MOST_BYTES:
        raise ProfileError("the profile is too large to be one")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise ProfileError("the profile is not readable JSON") from None
    if not isinstance(said, dict) or "serendipity_profile" not in said:
        raise ProfileError("this is not a profile of Serendipity")
    version = said["serendipity_profile"]
    if isinstance(version, int) and version > VERSION:
        raise ProfileError("the profile was written by a newer version of the program")
    if version != VERSION or set(said) != FIELDS:
        raise ProfileError("the profile is not of a known version")
    sittings = said["sittings"]
    if not isinstance(sittings, list) or not 1 <= len(sittings) <= MOST_SITTINGS:
        raise ProfileError(f"a profile holds one to {MOST_SITTINGS} photos")
    if not isinstance(said["ring"], str) or sorted(said["ring"]) != sorted(LETTERS):
        raise ProfileError("the profile's ring does not have each of the six colours once")
    return Profile(said["ring"], tuple(_sitting(each) for each in sittings), _lenses(said["lenses"]))


def load_profile(path: Path | str) -> Profile:
    """Read a profile from its file; raises ProfileError with one sentence."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(MOST_BYTES + 1).decode()
    except UnicodeDecodeError:
        raise ProfileError(f"{path}: the profile is not readable JSON") from None
    except OSError as fault:
        raise ProfileError(f"{path}: {(fault.strerror or 'cannot be read').lower()}") from None
    try:
        return from_text(text)
    except ProfileError as fault:
        raise ProfileError(f"{path}: {fault}") from None


def save_profile(profile: Profile, path: Path | str) -> None:
    """Write a profile to its file; a file that was there is replaced in one step, or stays as it is."""
    path = Path(path)
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w") as file:
                file.write(to_text(profile))
            Path(beside).chmod(0o644)
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as fault:
        raise ProfileError(f"cannot write {path}: {(fault.strerror or 'unknown reason').lower()}") from None


def _packed(sitting: Sitting) -> str:
    """Return the pixels of the eight patches, compressed, in base64."""
    return base64.b64encode(zlib.compress(sitting.patches, 9)).decode()


def _sitting(said: Any) -> Sitting:
    if not isinstance(said, dict) or set(said) != {"photo", "tiles"}:
        raise ProfileError("a photo in the profile is not complete")
    if not all(isinstance(value, str) for value in said.values()):
        raise ProfileError("a photo in the profile is not complete")
    try:
        # Never unfold more than there can be: a small file must not become a huge picture.
        unpack = zlib.decompressobj()
        tiles = unpack.decompress(base64.b64decode(said["tiles"], validate=True), BYTES + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise ProfileError("the tiles in the profile are damaged") from None
    if len(tiles) != BYTES or not unpack.eof or not any(tiles):
        raise ProfileError("the tiles in the profile are damaged")
    return Sitting(said["photo"][:64], tiles)


def _lenses(said: Any) -> dict[str, float]:
    if not isinstance(said, dict) or not all(isinstance(k1, int | float) and abs(k1) < 0.5 for k1 in said.values()):
        raise ProfileError("the lenses in the profile are not numbers")
    return {str(camera)[:80]: float(k1) for camera, k1 in list(said.items())[:40]}
