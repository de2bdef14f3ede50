"""Simulated play against a real server, watching whether it keeps memory, open files or stray files.

usage: python -m tests.soak [--rounds 600]
A round is what a table does between two turns: a photo, looks, a correction, an undo, a position, a wrong file.
"""

import argparse
import random
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from tests.server import ROOT, Server, running_server
from tests.table import finished_position

SAMPLES = ("far.jpg", "game.jpg", "cloth.jpg")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Footprint:
    """What the server and its children hold: resident megabytes, open files, files in its scratch folder."""

    megabytes: float
    handles: int
    scratch: int


@dataclass(frozen=True)
class Soak:
    """The footprint after a warm-up and at the end."""

    warm: Footprint
    end: Footprint


def soak(rounds: int) -> Soak:
    """Play some rounds; the first third warms everything up."""
    rng = random.Random(4)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "scratch"
        scratch.mkdir()
        with running_server(Path(folder) / "data", environment={"TMPDIR": str(scratch)}) as server:
            warm = None
            for n in range(rounds):
                if n == max(3, rounds // 3):
                    warm = footprint(server, scratch)
                play_round(server, rng)
            return Soak(warm or footprint(server, scratch), footprint(server, scratch))


def play_round(server: Server, rng: random.Random) -> None:
    """Do what a table does between two turns."""
    answer = server.send_photo((ROOT / "sample_images" / rng.choice(SAMPLES)).read_bytes())
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
    megabytes, handles = 0.0, 0
    for pid in (server.process.pid, *children(server.process.pid)):
        status = Path(f"/proc/{pid}/status").read_text()
        resident = re.search(r"VmRSS:\s+(\d+)", status)
        megabytes += int(resident[1]) / 1024 if resident else 0
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
    for name, at in (("after the warm-up", result.warm), ("at the end", result.end)):
        print(f"{name}: {at.megabytes:.0f} MB, {at.handles} open files, {at.scratch} scratch files")


if __name__ == "__main__":
    main()
