"""Photograph and score: from a photo, or a position as text, to points that can be checked. No game is needed."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from companion.history import Game, Sheet
from companion.history.games import SNAPSHOT, recent_games
from companion.pages.shared import LONGEST_WAIT, await_reading, companion, find_game, history, keep_upload, seen
from companion.phrases import say
from companion.play.serendipity import carpets_of
from companion.play.way import cell_links, typed_name
from engine import Position, problems
from engine.position import COLOUR_OF, COPIES, COVERED, EMPTY, LETTERS, UNKNOWN, Face, is_serendip, ring_of
from engine.rulebook import Mistake
from engine.rules import OPTIONS, Rules
from engine.standing import standing
from engine.table import Player, Table
from vision.reading import face_of

scoring = Blueprint("scoring", __name__)


@dataclass(frozen=True)
class Question:
    """A cell to ask about, with the likeliest answers first."""

    cell: str
    number: int
    total: int
    answers: tuple[Face, ...]


@scoring.get("/")
def start() -> str:
    """Offer the camera, and the games that are under way."""
    return render_template("start.html", **start_places())


@scoring.post("/photos")
def take_photo() -> Response:
    """Keep a photo and open its page, where it is being read."""
    photo = keep_upload()
    game = history().begin(SNAPSHOT, [("photo", {"photo": photo.sha256})])
    companion().desk.start(game, 1, photo.sha256)
    return redirect(url_for("scoring.show", game=game), 303)


@scoring.post("/positions")
def take_position() -> Response | tuple[str, int]:
    """Take a position as text."""
    text = "".join(request.form.get("position", "").split())
    try:
        position = Position.parse(text, edge=6)
    except Mistake as mistake:
        return render_template("start.html", **start_places(), position=text[:2000], mistake=say(mistake.reason)), 422
    game = history().begin(SNAPSHOT, [("position", {"position": str(position)})])
    return redirect(url_for("scoring.show", game=game), 303)


def start_places() -> dict[str, Any]:
    """Find the games that go on, and the last one that ended."""
    recent = list(recent_games(history(), 6))
    going = [game for game in recent if game.ended is None]
    last = next((game for game in recent if game.ended is not None), None)
    return {"going": going[:3], "last": last}


@scoring.get("/table/<game>")
def show(game: str) -> str:
    """Show a table: the photo, the board, the questions and the points."""
    state = await_reading(find_game(game, SNAPSHOT))
    sheet = state.sheet
    if sheet and sheet.status == "waiting":
        return render_template("waiting.html", game=state, sheet=sheet, photo=history().photo(sheet.photo))
    if sheet and not sheet.position:
        return render_template("unread.html", game=state, sheet=sheet, photo=history().photo(sheet.photo))
    return render_template("table.html", **table_places(state))


@scoring.get("/table/<game>/reading")
def wait_for_reading(game: str) -> tuple[str, int]:
    """Answer once the photo is read."""
    await_reading(find_game(game, SNAPSHOT), LONGEST_WAIT)
    return "", 204


@scoring.post("/table/<game>/cell")
def correct(game: str) -> Response:
    """Put another face on a cell, or confirm the one that was read."""
    state = find_game(game, SNAPSHOT)
    cell = request.form.get("cell", "")
    face = request.form.get("face") or "".join(request.form.getlist("petal"))
    keep_correction(state, state.sheet, cell, face)
    stays = cell if "stay" in request.form else None
    return redirect(url_for("scoring.show", game=game, cell=stays), 303)


@scoring.post("/table/<game>/confirm")
def confirm(game: str) -> Response:
    """Take a person's word that all the other tiles were read right; what was not seen at all is still asked."""
    state = find_game(game, SNAPSHOT)
    if state.sheet and state.sheet.unsure:
        position = Position.parse(state.sheet.position)
        unseen = [name for name in state.sheet.unsure if position[name] in (UNKNOWN, EMPTY)]
        _keep_position(state, state.sheet, position, unseen, state.sheet.turned, {})
    return redirect(url_for("scoring.show", game=game), 303)


@scoring.post("/table/<game>/turned")
def turn_board(game: str) -> Response:
    """Turn the whole board by one sixth."""
    state = find_game(game, SNAPSHOT)
    keep_turned(state, 1)
    return redirect(url_for("scoring.show", game=game), 303)


@scoring.post("/table/<game>/undo")
def undo(game: str) -> Response:
    """Take back the last correction; it stays in the log."""
    state = find_game(game, SNAPSHOT)
    if (last := state.undoable()) is not None:
        history().append(game, "undo", {}, replaces=last.number, seen=seen())
    return redirect(url_for("scoring.show", game=game), 303)


@scoring.post("/table/<game>/players")
def name_players(game: str) -> Response | tuple[str, int]:
    """Say who played which colours, and by which rules."""
    state = find_game(game, SNAPSHOT)
    settings, mistake = settings_from_form()
    if mistake:
        return render_template("table.html", **table_places(state), mistake=mistake), 422
    history().append(game, "settings", settings, seen=seen())
    return redirect(url_for("scoring.show", game=game) + "#score", 303)


def settings_from_form() -> tuple[dict[str, Any], str | None]:
    """Read players and rules from a form with a name for each colour; the same name twice is one player."""
    owners: dict[str, str] = {}
    for letter in LETTERS:
        name = typed_name(request.form.get(f"owner-{letter}"))
        if name:
            owners[name] = owners.get(name, "") + letter
    try:
        rules = Rules(**{option: request.form[option] for option in OPTIONS if option in request.form})
    except ValueError:
        abort(400)
    players = tuple(Player(name, letters) for name, letters in owners.items())
    if players and (fault := Table(players, rules).fault):
        return {}, say(fault)
    said = [{"name": player.name, "colours": list(player.colours)} for player in players]
    return {"players": said, "rules": rules.chosen}, None


def keep_correction(state: Game, sheet: Sheet | None, cell: str, face: Face) -> None:
    """Append the position with one face exchanged; a face may be the one that was read, to confirm it."""
    text = sheet.position if sheet else state.first
    position = Position.parse(text)
    if cell not in position.board.indices or not is_face(face):
        abort(400)
    changed = position.with_faces({position.board.indices[cell]: face})
    unsure = [name for name in (sheet.unsure if sheet else ()) if name != cell]
    _keep_position(state, sheet, changed, unsure, sheet.turned if sheet else 0, {"cell": cell, "face": face})


def keep_turned(state: Game, turns: int) -> None:
    """Append the position turned as a whole; the questions turn with it."""
    sheet = state.sheet
    position = Position.parse(sheet.position if sheet else state.first)
    board = position.board
    unsure = [board.names[board.turns[turns % 6][board.indices[name]]] for name in (sheet.unsure if sheet else ())]
    _keep_position(state, sheet, position.turned(turns), unsure, (sheet.turned if sheet else 0) + turns, {})


def _keep_position(
    state: Game, sheet: Sheet | None, position: Position, unsure: list[str], turned: int, change: dict[str, str]
) -> None:
    said = {"of": sheet.entry if sheet else None, "position": str(position), "unsure": unsure, "turned": turned % 6}
    replaces = sheet.last_change if sheet else None
    history().append(state.id, "position", {**said, **change}, replaces=replaces, seen=seen())


def is_face(face: Face) -> bool:
    """Tell whether this is a face in position text, with a Serendip as its six letters."""
    return face in (COVERED, EMPTY, UNKNOWN, *LETTERS) or (is_serendip(face) and set(face) == set(LETTERS))


def table_places(state: Game) -> dict[str, Any]:
    """Work out everything the page of a table shows."""
    position = Position.parse(state.position)
    sheet = state.sheet
    result = standing(position, state.table)
    chosen = request.args.get("player", type=int)
    carpets = carpets_of(result)
    if chosen is not None:
        carpets = [carpet for carpet in carpets if carpet.owner == chosen]
    cell = request.args.get("cell", "")
    marked = [name for name in request.args.get("mark", "").split(",") if name in position.board.indices]
    return {
        "game": state,
        "sheet": sheet,
        "photo": history().photo(sheet.photo) if sheet else None,
        "position": position,
        "standing": result,
        "carpets": carpets,
        "chosen": chosen,
        "cell": cell if cell in position.board.indices else "",
        "marked": marked,
        "question": next_question(sheet, position),
        "faces": faces_to_choose(position, sheet),
        "census": census(position),
        "problems": [problem for problem in problems(position) if problem.kind not in ("missing", "unknown")],
        "options": OPTIONS,
        "cell_link": cell_links("scoring.show", game=state.id, player=chosen),
    }


def next_question(sheet: Sheet | None, position: Position) -> Question | None:
    """Return the next cell to ask about."""
    if sheet is None or not sheet.unsure:
        return None
    cell = sheet.unsure[0]
    asked = len(sheet.reading.get("unsure", ()))
    likely = [position[cell]]
    if cell in sheet.runners_up:
        likely.append(face_of(sheet.runners_up[cell]))
    answers = tuple(dict.fromkeys(face for face in likely if face not in (UNKNOWN, EMPTY)))
    return Question(cell, asked - len(sheet.unsure) + 1, asked, answers)


def faces_to_choose(position: Position, sheet: Sheet | None) -> tuple[Face, ...]:
    """Return every face a tile can have; Serendips in the six facings of this copy's ring, if it is known."""
    rings = Counter(ring_of(position.faces[i]) for i in position.serendips)
    ring = (sheet.reading.get("ring") if sheet else "") or (rings.most_common(1)[0][0] if rings else "")
    facings = tuple(ring[k:] + ring[:k] for k in range(6)) if ring else ()
    return (*LETTERS, COVERED, *facings)


def census(position: Position) -> list[tuple[Face, int, bool]]:
    """Count the open tiles of each kind: a face to draw, how many, and whether that is more than there are."""
    rows = [(letter, len(position.where(letter))) for letter in COLOUR_OF]
    rows.append(("bvroyg", len(position.serendips)))
    return [(face, count, count > COPIES) for face, count in rows]
