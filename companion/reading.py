"""The one door for photos: they are decoded and read in child processes with a time limit and a memory cap.

A child stays warm between photos, because starting one costs more than reading; one that runs over its time or dies is
replaced, and the photo it choked on is refused with a sentence.
"""

import base64
import hashlib
import json
import os
import queue
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

from companion.history.photos import HEIC, JPEG, cleaned, media_type

MEMORY_CAP = 2 * 1024**3
"""Bytes of address space a child may use. A photo of 60 megapixels needs about a quarter of it."""
SECONDS = 40.0
"""Time for one photo, on a slow computer with a slow photo; usual is below one second."""
STARTING = 120.0
"""Time for a child to load the eye: on a slow or busy computer this is long, and not the doing of the first photo."""


Corners = Sequence[tuple[float, float]]
"""The six corner tiles of a board in pixels of the upright photo, in any order; none where nobody marked them."""


class Refused(Exception):  # noqa: N818 - what happened, not an error
    """A file that cannot be used; `key` and `places` name the reason as `vision.reasons` does."""

    def __init__(self, key: str, places: Mapping[str, Any] | None = None) -> None:
        """Name the reason."""
        super().__init__(key)
        self.key, self.places = key, dict(places or {})


@dataclass(frozen=True)
class Prepared:
    """A photo ready to be kept: its cleaned bytes, and the size of the upright picture in pixels."""

    data: bytes
    media_type: str
    width: int
    height: int


@dataclass(frozen=True)
class Taken:
    """A photo that is being read while it is kept: ready to be kept, and what is still to come of it."""

    prepared: Prepared
    reading: Future[dict[str, Any]]
    view: Future[bytes]
    """The copy for the screen, made once the reading is out."""


class Reader:
    """Reads photos in up to `children` warm child processes."""

    def __init__(
        self, children: int = 2, seconds: float = SECONDS, memory: int = MEMORY_CAP, profile: Path | None = None
    ) -> None:
        """Start nothing yet; a child is started when it is needed."""
        self.seconds, self.memory, self.profile = seconds, memory, profile
        self._idle: queue.LifoQueue[_Child | None] = queue.LifoQueue()
        for _ in range(children):
            self._idle.put(None)

    @property
    def name(self) -> str:
        """Say what reads: the same name gives the same reading of the same photo."""
        return self.name_with(self.profile)

    def name_with(self, profile: Path | None) -> str:
        """Say what reads with this profile; a profile's file is named by its content and never changes."""
        copy = "" if profile is None else f" profile {_copy(profile)}"
        return f"serendipity {_version()} eye {_eye()}{copy}"

    def warm(self) -> None:
        """Start one child now, so that the first photo need not wait for it; where that takes too long, it will."""
        with suppress(Refused):
            self._ask({"do": "nothing"})

    def prepare(self, data: bytes) -> Prepared:
        """Check and clean a photo as it came from a phone; raises Refused."""
        return self._begin(data, {"do": "prepare"})[0]

    def take(self, data: bytes) -> Taken:
        """Prepare a photo and go on to read it: it can be kept meanwhile. Raises Refused, as the reading may."""
        question = {"do": "take", "profile": str(self.profile or "")}
        prepared, (reading, drawn) = self._begin(data, question, more=2)
        view = Future[bytes]()
        drawn.add_done_callback(lambda _: _pass_on(drawn, view))
        return Taken(prepared, reading, view)

    def view(self, path: Path) -> bytes:
        """Return a kept photo upright as a JPEG of the size of a screen."""
        return base64.b64decode(self._ask({"do": "view", "path": str(path)})["view"])

    def read(self, path: Path, corners: Corners = ()) -> dict[str, Any]:
        """Read a kept photo and return the reading as the command line prints it, with the reason's key.

        With `corners` someone has marked the six corner tiles, and the board is looked for nowhere else.
        """
        return self._ask({"do": "read", "path": str(path), "profile": str(self.profile or ""), "corners": corners})

    def study(self, path: Path) -> dict[str, Any]:
        """Learn one's own copy of the game from a kept photo of the rosette.

        The answer holds the `profile` as text or else the `faults`, and where the 19 cells lie on the photo.
        """
        return self._ask({"do": "study", "path": str(path)})

    def practise(self, path: Path, profile: str, position: str) -> dict[str, Any]:
        """Let a profile (as text, none to begin one) learn from a kept photo that shows this position for certain."""
        return self._ask({"do": "practise", "path": str(path), "profile": profile, "position": position})

    def close(self) -> None:
        """End the children."""
        while True:
            try:
                child = self._idle.get_nowait()
            except queue.Empty:
                return
            if child is not None:
                child.end()

    def _begin(
        self, data: bytes, request: Mapping[str, Any], more: int = 0
    ) -> tuple[Prepared, Sequence[Future[dict[str, Any]]]]:
        """Hand a photo to a child; return it prepared as soon as it was opened, and the answers still to come."""
        kind = media_type(data)
        if not data:
            raise Refused("empty-file")
        if kind is None:
            raise Refused("not-a-photo")
        opened, *others = answers = [Future[dict[str, Any]]() for _ in range(1 + more)]
        with tempfile.NamedTemporaryFile(prefix="serendipity-") as file:
            file.write(data)
            file.flush()
            question = {**request, "path": file.name, "keep": kind == HEIC}
            Thread(target=self._listen, args=(question, answers), daemon=True).start()
            said = opened.result()
        if kind == HEIC:
            return Prepared(base64.b64decode(said["kept"]), JPEG, said["width"], said["height"]), others
        try:
            return Prepared(cleaned(data), kind, said["width"], said["height"]), others
        except ValueError as damage:
            raise Refused("damaged") from damage

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        answer = Future[dict[str, Any]]()
        self._listen(request, [answer])
        return answer.result()

    def _listen(self, request: Mapping[str, Any], answers: Sequence[Future[dict[str, Any]]]) -> None:
        """Put one question to a child that is free, and pass on its answers as they come."""
        try:
            with self._child() as child:
                child.tell(request)
                for answer in answers:
                    said = child.hear(self.seconds)
                    if "refused" in said:
                        raise Refused(said["refused"], said.get("places"))
                    answer.set_result(said)
        except BaseException as trouble:
            for answer in answers:
                if not answer.done():
                    answer.set_exception(trouble)

    @contextmanager
    def _child(self) -> Iterator["_Child"]:
        child = self._idle.get()
        try:
            if child is None or child.process.poll() is not None:
                child = _Child(self.memory)
                child.tell({"do": "nothing"})
                child.hear(STARTING)
            yield child
        except Refused:
            raise
        except BaseException:
            if child is not None:
                child.end()
            child = None
            raise
        finally:
            self._idle.put(child if child is not None and child.process.poll() is None else None)


def _pass_on(drawn: Future[dict[str, Any]], view: Future[bytes]) -> None:
    trouble = drawn.exception()
    if trouble is not None:
        view.set_exception(trouble)
    else:
        view.set_result(base64.b64decode(drawn.result()["view"]))


_version = lru_cache(maxsize=1)(lambda: version("serendipity-companion"))


@lru_cache(maxsize=16)
def _copy(profile: Path) -> str:
    return _fingerprint(profile)


@lru_cache(maxsize=1)
def _eye() -> str:
    """Return the fingerprint of the networks that read, without loading the eye into this process."""
    spec = find_spec("vision")
    folders = spec.submodule_search_locations if spec is not None else None
    networks = sorted(path for folder in folders or () for path in Path(folder).glob("*.onnx"))
    return _fingerprint(*networks)


def _fingerprint(*paths: Path) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()[:12]


class _Child:
    """One process that reads photos; see `companion.reading_child`."""

    def __init__(self, memory: int) -> None:
        command = [sys.executable, "-m", "companion.reading_child", str(memory)]
        environment = {**os.environ, "OPENCV_IO_MAX_IMAGE_PIXELS": "60000000", "OMP_NUM_THREADS": "2"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._heard = b""

    def tell(self, request: Mapping[str, Any]) -> None:
        """Put one question; a child that cannot take it is ended, and the photo refused."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as trouble:
            self.end()
            raise Refused("too-hard") from trouble

    def hear(self, seconds: float) -> dict[str, Any]:
        """Wait for the next answer; a child that is late or falls silent is ended, and the photo refused."""
        try:
            answer = json.loads(self._line(time.monotonic() + seconds))
        except (OSError, TimeoutError) as trouble:
            self.end()
            raise Refused("too-hard") from trouble
        assert isinstance(answer, dict)
        return answer

    def _line(self, deadline: float) -> bytes:
        assert self.process.stdout is not None
        handle = self.process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(handle, selectors.EVENT_READ)
            while b"\n" not in self._heard:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError
                piece = os.read(handle, 1 << 20)
                if not piece:
                    raise OSError("the child ended")
                self._heard += piece
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def end(self) -> None:
        """Stop the process and wait until it is gone."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written to a dead child is lost, as intended
                    pipe.close()
