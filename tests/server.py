"""A real server process for tests: started on a free port, asked over sockets, and ended when the test is over."""

import http.client
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Server:
    """A running companion; `address` ends with a slash."""

    address: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        """The port it listens on."""
        return urlsplit(self.address).port or 80

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = 60,
    ) -> Answer:
        """Send one request as a browser of this page would."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            line.request(method, path, body, {"Origin": self.address.rstrip("/"), **(headers or {})})
            answer = line.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read().decode("utf-8", "replace"))
        finally:
            line.close()

    def send_photo(self, data: bytes, path: str = "/photos", seconds: float = 60) -> Answer:
        """Upload a photo as the page's form does."""
        body, kind = photo_form(data)
        return self.ask("POST", path, body, {"Content-Type": kind}, seconds)


def photo_form(data: bytes, name: str = "table.jpg") -> tuple[bytes, str]:
    """Return the body and content type of an upload form with one photo."""
    edge = "leaf-of-the-table"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="photo"; filename="{name}"\r\n'
    body = head.encode() + b"Content-Type: application/octet-stream\r\n\r\n" + data + f"\r\n--{edge}--\r\n".encode()
    return body, f"multipart/form-data; boundary={edge}"


@contextmanager
def running_server(
    folder: Path, options: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Serve a data folder until the block ends."""
    command = [sys.executable, "-m", "companion", "serve", "--port", "0", "--data", str(folder), *options]
    surroundings = {**os.environ, **(environment or {})}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=surroundings)
    try:
        assert process.stdout is not None
        address = next((word for line in process.stdout for word in line.split() if word.startswith("http://")), "")
        assert address, "the server ended before it said its address"
        yield Server(address, process)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
