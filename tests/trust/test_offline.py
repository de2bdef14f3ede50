"""No internet: a whole run, watched from inside every Python process, speaks to nobody but this computer."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.server import ROOT, running_server

SAMPLE = ROOT / "sample_images" / "game.jpg"

WATCH = """
import os, sys

def watch(event, args):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = args[1]
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            note(f"{event} {address}")
    elif event == "socket.getaddrinfo" and args[0] not in (None, "127.0.0.1", "::1", "localhost", "0.0.0.0"):
        note(f"{event} {args[0]}")
    elif event == "urllib.Request":
        note(f"{event} {args[0]}")

def note(line):
    with open(os.environ["WATCHED"], "a") as file:
        file.write(line + chr(10))

sys.addaudithook(watch)
with open(os.environ["WATCHED"] + ".processes", "a") as file:
    file.write("begun" + chr(10))
"""


def test_reading_serving_and_scoring_send_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    watched = tmp_path / "watched"
    environment = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "WATCHED": str(watched)}
    with running_server(tmp_path / "data", environment=environment) as server:
        answer = server.send_photo(SAMPLE.read_bytes())
        assert answer.status == 303
        deadline = time.monotonic() + 60
        place = answer.headers["Location"]
        while "data-waiting" in (page := server.ask("GET", place).text) and time.monotonic() < deadline:
            server.ask("GET", f"{place}/reading")
        assert "13" in page
        foreign = [link for link in re.findall(r'(?:src|href|action)="([^"]+)"', page) if re.match(r"\w+:|//", link)]
        assert not [link for link in foreign if not link.startswith("data:")]
    command = [sys.executable, "-m", "companion", "read", "--json", str(SAMPLE)]
    subprocess.run(command, env={**os.environ, **environment}, cwd=ROOT, capture_output=True, check=False)
    assert Path(f"{watched}.processes").read_text().count("begun") >= 3, "server, reader and command were watched"
    assert not watched.exists(), watched.read_text()
