"""Games in the forms of other programs: CSV for tables, and plays for BG Stats."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from companion.records import Record
from engine import GAMES

COLUMNS = ("game", "kind", "plays", "begun", "minutes", "turns")
RESULTS = ("finished", "player", "colours", "points", "winner", "notes")
LINK = "bgstats://app.bgstatsapp.com/createPlay.html?data="
"""Opens the app itself on the phone; nothing goes over the internet."""


def as_csv(records: Iterable[Record]) -> str:
    """Return a table with one line for each player of each game."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(COLUMNS + RESULTS)
    for record in records:
        for result in record.results:
            colours = "+".join(result.colours)
            row = [record.id, record.kind, record.plays, record.begun.isoformat(" "), record.minutes, record.turns]
            row += ["yes" if record.over else "no", result.name, colours, result.points]
            row += ["yes" if result.won and record.over else "no", " / ".join(record.notes)]
            table.writerow([_harmless(value) for value in row])
    return out.getvalue()


def _harmless(value: object) -> object:
    """Keep a spreadsheet from taking what someone wrote for a formula."""
    if not isinstance(value, str):
        return value
    text = " ".join(value.split())
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def as_bgstats(record: Record) -> dict[str, Any]:
    """Return a finished game as a play that BG Stats takes in."""
    game = {"name": GAMES[record.plays].title, "highestWins": True, "noPoints": False, "sourceGameId": record.plays}
    ranks = sorted((result.points for result in record.results), reverse=True)
    return {
        "sourceName": "Serendipity companion",
        "sourcePlayId": record.id,
        "playDate": record.begun.isoformat(" "),
        "durationMin": record.minutes,
        "comments": "\n".join(record.notes),
        "game": game,
        "players": [
            {
                "name": result.name,
                "sourcePlayerId": result.name,
                "startPlayer": i == record.starter,
                "score": str(result.points),
                "rank": ranks.index(result.points) + 1,
                "role": "+".join(result.colours),
                "winner": result.won,
            }
            for i, result in enumerate(record.results)
        ],
    }


def bgstats_link(record: Record) -> str:
    """Return a link that opens the play in the app."""
    return LINK + quote(json.dumps(as_bgstats(record), ensure_ascii=False))
