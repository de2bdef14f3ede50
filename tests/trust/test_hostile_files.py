"""A hostile file cannot take the table down: a real server meets what strangers and broken phones may send."""

import io
import re
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from companion.reading import MEMORY_CAP, Reader, Refused
from tests.server import Server, photo_form, running_server
from tests.test_photo import bombs, scene, stored

SAMPLE = Path(__file__).parents[2] / "sample_images" / "far.jpg"
PATIENCE = 3.0
"""Seconds within which another phone must be answered while strangers do their worst."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, scratch: Path) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("table"), environment={"TMPDIR": str(scratch)}) as running:
        yield running


def zip_bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("photo.jpg", bytes(50_000_000))
    return out.getvalue()


HOSTILE = {
    "nothing": b"",
    "text": b"Dear reader, trust me.",
    "a page": b"<!doctype html><script>fetch('/')</script>",
    "a drawing with a script": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "a program": b"\x7fELF" + bytes(2000),
    "a film": b"\0\0\0\x18ftypmp42" + bytes(4000),
    "an archive": zip_bomb(),
    "half a photo": SAMPLE.read_bytes()[:40_000],
    "a photo with its end replaced": SAMPLE.read_bytes()[:60_000] + bytes(60_000),
    "a signature and nothing else": b"\xff\xd8\xff\xe0",
    "an endless segment": b"\xff\xd8\xff\xe1\xff\xff" + bytes(70_000),
    **{f"bomb: {name}": data for name, data in bombs().items()},
}


def sentence_of(page: str) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.S)
    return " ".join(found[1].split()) if found else page


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_each_gets_a_plain_sentence_and_others_are_answered(server: Server, data: bytes) -> None:
    answer = server.send_photo(data)
    assert 400 <= answer.status < 500
    sentence = sentence_of(answer.text)
    assert sentence.endswith("."), sentence
    assert "Traceback" not in answer.text
    assert server.ask("GET", "/", seconds=PATIENCE).status == 200


def test_a_polyglot_keeps_only_its_picture(server: Server, tmp_path: Path) -> None:
    both = stored(scene(640, 480), "JPEG") + b"<script>alert('table')</script>PK\x03\x04"
    answer = server.send_photo(both)
    assert answer.status == 303
    page = server.ask("GET", answer.headers["Location"])
    shown = re.search(r"/photos/[0-9a-f]{64}\.jpg", page.text)
    assert shown is not None
    picture = server.ask("GET", shown[0])
    assert picture.headers["Content-Type"] == "image/jpeg"
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert "<script>" not in picture.text


@pytest.mark.parametrize("name", ["../../../etc/passwd", "..\\..\\x.jpg", "a\x00b.jpg", "x" * 5000, "<b>.jpg", ""])
def test_a_file_name_is_never_used(server: Server, name: str) -> None:
    body, kind = photo_form(stored(scene(640, 480), "JPEG"), name.replace('"', ""))
    answer = server.ask("POST", "/photos", body, {"Content-Type": kind})
    assert answer.status in (303, 400, 413, 422)
    assert "passwd" not in answer.text
    assert server.ask("GET", "/", seconds=PATIENCE).status == 200


def test_many_small_ones_leave_nothing_behind(server: Server, scratch: Path) -> None:
    def resident() -> int:
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]

    for _ in range(20):
        server.send_photo(b"tiny")
    before = resident()
    for n in range(300):
        assert server.send_photo(b"tiny %d" % n).status == 422
    assert resident() - before < 20_000, "kilobytes"
    assert not list(scratch.iterdir())


def test_slow_uploads_do_not_hold_up_the_others(server: Server) -> None:
    body, kind = photo_form(bytes(500_000))
    head = (
        f"POST /photos HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {server.address.rstrip('/')}\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    slow = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(150)]
    try:
        for line in slow:
            line.sendall(head + body[:100])
        for _ in range(5):
            for line in slow:
                line.sendall(b"x")
            started = time.monotonic()
            assert server.ask("GET", "/", seconds=PATIENCE).status == 200
            assert time.monotonic() - started < PATIENCE
    finally:
        for line in slow:
            line.close()


def test_two_bombs_at_once_and_a_photo_between(server: Server) -> None:
    bomb = bombs()["PNG of 600 MB"]
    statuses: list[int] = []
    strangers = [Thread(target=lambda: statuses.append(server.send_photo(bomb).status)) for _ in range(4)]
    for stranger in strangers:
        stranger.start()
    assert server.ask("GET", "/", seconds=PATIENCE).status == 200
    assert server.send_photo(SAMPLE.read_bytes()).status == 303
    for stranger in strangers:
        stranger.join()
    assert statuses == [413] * 4


def test_a_child_has_a_memory_cap_and_a_time_limit(tmp_path: Path) -> None:
    small = Reader(children=1, memory=300 * 1024**2)
    try:
        with pytest.raises(Refused, match="too-hard"):
            small.prepare(stored(scene(8000, 7000), "PNG", compress_level=1))
    finally:
        small.close()
    hasty = Reader(children=1, seconds=0.001)
    try:
        with pytest.raises(Refused, match="too-hard"):
            hasty.prepare(SAMPLE.read_bytes())
    finally:
        hasty.close()
    assert MEMORY_CAP <= 2 * 1024**3
