"""Print what an update of a live table costs, where a few cells changed, against a full reading of the same frame.

usage: python -m tests.update_cost
The exit status is 1 where an update costs more than half of a full reading.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import cv2

from engine.position import COVERED
from tests.drawer import draw_photo
from tests.drawn_games import FOUR, played, print_of
from tests.films import SCENE
from vision.photo import Picture
from vision.still import first_glimpse, glimpse_again

BOUND = 0.5
SIZES = ((880, 660), (1280, 960), (1920, 1440))
GAME = 330
ROUNDS = 8


@dataclass(frozen=True)
class Cost:
    """The milliseconds of one core that a full reading takes, and those of an update over so many changed cells."""

    full: float
    update: float
    changed: int

    @property
    def ratio(self) -> float:
        """The part of a full reading that an update costs."""
        return self.update / self.full


def measured(before: Picture, after: Picture) -> Cost:
    """Read a frame in full and as an update of the one before, in turns, so that a busy machine slows both alike."""
    with _one_thread():
        first = first_glimpse(before)
        both = [
            (_spent(lambda: first_glimpse(after)), _spent(lambda: glimpse_again(first, after))) for _ in range(ROUNDS)
        ]
        full, update = (min(times) for times in zip(*both, strict=True))
        return Cost(full, update, len(glimpse_again(first, after).changed))


def _spent(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


@contextmanager
def _one_thread() -> Iterator[None]:
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)


def main() -> int:
    """Measure frames of three sizes on which two tiles were turned up."""
    printing = print_of(7_000 + GAME, held=False)
    position = next(played(FOUR, GAME, printing.ring, 60)).before.position
    one, *_, other = position.where(COVERED)
    kept = True
    for size in SIZES:
        scene = replace(SCENE, printing=printing, size=size)
        before, after = (
            draw_photo(8_400_000 + GAME, replace(scene, position=shown)).image
            for shown in (position, position.with_faces({one: "b", other: "r"}))
        )
        cost = measured(before, after)
        kept = kept and cost.ratio <= BOUND
        print(
            f"{size[0]}x{size[1]}: {cost.changed} cells changed, full reading {cost.full:.0f} ms, "
            f"update {cost.update:.0f} ms, {cost.ratio:.2f} of it"
        )
    print(f"at most {BOUND} of a full reading{'' if kept else '  NOT KEPT'}")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
