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
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from companion.history import Game, History, Overtaken, fold
from companion.history.photos import HEIC, JPEG, cleaned, media_type, sha256_of
from companion.history.profiles import used_profile

MEMORY_CAP = 2 * 1024**3
"""Bytes of address space a child may use. A photo of 60 megapixels needs about a quarter of it."""
SECONDS = 40.0
"""Time for one photo, on a slow computer with a slow photo; usual is below one second."""
AHEAD = 16
"""So many readings are remembered that began before their photos were on disk."""


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
        copy = "" if self.profile is None else f" profile {_fingerprint(self.profile)}"
        return f"serendipity {version('serendipity-companion')} eye {_eye()}{copy}"

    def warm(self) -> None:
        """Start one child now, so that the first photo need not wait for it; where that takes too long, it will."""
        with suppress(Refused):
            self._ask({"do": "nothing"})

    def prepare(self, data: bytes) -> Prepared:
        """Check and clean a photo as it came from a phone; raises Refused."""
        return self._begin(data, {"do": "prepare"})[0]

    def take(self, data: bytes) -> tuple[Prepared, Future[dict[str, Any]]]:
        """Prepare a photo and go on to read it: it can be kept meanwhile. Raises Refused, as the reading may."""
        prepared, (reading,) = self._begin(data, {"do": "take", "profile": str(self.profile or "")}, more=1)
        return prepared, reading

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


class Desk:
    """Reads the photos of games in the background; the photo itself was acknowledged before."""

    def __init__(self, history: History, reader: Reader, workers: int = 2) -> None:
        """Wait for work."""
        self.history, self.reader = history, reader
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="reading")
        self._running: dict[tuple[str, int], Future[None]] = {}
        self._ahead: OrderedDict[tuple[str, str], Future[dict[str, Any]]] = OrderedDict()
        self._lock = Lock()

    def take(self, data: bytes) -> Prepared:
        """Prepare a photo to be kept, and let its reading begin before it is; raises Refused."""
        self.reader.profile = used_profile(self.history)
        name = self.reader.name
        prepared, reading = self.reader.take(data)
        with self._lock:
            self._ahead[sha256_of(prepared.data), name] = reading
            while len(self._ahead) > AHEAD:
                self._ahead.popitem(last=False)
        return prepared

    def start(self, game: str, entry: int, sha256: str) -> Future[None]:
        """Begin to read a game's photo, unless that is under way already."""
        with self._lock:
            self._running = {key: work for key, work in self._running.items() if not work.done()}
            work = self._running.get((game, entry))
            if work is None:
                work = self._running[game, entry] = self._pool.submit(self._read, game, entry, sha256)
            return work

    def wait(self, game: str, entry: int, sha256: str, seconds: float) -> None:
        """Wait until the photo is read, or the seconds are over."""
        try:
            self.start(game, entry, sha256).result(seconds)
        except TimeoutError:
            return

    def close(self) -> None:
        """Finish what is being read and stop."""
        self._pool.shutdown(cancel_futures=True)

    def _read(self, game: str, entry: int, sha256: str) -> None:
        self.reader.profile = used_profile(self.history)
        corners = self._waiting(fold(game, *self.history.log(game)), entry)
        if corners is None:
            return
        reading = None if corners else self.history.reading(sha256, self.reader.name)
        is_new = reading is None and not corners
        if reading is None:
            try:
                photo = self.history.photo(sha256)
                if not self.history.has_file(photo):
                    raise Refused("photo-missing")
                reading = self._begun(sha256) if not corners else None
                if reading is None:
                    reading = self.reader.read(self.history.photo_path(photo), corners)
            except Refused as refusal:
                reading = {"status": "bad-file", "reason": refusal.key, "places": refusal.places}
                is_new = False
        while True:
            state = fold(game, *self.history.log(game))
            if self._waiting(state, entry) != corners:
                return
            try:
                if is_new:
                    self.history.append_reading(game, entry, reading, sha256, self.reader.name, seen=state.last_number)
                else:
                    self.history.append(game, "reading", {**reading, "of": entry}, seen=state.last_number)
            except Overtaken:
                continue
            return

    def _begun(self, sha256: str) -> dict[str, Any] | None:
        """Return the reading that began when the photo came, unless another eye would read it now."""
        with self._lock:
            ahead = self._ahead.pop((sha256, self.reader.name), None)
        return ahead.result() if ahead else None

    def _waiting(self, state: Game, entry: int) -> tuple[tuple[float, float], ...] | None:
        """Return the corners marked on a photo that waits to be read, none of them or six; None if it does not wait."""
        found = (sheet for sheet in state.sheets if sheet.entry == entry and sheet.status == "waiting")
        return next((sheet.corners for sheet in found), None)
