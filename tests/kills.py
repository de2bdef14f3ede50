"""Kill the server again and again while phones send photos and turns; what it acknowledged must be there afterwards.

usage: python -m tests.kills [--kills 200] [--seed 1]

Servers are forked from a process that has everything loaded, so that hundreds of them can be killed in minutes; each
is the real application behind the real WSGI server on the real data folder. Only the eye is left out: what a photo
shows does not matter here. SIGKILL shows that nothing is answered before it is handed to the system, and that half a
write is never seen; that it is also forced to the disk is tested where the files are written.
"""

import argparse
import http.client
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from PIL import Image

from companion.history import History, fold, open_history
from companion.history.photos import cleaned, sha256_of
from companion.reading import Prepared, Reader, Taken
from engine import Table
from engine.play import play_game
from tests.server import photo_form

ROOT = Path(__file__).parents[1]
PLAYERS = {"name-0": "Ada", "colours-0": "b", "name-1": "Bo", "colours-1": "r", "starter": "0", "game": "serendipity"}


class BlindReader(Reader):
    """Takes photos as they are and sees no board on them."""

    def prepare(self, data: bytes) -> Prepared:
        return Prepared(cleaned(data), "image/png", 8, 8)

    def take(self, data: bytes) -> Taken:
        taken = Taken(self.prepare(data), Future[dict[str, Any]](), Future[bytes]())
        taken.reading.set_result(self.read(Path()))
        return taken

    def read(self, path: Path, corners: Any = ()) -> dict[str, Any]:
        return {"status": "no-board", "reason": "no-board", "places": {}, "unsure": [], "centres": {}}


@dataclass
class Acknowledged:
    """What phones were told is kept."""

    photos: dict[str, str] = field(default_factory=dict)
    """The hash of a photo, and the snapshot it opened."""
    turns: dict[str, list[str]] = field(default_factory=dict)
    """The steps of every turn of a game, in order."""
    notes: list[tuple[str, str]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.photos) + sum(map(len, self.turns.values())) + len(self.notes)


@dataclass
class Evening:
    """Phones at one table: each sends until the line is cut."""

    seed: int
    kept: Acknowledged = field(default_factory=Acknowledged)
    unsure: set[str] = field(default_factory=set)
    """Games with a turn that was sent but never answered: it may be there or not."""
    count: int = 0

    def phones(self, port: int, over: threading.Event) -> list[threading.Thread]:
        phones = [self.photographer, self.player, self.player]
        return [threading.Thread(target=self._until_cut, args=(phone, port, over)) for phone in phones]

    def _until_cut(self, phone: Any, port: int, over: threading.Event) -> None:
        with suppress(OSError, http.client.HTTPException):
            while not over.is_set():
                phone(port)

    def photographer(self, port: int) -> None:
        self.count += 1
        out = io.BytesIO()
        colour = (self.seed % 256, self.count % 256, self.count // 256)
        Image.new("RGB", (8, 8), colour).save(out, "PNG")
        photo = out.getvalue()
        body, kind = photo_form(photo, "x.png")
        status, where = ask(port, "/photos", body, kind)
        assert status == 303, status
        self.kept.photos[sha256_of(cleaned(photo))] = where.rsplit("/", 1)[1]
        # The same photo twice is one photo.
        ask(port, "/photos", body, kind)

    def player(self, port: int) -> None:
        status, where = ask(port, "/games", urlencode(PLAYERS).encode())
        assert status == 303, status
        game = where.rsplit("/", 1)[1]
        turns = self.kept.turns.setdefault(game, [])
        self.count += 1
        for turn in play_game(Table.parse("Ada=blue,Bo=red"), self.seed + self.count):
            steps = "; ".join(map(str, turn.steps))
            self.unsure.add(game)
            status, _ = ask(port, f"/games/{game}/turns", urlencode({"steps": steps}).encode())
            assert status == 303, status
            turns.append(steps)
            self.unsure.discard(game)
            if len(turns) % 5 == 0:
                note = f"{game} {len(turns)}"
                assert ask(port, f"/history/{game}/notes", urlencode({"text": note}).encode())[0] == 303
                self.kept.notes.append((game, note))
            if len(turns) == 12:
                return

    def check(self, folder: Path, database: str | None = None) -> None:
        """Open the history as the next start would, and look for everything that was acknowledged."""
        history = open_history(folder, database)
        try:
            if database is None:
                with history.engine.connect() as db:
                    assert db.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            states = {log[0]: fold(*log) for log in history.logs()}
            for sha256, snapshot in self.kept.photos.items():
                photo = history.photo(sha256)
                assert sha256_of(history.photo_path(photo).read_bytes()) == sha256
                assert states[snapshot].sheet.photo == sha256
            for game, steps in self.kept.turns.items():
                there = [turn.steps for turn in states[game].turns]
                assert there[: len(steps)] == steps, game
                # At most the one turn that nobody heard of may have come in addition.
                assert len(there) - len(steps) <= (game in self.unsure), game
            for game, note in self.kept.notes:
                assert note in [kept.text for kept in states[game].notes]
            assert_one_file_each(history)
        finally:
            history.close()


def assert_one_file_each(history: History) -> None:
    """Every photo file is whole: its name is the hash of its bytes."""
    for file in history.shelf.folder.rglob("*.png"):
        assert sha256_of(file.read_bytes()) == file.stem


def ask(port: int, path: str, body: bytes, kind: str = "application/x-www-form-urlencoded") -> tuple[int, str]:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        line.request("POST", path, body, {"Origin": f"http://127.0.0.1:{port}", "Content-Type": kind})
        answer = line.getresponse()
        answer.read()
        return answer.status, answer.getheader("Location") or ""
    finally:
        line.close()


@contextmanager
def nursery(folder: Path, database: str | None = None) -> Iterator["subprocess.Popen[str]"]:
    """Start the process that forks servers."""
    command = [sys.executable, "-m", "tests.kills", "--nursery", str(folder), *([database] if database else [])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()


def kill_again_and_again(folder: Path, kills: int, seed: int, database: str | None = None) -> Acknowledged:
    """Kill so many servers at random moments, and check after each; return what was acknowledged in all."""
    chance = random.Random(seed)
    table = Evening(seed)
    with nursery(folder, database) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        for n in range(kills):
            parent.stdin.write("go\n")
            parent.stdin.flush()
            pid, port = json.loads(parent.stdout.readline())
            over = threading.Event()
            phones = table.phones(port, over)
            for phone in phones:
                phone.start()
            # By chance, but counted in answers: a slow computer would else be killed before its first word.
            enough, until = len(table.kept) + chance.randrange(10), time.monotonic() + 10
            while len(table.kept) < enough and time.monotonic() < until:
                time.sleep(0.002)
            time.sleep(chance.uniform(0, 0.06))
            os.kill(pid, signal.SIGKILL)
            over.set()
            for phone in phones:
                phone.join()
            if n % 5 == 4 or n == kills - 1:
                table.check(folder, database)
    return table.kept


def _serve(folder: str, database: str | None, answer: int) -> None:
    from waitress.server import create_server

    from companion.app import create_app

    app = create_app(folder, database=database, reader=BlindReader(children=0))
    server: Any = create_server(app, host="127.0.0.1", port=0, threads=6)
    os.write(answer, json.dumps([os.getpid(), server.effective_port]).encode() + b"\n")
    os.close(answer)
    server.run()


def _raise_servers(folder: str, database: str | None) -> None:
    """Fork a server for every line on standard input, and bury it before the next."""
    import waitress.server  # noqa: F401

    import companion.app  # noqa: F401 - loaded once, for all servers

    child = 0
    for _line in sys.stdin:
        if child:
            os.waitpid(child, 0)
        answers, answer = os.pipe()
        child = os.fork()
        if not child:
            os.close(answers)
            _serve(folder, database, answer)
            os._exit(0)
        os.close(answer)
        with os.fdopen(answers) as said:
            print(said.readline(), end="", flush=True)
    if child:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def main() -> None:
    """Kill as often as asked, and say what was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nursery", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.nursery:
        _raise_servers(args.nursery[0], args.nursery[1] if len(args.nursery) > 1 else None)
        return
    with tempfile.TemporaryDirectory() as folder:
        kept = kill_again_and_again(Path(folder), args.kills, args.seed)
    turns = sum(map(len, kept.turns.values()))
    print(
        f"{args.kills} kills: {len(kept.photos)} photos, {turns} turns and {len(kept.notes)} notes were acknowledged, "
        "and all of them are there"
    )


if __name__ == "__main__":
    main()
