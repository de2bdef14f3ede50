"""Clearing away: games deleted a month ago, and photos that no game or profile has any more."""

import logging
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from companion.history.database import DataTrouble, naming_troubles
from companion.history.games import fold
from companion.history.log import RESTORABLE, History
from companion.history.schema import entries, forgotten, games, photos, profiles, readings

A_DAY = 24 * 3600.0
UNUSED = timedelta(days=1)
"""A photo that was just sent gets its game a moment later; after a day nobody is on the way any more."""


def sweep(history: History) -> tuple[int, int]:
    """Clear away what is due; return how many games and photos that were."""
    now = history.clock()
    due = [
        state.id
        for state in (fold(*log) for log in history.logs())
        if state.deleted is not None and now - state.deleted >= RESTORABLE
    ]
    for game in due:
        forget(history, game)
    with naming_troubles():
        _sweep_half_written(history.shelf.folder)
    return len(due), _sweep_photos(history)


def sweep_daily(history: History) -> None:
    """Clear away what is due now, and then once a day, beside whatever else the program does."""

    def clear() -> None:
        while True:
            try:
                sweep(history)
            except DataTrouble as trouble:
                logging.getLogger(__name__).warning("nothing was cleared away today: %s", trouble)
            time.sleep(A_DAY)

    threading.Thread(target=clear, name="sweeping", daemon=True).start()


def forget(history: History, game: str) -> None:
    """Remove a game for good; the database refuses this for any but a game deleted 30 days ago."""
    with history.writing() as db:
        db.execute(forgotten.insert().values(game=game, at=history.clock()))
        db.execute(entries.delete().where(entries.c.game == game))
        db.execute(games.delete().where(games.c.id == game))
        db.execute(forgotten.delete().where(forgotten.c.game == game))


def _sweep_photos(history: History) -> int:
    before = history.clock() - UNUSED
    with history.moving_photos() as db:
        old = set(db.execute(sa.select(photos.c.sha256).where(photos.c.added < before)).scalars())
        unused = old - set(_used(db)) if old else set()
        for sha256 in sorted(unused):
            db.execute(readings.delete().where(readings.c.photo == sha256))
            db.execute(photos.delete().where(photos.c.sha256 == sha256))
            with naming_troubles():
                for file in history.shelf.files(sha256):
                    file.unlink(missing_ok=True)
    return len(unused)


def _used(db: sa.Connection) -> Iterator[str]:
    for said in db.execute(sa.select(entries.c.said).where(entries.c.kind != "reading")).scalars():
        if isinstance(photo := said.get("photo"), str):
            yield photo
    yield from db.execute(sa.select(profiles.c.photo).where(profiles.c.photo.is_not(None))).scalars()


def _sweep_half_written(folder: Path) -> None:
    """Remove the files that a stopped program left half written."""
    before = time.time() - UNUSED.total_seconds()
    for file in folder.glob("??/.new-*"):
        if file.stat().st_mtime < before:
            file.unlink(missing_ok=True)
