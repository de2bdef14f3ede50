"""Draw the rosette as it was read, with what is wrong with it, over the player's own photo."""

from functools import lru_cache
from textwrap import wrap

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from calibration.rosette import Rosette
from calibration.words import described
from engine.position import COLOUR_OF
from vision.lattice import places
from vision.overlay import PAINT

WIDTH = 1000
"""Pixels across the picture: sharp on a phone."""
RIGHT, WRONG = (90, 190, 60), (30, 30, 230)
CORNERS = np.stack(
    [np.cos(np.radians(60 * np.arange(6) + 30)), np.sin(np.radians(60 * np.arange(6) + 30))], 1
) / np.sqrt(3)


def draw_rosette(rosette: Rosette) -> NDArray[np.uint8]:
    """Return the photo (BGR) with a frame and the letter read on every tile, faults in red, and the words below."""
    scale = WIDTH / rosette.photo.image.shape[1]
    canvas = np.asarray(cv2.resize(rosette.photo.image, None, fx=scale, fy=scale), np.uint8)
    wrong = {cell for fault in rosette.faults for cell in fault.cells}
    centres = places(rosette.grid.edge)
    for cell, kind in enumerate(rosette.kinds):
        outline = rosette.grid.lattice.project(centres[cell] + CORNERS * 0.9) * scale
        bad = cell in wrong
        colour = WRONG if bad else RIGHT
        cv2.polylines(canvas, [np.rint(outline).astype(np.int32)], True, colour, 8 if bad else 3, cv2.LINE_AA)
        if bad:
            a, b = np.rint(outline[[1, 4]]).astype(int), np.rint(outline[[0, 3]]).astype(int)
            for start, end in (a, b):
                cv2.line(canvas, tuple(map(int, start)), tuple(map(int, end)), WRONG, 4, cv2.LINE_AA)
        if kind in COLOUR_OF:
            x, y = np.rint(rosette.grid.lattice.project(centres[[cell]])[0] * scale).astype(int)
            cv2.circle(canvas, (int(x), int(y)), 22, (255, 255, 255), -1, cv2.LINE_AA)
            cv2.circle(canvas, (int(x), int(y)), 19, PAINT[kind], -1, cv2.LINE_AA)
            cv2.putText(
                canvas, kind, (int(x) - 9, int(y) + 8), cv2.FONT_HERSHEY_SIMPLEX, 0.9, (20, 20, 20), 2, cv2.LINE_AA
            )
    remarks = rosette.faults or (described(rosette.profile) if rosette.profile else ())
    return _with_words(canvas, [str(remark) for remark in remarks], bool(rosette.faults))


def _with_words(canvas: NDArray[np.uint8], sentences: list[str], faulty: bool) -> NDArray[np.uint8]:
    lines = [line for sentence in sentences for line in wrap(("✗ " if faulty else "") + sentence, 62)]
    strip = Image.new("RGB", (canvas.shape[1], 24 + 40 * len(lines)), (255, 255, 255))
    pen = ImageDraw.Draw(strip)
    for i, line in enumerate(lines):
        pen.text((20, 12 + 40 * i), line.replace("✗", "×"), (150, 20, 20) if faulty else (20, 60, 20), _font())
    return np.asarray(np.concatenate([canvas, np.asarray(strip)[:, :, ::-1]]), np.uint8)


@lru_cache(maxsize=1)
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(30)
