"""Looking back: all games with search, a replay of each, notes, deleting and restoring, and the players."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion import curves, phrases
from companion.history import Game
from companion.history.checking import LONGEST_TEXT, readable
from companion.history.games import DISPUTE, GAME, SNAPSHOT
from companion.history.log import RESTORABLE
from companion.languages import date
from companion.languages import gettext as _
from companion.pages.shared import companion, find_game, history, seen
from companion.pictures import board_of_game, thumbnail
from companion.play import WAYS
from companion.records import Frame, Record, frames_of, matching, record_of, rivalries, statistics
from companion.sharing import bgstats_link
from engine import GAMES

past = Blueprint("past", __name__)

PER_PAGE = 24
LAST_GAMES = 8
"""How many games a player's row of wins shows."""
SHOWN: dict[str, Callable[[Record], bool]] = {
    "all": lambda record: record.deleted is None,
    "games": lambda record: record.deleted is None and record.kind == GAME,
    "photos": lambda record: record.deleted is None and record.kind == SNAPSHOT,
    "disputes": lambda record: record.deleted is None and record.kind == DISPUTE,
    "deleted": lambda record: record.deleted is not None,
}


@past.get("/history")
def index() -> str:
    """Show all games with their boards, newest first."""
    show = request.args.get("show", "all")
    if show not in SHOWN:
        abort(404)
    everything = companion().records.all(DISPUTE)
    words = request.args.get("q", "")[:100]
    found = matching([record for record in everything if SHOWN[show](record)], words, _shown_words)
    page = max(1, request.args.get("page", 1, type=int))
    pages = max(1, -(-len(found) // PER_PAGE))
    return render_template(
        "history.html",
        records=found[(page - 1) * PER_PAGE : page * PER_PAGE],
        found=len(found),
        words=words,
        show=show,
        page=page,
        pages=pages,
        deleted=sum(record.deleted is not None for record in everything),
        days_left=_days_left,
        GAMES=GAMES,
    )


@past.get("/history/<game>")
def replay(game: str) -> str:
    """Show one moment of a game, and the way to every other."""
    return render_template("replay.html", **replay_places(find_game(game), request.args.get("at", type=int)))


@past.get("/history/<game>/frame/<int:number>")
def frame(game: str, number: int) -> str:
    """Show only the moment, for the slider."""
    return render_template("frame.html", **replay_places(find_game(game), number))


@past.get("/history/<game>/board.svg")
def small_board(game: str) -> Response:
    """Show the board as it lies now, small; the address names the last entry, so it never changes."""
    answer = Response(thumbnail(find_game(game)), mimetype="image/svg+xml")
    answer.headers["Cache-Control"] = "private, max-age=2592000, immutable"
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return answer


@past.post("/history/<game>/notes")
def write_note(game: str) -> AnyResponse:
    """Keep a note; with `replaces` it takes the place of another, which stays in the log."""
    state = find_game(game)
    text = readable(request.form.get("text", ""), LONGEST_TEXT)
    replaces = request.form.get("replaces", type=int)
    if replaces is not None and replaces not in {note.entry for note in state.notes}:
        abort(400)
    if text:
        history().append(game, "note", {"text": text}, replaces=replaces, seen=seen())
    elif replaces is not None:
        history().append(game, "undo", {}, replaces=replaces, seen=seen())
    return redirect(url_for("past.replay", game=game) + "#notes", 303)


@past.get("/history/<game>/delete")
def ask_delete(game: str) -> str:
    """Ask clearly before a game is deleted."""
    state = find_game(game)
    return render_template("delete.html", game=state, record=record_of(state), days=RESTORABLE.days)


@past.post("/history/<game>/delete")
def delete(game: str) -> AnyResponse:
    """Delete a game; for 30 days it can be restored."""
    state = find_game(game)
    if state.deleted is None:
        history().append(game, "delete", {}, seen=seen())
    return redirect(url_for("past.index"), 303)


@past.post("/history/<game>/restore")
def restore(game: str) -> AnyResponse:
    """Bring a deleted game back."""
    state = find_game(game)
    if state.deleted is not None:
        history().append(game, "restore", {}, seen=seen())
    return redirect(url_for("past.replay", game=game), 303)


@past.get("/players")
def players() -> str:
    """Show what the finished games say of each player."""
    plays = request.args.get("game", "")
    records = [record for record in companion().records.all() if record.plays == plays or not plays]
    people = statistics(records)
    played = {record.plays for record in companion().records.all() if record.counts}
    return render_template(
        "players.html",
        people=people,
        pairs=rivalries(records),
        letters={player.name: player.favourite for player in people},
        best={player.name: _best_board(player.best[0].id, player.name) for player in people},
        last_games=LAST_GAMES,
        plays=plays,
        played=[game for game in GAMES if game in played],
        GAMES=GAMES,
        curves=curves,
    )


def replay_places(state: Game, at: int | None) -> dict[str, Any]:
    """Work out everything that one moment of a replay shows."""
    frames = frames_of(state)
    at = len(frames) - 1 if at is None else at
    if not 0 <= at < len(frames):
        abort(404)
    here = frames[at]
    is_hidden = state.hidden and state.is_running
    photo = history().find_photo(here.photo) if here.photo else None
    return {
        "game": state,
        "record": record_of(state),
        "frames": frames,
        "at": at,
        "frame": here,
        "sentence": _sentence(state, here, veiled=state.is_running),
        "photo": photo if photo and history().has_file(photo) else None,
        "photo_missing": photo is not None and not history().has_file(photo),
        "board": board_of_game(state, here.position, title=_("The board at this moment")) if here.position else "",
        "lines": [] if is_hidden else _lines(state, frames),
        "curve": "" if is_hidden or len(frames) < 3 else _curve(state, frames, at),
        "is_hidden": is_hidden,
        "bgstats": bgstats_link(record_of(state)),
        "days_left": _days_left,
    }


def _sentence(state: Game, here: Frame, *, veiled: bool) -> str:
    if here.turn is not None:
        return WAYS[state.plays].tell(state, state.turns[here.turn], veiled=veiled)
    if state.kind == GAME:
        return _("The table before the first turn.")
    entry = state.log[here.entry - 1]
    if entry.kind == "position" and entry.said.get("cell"):
        return _("{cell} was corrected.", cell=entry.said["cell"])
    return _("The board as it was read.") if entry.kind == "reading" else _("The board as it was entered.")


def _lines(state: Game, frames: list[Frame]) -> list[curves.Line]:
    return [
        curves.Line(
            phrases.player_name(player.name),
            getattr(player, "letters", "")[:1],
            tuple(moment.points[i] for moment in frames),
        )
        for i, player in enumerate(state.table.players)
    ]


def _curve(state: Game, frames: list[Frame], at: int) -> str:
    lines = _lines(state, frames)
    told = "; ".join(f"{line.name} {line.points[-1]}" for line in lines)
    return curves.curve(lines, title=_("How the points grew: at the end {points}", points=told), at=at)


def _best_board(game: str, name: str) -> str:
    """Draw the board of a player's best game with their own carpet only."""
    state = find_game(game)
    return board_of_game(state, title=_("The best carpet of {name}", name=name), only=name)


def _days_left(record: Record) -> int:
    """Return for how many days a deleted game can still be restored."""
    assert record.deleted is not None
    left = record.deleted + RESTORABLE - history().clock()
    return max(0, -(-left // timedelta(days=1)))


def _shown_words(record: Record) -> str:
    """Return the words that the page shows of a game, so that what is seen can be found."""
    colours = (phrases.colour_name(letter) for result in record.results for letter in result.letters)
    names = (phrases.player_name(result.name) for result in record.results)
    return " ".join((*colours, *names, date(record.begun), GAMES[record.plays].title))
