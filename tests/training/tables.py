"""Draw tables for the networks of the grid: flat views, small and cut-off boards, and much that is no board.

usage: python -m tests.training.tables FOLDER [--photos 4000] [--first 0]
They are smaller than those for the faces: the grid is found in a small view anyway, and an hour gives more of them.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np

from tests.drawer import Wish, draw_photo
from tests.drawer.others import GAMES, OUTLINES

SIZES = ((640, 480), (640, 480), (480, 640))
OTHER_EDGES = (3, 3, 3, 4, 5, 7, 8)


def wish_for(seed: int) -> Wish:
    """Choose what lies on the table and from where it is seen."""
    random = np.random.default_rng(seed + 2 * 10**9)
    size = SIZES[int(random.integers(len(SIZES)))]
    share = random.random()
    if share < 0.2:
        return Wish(board=False, game=str(random.choice(GAMES)) if random.random() < 0.8 else None, size=size)
    edge = 6 if share > 0.35 else OTHER_EDGES[int(random.integers(len(OTHER_EDGES)))]
    tilt = float(random.uniform(15, 63)) if random.random() < 0.55 else None
    return Wish(edge=edge, tilt=tilt, size=size, cut=random.random() < 0.12, hand=random.random() < 0.15)


def save(folder: Path, seed: int) -> None:
    """Draw one table and keep it with where its tiles lie."""
    path = folder / f"{seed}.jpg"
    if path.with_suffix(".npz").exists():
        return
    wish = wish_for(seed)
    drawing = draw_photo(seed, wish)
    cv2.imwrite(str(path), drawing.image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    np.savez(
        path.with_suffix(".npz"),
        centres=drawing.centres if wish.board else np.zeros((0, 2)),
        present=np.array([face != "_" for face in drawing.position.faces]),
        hidden=np.array(sorted(drawing.hidden), int),
        ground=drawing.centres if wish.game in OUTLINES else np.zeros((0, 2)),
        edge=wish.edge,
        loose=np.array(drawing.loose).reshape(-1, 2),
    )


def main() -> None:
    """Draw the tables, one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--photos", type=int, default=4000)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for seed in range(args.first, args.first + args.photos):
        save(args.folder, seed)


if __name__ == "__main__":
    main()
