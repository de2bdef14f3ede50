"""Photographs of a running game: kept first, then read, worked out, asked about, and entered as a turn."""

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from companion.history import Game, Overtaken
from companion.history.games import GAME
from companion.languages import gettext as _
from companion.pages.games import overtaken, page_of
from companion.pages.scoring import is_face
from companion.pages.shared import LONGEST_WAIT, await_reading, companion, find_game, history, keep_upload, seen
from companion.play import WAYS, Mistake
from companion.play.photographed import Sighting, sight

game_photos = Blueprint("game_photos", __name__)


@game_photos.post("/games/<game>/photos")
def take_photo(game: str) -> Response:
    """Keep a photo of the table after a turn; it is read behind the page."""
    state = _running(game)
    photo = keep_upload()
    entry = history().append(game, "photo", {"photo": photo.sha256, "player": state.on_turn})
    companion().desk.start(game, entry.number, photo.sha256)
    return redirect(url_for("games.show", game=game), 303)


@game_photos.get("/games/<game>/reading")
def wait_for_reading(game: str) -> tuple[str, int]:
    """Answer once the photo is read."""
    await_reading(_running(game), LONGEST_WAIT)
    return "", 204


@game_photos.post("/games/<game>/cell")
def answer(game: str) -> Response:
    """Say what lies on a cell of the photo; the turn is worked out again with it."""
    state, sighting = _seen_photo(game)
    cell = request.form.get("cell", "")
    face = request.form.get("face") or "".join(request.form.getlist("petal"))
    if cell not in sighting.position.board.indices or not is_face(face):
        abort(400)
    unsure = [name for name in sighting.followed.unsure if name != cell]
    position = sighting.position.with_faces({sighting.position.board.index(cell): face})
    said = {"position": str(position), "unsure": unsure, "answer": sighting.answer(cell, face), "cell": cell}
    _keep(state, sighting, {**said, "turned": sighting.followed.turned})
    return redirect(url_for("games.show", game=game), 303)


@game_photos.post("/games/<game>/side")
def take_side(game: str) -> Response:
    """Say that the photo was taken from another side of the table: turn its board on by one sixth."""
    state, sighting = _seen_photo(game)
    turned = (sighting.followed.turned + 1) % 6
    said = {"position": str(sighting.position.turned(1)), "unsure": [], "turned": turned, "side": turned}
    _keep(state, sighting, said)
    return redirect(url_for("games.show", game=game), 303)


@game_photos.post("/games/<game>/seen")
def enter_seen(game: str) -> Response | tuple[str, int]:
    """Enter the turn that the photo shows: as worked out, as it lies, or as a gap in the log."""
    state, sighting = _seen_photo(game)
    kept = request.form.get("keep", "turn")
    try:
        if sighting.followed.unsure:
            raise Mistake(_("First say what lies on the tiles that are asked about."))
        if kept == "gap":
            following = request.form.get("next", type=int)
            if following is None or not 0 <= following < len(state.players):
                abort(400)
            played = sighting.played("gap", following)
        elif kept == "several":
            return _enter_several(state, sighting)
        elif kept == "turn" and sighting.followed.verdict.verdict != "legal":
            raise Mistake(_("This is not a turn by the rules. Put it right at the table, or keep it as it lies."))
        else:
            played = sighting.played()
        history().append(game, "turn", played.said(**sighting.said()), seen=seen())
    except Mistake as mistake:
        return render_template(**page_of(state, request.form), mistake=mistake), 422
    except Overtaken:
        return overtaken(game), 409
    return redirect(url_for("games.show", game=game), 303)


def _enter_several(state: Game, sighting: Sighting) -> Response:
    """Enter the turns that were played since the last photo, in the players' order; the photo belongs to the last."""
    turns = [played for told, played in sighting.several if told]
    if not turns:
        abort(400)
    said = [played.said(by="photo", inferred=True) for played in turns[:-1]]
    said.append(turns[-1].said(by="photo", inferred=True, photo=sighting.sheet.photo, turned=sighting.followed.turned))
    history().append_all(state.id, [("turn", words, None) for words in said], seen=seen())
    return redirect(url_for("games.show", game=state.id), 303)


@game_photos.post("/games/<game>/discard")
def discard(game: str) -> Response:
    """Put a photo aside; it stays in the log."""
    state = _running(game)
    if state.sheet is not None:
        history().append(game, "undo", {}, replaces=state.sheet.entry, seen=seen())
    return redirect(url_for("games.show", game=game), 303)


def _running(game: str) -> Game:
    state = find_game(game, GAME)
    if state.deleted is not None or state.ended is not None or WAYS[state.plays].photo_template is None:
        abort(404)
    return state


def _seen_photo(game: str) -> tuple[Game, Sighting]:
    """Find a running game and what its photo shows; one that another phone has dealt with is not there any more."""
    state = _running(game)
    if seen() not in (None, state.last_number) or (found := sight(state)) is None:
        raise Overtaken(game)
    return state, found


def _keep(state: Game, sighting: Sighting, said: dict[str, object]) -> None:
    sheet = sighting.sheet
    history().append(state.id, "position", {"of": sheet.entry, **said}, replaces=sheet.last_change, seen=seen())
