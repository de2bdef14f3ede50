"""Where the board lies, shown by hand: for a photo on which it was not found."""

from collections.abc import Sequence
from math import isfinite

from flask import Blueprint, abort, redirect, request, url_for
from werkzeug.wrappers import Response

from companion.history import Game, Sheet
from companion.history.games import DISPUTE, GAME, SNAPSHOT
from companion.history.log import Photo
from companion.pages.shared import companion, find_game, history, seen
from companion.photo_drawing import TAPPED_WIDTH

corners = Blueprint("corners", __name__)

CORNERS = 6
PAGES = {SNAPSHOT: "scoring.show", GAME: "games.show", DISPUTE: "disputes.show"}


@corners.post("/corners/<game>/<int:number>")
def mark(game: str, number: int) -> Response:
    """Read a photo again, with its six corner tiles marked."""
    state, sheet, photo = _found(game, number)
    return _marked(state, sheet, _marks(photo, request.form.getlist("corner")))


@corners.post("/corners/<game>/<int:number>/tap")
def tap(game: str, number: int) -> Response:
    """Add the corner tile that was tapped on the photo; after the sixth it is read again. It needs no script."""
    state, sheet, photo = _found(game, number)
    x, y = (request.form.get(f"at.{axis}", -1, type=int) * photo.width / TAPPED_WIDTH for axis in "xy")
    # A tap on the last row of the small picture may round to a pixel below the photo.
    corners = [*request.form.getlist("corner"), f"{x:.0f},{min(y, photo.height):.0f}"]
    marks = _marks(photo, corners)
    if len(marks) < CORNERS:
        return redirect(url_for(PAGES[state.kind], game=game, corner=corners), 303)
    return _marked(state, sheet, marks)


def _found(game: str, number: int) -> tuple[Game, Sheet, Photo]:
    state = find_game(game)
    sheet = next((sheet for sheet in state.sheets if sheet.entry == number), None)
    if sheet is None:
        abort(404)
    return state, sheet, history().photo(sheet.photo)


def _marks(photo: Photo, corners: Sequence[str]) -> list[tuple[float, ...]]:
    """Read marks from a form; each lies on the photo."""
    try:
        marks = [tuple(float(part) for part in text.split(",")) for text in corners]
    except ValueError:
        abort(400)
    if any(len(mark) != 2 or not all(map(isfinite, mark)) for mark in marks):
        abort(400)
    if not all(0 <= x <= photo.width and 0 <= y <= photo.height for x, y in marks):
        abort(400)
    return marks


def _marked(state: Game, sheet: Sheet, marks: Sequence[tuple[float, ...]]) -> Response:
    if len(marks) != CORNERS:
        abort(400)
    said = {"of": sheet.entry, "corners": [list(mark) for mark in marks]}
    history().append(state.id, "corners", said, replaces=sheet.last_change, seen=seen())
    companion().desk.start(state.id, sheet.entry, sheet.photo)
    return redirect(url_for(PAGES[state.kind], game=state.id), 303)
