"""Where the board lies, shown by hand: for a photo on which it was not found."""

from math import isfinite

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.wrappers import Response

from companion.history.games import DISPUTE, GAME, SNAPSHOT
from companion.pages.shared import companion, find_game, history, seen

corners = Blueprint("corners", __name__)

PAGES = {SNAPSHOT: "scoring.show", GAME: "games.show", DISPUTE: "disputes.show"}


@corners.post("/corners/<game>/<int:number>")
def mark(game: str, number: int) -> Response:
    """Read a photo again, with its six corner tiles marked."""
    state = find_game(game)
    sheet = next((sheet for sheet in state.sheets if sheet.entry == number), None)
    if sheet is None:
        abort(404)
    photo = history().photo(sheet.photo)
    try:
        marks = [tuple(float(part) for part in text.split(",")) for text in request.form.getlist("corner")]
    except ValueError:
        abort(400)
    if len(marks) != 6 or any(len(mark) != 2 or not all(map(isfinite, mark)) for mark in marks):
        abort(400)
    if not all(0 <= x <= photo.width and 0 <= y <= photo.height for x, y in marks):
        abort(400)
    said = {"of": number, "corners": [list(mark) for mark in marks]}
    history().append(game, "corners", said, replaces=sheet.last_change, seen=seen())
    companion().desk.start(game, number, sheet.photo)
    return redirect(url_for(PAGES[state.kind], game=game), 303)
