"""Draw photos into a folder once, so that training can go over them many times.

usage: python -m tests.training.drawn FOLDER [--photos 5000] [--first 0] [--held]
"""

import argparse
import multiprocessing
from pathlib import Path

import cv2
import numpy as np

from tests.drawer import Wish, draw_photo


def wish_for(seed: int, held: bool) -> Wish:
    """Choose what a photo shows: mostly whole boards, some other sizes, some tables without any."""
    share = np.random.default_rng(seed + 10**9).random()
    if held or share > 0.18:
        return Wish(held=held)
    if share < 0.07:
        return Wish(edge=3)
    return Wish(edge=(4, 5, 7)[seed % 3]) if share < 0.13 else Wish(board=False)


def save(folder: Path, seed: int, held: bool) -> None:
    """Draw one photo and keep it with its truth."""
    cv2.setNumThreads(1)
    path = folder / f"{seed}.jpg"
    if path.with_suffix(".npz").exists():
        return
    wish = wish_for(seed, held)
    drawing = draw_photo(seed, wish)
    cv2.imwrite(str(path), drawing.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    np.savez(
        path.with_suffix(".npz"),
        centres=drawing.centres,
        faces=np.array(drawing.position.faces),
        hidden=np.array(sorted(drawing.hidden), int),
        edge=drawing.position.edge,
        loose=np.array(drawing.loose).reshape(-1, 2),
        board=wish.board,
        ring=drawing.ring,
    )


def main() -> None:
    """Draw the photos with both cores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--held", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    jobs = [(args.folder, seed, args.held) for seed in range(args.first, args.first + args.photos)]
    with multiprocessing.Pool(2) as pool:
        pool.starmap(save, jobs, chunksize=16)


if __name__ == "__main__":
    main()
