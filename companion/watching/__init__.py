"""A live table: a camera, a film or a folder of arriving photos is watched, and every turn goes into the history."""

import vision  # noqa: F401 - it sets OpenCV's limits and silences it, before anything here imports OpenCV
from companion.watching.live import LiveTable
from companion.watching.sources import Frame, arriving_photos, film_frames
from companion.watching.stillness import Stillness

__all__ = ["Frame", "LiveTable", "Stillness", "arriving_photos", "film_frames"]
