"""The referee, who is asked whether a move is allowed."""

from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from companion.history import Game
from companion.history.games import DISPUTE, GAME, recent_games
from companion.languages import gettext as _
from companion.pages.games import setup_places
from companion.pages.scoring import is_face
from companion.pages.shared import LONGEST_WAIT, await_reading, companion, find_game, history, keep_upload, seen
from companion.phrases import say
from companion.play import WAYS, Mistake
from companion.play.disputed import Dispute
from engine import GAMES
from engine.position import turned_face
from engine.rulebook import Mistake as TextMistake

disputes = Blueprint("disputes", __name__)

PLAYS = "serendipity"
"""The game whose photos can be read."""


@disputes.get("/referee")
def ask() -> str:
    """Offer the games that go on, two photos, or two positions."""
    return render_template("referee.html", **_places())


@disputes.post("/referee")
def bring() -> Response | tuple[str, int]:
    """Bring a move before the referee: of a running game, on two photos, or as positions."""
    if game := request.form.get("game"):
        return _of_game(find_game(game, GAME))
    way = WAYS[PLAYS]
    try:
        settings = way.settings(request.form)
        evidence = {
            moment: _position(text) for moment in ("before", "after") if (text := request.form.get(moment, "").strip())
        }
        photos = [role for role in ("before", "after") if any(f.filename for f in request.files.getlist(role))]
        if missing := [role for role in ("before", "after") if role not in photos and role not in evidence]:
            raise Mistake(
                _("Show the table before the move: a photo, or a position.")
                if missing[0] == "before"
                else _("Show the table after the move: a photo, or a position.")
            )
    except Mistake as mistake:
        return render_template("referee.html", **_places(mistake)), 422
    kept = [(role, keep_upload(role)) for role in photos]
    entries = [("settings", {"game": PLAYS, **settings, "evidence": evidence})]
    entries += [("photo", {"photo": photo.sha256, "role": role}) for role, photo in kept]
    return _opened(history().begin(DISPUTE, entries))


@disputes.get("/referee/<game>")
def show(game: str) -> str:
    """Show the evidence and what the referee says; without evidence, the board to tap the move on."""
    state = await_reading(find_game(game, DISPUTE))
    way = WAYS[state.plays]
    places: dict[str, Any] = {"game": state, "way": way, "photos": _photos(state), "base": state, "replaces": None}
    places |= way.dispute_places(state, request.args)
    tapping = any(request.args.get(word) for word in ("again", "cell", "done"))
    places["entering"] = not state.sheets and (tapping or not places["judgement"])
    if places["entering"]:
        places |= {"chosen": None, "carpets": [], "marked": [], **way.turn_places(state, request.args)}
    return render_template("dispute.html", **places)


@disputes.get("/referee/<game>/reading")
def wait_for_reading(game: str) -> tuple[str, int]:
    """Answer once the photos are read."""
    await_reading(find_game(game, DISPUTE), LONGEST_WAIT)
    return "", 204


@disputes.post("/referee/<game>/claim")
def claim(game: str) -> Response:
    """Take a turn as it was claimed, whatever it is; the referee judges it."""
    state = find_game(game, DISPUTE)
    steps = request.form.get("steps", "")
    try:
        GAMES[state.plays].check(GAMES[state.plays].at(state.table, state.first, state.on_turn), steps)
    except ValueError:
        abort(400)
    history().append(game, "settings", {"evidence": {"claim": steps}}, seen=seen())
    return redirect(url_for("disputes.show", game=game), 303)


@disputes.post("/referee/<game>/cell")
def answer(game: str) -> Response:
    """Say what lies on a cell of one of the photos."""
    state = find_game(game, DISPUTE)
    dispute = Dispute(state)
    role, cell = request.form.get("role", ""), request.form.get("cell", "")
    face = request.form.get("face") or "".join(request.form.getlist("petal"))
    sheet, reading = dispute.sheet(role), dispute.reading(role)
    if sheet is None or reading is None or cell not in reading.board.indices or not is_face(face):
        abort(400)
    turned, board = dispute.turned(role), reading.board
    there = board.names[board.turns[-turned % 6][board.index(cell)]]
    position = reading.position.with_faces({board.index(there): turned_face(face, -turned)})
    said = {"of": sheet.entry, "position": str(position), "unsure": [], "turned": 0, "cell": there}
    said["answer"] = {there: turned_face(face, -turned)}
    history().append(game, "position", said, replaces=sheet.last_change, seen=seen())
    return redirect(url_for("disputes.show", game=game), 303)


@disputes.post("/referee/<game>/photos")
def retake(game: str) -> Response:
    """Take another photo in the place of one."""
    state = find_game(game, DISPUTE)
    role = request.form.get("role", "after")
    if role not in ("before", "after"):
        abort(400)
    photo = keep_upload()
    history().append(state.id, "photo", {"photo": photo.sha256, "role": role})
    return _opened(game)


def _of_game(state: Game) -> Response:
    """Open a dispute about the turn that is being played in a game: on a photo of now, or claimed by tapping."""
    settings = next(entry.said for entry in reversed(state.log) if entry.kind == "settings" and "players" in entry.said)
    evidence = {"before": state.position, "game": state.id}
    told = {**settings, "rules": dict(state.rules), "starter": state.on_turn, "evidence": evidence}
    entries: list[tuple[str, dict[str, Any]]] = [("settings", told), ("position", {"position": state.position})]
    if any(file.filename for file in request.files.getlist("photo")):
        entries.append(("photo", {"photo": keep_upload().sha256, "role": "after"}))
    return _opened(history().begin(DISPUTE, entries))


def _opened(game: str) -> Response:
    _read_photos(find_game(game, DISPUTE))
    return redirect(url_for("disputes.show", game=game), 303)


def _read_photos(state: Game) -> None:
    for sheet in state.sheets:
        if sheet.status == "waiting":
            companion().desk.start(state.id, sheet.entry, sheet.photo)


def _photos(state: Game) -> dict[str, Any]:
    return {sheet.role: history().photo(sheet.photo) for sheet in state.sheets}


def _position(text: str) -> str:
    try:
        return str(GAMES[PLAYS].parse("".join(text.split())))
    except TextMistake as mistake:
        raise Mistake(_("This position cannot be read: {why}", why=say(mistake.reason))) from mistake


def _places(mistake: Mistake | None = None) -> dict[str, Any]:
    going = [game for game in recent_games(history(), 6) if game.ended is None and WAYS[game.plays].dispute_template]
    chosen = next((game for game in going if game.id == request.args.get("game")), None)
    form = request.form if mistake else None
    places = {"going": [chosen] if chosen else going[:3], "mistake": mistake, "form": request.form, "ways": WAYS}
    return {**setup_places(PLAYS, form), **places, "whose_word": _("whose move")}
