"""The eye: from the bytes of a photo to a reading of the board.

Images are BGR uint8 arrays throughout; pixels are (x, y).
"""

import os

# OpenCV reads its own limit when it is first imported. `open_photo` refuses by the header; this is the second lock.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(60_000_000))
# Its complaints about damaged files would land among the lines meant for players; what fails is raised anyway.
os.environ.setdefault("OPENCV_LOG_LEVEL", "FATAL")

from vision.grid import Grid, find_grid
from vision.photo import Photo, PhotoError, open_photo
from vision.profile import Profile
from vision.reader import read_at, read_photo
from vision.reading import CellReading, Reading
from vision.reasons import Reason

__all__ = [
    "CellReading",
    "Grid",
    "Photo",
    "PhotoError",
    "Profile",
    "Reading",
    "Reason",
    "find_grid",
    "open_photo",
    "read_at",
    "read_photo",
]
