"""Draw copies of the game, so that training can go over them many times: a print, some boards and one rosette each.

usage: python -m tests.training.copies FOLDER [--copies 2500] [--first 0] [--boards 3] [--held] [--alike]
The photos are small: the board fills them, at about the size at which the judge sees its tiles. Every photo has a
table, a camera and a light of its own; only the print is the same.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from tests.drawer import Drawing, Wish, draw_photo
from tests.drawer.prints import make_print

SIZE, ROSETTE_SIZE = (512, 384), (320, 240)


def draw_copy(seed: int, boards: int, held: bool) -> list[Drawing]:
    """Draw the boards of one copy and, last, its rosette."""
    random = np.random.default_rng(seed)
    printing = make_print(random, held)
    out = []
    for k in range(boards):
        upright = SIZE if random.random() < 0.7 else SIZE[::-1]
        wish = Wish(held=held, printing=printing, size=upright, fill=random.uniform(0.55, 1.02))
        if random.random() < 0.08:
            wish = replace(wish, fill=random.uniform(1.0, 1.25), cut=True)
        if random.random() < 0.06:
            wish = replace(wish, hand=True)
        out.append(draw_photo(seed * 10 + k, wish))
    rosette = Wish(
        edge=3, held=held, printing=printing, size=ROSETTE_SIZE, fill=random.uniform(0.7, 0.95), hand=False, cut=False
    )
    rosette = replace(rosette, tilt=abs(random.normal(0, 18)), harsh=0.7 * random.random())
    return [*out, draw_photo(seed * 10 + 9, rosette)]


def has_likeness(seed: int, held: bool) -> bool:
    """Say whether a print's back has nearly the colour of one of its flowers: the hardest to tell apart."""
    printing = make_print(np.random.default_rng(seed), held)
    back = printing.back.reshape(-1, 3).mean(0)
    inks = [np.median(flower.reshape(-1, 3), axis=0) for flower in printing.flowers.values()]
    return bool(min(np.linalg.norm(ink - back) for ink in inks) < 45)


def keep(path: Path, draw: Callable[[], list[Drawing]]) -> None:
    """Draw one copy and keep it with its truth, in one file."""
    if path.exists():
        return
    kept: dict[str, np.ndarray] = {}
    for k, drawing in enumerate(draw()):
        kept[f"jpeg{k}"] = cv2.imencode(".jpg", drawing.image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1]
        kept[f"centres{k}"] = drawing.centres
        kept[f"faces{k}"] = np.array(drawing.position.faces)
        kept[f"hidden{k}"] = np.array(sorted(drawing.hidden), int)
    np.savez(path.with_suffix(".part.npz"), **kept)
    path.with_suffix(".part.npz").rename(path)


def main() -> None:
    """Draw the copies, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=2500)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--boards", type=int, default=3)
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--alike", action="store_true", help="leave most prints out whose back is unlike every flower")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    args.folder.mkdir(parents=True, exist_ok=True)
    drawn, seed = 0, args.first
    while drawn < args.copies:
        if not args.alike or seed % 5 == 0 or has_likeness(seed, args.held):
            keep(args.folder / f"{seed}.npz", partial(draw_copy, seed, args.boards, args.held))
            drawn += 1
        seed += 1


if __name__ == "__main__":
    main()
