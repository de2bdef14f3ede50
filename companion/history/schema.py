"""The tables. Only migrations change them; a test compares the two."""

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

games = Table(
    "games",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("begun", DateTime, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String(16), ForeignKey("games.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("at", DateTime, nullable=False),
    Column("replaces", Integer, nullable=True),
    Column("said", JSON, nullable=False),
    UniqueConstraint("game", "number"),
)

photos = Table(
    "photos",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("media_type", String(32), nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("added", DateTime, nullable=False),
)

readings = Table(
    "readings",
    metadata,
    Column("photo", String(64), ForeignKey("photos.sha256"), primary_key=True),
    Column("reader", String(120), primary_key=True),
    Column("reading", JSON, nullable=False),
)

keys = Table(
    "keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(32), nullable=False),
    Column("value", Text, nullable=False),
    Column("made", DateTime, nullable=False),
)

Index("ix_keys_name", keys.c.name)

forgotten = Table(
    "forgotten",
    metadata,
    Column("game", String(16), primary_key=True),
    Column("at", DateTime, nullable=False),
)

profiles = Table(
    "profiles",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(60), nullable=False),
    Column("made", DateTime, nullable=False),
    Column("photo", String(64), nullable=True),
    Column("profile", JSON, nullable=False),
    Column("used", Integer, nullable=False),
)
