"""Games leave as JSON and come back: complete logs, with their photos if wanted."""

import base64
import binascii
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from companion.history.checking import BadImport, check_game, is_hexadecimal
from companion.history.log import Entry, History, Photo
from companion.history.photos import SUFFIX, media_type, sha256_of
from companion.history.profiles import KeptProfile, adopt_profile

FORMAT, VERSION = "serendipity history", 1
MOST_PHOTO_BYTES = 64 * 1024 * 1024

Log = tuple[str, str, datetime, Sequence[Entry]]
"""A game as the history gives it: id, kind, beginning and entries."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Attached:
    """A photo that a file speaks of, and how to get its bytes, if they came with it."""

    photo: Photo
    load: Callable[[], bytes] | None


@dataclass(frozen=True)
class Import:
    """What a file holds: games, and what it says of their photos."""

    games: tuple[Log, ...]
    photos: Mapping[str, Attached] = field(default_factory=dict)
    profiles: tuple[KeptProfile, ...] = ()


def photos_of(log: Iterable[Entry]) -> list[str]:
    """Return the photos a log speaks of, each once."""
    named = (entry.said.get("photo") for entry in log if entry.kind != "reading")
    return list(dict.fromkeys(photo for photo in named if isinstance(photo, str)))


def export(history: History, logs: Iterable[Log], *, with_photos: bool) -> Iterator[str]:
    """Yield the pieces of an export: one JSON document, a line for each game and each photo."""
    made = history.clock().isoformat()
    yield f'{{"format": "{FORMAT}", "version": {VERSION}, "made": "{made}", "games": [\n'
    wanted: dict[str, None] = {}
    for i, (game, kind, begun, log) in enumerate(logs):
        wanted.update(dict.fromkeys(photos_of(log)))
        lines = [_entry_json(entry) for entry in log]
        told = {"id": game, "kind": kind, "begun": begun.isoformat(), "log": lines}
        yield ("" if i == 0 else ",\n") + json.dumps(told, ensure_ascii=False)
    yield '\n], "photos": [\n'
    kept = [photo for photo in map(history.find_photo, wanted) if photo is not None]
    for i, photo in enumerate(kept):
        row: dict[str, object] = {"sha256": photo.sha256, "media_type": photo.media_type, "size": photo.size}
        row |= {"width": photo.width, "height": photo.height}
        if with_photos and history.has_file(photo):
            row["data"] = base64.b64encode(history.photo_path(photo).read_bytes()).decode()
        yield ("" if i == 0 else ",\n") + json.dumps(row)
    yield "\n]}\n"


def parse(data: bytes) -> Import:
    """Read an export; anything that the program would not have written is refused with a BadImport."""
    try:
        document = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError) as fault:
        raise BadImport("not-an-export") from fault
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadImport("not-an-export")
    if document.get("version") != VERSION:
        raise BadImport("newer-import")
    try:
        games = tuple(_game(told) for told in document["games"])
        photos = {row["sha256"]: _attached(row) for row in document["photos"]}
    except BadImport:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise BadImport("broken-import", where="games") from fault
    if len({game for game, *_ in games}) < len(games):
        raise BadImport("broken-import", where="id")
    for log in games:
        check_game(*log)
    if not photos.keys() >= {photo for log in games for photo in photos_of(log[3])}:
        raise BadImport("broken-import", where="photos")
    return Import(games, photos)


def take_in(
    history: History,
    found: Import,
    look: Callable[[bytes], Photo] | None,
    progress: Progress = lambda _done, _of: None,
) -> Counter[str]:
    """Take in what a checked file holds; count its photos and the games that are new, grown, known or different.

    `look` opens a photo safely and says what it is; without it, what the file says of its photos is believed, which is
    for one's own backup. Nothing is written before every photo has been looked at, and games come after their photos.
    """
    named = dict.fromkeys(photo for log in found.games for photo in photos_of(log[3]))
    named.update(dict.fromkeys(kept.photo for kept in found.profiles if kept.photo))
    spoken_of = [found.photos[photo] for photo in named if photo in found.photos]
    wanted = [(attached.photo, attached.load) for attached in spoken_of if attached.load is not None]
    steps = 2 * len(wanted) + len(found.games)
    ready = []
    for step, (claimed, load) in enumerate(wanted, 1):
        ready.append(_looked_at(claimed, load(), look))
        progress(step, steps)
    for step, ((_, load), photo) in enumerate(zip(wanted, ready, strict=True), len(wanted) + 1):
        history.keep_photo(load(), photo.media_type, photo.width, photo.height)
        progress(step, steps)
    for kept in found.profiles:
        adopt_profile(history, kept)
    history.note_photos([attached.photo for attached in spoken_of if attached.load is None])
    counts: Counter[str] = Counter(photos=len(wanted))
    for step, log in enumerate(found.games, 2 * len(wanted) + 1):
        counts[history.adopt(*log)] += 1
        progress(step, steps)
    return counts


def _looked_at(claimed: Photo, data: bytes, look: Callable[[bytes], Photo] | None) -> Photo:
    where = claimed.sha256[:12]
    if len(data) > MOST_PHOTO_BYTES or sha256_of(data) != claimed.sha256:
        raise BadImport("broken-import", where=where)
    if media_type(data) != claimed.media_type:
        raise BadImport("broken-import", where=where)
    seen = look(data) if look else claimed
    if seen.sha256 != claimed.sha256:  # it carries traces that a kept photo has not
        raise BadImport("broken-import", where=where)
    return seen


def _entry_json(entry: Entry) -> dict[str, Any]:
    told = {"number": entry.number, "kind": entry.kind, "at": entry.at.isoformat(), "said": dict(entry.said)}
    return told if entry.replaces is None else {**told, "replaces": entry.replaces}


def _game(told: Mapping[str, Any]) -> Log:
    log = tuple(
        Entry(line["number"], line["kind"], _time(line["at"]), line["said"], line.get("replaces"))
        for line in told["log"]
    )
    if not all(isinstance(entry.said, dict) and isinstance(entry.kind, str) for entry in log):
        raise ValueError
    if not (isinstance(told["id"], str) and isinstance(told["kind"], str)):
        raise ValueError
    return told["id"], told["kind"], _time(told["begun"]), log


def _attached(row: Mapping[str, Any]) -> Attached:
    if not is_hexadecimal(row["sha256"], 64) or not all(0 < int(row[side]) < 100_000 for side in ("width", "height")):
        raise ValueError
    if row["media_type"] not in SUFFIX or not 0 < int(row["size"]) <= MOST_PHOTO_BYTES:
        raise ValueError
    photo = Photo(row["sha256"], row["media_type"], int(row["width"]), int(row["height"]), int(row["size"]))
    if (text := row.get("data")) is None:
        return Attached(photo, None)
    if not isinstance(text, str):
        raise ValueError
    return Attached(photo, lambda: _bytes(text))


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise BadImport("broken-import", where="photos") from fault


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None or not 2000 <= moment.year < 2200:
        raise ValueError
    return moment.replace(microsecond=0)


def _no_constant(name: str) -> None:
    raise ValueError(name)
