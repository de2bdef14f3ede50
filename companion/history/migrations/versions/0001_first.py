"""The first schema: games, their entries, photos, readings and keys."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SQLITE_GUARD = """
CREATE TRIGGER entries_are_never_rewritten BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'history is never rewritten'); END
"""
POSTGRESQL_GUARD = (
    """
CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'history is never rewritten'; END $$
""",
    """
CREATE TRIGGER entries_are_never_rewritten BEFORE UPDATE ON entries
FOR EACH ROW EXECUTE FUNCTION refuse_rewriting()
""",
)


def upgrade() -> None:
    """Make the tables, and let the database itself refuse to rewrite an entry."""
    op.create_table(
        "games",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("begun", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
    )
    op.create_table(
        "entries",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("replaces", sa.Integer, nullable=True),
        sa.Column("said", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_entries_game_games"),
        sa.PrimaryKeyConstraint("id", name="pk_entries"),
        sa.UniqueConstraint("game", "number", name="uq_entries_game"),
    )
    op.create_table(
        "photos",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("media_type", sa.String(32), nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("added", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_photos"),
    )
    op.create_table(
        "readings",
        sa.Column("photo", sa.String(64), nullable=False),
        sa.Column("reader", sa.String(120), nullable=False),
        sa.Column("reading", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["photo"], ["photos.sha256"], name="fk_readings_photo_photos"),
        sa.PrimaryKeyConstraint("photo", "reader", name="pk_readings"),
    )
    op.create_table(
        "keys",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("made", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_keys"),
    )
    op.create_index("ix_keys_name", "keys", ["name"])
    if op.get_bind().dialect.name == "postgresql":
        for statement in POSTGRESQL_GUARD:
            op.execute(statement)
    else:
        op.execute(SQLITE_GUARD)
