"""The database itself keeps the log whole; profiles of one's own copy of the game.

An entry is removed only with its whole game, and only when that game has been noted in `forgotten`, which the database
takes for games that were deleted at least 30 days before.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

IS_DUE = """
SELECT 1 FROM entries AS gone WHERE gone.game = NEW.game AND gone.kind = 'delete' AND {old}
AND NOT EXISTS (SELECT 1 FROM entries AS back WHERE back.game = gone.game AND back.number > gone.number
                AND (back.kind = 'restore' OR (back.kind = 'undo' AND back.replaces = gone.number)))
"""
IS_FORGOTTEN = "SELECT 1 FROM forgotten WHERE game = OLD.{key}"
KEPT = (("entries", "game"), ("games", "id"))

SQLITE_GUARD = """
CREATE TRIGGER {table}_{what} BEFORE {event} ON {table} WHEN {unless}
BEGIN SELECT RAISE(ABORT, '{message}'); END
"""
POSTGRESQL_GUARD = """
CREATE FUNCTION {table}_{what}() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN IF {unless} THEN RAISE EXCEPTION '{message}'; END IF; RETURN {row}; END $$
"""
POSTGRESQL_TRIGGER = """
CREATE TRIGGER {table}_{what} BEFORE {event} ON {table} FOR EACH {each} EXECUTE FUNCTION {table}_{what}()
"""


def upgrade() -> None:
    """Add the two tables and the guards."""
    op.create_table(
        "forgotten",
        sa.Column("game", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("game", name="pk_forgotten"),
    )
    op.create_table(
        "profiles",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("made", sa.DateTime, nullable=False),
        sa.Column("photo", sa.String(64), nullable=True),
        sa.Column("profile", sa.JSON, nullable=False),
        sa.Column("used", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_profiles"),
    )
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    for table, key in KEPT:
        unless = f"NOT EXISTS ({IS_FORGOTTEN.format(key=key)})"
        _guard(table, "are_kept", "DELETE", unless, "history is never rewritten", "OLD")
    _guard("games", "are_never_rewritten", "UPDATE", "TRUE", "history is never rewritten", "NEW")
    old = (
        "gone.at <= NEW.at - interval '30 days'"
        if is_postgresql
        else "datetime(gone.at) <= datetime(NEW.at, '-30 days')"
    )
    unless = f"NOT EXISTS ({IS_DUE.format(old=old)})"
    _guard("forgotten", "only_after_a_month", "INSERT", unless, "only games deleted 30 days ago are forgotten", "NEW")
    if is_postgresql:
        for table, _ in KEPT:
            _guard(table, "are_not_emptied", "TRUNCATE", "TRUE", "history is never rewritten", "NULL", "STATEMENT")


def _guard(table: str, what: str, event: str, unless: str, message: str, row: str, each: str = "ROW") -> None:
    places = {"table": table, "what": what, "event": event, "unless": unless, "message": message}
    if op.get_bind().dialect.name == "postgresql":
        op.execute(POSTGRESQL_GUARD.format(row=row, **places))
        op.execute(POSTGRESQL_TRIGGER.format(each=each, **places))
    else:
        op.execute(SQLITE_GUARD.format(**places))
