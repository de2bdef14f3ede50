"""The child process that decodes and reads photos: one JSON question a line in, its JSON answers a line each out."""

import base64
import ctypes
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import vision

VIEW_SIDE = 1600
"""Longest side of the copy for the screen, in pixels: sharp on a phone, and a tenth of the bytes."""
VIEW_QUALITY = 86
JUST_KEPT = {"quality": 95, "subsampling": 0}


def limit_memory(cap: int) -> None:
    """Let the system refuse this process more memory than the cap."""
    try:
        import resource
    except ImportError:
        return  # Windows has no such limit for a process itself; the time limit still holds
    resource.setrlimit(resource.RLIMIT_AS, (cap, cap))


def yield_to_pages() -> None:
    """Let the system prefer the process that answers phones: a look must not wait for somebody else's photo."""
    if hasattr(os, "nice"):
        os.nice(10)


def prepare(data: bytes, keep: bool) -> tuple[dict[str, Any], bytes, "vision.Photo"]:
    """Open a photo and return its size, the bytes to be kept, and what they show; with `keep` the bytes are new.

    Browsers cannot show HEIC, so such a photo is kept as a JPEG of its pixels with its colour profile.
    """
    import vision

    if keep:
        data = _as_jpeg(data)
    photo = vision.open_photo(data)
    answer: dict[str, Any] = {"width": photo.width, "height": photo.height}
    if keep:
        answer["kept"] = base64.b64encode(data).decode()
    return answer, data, photo


def _as_jpeg(data: bytes) -> bytes:
    """Decode a HEIC photo, once: that takes longer than all the rest. One that ends this process is refused for it."""
    import pi_heif

    import vision
    from vision.header import DISPLAY_P3
    from vision.photo import MOST_PIXELS, display_p3

    try:
        file = pi_heif.open_heif(data, convert_hdr_to_8bit=True)
        pixels = file.size[0] * file.size[1]
        if pixels > MOST_PIXELS:
            raise vision.PhotoError("too-large", megapixels=-(-pixels // 1_000_000), most=MOST_PIXELS // 1_000_000)
        is_p3 = file.info.get("nclx_profile", {}).get("color_primaries") == DISPLAY_P3
        profile = file.info.get("icc_profile") or (display_p3() if is_p3 else None)
        return _jpeg(file.to_pillow().convert("RGB"), icc_profile=profile, **JUST_KEPT)
    except (vision.PhotoError, MemoryError):
        raise
    except Exception as fault:  # damaged bytes make the decoder raise nearly anything
        raise vision.PhotoError("damaged") from fault


def view(data: bytes, opened: "vision.Photo | None" = None) -> dict[str, Any]:
    """Return a copy of a photo for the screen; `opened` is what it shows, where that is known already.

    A large photo is opened once more, finer than for reading: on the screen a question shows a single tile of it.
    """
    import cv2

    import vision

    image = (opened if opened and opened.scale == 1 else vision.open_photo(data, finer=2)).image
    larger = max(image.shape[:2]) / VIEW_SIDE
    if larger > 1:
        height, width = image.shape[:2]
        image = cv2.resize(image, (round(width / larger), round(height / larger)), interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    _, jpeg = cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, VIEW_QUALITY))
    return {"view": base64.b64encode(jpeg.tobytes()).decode()}


def read(data: bytes, profile: str, corners: list[list[float]], opened: "vision.Photo | None" = None) -> dict[str, Any]:
    """Read the board on a photo, where it is found or where someone has marked its corners."""
    import numpy as np

    import calibration
    import vision

    copy = calibration.load_profile(profile) if profile else None
    if corners:
        return vision.read_at(data, np.array(corners, float), copy).to_kept()
    return vision.read_photo(data, copy, opened).to_kept()


def study(data: bytes) -> dict[str, Any]:
    """Learn a copy of the game from a photo of the rosette, or say what is wrong with it."""
    import numpy as np

    import calibration
    from engine import board_of

    rosette = calibration.learn_rosette(data)
    # The photo may have been opened smaller than it is; the page shows it at its full size.
    larger = rosette.photo.width / rosette.photo.image.shape[1]
    centres = [[float(n) * larger for n in rosette.grid.centres[name]] for name in board_of(3).names]
    near = [float(np.hypot(x - centres[9][0], y - centres[9][1])) for i, (x, y) in enumerate(centres) if i != 9]
    return {
        "profile": calibration.to_text(rosette.profile) if rosette.profile else None,
        "faults": [{"key": f.key, "words": dict(f.words), "cells": list(f.cells)} for f in rosette.faults],
        "centres": centres,
        "reach": min(near) / 2,
    }


def practise(data: bytes, profile: str, position: str) -> dict[str, Any]:
    """Improve a profile with a photo that was confirmed, or begin one with it."""
    import calibration
    from engine import Position

    known = calibration.from_text(profile) if profile else None
    lesson = calibration.learn_photo(known, data, Position.parse(position))
    text = calibration.to_text(lesson.profile) if lesson.profile else None
    return {"profile": text, "remark": lesson.remark.key, "words": dict(lesson.remark.words), "learned": lesson.learned}


def answers_to(question: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Do what one question asks; who takes a photo hears that it can be opened, then what lies there, then its view."""
    import vision

    if question["do"] == "nothing":
        yield {}
        return
    data = Path(question["path"]).read_bytes()
    try:
        if question["do"] in ("prepare", "take"):
            answer, kept, photo = prepare(data, question["keep"])
            yield answer
            if question["do"] == "take":
                yield read(kept, question["profile"], [], photo)
                yield view(kept, photo)
        elif question["do"] == "view":
            yield view(data)
        elif question["do"] == "study":
            yield study(data)
        elif question["do"] == "practise":
            yield practise(data, question["profile"], question["position"])
        else:
            yield read(data, question["profile"], question["corners"])
    except vision.PhotoError as refusal:
        yield {"refused": refusal.reason.key, "places": dict(refusal.reason.params)}
    except MemoryError:
        yield {"refused": "too-hard"}


def give_back() -> None:
    """Return freed memory to the system: between two photos a child holds a sixth less."""
    with suppress(AttributeError, OSError, TypeError):  # only the allocator of most Linux systems can be asked
        ctypes.CDLL(None).malloc_trim(0)


def main() -> None:
    """Answer until nobody asks any more."""
    import cv2

    cv2.setNumThreads(2)
    limit_memory(int(sys.argv[1]))
    yield_to_pages()
    for line in sys.stdin.buffer:
        for answer in answers_to(json.loads(line)):
            print(json.dumps(answer), flush=True)
        give_back()


def _jpeg(picture: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", **options)
    return out.getvalue()


if __name__ == "__main__":
    main()
