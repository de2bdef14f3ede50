"""What all pages share: finding a game, keeping a photo, changing the language."""

import time
from typing import TYPE_CHECKING

from flask import Blueprint, Response, abort, current_app, redirect, request, send_file, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion import languages
from companion.history import Game, History, fold
from companion.history.log import Photo
from companion.reading import Refused

if TYPE_CHECKING:
    from companion.app import Companion

pages = Blueprint("pages", __name__)

VIEW = ".view.jpg"
"""The copy for the screen lies beside its photo; it is made when somebody looks, and can always be made again."""
LONGEST_WAIT = 20.0
"""Seconds that a waiting page holds the line before it asks again."""
SHORT_WAIT = 0.5
"""Seconds that a page waits for a reading that is nearly there, before it says that it waits."""
MISSING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    '<rect width="100%" height="100%" fill="#8a8172"/></svg>'
)
"""Stands for a photo that did not come with its game."""


def companion() -> "Companion":
    """Return what this application works with."""
    found: Companion = current_app.extensions["companion"]
    return found


def history() -> History:
    """Return the history of this application."""
    return companion().history


def find_game(game: str, kind: str | None = None) -> Game:
    """Return a game as it stands, or the page that says there is none."""
    try:
        state = fold(game, *history().log(game))
    except KeyError:
        abort(404)
    if kind is not None and state.kind != kind:
        abort(404)
    return state


def seen() -> int | None:
    """Return the last entry that the sender of this form had seen."""
    return request.form.get("seen", type=int)


def keep_upload(field: str = "photo", *, shows_board: bool = True) -> Photo:
    """Keep the photo of this request; when this returns, it is on disk, and if it shows the board it is being read."""
    upload = next((file for file in request.files.getlist(field) if file.filename), None)
    if upload is None:
        raise Refused("no-file")
    prepare = companion().desk.take if shows_board else companion().reader.prepare
    prepared = prepare(upload.read())
    return history().keep_photo(prepared.data, prepared.media_type, prepared.width, prepared.height)


def await_reading(state: Game, seconds: float = SHORT_WAIT) -> Game:
    """Wait until the photos of a game are read, or the seconds are over, and return the game as it then stands."""
    until = time.monotonic() + seconds
    waiting = [sheet for sheet in state.sheets if sheet.status == "waiting"]
    for sheet in waiting:
        companion().desk.wait(state.id, sheet.entry, sheet.photo, max(0.0, until - time.monotonic()))
    return find_game(state.id, state.kind) if waiting else state


@pages.get("/photos/<sha256>.jpg")
def photo(sha256: str) -> Response:
    """Show a photo at the size of a screen."""
    try:
        kept = history().photo(sha256)
    except KeyError:
        abort(404)
    path = history().shelf.path(kept.sha256, VIEW)
    if not path.exists() and not history().has_file(kept):
        return Response(MISSING.format(width=kept.width, height=kept.height), mimetype="image/svg+xml")
    if not path.exists():
        view = companion().desk.view(kept.sha256) or companion().reader.view(history().photo_path(kept))
        history().shelf.write(path, view)
    answer = send_file(path, mimetype="image/jpeg", max_age=30 * 24 * 3600)
    answer.headers["Cache-Control"] = "private, max-age=2592000, immutable"
    return answer


@pages.post("/language")
def language() -> AnyResponse:
    """Speak another language from now on."""
    back = request.form.get("back", "/")
    answer = redirect(back if back.startswith("/") and not back.startswith(("//", "/\\")) else url_for("scoring.start"))
    chosen = request.form.get("language", "")
    if chosen not in languages.LANGUAGES:
        abort(400)
    answer.set_cookie(languages.COOKIE, chosen, max_age=365 * 24 * 3600, samesite="Lax", httponly=True)
    return answer
