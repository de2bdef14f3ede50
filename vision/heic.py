"""Decode a HEIC photo in a process of its own.

A damaged HEIC file can bring down the whole process that decodes it, and photos come from anyone on the home network;
so the decoder works in a child with a limit on memory and time, and a crash is only one refused photo. This file is
that child's program as well (`python heic.py MOST_PIXELS FINER`: the file on standard input; a line of JSON and the
pixels on standard output), which is why it imports nothing of the project.
"""

import json
import subprocess
import sys
from typing import Any

LEAST_LONG_SIDE = 1000
MOST_SECONDS = 60
MOST_MEMORY = 2 << 30
"""Address space of the child, in bytes; 60 megapixels stay well below it."""


class HeicError(Exception):
    """A HEIC file that could not be decoded."""


def reduction_for(width: int, height: int, finer: int = 1) -> int:
    """Return the power of two that brings the long side of a photo to working size, or to one `finer` times as large.

    >>> reduction_for(1600, 1200), reduction_for(3024, 4032), reduction_for(8064, 6048), reduction_for(3024, 4032, 2)
    (1, 4, 8, 2)
    """
    return 1 << max((max(width, height) // (finer * LEAST_LONG_SIDE)).bit_length() - 1, 0)


def decoded_heic(data: bytes, most_pixels: int, finer: int = 1) -> tuple[dict[str, Any], bytes]:
    """Return what the file says of its first picture, and its pixels at working size; none where it is too large.

    The dictionary has `size` (full), `mode` (BGR, BGRA or L), `exif`, `profile` (both hexadecimal), `primaries`,
    `reduction` and `shape` (of the pixels).
    """
    command = [sys.executable, "-I", __file__, str(most_pixels), str(finer)]
    try:
        run = subprocess.run(command, input=data, capture_output=True, timeout=MOST_SECONDS, check=True)
        line, _, pixels = run.stdout.partition(b"\n")
        return json.loads(line), pixels
    except (subprocess.SubprocessError, ValueError) as fault:
        raise HeicError from fault


def _decode(data: bytes, most_pixels: int, finer: int) -> tuple[dict[str, Any], bytes]:
    import numpy as np
    import pi_heif
    from PIL import Image

    _limit_memory()
    file = pi_heif.open_heif(data, bgr_mode=True)
    first = file[file.primary_index]
    width, height = first.size
    reduction = reduction_for(width, height, finer)
    said = {
        "size": [width, height],
        "mode": first.mode,
        "exif": (first.info.get("exif") or b"").hex(),
        "profile": (first.info.get("icc_profile") or b"").hex(),
        "primaries": first.info.get("nclx_profile", {}).get("color_primaries"),
        "reduction": reduction,
        "shape": [0, 0, 0],
    }
    if width * height > most_pixels or first.mode not in ("BGR", "BGRA"):
        return said, b""
    pixels = np.asarray(first)
    if pixels.shape[:2] != (height, width):
        raise ValueError("the picture is not of the size it claims")
    # Strips, because Pillow holds a copy of what it shrinks.
    step = 64 * reduction
    strips = (Image.fromarray(pixels[top : top + step]) for top in range(0, height, step))
    small = np.concatenate([np.asarray(strip.reduce(reduction)) for strip in strips])
    return {**said, "shape": list(small.shape)}, small.tobytes()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    answer, small_pixels = _decode(sys.stdin.buffer.read(), int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + small_pixels)
