"""Where pictures come from: a camera by its number, a film, or a folder into which photos arrive."""

import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from vision.photo import Picture

PER_SECOND = 5.0
"""Pictures a second that are looked at: a hand is never over within one of them."""
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif")


@dataclass(frozen=True, eq=False)
class Frame:
    """A picture and the second at which it was taken."""

    at: float
    image: Picture


def film_frames(source: str) -> Iterator[Frame]:
    """Yield frames of a film, as fast as they can be looked at, or of a camera, as they come."""
    camera = source.isdigit()
    # What OpenCV would say about a camera that is not there, we say in one line.
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    opened: Any = cv2.VideoCapture(int(source) if camera else source)
    if not opened.isOpened():
        raise ValueError(f"{'camera ' if camera else ''}{source} cannot be opened")
    rate = opened.get(cv2.CAP_PROP_FPS) or 25.0
    step = max(1, round(rate / PER_SECOND))
    number, last = 0, -1.0
    try:
        while opened.grab():
            at = time.monotonic() if camera else number / rate
            wanted = at - last >= 1 / PER_SECOND if camera else number % step == 0
            if wanted:
                taken, image = opened.retrieve()
                if taken:
                    last = at
                    yield Frame(at, image)
            number += 1
    finally:
        opened.release()


def arriving_photos(folder: Path, idle: float | None = None, pause: float = 0.5) -> Iterator[Path]:
    """Yield the photos of a folder in the order they arrive; end once nothing came for `idle` seconds.

    A photo that is still being copied grows: it is taken once its size has stayed the same over a pause, and once more
    if it grows after all.
    """
    taken: dict[Path, int] = {}
    sizes: dict[Path, int] = {}
    quiet = 0.0
    while idle is None or quiet < idle:
        now = _photos(folder)
        ready = [path for path, size in now.items() if size and sizes.get(path) == size != taken.get(path)]
        for path in ready:
            taken[path] = now[path]
            yield path
        sizes = now
        quiet = 0.0 if ready else quiet + pause
        time.sleep(pause)


def _photos(folder: Path) -> dict[Path, int]:
    """Return the photos that lie in a folder with their sizes, the oldest first."""
    found = []
    try:
        paths = list(folder.iterdir())
    except OSError:
        raise ValueError(f"the folder {folder} is gone; the game is in the history") from None
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            continue
        try:
            about = path.stat()
        except OSError:
            continue  # taken away again
        if stat.S_ISREG(about.st_mode):
            found.append((about.st_mtime_ns, path.name, path, about.st_size))
    return {path: size for _, _, path, size in sorted(found)}
