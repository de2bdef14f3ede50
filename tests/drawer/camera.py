"""A pinhole camera with one term of lens distortion, over a board whose plane is z = 0.

Board coordinates: x to the right, y towards the viewer (down in the picture), z up; one unit is the distance
between the centres of two neighbouring tiles.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.drawer.prints import Random

Points = NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """Where the camera is and how it sees; angles in radians, `focal` in pixels, lengths in tiles."""

    width: int
    height: int
    focal: float
    tilt: float
    azimuth: float
    roll: float
    distance: float
    aim: tuple[float, float]
    k1: float

    def project(self, points: Points, z: float = 0.0, distort: bool = True) -> Points:
        """Return pixels (n, 2) of board points (n, 2) at height z."""
        c, s = np.cos(self.azimuth), np.sin(self.azimuth)
        u, v = (np.asarray(points, float) @ np.array([[c, s], [-s, c]]) - self.aim).T
        x, y = u, v * np.cos(self.tilt) - z * np.sin(self.tilt)
        depth = np.maximum(self.distance - v * np.sin(self.tilt) - z * np.cos(self.tilt), 0.5)
        c, s = np.cos(self.roll), np.sin(self.roll)
        x, y = (c * x - s * y) / depth, (s * x + c * y) / depth
        if distort:
            factor = 1 + self.k1 * (x * x + y * y)
            x, y = x * factor, y * factor
        return np.stack([x * self.focal + self.width / 2, y * self.focal + self.height / 2], 1)

    def depth(self, points: Points) -> NDArray[np.float64]:
        """Return how far away board points are along the viewing direction."""
        c, s = np.cos(self.azimuth), np.sin(self.azimuth)
        v = (np.asarray(points, float) @ np.array([[c, s], [-s, c]]) - self.aim)[:, 1]
        return np.asarray(self.distance - v * np.sin(self.tilt))


def make_camera(
    random: Random, width: int, height: int, reach: float, tilt: float, fill: float, shift: float
) -> Camera:
    """Place a camera so that a board of radius `reach` fills `fill` of the frame, then nudge the aim by `shift`."""
    focal = max(width, height) * random.uniform(0.62, 0.95)
    azimuth, roll = random.uniform(0, 2 * np.pi), random.normal(0, np.radians(5))
    k1 = random.uniform(-0.06, 0.07)
    angles = np.linspace(0, 2 * np.pi, 24)
    rim = np.stack([np.cos(angles), np.sin(angles)], 1) * reach
    distance, aim = reach * 3, (0.0, 0.0)
    for _ in range(12):
        camera = Camera(width, height, focal, tilt, azimuth, roll, distance, aim, k1)
        pixels = camera.project(rim, distort=False)
        low, high = pixels.min(0), pixels.max(0)
        distance = max(distance * max((high - low) / (np.array([width, height]) * fill)), reach * 1.2)
        middle = (low + high) / 2 - [width / 2, height / 2]
        lift = middle * distance / focal
        c, s = np.cos(-roll), np.sin(-roll)
        lift = np.array([c * lift[0] - s * lift[1], (s * lift[0] + c * lift[1]) / max(np.cos(tilt), 0.3)])
        aim = (aim[0] + 0.6 * lift[0], aim[1] + 0.6 * lift[1])
    nudge = random.uniform(-shift, shift, 2) * reach
    return Camera(width, height, focal, tilt, azimuth, roll, distance, (aim[0] + nudge[0], aim[1] + nudge[1]), k1)
