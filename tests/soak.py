"""Simulated play against a real server, watching whether it keeps memory, open files or stray files.

usage: python -m tests.soak [--rounds 600]
A round is what a table does between two turns: a photo, looks, a correction, an undo, a position, a wrong file.
"""

import argparse
import random
import re
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from tests.server import ROOT, Server, running_server
from tests.table import finished_position

SAMPLES = ("far.jpg", "game.jpg", "cloth.jpg")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Footprint:
    """What the server and its children hold: each one's megabytes, open files, files in the scratch folder.

    Only memory that no file stands behind is counted: what a library takes depends on who else on the machine uses it.
    """

    megabytes: Mapping[int, float]
    handles: int
    scratch: int


@dataclass(frozen=True)
class Soak:
    """What was held at the least in the second and in the last third of the play, and the footprint at its end."""

    middle: float
    last: float
    middle_handles: int
    end: Footprint


def soak(rounds: int) -> Soak:
    """Play some rounds; in the first third everything comes that is only needed once.

    Between two photos a process holds what the last one's size left to it, by tens of megabytes more or less. So each
    is counted by the least that it held after any round of a third: what it never gives back is still in there.
    """
    rng = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "scratch"
        scratch.mkdir()
        with running_server(Path(folder) / "data", environment={"TMPDIR": str(scratch)}) as server:
            seen = []
            with ThreadPoolExecutor(2) as both:
                # Photos sent at the same time wake both children, before anything is counted.
                for number in range(len(SAMPLES)):
                    pair = SAMPLES[number], SAMPLES[number - 1]
                    list(both.map(lambda photo: play_round(server, random.Random(4), photo), pair))
            for number in range(rounds):
                play_round(server, rng, SAMPLES[number % len(SAMPLES)])
                seen.append(footprint(server, scratch))
    third = max(1, rounds // 3)
    middle, last = seen[-2 * third : -third], seen[-third:]
    handles = max((held.handles for held in middle), default=0)
    return Soak(least(middle), least(last), handles, seen[-1])


def least(seen: Sequence[Footprint]) -> float:
    """Add up the least megabytes of each process that was there all the time."""
    return sum(
        min(held.megabytes[process] for held in seen)
        for process in seen[0].megabytes
        if all(process in held.megabytes for held in seen)
    )


def play_round(server: Server, rng: random.Random, photo: str) -> None:
    """Do what a table does between two turns."""
    answer = server.send_photo((ROOT / "sample_images" / photo).read_bytes())
    assert answer.status == 303, answer.status
    place = answer.headers["Location"]
    while "data-waiting" in (page := server.ask("GET", place).text):
        server.ask("GET", f"{place}/reading")
    seen = re.search(r'name="seen" value="(\d+)"', page)
    assert seen is not None
    change = urlencode({"seen": seen[1], "cell": f"F{rng.randint(1, 11)}", "face": rng.choice("bvryog.")})
    server.ask("POST", f"{place}/cell", change.encode(), FORM)
    server.ask("POST", f"{place}/undo", b"", FORM)
    assert server.ask("GET", place).status == 200
    text = urlencode({"position": str(finished_position(rng.randrange(50)))})
    assert server.ask("POST", "/positions", text.encode(), FORM).status == 303
    assert server.send_photo(b"not a photo").status == 422


def footprint(server: Server, scratch: Path) -> Footprint:
    """Measure the server's process and its children."""
    megabytes, handles = {}, 0
    for pid in (server.process.pid, *children(server.process.pid)):
        held = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        assert held is not None
        megabytes[pid] = int(held[1]) / 1024
        handles += len(list(Path(f"/proc/{pid}/fd").iterdir()))
    return Footprint(megabytes, handles, len(list(scratch.iterdir())))


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=600)
    args = parser.parse_args()
    result = soak(args.rounds)
    print(f"megabytes at the least: {result.middle:.1f} in the second third, {result.last:.1f} in the last")
    print(f"open files: {result.middle_handles}, then {result.end.handles}; scratch files: {result.end.scratch}")


if __name__ == "__main__":
    main()
