"""What a game from elsewhere must look like before it is taken in: nothing in it is believed."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from companion.history.games import DISPUTE, GAME, KINDS, SNAPSHOT, Game, fold
from companion.history.log import Entry
from engine import GAMES, Reason, parse_steps
from engine import Game as Rulebook
from engine.board import board_of
from engine.position import COVERED, EMPTY, LETTERS, UNKNOWN, is_serendip
from vision.reading import face_of

LONGEST_NAME = 40
LONGEST_TEXT = 4000
MOST_ENTRIES = 20_000
VERDICTS = ("legal", "illegal", "undecided", "gap")
STATUSES = ("ok", "unsure", "no-board", "bad-file")


class BadImport(ValueError):  # noqa: N818 - told to a person in one sentence
    """A file that is not taken in; `key` names the reason and `places` what is said in it."""

    def __init__(self, key: str, **places: object) -> None:
        """Name the reason."""
        super().__init__(f"{key} {places}" if places else key)
        self.key, self.places = key, places


def check_game(game: str, kind: str, begun: datetime, log: Sequence[Entry]) -> None:
    """Refuse a game whose log this program could not have written."""
    _need(is_hexadecimal(game, 16), "id")
    _need(kind in (GAME, SNAPSHOT, DISPUTE), "kind")
    _need(1 <= len(log) <= MOST_ENTRIES, "log")
    plays = next(iter(GAMES))
    for number, entry in enumerate(log, 1):
        where = f"{game} {number}"
        _need(entry.number == number, where)
        _need(entry.kind in KINDS, where)
        _need(entry.replaces is None or (_is_whole(entry.replaces) and 0 < entry.replaces < number), where)
        _need(entry.kind != "undo" or entry.replaces is not None, where)
        _need(begun <= entry.at and (number == 1 or log[number - 2].at <= entry.at), where)
        _need(_is_plain(entry.said), where)
        plays = entry.said.get("game", plays) if entry.kind == "settings" else plays
        _need(isinstance(plays, str) and plays in GAMES, where)
        with _naming(where):
            CHECKS.get(entry.kind, _nothing)(entry.said, GAMES[plays])
        of = entry.said.get("of")
        _need(of is None or (_is_whole(of) and 0 < of < number and log[of - 1].kind == "photo"), where)
    with _naming(game):
        _check_state(fold(game, kind, begun, log))


def _check_state(state: Game) -> None:
    """Refuse a game that could not be shown: its players, whose turn it is, and the turns that were played."""
    rules, table, seats = GAMES[state.plays], state.table, max(1, len(state.players))
    _hold(not state.players or table.fault is None)
    _hold(state.kind == SNAPSHOT or state.players)
    _hold(0 <= state.starter < seats and 0 <= state.on_turn < seats)
    before = state.first
    for turn in state.turns:
        _hold(0 <= turn.player < seats)
        if turn.steps and state.plays != "serendipity":
            # What such a turn brought is told by playing it again.
            rules.play(rules.at(table, before, turn.player), turn.steps)
        rules.at(table, turn.position)
        before = turn.position
    if state.position:
        rules.at(table, state.position)


@contextmanager
def _naming(where: str) -> Iterator[None]:
    """Say where a file is broken, whatever stumbled over it."""
    try:
        yield
    except BadImport:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as fault:
        raise BadImport("broken-import", where=where) from fault


def is_hexadecimal(text: object, length: int) -> bool:
    """Tell whether this is a name the program gives: so many small hexadecimal digits."""
    return isinstance(text, str) and len(text) == length and set(text) <= set("0123456789abcdef")


def is_text(text: object, longest: int) -> bool:
    """Tell whether this is readable text: not too long, and without control characters."""
    return isinstance(text, str) and len(text) <= longest and all(_is_readable(c) for c in text)


def readable(text: str, longest: int) -> str:
    """Return what someone typed as `is_text` wants it; what cannot be read is left out."""
    return "".join(c for c in text.replace("\r\n", "\n") if _is_readable(c)).strip()[:longest].strip()


def _is_readable(character: str) -> bool:
    # Joiners hold emoji and some scripts together, marks tell the direction of others; overrides of it stay out.
    return character.isprintable() or character in "\n\t\u200c\u200d\u200e\u200f"


def _settings(said: Mapping[str, Any], rules: Rulebook) -> None:
    for player in _listed(said.get("players", [])):
        _hold(is_text(player["name"], LONGEST_NAME) and player["name"].strip() and "\n" not in player["name"])
        _hold(all(isinstance(colour, str) for colour in _listed(player["colours"])))
        _hold(set(player["colours"]) <= set(rules.seats) and player["colours"])
    for option, value in dict(said.get("rules", {})).items():
        _hold(value in rules.options[option])
    _hold(_is_whole(said.get("starter", 0)) and isinstance(said.get("hidden", False), bool))
    _hold(is_text(said.get("title", ""), 200))
    if "first" in said:
        _position_text(said["first"], rules)
    for name, text in dict(said.get("evidence", {})).items():
        _hold(name in ("before", "after", "claim", "game") and is_text(text, LONGEST_TEXT))
        if name in ("before", "after"):
            _position_text(text, rules)
        elif name == "claim":
            _steps(text, rules)
        else:
            _hold(is_hexadecimal(text, 16))


def _photo(said: Mapping[str, Any], _rules: Rulebook) -> None:
    _hold(is_hexadecimal(said["photo"], 64))
    _hold(said.get("role", "after") in ("before", "after") and _is_whole(said.get("player", 0)))


def _reading(said: Mapping[str, Any], rules: Rulebook) -> None:
    _hold(said["status"] in STATUSES and _is_whole(said["of"]))
    _hold(is_text(said.get("message", ""), LONGEST_TEXT) and is_text(said.get("reason", ""), 60))
    for value in dict(said.get("places", {})).values():
        _hold(isinstance(value, (int, float)) or is_text(value, 200))
    if said.get("position"):
        _position_text(said["position"], rules)
    _cells(said.get("unsure", []))
    _hold(_is_whole(said.get("turned", 0)) and is_text(said.get("ring", ""), 6))
    for name, (x, y) in dict(said.get("centres") or {}).items():
        _hold(name in board_of(6).indices and all(-1e6 < at < 1e6 for at in (x, y)))
    for name, cell in dict(said.get("cells") or {}).items():
        _hold(name in board_of(6).indices and 0 <= cell.get("confidence", 0) <= 1)
        for face in (cell["face"], cell.get("runner_up")):
            _hold(face is None or face_of(face))
    for name, chances in dict(said.get("chances") or {}).items():
        _hold(name in board_of(6).indices and all(face_of(face) and 0 <= n <= 1 for face, n in chances.items()))


def _corners(said: Mapping[str, Any], _rules: Rulebook) -> None:
    _hold(_is_whole(said["of"]))
    _hold(all(-1e6 < float(x) < 1e6 and -1e6 < float(y) < 1e6 for x, y in _listed(said["corners"])))


def _position(said: Mapping[str, Any], rules: Rulebook) -> None:
    _position_text(said["position"], rules)
    _cells(said.get("unsure", []))
    _hold(_is_whole(said.get("turned", 0)) and _is_whole(said.get("side", 0)))
    if said.get("of") is not None:
        _hold("unsure" in said and "turned" in said)
    for name, face in dict(said.get("answer", {})).items():
        _hold(name in board_of(6).indices)
        _hold(face in (*LETTERS, COVERED, EMPTY, UNKNOWN) or (is_serendip(face) and set(face) == set(LETTERS)))


def _turn(said: Mapping[str, Any], rules: Rulebook) -> None:
    _hold(_is_whole(said["player"]) and _is_whole(said.get("next", 0)) and isinstance(said.get("over", False), bool))
    _hold(said["verdict"] in VERDICTS and _is_whole(said.get("turned", 0)))
    _hold(said["verdict"] != "illegal" or "reason" in said)
    _steps(said["steps"], rules)
    _position_text(said["position"], rules)
    if said.get("photo") is not None:
        _photo(said, rules)
    for key, cells in _listed(said.get("notes", [])):
        _hold(is_text(key, 40))
        _cells(cells)
    if said.get("rule") is not None:
        _hold(said["rule"] in rules.rulebook)
    if "reason" in said:
        key, params = said["reason"]
        _hold(str(Reason.of(key, **{name: tuple(v) if isinstance(v, list) else v for name, v in params.items()})))


def _note(said: Mapping[str, Any], _rules: Rulebook) -> None:
    _hold(is_text(said["text"], LONGEST_TEXT))


def _nothing(_said: Mapping[str, Any], _rules: Rulebook) -> None:
    return


CHECKS: dict[str, Callable[[Mapping[str, Any], Rulebook], None]] = {
    "settings": _settings,
    "photo": _photo,
    "reading": _reading,
    "corners": _corners,
    "position": _position,
    "turn": _turn,
    "note": _note,
}


def _position_text(text: object, rules: Rulebook) -> None:
    _hold(isinstance(text, str) and len(text) < LONGEST_TEXT)
    rules.parse(str(text))


def _steps(text: object, rules: Rulebook) -> None:
    _hold(is_text(text, LONGEST_TEXT))
    if text and rules.name == "serendipity":
        parse_steps(str(text), board_of(6))


def _cells(names: object) -> None:
    for name in _listed(names):
        _hold(name in board_of(6).indices)


def _listed(value: object) -> list[Any]:
    _hold(isinstance(value, list))
    assert isinstance(value, list)
    return value


def _hold(claim: object) -> None:
    if not claim:
        raise ValueError


def _need(claim: object, where: str) -> None:
    if not claim:
        raise BadImport("broken-import", where=where)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31


def _is_plain(value: object, depth: int = 6) -> bool:
    """Tell whether this is plain JSON of moderate depth, with no text or list beyond measure and no odd number."""
    if isinstance(value, Mapping):
        return (
            depth > 0
            and len(value) <= 200
            and all(is_text(key, 100) and _is_plain(item, depth - 1) for key, item in value.items())
        )
    if isinstance(value, list):
        return depth > 0 and len(value) <= 2000 and all(_is_plain(item, depth - 1) for item in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < 2**53
    return value is None or is_text(value, LONGEST_TEXT)
