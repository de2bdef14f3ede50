"""Print how well photos are read: the sample images, and drawn boards of art that nothing is tuned on.

usage: python -m tests.results [--drawn 60] [--first 7000000] [--folder FOLDER_OF_PHOTOS_WITH_TRUTH]
"""

import argparse
from collections.abc import Iterable
from multiprocessing import get_context
from pathlib import Path

import cv2

from tests.drawer import Wish, draw_photo
from tests.truth import Marks, load_truth, marked, reliability, truth_of
from vision import read_photo

SAMPLES = Path(__file__).parents[1] / "sample_images"

Row = tuple[str, bool, Marks | None]
"""A photo's name, whether it shows a board, and its marks (None when it was refused)."""


def read_sample(path: Path) -> Row:
    """Read one photo that has its truth beside it."""
    cv2.setNumThreads(1)
    truth = load_truth(path)
    reading = read_photo(path.read_bytes())
    board = set(truth.position.faces) != {"_"}
    return path.stem, board, marked(reading, truth) if reading.cells else None


def read_drawn(seed: int) -> Row:
    """Draw one photo with held-back art and read it."""
    cv2.setNumThreads(1)
    drawing = draw_photo(seed, Wish(held=True))
    _, jpeg = cv2.imencode(".jpg", drawing.image, [cv2.IMWRITE_JPEG_QUALITY, 90])
    reading = read_photo(jpeg.tobytes())
    return str(seed), True, marked(reading, truth_of(drawing)) if reading.cells else None


def print_table(title: str, rows: Iterable[Row]) -> None:
    """Print one line of totals and the reliability of the confidences."""
    rows = list(rows)
    found = [marks for _, board, marks in rows if board and marks]
    cells = sum(marks.cells for marks in found)
    print(f"{title}: {len(rows)} photos, {sum(board for _, board, _ in rows)} with a board")
    print(f"  boards read {len(found)}, whole boards right {sum(m.right == m.cells for m in found)}")
    print(f"  tables without a board refused {sum(not board and marks is None for _, board, marks in rows)}")
    if not cells:
        return
    print(f"  cells right {sum(m.right for m in found)}/{cells} ({100 * sum(m.right for m in found) / cells:.2f}%)")
    print(f"  cells asked about {sum(m.asked for m in found)} ({100 * sum(m.asked for m in found) / cells:.1f}%)")
    print(f"  cells silently wrong {sum(m.silent for m in found)}")
    print(f"  worst centre {max(m.off for m in found):.2f} of a tile")
    for low, high, count, share in reliability(pair for m in found for pair in m.sure):
        print(f"    confidence {low:.3f}-{high:.3f}: {count:6} cells, {100 * share:6.2f}% right")


def main() -> None:
    """Read everything with both cores and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawn", type=int, default=60)
    parser.add_argument("--first", type=int, default=7_000_000)
    parser.add_argument("--folder", type=Path, default=SAMPLES)
    args = parser.parse_args()
    with get_context("spawn").Pool(2) as pool:
        print_table(str(args.folder.name), pool.map(read_sample, sorted(args.folder.glob("*.jpg"))))
        if args.drawn:
            print_table("drawn, held-back art", pool.map(read_drawn, range(args.first, args.first + args.drawn)))


if __name__ == "__main__":
    main()
