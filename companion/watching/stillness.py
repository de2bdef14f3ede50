"""Tell from frame to frame whether the table lies still, and whether a hand has been over it."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.watching.sources import Frame
from vision.photo import Picture

SIZE = (192, 144)
"""Frames are compared this small: noise is averaged away, and a finger still covers some pixels."""
LEVELS = 14
"""By how much a pixel must change to count: flicker of lamps stays below."""
MOVING = 0.003
"""The share of pixels that changes when something moves; a finger tip is half a per cent."""
VISITED = 0.012
"""The share that a hand over the board covers."""

Small = NDArray[np.int16]


class Stillness:
    """Watches the frames of one camera."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._last: Small | None = None
        self._rest: Small | None = None
        self._since: float | None = None
        self.visited = False

    def see(self, frame: Frame) -> float:
        """Take the next frame and return for how many seconds nothing has moved."""
        small = _small(frame.image)
        moving = self._last is None or _share(small, self._last) > MOVING
        self._last = small
        if self._rest is not None and _share(small, self._rest) > VISITED:
            self.visited = True
        if moving:
            self._since = None
            return 0.0
        self._since = frame.at if self._since is None else self._since
        return frame.at - self._since

    def rest(self, frame: Frame) -> None:
        """Take this frame as the table at rest: visits are measured against it."""
        self._rest, self.visited = _small(frame.image), False


def _small(image: Picture) -> Small:
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(grey, SIZE, interpolation=cv2.INTER_AREA), np.int16)


def _share(one: Small, other: Small) -> float:
    return float((np.abs(one - other) > LEVELS).mean())
