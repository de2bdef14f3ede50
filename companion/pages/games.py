"""Games with players and turns: sitting down, playing turn by turn, undoing, and the end."""

from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from companion.history import Game, Overtaken
from companion.history.games import GAME, recent_games
from companion.languages import gettext as _
from companion.pages.shared import await_reading, companion, find_game, history, seen
from companion.play import WAYS, Mistake, Way
from engine import GAMES

games = Blueprint("games", __name__)

REMEMBERED = 12
"""How many of the last games are looked through for players to offer again."""


@games.get("/games/new")
def new() -> str:
    """Offer the last players again, or others."""
    going = [game for game in recent_games(history(), 6) if game.ended is None][:3]
    return render_template("new_game.html", **setup_places(_played_game(request.args.get("game", ""))), going=going)


@games.post("/games")
def begin() -> Response | tuple[str, int]:
    """Begin a game."""
    plays = _played_game(request.form.get("game", ""))
    try:
        settings = WAYS[plays].settings(request.form)
    except Mistake as mistake:
        places = setup_places(plays, request.form)
        return render_template("new_game.html", **places, mistake=mistake), 422
    game = history().begin(GAME, [("settings", {"game": plays, **settings})])
    return redirect(url_for("games.show", game=game), 303)


@games.post("/games/<game>/rematch")
def rematch(game: str) -> Response:
    """Begin another game with the same players, colours and rules."""
    last = find_game(game, GAME)
    first = next(entry.said for entry in reversed(last.log) if entry.kind == "settings" and "players" in entry.said)
    settings = {**first, "rules": dict(last.rules), "starter": last.starter, "hidden": last.hidden}
    again = WAYS[last.plays].again(settings)
    if again is None:
        return redirect(url_for("games.new", game=last.plays), 303)
    return redirect(url_for("games.show", game=history().begin(GAME, [("settings", again)])), 303)


@games.get("/games/<game>")
def show(game: str) -> str:
    """Show a game as it stands: whose turn it is, the board, the log and the points."""
    return render_template(**page_of(await_reading(_living(game)), request.args))


@games.get("/games/<game>/number")
def number(game: str) -> str:
    """Say the number of the last entry: a phone asks this often, and looks again when it has changed."""
    return str(history().last_number(game))


@games.post("/games/<game>/turns")
def enter_turn(game: str) -> Response | tuple[str, int]:
    """Enter a turn, or put another in the place of the last one."""
    state = _living(game)
    replaces = replaced(state, request.form)
    if state.ended is not None and replaces is None:
        return overtaken(game), 409
    try:
        played = WAYS[state.plays].take_turn(base_of(state, replaces), request.form)
        photo = state.turns[-1].photo if replaces and state.position == played.position else None
        history().append(game, "turn", played.said(by="taps", photo=photo), replaces=replaces, seen=seen())
    except Mistake as mistake:
        if seen() not in (None, state.last_number):
            return overtaken(game), 409
        return render_template(**page_of(state, request.form), mistake=mistake), 422
    except Overtaken:
        return overtaken(game), 409
    return redirect(url_for("games.show", game=game), 303)


@games.post("/games/<game>/undo")
def undo(game: str) -> Response:
    """Take back the last turn, or the end; it stays in the log."""
    state = _living(game)
    if (last := state.undoable()) is not None:
        history().append(game, "undo", {}, replaces=last.number, seen=seen())
    return redirect(url_for("games.show", game=game), 303)


@games.post("/games/<game>/standings")
def hide_standings(game: str) -> Response:
    """Hide the points from everyone while the game runs, or show them again."""
    state = _living(game)
    history().append(game, "settings", {"hidden": not state.hidden}, seen=seen())
    return redirect(url_for("games.show", game=game), 303)


@games.post("/games/<game>/end")
def end(game: str) -> Response:
    """End a game before the rules do."""
    state = _living(game)
    if state.ended is None:
        history().append(game, "end", {"early": True}, seen=seen())
    return redirect(url_for("games.show", game=game), 303)


def page_of(state: Game, words: "MultiDict[str, str]") -> dict[str, Any]:
    """Work out everything the page of a game shows, with its template."""
    way = WAYS[state.plays]
    replaces = replaced(state, words)
    base = base_of(state, replaces)
    veiled = state.ended is None
    places: dict[str, Any] = {
        "template_name_or_list": "game.html" if veiled else "final.html",
        "game": state,
        "base": base,
        "way": way,
        "replaces": replaces,
        "told": [(turn, way.tell(state, turn, veiled=veiled)) for turn in reversed(state.turns)],
        "lan": companion().lan,
        **way.score_places(state, words),
    }
    if veiled:
        places["begun"] = any(words.get(name) for name in ("done", "cell", "replaces"))
        if state.sheet is not None and not replaces:
            places |= photo_places(state, way, words)
        if not places.get("sighting"):
            places |= way.turn_places(base, words)
    return places


def photo_places(state: Game, way: Way, words: "MultiDict[str, str]") -> dict[str, Any]:
    """Work out what is shown of the photo that lies on the table."""
    assert state.sheet is not None
    return {"photo": history().photo(state.sheet.photo), **way.photo_places(state, words)}


def overtaken(game: str) -> str:
    """Show how the game stands to a phone that was slower, with what it wanted to enter."""
    state = find_game(game, GAME)
    way = WAYS[state.plays]
    steps = request.form.get("steps", "")
    wanted = None
    if state.turns and state.turns[-1].steps == steps:
        notice = _("Another phone has entered this turn already.")
    else:
        notice = _("Another phone was faster. Here is how the game stands now; your turn was not entered.")
        wanted = wanted_turn(way, state, steps)
    return render_template(**page_of(state, MultiDict()), notice=notice, wanted=wanted)


def wanted_turn(way: Way, state: Game, steps: str) -> str | None:
    """Return the steps if they could still be entered now."""
    try:
        way.take_turn(state, MultiDict({"steps": steps}))
    except Mistake:
        return None
    return steps


def replaced(state: Game, words: "MultiDict[str, str]") -> int | None:
    """Return the turn that is being corrected; only the last one can be."""
    asked = words.get("replaces", type=int)
    return asked if asked and state.turns and state.turns[-1].entry == asked else None


def base_of(state: Game, replaces: int | None) -> Game:
    """Return the game a turn is entered on: as it stands, or as it stood before the turn that is corrected."""
    return state.without(replaces) if replaces else state


def setup_places(plays: str, form: "MultiDict[str, str] | None" = None) -> dict[str, Any]:
    """Work out what the form of a new game shows."""
    way = WAYS[plays]
    recent = list(recent_games(history(), REMEMBERED))
    last = next((game for game in recent if game.plays == plays), None)
    known = list(dict.fromkeys(player.name for game in recent for player in game.players))
    return {
        "way": way,
        "rules_of": GAMES[plays],
        "known": known,
        "games": [GAMES[name] for name in WAYS],
        **way.setup_places(form, last),
    }


def _played_game(name: str) -> str:
    name = name or next(iter(WAYS))
    if name not in WAYS:
        abort(404)
    return name


def _living(game: str) -> Game:
    """Find a game that was not deleted."""
    state = find_game(game, GAME)
    if state.deleted is not None:
        abort(404)
    return state
