"""Print what the page adds to the reading itself, from sending a photo to the points on the screen.

usage: python -m tests.page_cost
The real program, asked over a socket with warm children; the exit status is 1 where the middle one of the photos takes
more than twice the reading.
"""

import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from companion.history import fold, open_history
from tests.server import Server, running_server

SAMPLES = Path(__file__).parents[1] / "sample_images"
BOUND = 2.0


@dataclass(frozen=True)
class Cost:
    """One photo's way: milliseconds until its points were on the page, and those the reading itself took."""

    photo: str
    total: float
    reading: float

    @property
    def ratio(self) -> float:
        """How many times the reading it took."""
        return self.total / self.reading


def measured(server: Server, folder: Path, names: list[str]) -> Iterator[Cost]:
    """Send photos as a phone does, and wait for their points."""
    for name in names:
        data = (SAMPLES / f"{name}.jpg").read_bytes()
        start = time.perf_counter()
        address = server.send_photo(data).headers["Location"]
        while (page := server.ask("GET", address)).text.find("data-waiting") >= 0:
            server.ask("GET", f"{address}/reading")
        total = 1000 * (time.perf_counter() - start)
        assert re.search(r'class="scores?"', page.text), page.text[:500]
        history = open_history(folder)
        game = address.rsplit("/", 1)[1]
        sheet = fold(game, *history.log(game)).sheet
        history.close()
        assert sheet is not None
        yield Cost(name, total, sum(sheet.reading["ms"].values()))


def main() -> int:
    """Measure the sample photos; the first one only wakes everything up."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        _, *costs = measured(server, Path(folder), ["far", "easy", "tilted", "cloth", "game", "checked"])
    for cost in costs:
        print(
            f"{cost.photo:10} points after {cost.total:6.0f} ms, reading {cost.reading:6.0f} ms, {cost.ratio:.2f} times"
        )
    middle = sorted(cost.ratio for cost in costs)[len(costs) // 2]
    print(f"{'middle one':10} {middle:.2f} times the reading, at most {BOUND}{'' if middle <= BOUND else '  NOT KEPT'}")
    return 0 if middle <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
