"""Profiles of one's own copy of the game: kept with the history, several by name, one of them in use."""

import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from companion.history.log import History
from companion.history.photos import sha256_of
from companion.history.schema import profiles

LONGEST_NAME = 60
FOLDER = "profiles"


@dataclass(frozen=True)
class KeptProfile:
    """A profile with the name people gave it, and the photo it was learned from."""

    id: str
    name: str
    made: datetime
    photo: str | None
    text: str
    is_used: bool


def kept_profiles(history: History) -> list[KeptProfile]:
    """Return all profiles, the newest first."""
    with history.looking() as db:
        rows = db.execute(sa.select(profiles).order_by(profiles.c.made.desc(), profiles.c.id)).all()
    return [_kept(row) for row in rows]


def find_profile(history: History, profile: str) -> KeptProfile:
    """Return one profile; KeyError if there is none."""
    with history.looking() as db:
        row = db.execute(sa.select(profiles).where(profiles.c.id == profile)).first()
    if row is None:
        raise KeyError(profile)
    return _kept(row)


def keep_profile(history: History, name: str, text: str, photo: str | None) -> str:
    """Keep a new profile and use it from now on; return its id."""
    profile = secrets.token_hex(8)
    with history.writing() as db:
        db.execute(profiles.update().values(used=0))
        row = {"id": profile, "name": name, "made": history.clock(), "photo": photo, "profile": json.loads(text)}
        db.execute(profiles.insert().values(**row, used=1))
    return profile


def use_profile(history: History, profile: str | None) -> None:
    """Read with this profile from now on, or with none."""
    with history.writing() as db:
        db.execute(profiles.update().values(used=0))
        if (
            profile is not None
            and not db.execute(profiles.update().where(profiles.c.id == profile).values(used=1)).rowcount
        ):
            raise KeyError(profile)


def change_profile(history: History, profile: str, text: str) -> None:
    """Keep what a profile has become."""
    with history.writing() as db:
        db.execute(profiles.update().where(profiles.c.id == profile).values(profile=json.loads(text)))


def rename_profile(history: History, profile: str, name: str) -> None:
    """Give a profile another name."""
    with history.writing() as db:
        db.execute(profiles.update().where(profiles.c.id == profile).values(name=name))


def remove_profile(history: History, profile: str) -> None:
    """Forget a profile; photos that were read with it stay as they were read."""
    with history.writing() as db:
        db.execute(profiles.delete().where(profiles.c.id == profile))


def adopt_profile(history: History, kept: KeptProfile) -> None:
    """Take in a profile from elsewhere, unless it is here already."""
    with history.writing() as db:
        if db.execute(sa.select(profiles.c.id).where(profiles.c.id == kept.id)).first():
            return
        any_used = db.execute(sa.select(profiles.c.id).where(profiles.c.used == 1)).first()
        row = {"id": kept.id, "name": kept.name, "made": kept.made, "photo": kept.photo}
        used = int(kept.is_used and not any_used)
        db.execute(profiles.insert().values(**row, profile=json.loads(kept.text), used=used))


def used_profile(history: History) -> Path | None:
    """Return the profile in use as a file, for those who read photos; it can always be written again."""
    with history.looking() as db:
        row = db.execute(sa.select(profiles).where(profiles.c.used == 1)).first()
    if row is None:
        return None
    text = _text(row.profile).encode()
    # Named by its content: a child that is reading with the old file is not disturbed by a new one.
    path = history.folder / FOLDER / f"{row.id}-{sha256_of(text)[:12]}.json"
    if not path.exists():
        history.shelf.write(path, text)
    return path


def _kept(row: Any) -> KeptProfile:
    return KeptProfile(row.id, row.name, row.made, row.photo, _text(row.profile), bool(row.used))


def _text(said: Any) -> str:
    return json.dumps(said, indent=1) + "\n"
