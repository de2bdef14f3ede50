"""Data leaves with its owners and comes back: exports, pictures, backups and imports."""

import json
import tempfile
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion import phrases
from companion.history import fold
from companion.history.backup import write_backup
from companion.history.checking import BadImport
from companion.history.exchange import export, take_in
from companion.languages import gettext as _
from companion.pages.shared import companion, find_game, history
from companion.pictures import picture_of
from companion.records import record_of
from companion.sharing import as_bgstats, as_csv
from companion.taking_in import look_with, opened_import

leaving = Blueprint("leaving", __name__)

MOST_BYTES = 60 * 1024 * 1024
TYPES = {"png": "image/png", "svg": "image/svg+xml"}


@leaving.get("/history/export.json")
def all_as_json() -> Response:
    """Give every game, complete; with `photos` also the photos. A running game keeps its secrets until it is over."""
    logs = (log for log in history().logs() if not fold(*log).is_running)
    pieces = export(history(), logs, with_photos="photos" in request.args)
    return _attachment(_encoded(pieces), "application/json", "serendipity-games.json")


@leaving.get("/history/export.csv")
def all_as_csv() -> Response:
    """Give the points of every game as a table."""
    records = [record for record in companion().records.all() if record.deleted is None]
    # Spreadsheets take a file for their own old alphabet unless it begins like this.
    return _attachment("\ufeff" + as_csv(records), "text/csv", "serendipity-games.csv")


@leaving.get("/history/<game>/export.json")
def game_as_json(game: str) -> Response:
    """Give one game, complete; with `photos` also its photos."""
    state = find_game(game)
    if state.is_running:
        abort(404)
    log = (game, *history().log(state.id))
    pieces = export(history(), [log], with_photos="photos" in request.args)
    return _attachment(_encoded(pieces), "application/json", f"serendipity-{game}.json")


@leaving.get("/history/<game>/play.bgsplay")
def game_as_play(game: str) -> Response:
    """Give one game as a play for BG Stats."""
    play = as_bgstats(record_of(find_game(game)))
    return _attachment(json.dumps(play, ensure_ascii=False), "application/json", f"serendipity-{game}.bgsplay")


@leaving.get("/history/<game>/picture.<form>")
def picture(game: str, form: str) -> Response:
    """Give the board with everyone's points as a picture to share."""
    if form not in TYPES:
        abort(404)
    state = find_game(game)
    if state.hidden and state.ended is None:
        abort(404)
    return _attachment(picture_of(state, form), TYPES[form], f"serendipity-{game}.{form}", shown="show" in request.args)


@leaving.get("/history/backup.zip")
def backup() -> Response:
    """Give everything in one file."""
    file = tempfile.TemporaryFile(prefix="serendipity-")  # noqa: SIM115 - closed when it has been sent
    write_backup(history(), file)
    file.seek(0)
    day = history().clock().date()
    answer = send_file(file, "application/zip", as_attachment=True, download_name=f"serendipity-{day}.zip")
    answer.call_on_close(file.close)
    return answer


@leaving.get("/history/import")
def offer_import() -> str:
    """Offer to take in an export or a backup."""
    return render_template("import.html")


@leaving.post("/history/import")
def take_import() -> AnyResponse | tuple[str, int]:
    """Take in an export or a backup, or say in one sentence why not."""
    upload = request.files.get("file")
    if upload is None or not upload.filename:
        return render_template("import.html", mistake=_("No file arrived. Choose one and try again.")), 422
    try:
        with opened_import(upload.stream, MOST_BYTES) as found:
            counts = take_in(history(), found, look_with(companion().reader))
    except BadImport as mistake:
        status = 413 if mistake.key == "too-large" else 422
        return render_template("import.html", mistake=phrases.say_import(mistake)), status
    told: dict[str, Any] = {name: n for name, n in counts.items() if n}
    return redirect(url_for("leaving.taken_in", **told), 303)


@leaving.get("/history/imported")
def taken_in() -> str:
    """Say what was taken in."""
    names = ("new", "grown", "known", "different", "photos")
    return render_template("import.html", counts={name: request.args.get(name, 0, type=int) for name in names})


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece.encode()


def _attachment(body: Any, media_type: str, name: str, *, shown: bool = False) -> Response:
    answer = Response(body, mimetype=media_type)
    if not shown:
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
