"""Print how well photos are read: the sample images, and drawn boards of art that nothing is tuned on.

usage: python -m tests.results [--drawn 60] [--first 7000000] [--folder FOLDER_OF_PHOTOS_WITH_TRUTH] [--write]
With --write the tables also go to docs/results.md, which the README quotes.
"""

import argparse
from collections.abc import Iterable, Sequence
from multiprocessing import get_context
from pathlib import Path

import cv2
from scipy.stats import beta

from calibration.evaluation import STAGES, Row, evaluate_photo
from calibration.marking import reliability
from tests.drawer import Wish, draw_photo
from tests.truth import marked, truth_of
from vision import read_photo

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_images"
FEWEST = 75
"""A photo with fewer cells in view need not be read; only its silent errors count."""


def read_sample(path: Path) -> Row:
    """Read one photo that has its truth beside it."""
    cv2.setNumThreads(1)
    return evaluate_photo(path)


def read_drawn(seed: int) -> Row:
    """Draw one photo with held-back art and read it."""
    cv2.setNumThreads(1)
    drawing = draw_photo(seed, Wish(held=True))
    _, jpeg = cv2.imencode(".jpg", drawing.image, [cv2.IMWRITE_JPEG_QUALITY, 90])
    reading = read_photo(jpeg.tobytes())
    marks = marked(reading, truth_of(drawing)) if reading.cells else None
    in_view = 91 - len(drawing.hidden) >= FEWEST
    return Row(str(seed), reading.status, in_view, marks, tuple(reading.ms.get(stage, 0.0) for stage in STAGES))


def most_likely(events: int, trials: int) -> str:
    """Return the upper end of the exact 95% interval of a rate, as a share of ten thousand."""
    high = float(beta.ppf(0.95, events + 1, trials - events)) if trials > events else 1.0
    return f"{10_000 * high:.1f} in 10,000"


def tables(title: str, rows: Sequence[Row], each: bool) -> Iterable[str]:
    """Yield the lines of a Markdown section: a row a photo if wished, totals, and the reliability of confidences."""
    yield f"## {title}"
    yield ""
    if each:
        yield "| photo | cells in view | right | asked about | silently wrong | worst centre, tiles |"
        yield "|---|---|---|---|---|---|"
        for row in rows:
            m = row.marks
            cells = f"{m.cells} | {m.right} | {m.asked} | {m.silent} | {m.off:.2f}" if m else f"{row.status} | | | |"
            yield f"| {row.photo} | {cells} |"
        yield ""
    boards = [row for row in rows if row.has_board]
    read = [row.marks for row in boards if row.marks]
    silent = sum(row.marks.silent for row in rows if row.marks)
    cells, right, asked = (sum(getattr(m, key) for m in read) for key in ("cells", "right", "asked"))
    yield f"- photos {len(rows)}; boards with at least {FEWEST} cells in view {len(boards)}, of these read {len(read)}"
    yield f"- whole boards right {sum(m.whole for m in read)}, without a question {sum(not m.asked for m in read)}"
    yield f"- cells right {right} of {cells} ({100 * right / max(cells, 1):.2f}%)"
    yield f"- cells asked about {asked} ({100 * asked / max(cells, 1):.2f}%)"
    vouched = sum(m.cells - m.asked for m in read)
    bound = most_likely(silent, vouched)
    yield f"- cells silently wrong {silent} of {vouched} vouched for: with 95% certainty below {bound}"
    yield ""
    yield "| confidence | cells | right |"
    yield "|---|---|---|"
    for low, high, count, share in reliability(pair for m in read for pair in m.sure):
        yield f"| {low:g} to {high:g} | {count} | {f'{100 * share:.2f}%' if count else ''} |"
    yield ""


def main() -> None:
    """Read everything with both cores and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawn", type=int, default=60)
    parser.add_argument("--first", type=int, default=7_000_000)
    parser.add_argument("--folder", type=Path, default=SAMPLES)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    command = f"python -m tests.results --drawn {args.drawn} --first {args.first} --write"
    lines = ["# How well photos are read", "", f"Written by `{command}`.", ""]
    with get_context("spawn").Pool(args.workers) as pool:
        lines += tables(args.folder.name, pool.map(read_sample, sorted(args.folder.glob("*.jpg"))), each=True)
        if args.drawn:
            rows = pool.map(read_drawn, range(args.first, args.first + args.drawn), chunksize=4)
            lines += tables("Drawn boards of art that nothing is tuned on", rows, each=False)
    print("\n".join(lines))
    if args.write:
        (ROOT / "docs" / "results.md").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
