"""Where the photos of games are read in the background; the photo itself was acknowledged before."""

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any

from companion.history import Game, History, Overtaken, fold
from companion.history.photos import sha256_of
from companion.history.profiles import used_profile
from companion.reading import Prepared, Reader, Refused

AHEAD = 16
"""So many readings, and pictures for the screen, are remembered that began before their photos were on disk."""


class Desk:
    """Reads photos while they are being kept, and writes what was read into the logs of their games."""

    def __init__(self, history: History, reader: Reader, workers: int = 2) -> None:
        """Wait for work."""
        self.history, self.reader = history, reader
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="reading")
        self._running: dict[tuple[str, int], Future[None]] = {}
        self._ahead: OrderedDict[tuple[str, str], Future[dict[str, Any]]] = OrderedDict()
        self._views: OrderedDict[str, Future[bytes]] = OrderedDict()
        self._lock = Lock()

    def take(self, data: bytes) -> Prepared:
        """Prepare a photo to be kept, and let its reading begin before it is; raises Refused."""
        self.reader.profile = used_profile(self.history)
        name = self.reader.name
        taken = self.reader.take(data)
        sha256 = sha256_of(taken.prepared.data)
        with self._lock:
            self._ahead[sha256, name] = taken.reading
            self._views[sha256] = taken.view
            for begun in (self._ahead, self._views):
                while len(begun) > AHEAD:
                    begun.popitem(last=False)
        return taken.prepared

    def view(self, sha256: str) -> bytes | None:
        """Return the copy for the screen that is made along with the reading, if this photo has just been taken."""
        with self._lock:
            view = self._views.pop(sha256, None)
        try:
            return view.result() if view else None
        except Refused:
            return None

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
