"""Films of a table: still pictures of a game with hands that come and go between them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from engine import Position
from tests.drawer import Wish, draw_photo
from tests.drawer.prints import Print

RATE = 10
"""Frames a second."""
SCENE = Wish(harsh=0.0, tilt=12.0, fill=0.88, size=(880, 660), cut=False, hand=False)


def frames_of(positions: Sequence[Position], printing: Print, seed: int, still: float = 1.2) -> Iterator[np.ndarray]:
    """Yield the frames: each position lies still for some seconds; between two, a hand reaches over the board.

    The hand is over the board for nearly a second, rests there for a moment, and while it does the tiles change.
    """
    noise = np.random.default_rng(seed)
    grain = [noise.normal(0, 2.0, (SCENE.size[1], SCENE.size[0], 3)).astype(np.float32) for _ in range(5)]
    scene = replace(SCENE, printing=printing)

    def shown(position: Position, frame: int, hand: bool) -> np.ndarray:
        return draw_photo(seed, replace(scene, position=position, frame=frame, hand=hand)).image

    def grainy(image: np.ndarray) -> np.ndarray:
        return np.clip(image + grain[int(noise.integers(5))], 0, 255).astype(np.uint8)

    for number, position in enumerate(positions):
        if number:
            before = shown(positions[number - 1], 2 * number, True)
            after = shown(position, 2 * number + 1, True)
            for image in (*[before] * 3, *[after] * 8, *[before] * 2):
                yield grainy(image)
        lying = shown(position, 0, False)
        for _ in range(round(still * RATE)):
            yield grainy(lying)


def write_film(path: Path, frames: Iterator[np.ndarray]) -> Path:
    """Write frames as a film that OpenCV reads without other programs."""
    height, width = SCENE.size[1], SCENE.size[0]
    film = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), RATE, (width, height))
    for frame in frames:
        film.write(frame)
    film.release()
    return path
