"""Twenty phones at one table, all looking, two of them sending photos: how much longer the others wait.

usage: python -m tests.load [--phones 20] [--seconds 10]
Prints the median answer of a look with nobody sending and with two phones sending, and their ratio.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from threading import Event, Thread

from tests.server import ROOT, Server, running_server

SAMPLES = ("game.jpg", "far.jpg", "easy.jpg", "cloth.jpg")
EVERY = 1.0
"""Seconds between two looks of a phone, as the page does it."""


@dataclass(frozen=True)
class Load:
    """Median and worst seconds of a look, alone and under load; errors of any kind; photos that were sent."""

    alone: float
    busy: float
    worst: float
    looks: int
    photos: int
    errors: tuple[str, ...]

    @property
    def ratio(self) -> float:
        """How many times longer a look takes while photos arrive."""
        return self.busy / self.alone


def measure(phones: int = 20, seconds: float = 10) -> Load:
    """Serve a table, let phones look at it, and let two of them send photos in the second half."""
    with tempfile.TemporaryDirectory() as folder, running_server(Path(folder)) as server:
        place = server.send_photo((ROOT / "sample_images" / "far.jpg").read_bytes()).headers["Location"]
        while "data-waiting" in server.ask("GET", place).text:
            server.ask("GET", f"{place}/reading")
        errors: list[str] = []
        alone = _looks(server, place, phones, seconds, errors)
        stop = Event()
        sent: list[int] = []
        senders = [Thread(target=_send, args=(server, first, stop, sent, errors)) for first in range(2)]
        for sender in senders:
            sender.start()
        busy = _looks(server, place, phones, seconds, errors)
        stop.set()
        for sender in senders:
            sender.join()
        return Load(
            statistics.median(alone),
            statistics.median(busy),
            max(busy),
            len(alone) + len(busy),
            len(sent),
            tuple(errors),
        )


def _looks(server: Server, place: str, phones: int, seconds: float, errors: list[str]) -> list[float]:
    taken: list[float] = []

    def look(start: float) -> None:
        time.sleep(start)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                status = server.ask("GET", place).status
                if status != 200:
                    errors.append(f"a look was answered {status}")
            except OSError as trouble:
                errors.append(f"a look failed: {trouble}")
            taken.append(time.monotonic() - began)
            time.sleep(max(0.0, EVERY - taken[-1]))

    threads = [Thread(target=look, args=(EVERY * n / phones,)) for n in range(phones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


def _send(server: Server, first: int, stop: Event, sent: list[int], errors: list[str]) -> None:
    names: Sequence[str] = SAMPLES[first:] + SAMPLES[:first]
    for name in cycle(names):
        if stop.is_set():
            return
        try:
            answer = server.send_photo((ROOT / "sample_images" / name).read_bytes())
            if answer.status != 303:
                errors.append(f"a photo was answered {answer.status}")
            server.ask("GET", f"{answer.headers.get('Location', '/')}/reading")
            sent.append(answer.status)
        except OSError as trouble:
            errors.append(f"a photo failed: {trouble}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10)
    args = parser.parse_args()
    load = measure(args.phones, args.seconds)
    print(f"{args.phones} phones, {load.looks} looks, {load.photos} photos sent meanwhile, {len(load.errors)} errors")
    for error in sorted(set(load.errors)):
        print(f"  {error}")
    print(
        f"a look: alone {1000 * load.alone:.1f} ms, while two send {1000 * load.busy:.1f} ms, worst {load.worst:.2f} s"
    )
    print(f"ratio {load.ratio:.2f} (goal: at most 3)")


if __name__ == "__main__":
    main()
