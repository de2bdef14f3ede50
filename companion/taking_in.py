"""Files with games from elsewhere: told apart by their first bytes, and their photos opened like any other."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from companion.history import exchange
from companion.history.backup import opened_backup
from companion.history.checking import BadImport
from companion.history.exchange import Import
from companion.history.log import Photo
from companion.history.photos import sha256_of
from companion.reading import Reader, Refused


@contextmanager
def opened_import(file: Path | IO[bytes], most: int) -> Iterator[Import]:
    """Open an export or a backup of at most so many bytes and check everything in it."""
    if isinstance(file, Path):
        try:
            with file.open("rb") as stream, opened_import(stream, most) as found:
                yield found
        except (FileNotFoundError, IsADirectoryError) as fault:
            raise BadImport("no-file", file=str(file)) from fault
        return
    if file.read(4) == b"PK\3\4":
        with opened_backup(file) as found:
            yield found
        return
    file.seek(0)
    data = file.read(most + 1)
    if len(data) > most:
        raise BadImport("too-large", megabytes=most >> 20)
    yield exchange.parse(data)


def look_with(reader: Reader) -> Callable[[bytes], Photo]:
    """Let photos from elsewhere be opened in a child process, as those from a phone are."""

    def look(data: bytes) -> Photo:
        try:
            prepared = reader.prepare(data)
        except Refused as refusal:
            raise BadImport("broken-import", where=sha256_of(data)[:12]) from refusal
        kept = prepared.data
        return Photo(sha256_of(kept), prepared.media_type, prepared.width, prepared.height, len(kept))

    return look
