"""Serendipity on the page: seats, a turn entered tap by tap, and how it is told."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from flask import abort, current_app, url_for
from markupsafe import Markup

from companion import drawing
from companion.drawing import Carpet
from companion.history import Game, Turn
from companion.history.games import DISPUTE, recent_games
from companion.languages import gettext as _
from companion.phrases import cell_name, player_name, rule_text, say
from companion.play.disputed import dispute_places
from companion.play.draft import Draft
from companion.play.photographed import sighting_places
from companion.play.telling import tell_nothing_seen, tell_steps
from companion.play.way import Mistake, Played, Words, typed_name
from engine import Reason
from engine.position import COLOUR_OF, LETTER_OF, LETTERS, Position, ring_of
from engine.rulebook import Value
from engine.rules import OPTIONS, PRESETS, Rules
from engine.standing import Standing, standing
from engine.steps import parse_steps
from engine.table import Player, Table
from engine.turns import State, fault_of

SEATS = 6


class SerendipityWay:
    """The game of 91 tiles."""

    name = "serendipity"
    setup_template = "play/serendipity_setup.html"
    turn_template = "play/serendipity_turn.html"
    score_template = "play/serendipity_score.html"
    photo_template: str | None = "play/serendipity_photo.html"
    dispute_template: str | None = "play/serendipity_dispute.html"
    options: Mapping[str, tuple[str, ...]] = OPTIONS

    def settings(self, form: Words) -> dict[str, Any]:
        """Read up to six seats, each a name and colours, the rules and who starts."""
        players: list[Player] = []
        starter = 0
        for seat in range(SEATS):
            name = typed_name(form.get(f"name-{seat}"))
            letters = "".join(letter for letter in LETTERS if letter in form.getlist(f"colours-{seat}"))
            if name or letters:
                if form.get("starter") == str(seat):
                    starter = len(players)
                players.append(Player(name or COLOUR_OF[letters[0]], letters))
        table = Table(tuple(players), self.rules(form))
        if table.fault:
            raise Mistake(say(table.fault), "players")
        seats = [{"name": player.name, "colours": list(player.colours)} for player in players]
        return {"players": seats, "rules": table.rules.chosen, "starter": starter}

    def rules(self, form: Words) -> Rules:
        """Read a preset, and the single options that were chosen on top of it."""
        preset = PRESETS.get(form.get("preset", ""), Rules())
        try:
            return replace(preset, **{option: form[option] for option in OPTIONS if form.get(option)})
        except ValueError:
            abort(400)

    def again(self, settings: dict[str, Any]) -> dict[str, Any] | None:
        """Return the settings for another game of the same players."""
        return settings

    def setup_places(self, form: Words | None, last: Game | None) -> dict[str, Any]:
        """Fill the seats from what was entered, or else from the last game."""
        seats: list[tuple[str, str]] = []
        chosen = dict.fromkeys(OPTIONS, "")
        preset, starter = "german", 0
        if form is not None:
            for seat in range(SEATS):
                seats.append((form.get(f"name-{seat}", ""), "".join(form.getlist(f"colours-{seat}"))))
            chosen |= {option: form.get(option, "") for option in OPTIONS}
            preset, starter = form.get("preset", preset), form.get("starter", 0, type=int)
        elif last is not None:
            seats = [(player.name, player.letters) for player in last.players]
            starter = last.starter
            rules = last.table.rules.chosen
            usual = PRESETS[preset].chosen
            chosen |= {option: value for option, value in rules.items() if value != usual[option]}
        seats += [("", "")] * (SEATS - len(seats))
        shown = max(2, max((i + 1 for i, seat in enumerate(seats) if any(seat)), default=0))
        return {"seats": seats, "shown_seats": shown, "chosen": chosen, "preset": preset, "starter": starter}

    def state(self, game: Game) -> State:
        """Return the table as the engine sees it."""
        return State(Position.parse(game.position), game.table, game.on_turn)

    def turn_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show the board and what is asked next."""
        asked = game.kind == DISPUTE
        draft = Draft.of(self.state(game), words, free=asked)
        address = url_for("disputes.show" if asked else "games.show", game=game.id)
        ring = ring_in(draft.state.position) or (remembered_ring() if draft.stage == "face" else "")

        def link(name: str) -> str:
            if draft.stage in ("tile", "face", "act") or (draft.stage == "refused" and not draft.taps):
                return here(cell=name, face="", petals="", plan="", tap=[])
            taps = draft.taps[:-1] if draft.stage in ("refused", "confirm") else draft.taps
            return here(tap=[*taps, name])

        def here(**changes: Any) -> str:
            said = {"replaces": words.get("replaces", ""), **draft.words(**changes)}
            return f"{address}?{urlencode({name: value for name, value in said.items() if value}, doseq=True)}"

        enter = url_for("disputes.claim" if asked else "games.enter_turn", game=game.id)
        places = {"draft": draft, "ring": ring, "here": here, "cell_link": link}
        return {**places, "draft_address": address, "enter_address": enter}

    def score_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show everyone's points and carpets."""
        result = standing(Position.parse(game.position), game.table)
        chosen = words.get("player", type=int)
        names = result.position.board.indices
        marked = [name for name in words.get("mark", "").split(",") if name in names]
        carpets = [carpet for carpet in carpets_of(result) if chosen in (None, carpet.owner)]
        return {"standing": result, "carpets": carpets, "chosen": chosen, "marked": marked}

    def photo_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show what was made of the photo."""
        return sighting_places(game, words)

    def dispute_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show what the referee looks at and what it says."""
        return dispute_places(game, words)

    def take_turn(self, game: Game, form: Words) -> Played:
        """Play the steps that were entered."""
        state = self.state(game)
        try:
            steps = parse_steps(form.get("steps", ""), state.position.board)
        except ValueError as mistake:
            raise Mistake(_("This turn cannot be read.")) from mistake
        if not steps:
            raise Mistake(_("Tap the tile that was turned up first."), "reveal")
        for step in steps:
            if fault := fault_of(state, step):
                raise Mistake(say(fault.reason), fault.rule, fault.cells)
            state = state.play(step)
        told = "; ".join(map(str, steps))
        return Played(game.on_turn, told, str(state.position), state.next_turn().seat, state.over)

    def tell(self, game: Game, turn: Turn, *, veiled: bool) -> str:
        """Say a turn in a sentence."""
        name = player_name(game.players[turn.player].name)
        if turn.verdict == "gap":
            return _("Some turns were not noted, from {name} on.", name=name)
        if turn.verdict == "illegal":
            key, params = turn.said["reason"]
            return f"{name}: {say(Reason(key, tuple((word, _told(value)) for word, value in params.items())))}"
        if turn.verdict == "undecided":
            return _("{name} has played; the photo does not tell how.", name=name)
        if not turn.steps:
            return tell_nothing_seen(name)
        return tell_steps(name, parse_steps(turn.steps, Position.parse(turn.position).board), veiled=veiled)

    def seat_icon(self, seat: str) -> Markup:
        """Draw a colour."""
        return drawing.icon(LETTER_OF[seat])

    def board(self, game: Game, carpets: Sequence[Carpet], marked: Sequence[str]) -> Markup:
        """Draw the board as it lies, with carpets."""
        position = Position.parse(game.position)
        title = _("The board at the end")
        return drawing.board(position, title=title, describe=cell_name, carpets=carpets, marked=marked)

    def rule_text(self, rule: str) -> str:
        """Say a rule."""
        return rule_text(rule)


def _told(value: Any) -> Value:
    """Take a parameter of a reason back from the log."""
    return tuple(value) if isinstance(value, list) else value


def ring_in(position: Position) -> str:
    """Return the ring of the Serendips that lie open, or nothing."""
    return next((ring_of(position.faces[i]) for i in position.serendips), "")


def remembered_ring() -> str:
    """Return the ring of this copy of the game, as an earlier game showed it."""
    for game in recent_games(current_app.extensions["companion"].history, 5):
        if game.plays == "serendipity" and (ring := ring_in(Position.parse(game.position))):
            return ring
    return ""


def carpets_of(result: Standing) -> list[Carpet]:
    """Return what to draw of everyone's carpet."""
    drawn = []
    for owner, (player, score) in enumerate(result.scores):
        touching = {name for line in score.lines if line.rule == "point-serendip" for name in line.cells}
        drawn.append(Carpet(owner, player.letters[0], frozenset(score.carpet), frozenset(touching)))
    return drawn
