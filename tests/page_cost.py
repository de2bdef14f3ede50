"""Print how long it takes from using a photo to its points, beside the reading itself.

usage: python -m tests.page_cost [PHOTO...] [--turns 9] [--screen]
The real program with a warm child, asked over a socket as a browser asks, against the same photo read with nothing
else to do. Both take turns, so that what else the machine does meets both alike, and of each the median counts. With
`--screen` Chromium itself uses the photo on the first page, and the clock stops once the points are drawn. Where a
photo takes more than twice its reading, the exit status is 1. The work is the time on a processor, of all processes
of the page against those of the reading alone: it says the same on a machine that is busy with other things.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from companion.reading import Reader
from tests.server import Server, running_server

SAMPLES = Path(__file__).parents[1] / "sample_images"
PHOTOS = tuple(SAMPLES / f"{name}.jpg" for name in ("easy", "tilted", "cloth", "game", "checked", "far", "hand"))
BOUND = 2.0

Send = Callable[[Path], float]
"""Uses a photo and returns the milliseconds until its points are there."""

WATCH = """() => {
  document.addEventListener("change", () => { window.chosen = performance.now(); window.shown = null; }, true);
  new MutationObserver(() => {
    if (window.shown === null && document.querySelector(".scores")) {
      window.shown = 0;
      requestAnimationFrame(() => requestAnimationFrame(() => { window.shown = performance.now(); }));
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
}"""
"""Notes when a photo was chosen, and when the frame with its points has been drawn."""


@dataclass(frozen=True)
class Cost:
    """One photo's way: milliseconds until its points were there, and those of its reading alone; medians of both."""

    photo: str
    total: float
    reading: float
    work: float
    """How many times the reading's time on a processor the page's is; 0 where the system does not tell."""

    @property
    def ratio(self) -> float:
        """How many times the reading it took."""
        return self.total / self.reading


def measured(turns: int, photos: Sequence[Path] = PHOTOS, screen: bool = False) -> Iterator[Cost]:
    """Use each photo some times and read it as often, in turns; one before wakes everything up."""
    reader = Reader(children=1)
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        try:
            with _browser(server) if screen else _socket(server) as send:
                for photo in photos:
                    send(photo)
                    reader.read(photo)
                    totals, readings = [], []
                    before = worked(server.process.pid), _worked_alone(server)
                    for _ in range(turns):
                        totals.append(send(photo))
                        readings.append(sum(reader.read(photo)["ms"].values()))
                    page, alone = worked(server.process.pid) - before[0], _worked_alone(server) - before[1]
                    yield Cost(photo.stem, median(totals), median(readings), page / alone if alone else 0.0)
        finally:
            reader.close()


def worked(process: int) -> float:
    """Return the seconds a process and all that it has started have been on a processor; 0 where nobody tells."""
    found: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            said = stat.read_text().rpartition(")")[2].split()
            found[int(stat.parent.name)] = int(said[1]), sum(map(int, said[11:15])) / os.sysconf("SC_CLK_TCK")
    family = {process}
    while more := {child for child, (parent, _) in found.items() if parent in family} - family:
        family |= more
    return sum(found[member][1] for member in family if member in found)


def _worked_alone(server: Server) -> float:
    """Return the seconds of the reader's children: those below this program that are neither it nor the server's."""
    here = os.times()
    return worked(os.getpid()) - sum(here[:4]) - worked(server.process.pid)


@contextmanager
def _socket(server: Server) -> Iterator[Send]:
    """Send photos as a browser does."""
    fresh = _Fresh()

    def send(photo: Path) -> float:
        data = fresh(photo)
        start = time.perf_counter()
        address = server.send_photo(data).headers["Location"]
        while "data-waiting" in (page := server.ask("GET", address).text):
            server.ask("GET", f"{address}/reading")
        total = 1000 * (time.perf_counter() - start)
        assert 'class="scores"' in page, page[:500]
        return total

    yield send


@contextmanager
def _browser(server: Server) -> Iterator[Send]:
    """Choose photos on the first page of a browser at phone size."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import FLAGS, browser_program

    fresh = _Fresh()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=browser_program(), args=FLAGS)
        # The clock is read by a script, which the page itself forbids.
        page = browser.new_context(viewport={"width": 390, "height": 844}, bypass_csp=True).new_page()

        def send(photo: Path) -> float:
            used = Path(folder) / photo.name
            used.write_bytes(fresh(photo))
            page.goto(server.address)
            page.evaluate(WATCH)
            page.locator("#album").set_input_files(used)
            page.wait_for_function("window.shown > 0")
            total: float = page.evaluate("window.shown - window.chosen")
            page.wait_for_load_state("networkidle")
            return total

        yield send
        browser.close()


class _Fresh:
    """Gives the bytes of a photo that the program has not seen: a remark in the JPEG's header is another each time."""

    def __init__(self) -> None:
        self._given = 0

    def __call__(self, photo: Path) -> bytes:
        self._given += 1
        data = photo.read_bytes()
        if not data.startswith(b"\xff\xd8"):
            return data + b"\0\0\0\x10free" + self._given.to_bytes(8)  # an empty box at the end of a HEIC file
        # An application segment that is kept; the comments of cameras are taken out, and the photo would be known.
        return data[:2] + b"\xff\xee\0\x08" + self._given.to_bytes(6) + data[2:]


def main() -> int:
    """Measure every sample photo that shows a board, or the photos that are named."""
    parser = argparse.ArgumentParser(description="measure the page against the reading")
    parser.add_argument("photos", nargs="*", type=Path, default=PHOTOS, metavar="PHOTO")
    parser.add_argument("--turns", type=int, default=9, help="how often each photo is used (default %(default)s)")
    parser.add_argument("--screen", action="store_true", help="measure in Chromium until the points are drawn")
    args = parser.parse_args()
    kept = True
    for cost in measured(args.turns, args.photos, args.screen):
        kept = kept and cost.ratio <= BOUND
        told = f"points after {cost.total:4.0f} ms, reading {cost.reading:4.0f} ms, {cost.ratio:.2f} times"
        verdict = "" if cost.ratio <= BOUND else "  NOT KEPT"
        print(f"{cost.photo:14} {told}; {cost.work:.2f} times the work{verdict}", flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
