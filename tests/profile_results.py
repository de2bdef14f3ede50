"""Print what a profile is worth, on drawn copies of art that nothing is tuned on.

usage: python -m tests.profile_results rosette|lights|curve [--copies 20] [--boards 3] [--first 8000000]
rosette: boards read without a profile, with that of the copy (another table, another light), with one of another print.
lights: a profile made by a lamp of 2400 K used in daylight, and the other way round, against no profile.
curve: questions and errors after 0, 1, 2, 5 and 10 confirmed photos.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

import cv2
import numpy as np

from calibration import learn_photo, learn_rosette
from calibration.marking import Truth, marked
from tests.drawer import Drawing, Wish, draw_photo
from tests.drawer.prints import Print, make_print
from tests.truth import truth_of
from vision import PhotoError, Profile, read_photo

SIZE = (800, 600)
LAMP, DAYLIGHT = 2400.0, 6500.0
STEPS = (0, 1, 2, 5, 10)

Totals = Counter[tuple[str, str]]


def jpeg(drawing: Drawing) -> bytes:
    return cv2.imencode(".jpg", drawing.image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()


def rosette_of(printing: Print, seed: int, warmth: float | None = None, held: bool = True) -> Profile | None:
    """Photograph a print's rosette in easy light and learn it; None when it cannot be read."""
    wish = Wish(edge=3, held=held, printing=printing, harsh=0.2, tilt=15.0, fill=0.85, size=SIZE, hand=False, cut=False)
    try:
        return learn_rosette(jpeg(draw_photo(seed, replace(wish, warmth=warmth)))).profile
    except PhotoError:
        return None


def count(totals: Totals, title: str, data: bytes, truth: Truth, profile: Profile | None) -> None:
    """Read a photo and add its marks to the totals of a title."""
    reading = read_photo(data, profile)
    totals[title, "photos"] += 1
    if not reading.cells:
        return
    marks = marked(reading, truth)
    for key in ("cells", "right", "asked", "silent"):
        totals[title, key] += getattr(marks, key)
    totals[title, "read"] += 1
    totals[title, "whole"] += marks.whole
    totals[title, "left aside"] += reading.message.key.endswith("other-copy")


def by_rosette(seed: int, boards: int) -> Totals:
    """Read boards of one copy without, with its own and with a wrong profile."""
    cv2.setNumThreads(1)
    totals: Totals = Counter()
    random = np.random.default_rng(seed)
    printing, other = make_print(random, held=True), make_print(random, held=True)
    own, wrong = rosette_of(printing, seed * 20 + 18), rosette_of(other, seed * 20 + 19)
    totals["rosettes", "photos"] += 2
    totals["rosettes", "read"] += (own is not None) + (wrong is not None)
    if own is None or wrong is None:
        return totals
    for k in range(boards):
        drawing = draw_photo(seed * 20 + k, Wish(held=True, printing=printing, size=SIZE))
        for title, profile in (("no profile", None), ("own profile", own), ("another print's profile", wrong)):
            count(totals, title, jpeg(drawing), truth_of(drawing), profile)
    return totals


def by_light(seed: int, boards: int) -> Totals:
    """Read boards in one light with a profile made in the other."""
    cv2.setNumThreads(1)
    totals: Totals = Counter()
    printing = make_print(np.random.default_rng(seed), held=True)
    for made, used in ((LAMP, DAYLIGHT), (DAYLIGHT, LAMP)):
        profile = rosette_of(printing, seed * 20 + 18, made)
        if profile is None:
            continue
        for k in range(boards):
            drawing = draw_photo(seed * 20 + k, Wish(held=True, printing=printing, size=SIZE, warmth=used))
            count(totals, f"{used:.0f} K, no profile", jpeg(drawing), truth_of(drawing), None)
            count(totals, f"{used:.0f} K, profile from {made:.0f} K", jpeg(drawing), truth_of(drawing), profile)
    return totals


def by_practice(seed: int, boards: int) -> Totals:
    """Confirm one photo after the other, and read other photos of the same copy in between."""
    cv2.setNumThreads(1)
    totals: Totals = Counter()
    printing = make_print(np.random.default_rng(seed), held=True)
    wish = Wish(held=True, printing=printing, size=SIZE, cut=False, hand=False)
    tests = [draw_photo(seed * 40 + 20 + k, wish) for k in range(boards)]
    profile: Profile | None = None
    for k in range(max(STEPS) + 1):
        if k in STEPS:
            for drawing in tests:
                count(totals, f"after {k} confirmed photos", jpeg(drawing), truth_of(drawing), profile)
        drawing = draw_photo(seed * 40 + k, replace(wish, harsh=0.5))
        try:
            profile = learn_photo(profile, jpeg(drawing), drawing.position).profile
        except PhotoError:
            continue
    return totals


def main() -> None:
    """Measure and print one line a title."""
    ways: dict[str, Callable[[int, int], Totals]] = {"rosette": by_rosette, "lights": by_light, "curve": by_practice}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=ways)
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--boards", type=int, default=3)
    parser.add_argument("--first", type=int, default=8_000_000)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    totals: Totals = Counter()
    with get_context("spawn").Pool(args.workers) as pool:
        for part in pool.imap(
            partial(ways[args.what], boards=args.boards), range(args.first, args.first + args.copies)
        ):
            totals.update(part)
    for title in dict.fromkeys(title for title, _ in totals):
        n = {key: totals[title, key] for key in ("photos", "read", "whole", "cells", "right", "asked", "silent")}
        line = f"{title}: read {n['read']} of {n['photos']}"
        if n["cells"]:
            line += f", whole {n['whole']}, cells right {100 * n['right'] / n['cells']:.2f}%"
            line += f", asked {n['asked']} ({n['asked'] / n['read']:.2f} a photo), silently wrong {n['silent']}"
            line += f", profile left aside {totals[title, 'left aside']}"
        print(line)


if __name__ == "__main__":
    main()
