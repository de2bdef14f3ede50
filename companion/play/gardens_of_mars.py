"""Gardens of Mars on the page: seats and drawn flowers, a turn entered tap by tap, and how it is told."""

import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from flask import abort, url_for
from markupsafe import Markup

from companion import garden_drawing
from companion.drawing import Carpet
from companion.history import Game, Turn
from companion.history.games import DISPUTE
from companion.languages import gettext as _
from companion.languages import mark
from companion.phrases import colour_name, option_text, player_name, say
from companion.play.garden_turn import Draft, describe, points_text
from companion.play.way import Judgement, Mistake, Played, Words, typed_name
from engine import GAMES
from engine import gardens_of_mars as mars
from engine.gardens_of_mars.game import GardensOfMars
from engine.gardens_of_mars.garden import BOARD
from engine.gardens_of_mars.material import TRACK_EXTRA_ABOVE
from engine.gardens_of_mars.table import State

SEATS = max(mars.HAND_SIZES)
LONGEST_SEED = 9
"""Digits of the number by which a draw can be repeated."""
SET_NAMES = {
    "pink-orange": mark("green, blue, yellow, orange, red and pink"),
    "white-grey": mark("blue, yellow, white, grey, red and green"),
}


class GardensOfMarsWay:
    """The game of gardeners and dice."""

    name = mars.NAME
    setup_template = "play/gardens_of_mars_setup.html"
    turn_template = "play/gardens_of_mars_turn.html"
    score_template = "play/gardens_of_mars_score.html"
    photo_template: str | None = None
    dispute_template: str | None = "play/gardens_of_mars_dispute.html"
    options: Mapping[str, tuple[str, ...]] = mars.OPTIONS

    def settings(self, form: Words) -> dict[str, Any]:
        """Read up to five players with their martians, the rules, who starts, and the flowers that were drawn."""
        named = {seat: typed_name(form.get(f"name-{seat}")) for seat in range(SEATS)}
        seats = [seat for seat, name in named.items() if name]
        starter = next((i for i, seat in enumerate(seats) if form.get("starter") == str(seat)), 0)
        rules = self.rules(form)
        players = [(named[seat], (form.get(f"martian-{seat}", ""),)) for seat in seats]
        table = GAMES[self.name].seated(players, rules.chosen)
        if table.fault:
            raise Mistake(say(table.fault), "players")
        seated = [{"name": name, "colours": list(seat)} for name, seat in players]
        settings = {"players": seated, "rules": rules.chosen, "starter": starter}
        flower_set = mars.SETS.get(form.get("set", mars.DEFAULT_SET)) or abort(400)
        if form.get("draw") != "hands":
            seed = form.get("seed", "").strip()
            if seed and not (seed.isdecimal() and len(seed) <= LONGEST_SEED):
                raise Mistake(_("The number of a draw has up to nine digits."), "draw")
            return self._laid_out(settings, flower_set.name, seed=int(seed) if seed else None)
        hands = [tuple(_count(form.get(f"hand-{seat}-{letter}")) for letter in flower_set.letters) for seat in seats]
        if fault := mars.drawn_fault(hands, len(hands), flower_set):
            raise Mistake(say(fault.naming([name for name, _ in players])), "draw")
        return self._laid_out(settings, flower_set.name, hands=hands)

    def again(self, settings: dict[str, Any]) -> dict[str, Any] | None:
        """Return the settings for another game of the same players; None where flowers were drawn by hand."""
        if settings["draw"] == "hands":
            return None
        return self._laid_out(settings, GardensOfMars().parse(settings["first"]).set_name)

    def _laid_out(
        self,
        settings: dict[str, Any],
        set_name: str,
        *,
        seed: int | None = None,
        hands: list[mars.garden.Hand] | None = None,
    ) -> dict[str, Any]:
        rules = mars.Rules(**settings["rules"])
        if hands is None and seed is None:
            seed = secrets.randbelow(10**LONGEST_SEED)
        start = mars.set_up(len(settings["players"]), rules, seed=seed, hands=hands, set_name=set_name)
        first = str(replace(start, player=settings["starter"]))
        return {**settings, "first": first, "draw": "hands" if hands else "seed", "seed": seed}

    def rules(self, form: Words) -> mars.Rules:
        """Read a preset, and the single options that were chosen on top of it."""
        preset = mars.PRESETS.get(form.get("preset", ""), mars.Rules())
        try:
            return replace(preset, **{option: form[option] for option in mars.OPTIONS if form.get(option)})
        except ValueError:
            abort(400)

    def setup_places(self, form: Words | None, last: Game | None) -> dict[str, Any]:
        """Fill the seats from what was entered, or else from the last game."""
        types = list(mars.MARTIANS)
        seats = [("", martian) for martian in types]
        chosen = dict.fromkeys(mars.OPTIONS, "")
        places: dict[str, Any] = {"preset": "leaflet", "starter": 0, "set_name": mars.DEFAULT_SET, "draw_by": "seed"}
        if form is not None:
            seats = [(form.get(f"name-{i}", ""), form.get(f"martian-{i}", types[i])) for i in range(SEATS)]
            chosen |= {option: form.get(option, "") for option in mars.OPTIONS}
            places |= {"preset": form.get("preset", "leaflet"), "starter": form.get("starter", 0, type=int)}
            places |= {"set_name": form.get("set", mars.DEFAULT_SET), "draw_by": form.get("draw", "seed")}
            places["seed"] = form.get("seed", "")
        elif last is not None:
            taken = [(player.name, player.martian) for player in last.players]
            free = [martian for martian in types if martian not in {martian for _, martian in taken}]
            seats = [*taken, *(("", martian) for martian in free)]
            usual = mars.PRESETS["leaflet"].chosen
            chosen |= {option: value for option, value in last.table.rules.chosen.items() if value != usual[option]}
            places |= {"starter": last.starter, "set_name": GardensOfMars().parse(last.first).set_name}
        shown = max(2, max((i + 1 for i, (name, _) in enumerate(seats) if name), default=0))
        hands = {name: form.get(name, "") for name in form if name.startswith("hand-")} if form is not None else {}
        return {
            **places,
            "seats": seats,
            "shown_seats": shown,
            "chosen": chosen,
            "hands": hands,
            "martians": types,
            "sets": mars.SETS,
            "letters": list(garden_drawing.KNOWN_FLOWERS),
            "set_names": SET_NAMES,
            "hand_sizes": mars.HAND_SIZES,
            "garden": garden_drawing,
        }

    def state(self, game: Game) -> State:
        """Return the table as the engine sees it."""
        return State.at(game.table, mars.Garden.parse(game.position))

    def replayed(self, game: Game) -> State:
        """Return the same table with the whole game behind it, so that every point has its line."""
        state = State.at(game.table, mars.Garden.parse(game.first))
        try:
            for turn in game.turns:
                for step in mars.parse_steps(turn.steps):
                    state = state.play(step)
                state = state.next_turn()
        except ValueError:
            return self.state(game)
        return state

    def turn_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show the garden and what is asked next."""
        asked = game.kind == DISPUTE
        draft = Draft.of(self.state(game), words, free=asked)
        address = url_for("disputes.show" if asked else "games.show", game=game.id)
        count = random.SystemRandom().choice(draft.counts) if draft.counts else 0

        def here(**changes: Any) -> str:
            said = {"replaces": words.get("replaces", ""), **draft.words(**changes)}
            return f"{address}?{urlencode({name: value for name, value in said.items() if value}, doseq=True)}"

        return {
            "draft": draft,
            "here": here,
            "cell_link": lambda name: here(tap=name, gardener="", use=""),
            "enter_address": url_for("disputes.claim" if asked else "games.enter_turn", game=game.id),
            "describe": lambda name: describe(draft, name),
            "by_chance": mars.roll_dice(count, random.SystemRandom()).dice,
            "garden": garden_drawing,
            "board_martians": [player.martian for player in game.players],
            "points_text": points_text,
            "names": [player.name for player in game.players],
        }

    def score_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show everyone's points, what gave them, the flowers they have left, and the track."""
        state = self.replayed(game)
        result = GAMES[self.name].score(state)
        above = TRACK_EXTRA_ABOVE if game.table.rules.track_hop_extra_turn == "on" else None
        martians = [player.martian for player in game.players]
        fields = zip(game.players, state.position.points, strict=True)
        names = ", ".join(f"{player_name(player.name)} {field}" for player, field in fields)
        marked = [name for name in words.get("mark", "").split(",") if name in BOARD.indices]
        return {
            "standing": result,
            "chosen": words.get("player", type=int),
            "marked": marked,
            "carpets": [],
            "track": garden_drawing.track(
                state.position.points, martians, title=_("The score track: {names}", names=names), extra_above=above
            ),
            "hands_left": [_left(state.position, seat) for seat in range(len(game.players))],
            "garden": garden_drawing,
            "points_text": points_text,
        }

    def photo_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show nothing: photos of this game cannot be read yet."""
        return {}

    def dispute_places(self, game: Game, words: Words) -> dict[str, Any]:
        """Show the claimed turn and what the referee says of it."""
        name = player_name(game.players[game.on_turn].name)
        return {
            "dispute": Evidence(),
            "judgement": self._judgement(game),
            "whose": _("Was {name}’s move allowed?", name=name),
        }

    def _judgement(self, game: Game) -> Judgement | None:
        if not (claim := game.evidence.get("claim")):
            return None
        verdict = GAMES[self.name].check(self.state(game), claim)
        name, names = player_name(game.players[game.on_turn].name), [player.name for player in game.players]
        told = " ".join(tell_step(step, name) for step in mars.parse_steps(claim))
        lines = getattr(verdict, "lines", ())
        gained = [say(line.reason.naming(names)) for line in lines if line.rule not in TOLD_ALREADY]
        sentence = " ".join([say(verdict.reason), *gained])
        others = tuple(option_text(dispute.option, dispute.value) for dispute in verdict.disputes)
        return Judgement(verdict.verdict, sentence, verdict.rule, told, others=others, marked=verdict.cells)

    def take_turn(self, game: Game, form: Words) -> Played:
        """Play the steps that were entered."""
        state, seat = self.state(game), game.on_turn
        try:
            steps = mars.parse_steps(form.get("steps", ""))
        except ValueError as mistake:
            raise Mistake(_("This turn cannot be read.")) from mistake
        verdict = GAMES[self.name].check(state, "; ".join(map(str, steps)))
        if verdict.verdict != "legal":
            raise Mistake(say(verdict.reason), verdict.rule, verdict.cells)
        for step in steps:
            state = state.play(step)
        if not state.ended_by:
            raise Mistake(_("The dice are rolled; now one of them has to be used."), "dice-used")
        told = "; ".join(map(str, steps))
        return Played(seat, told, str(state.position), state.position.player, state.over)

    def tell(self, game: Game, turn: Turn, *, veiled: bool) -> str:
        """Say a turn in sentences, with the points it gave."""
        at = game.turns.index(turn)
        before = game.turns[at - 1].position if at else game.first
        name, names = player_name(game.players[turn.player].name), [player.name for player in game.players]
        try:
            played = _played(before, turn.steps, game.table.rules)
        except ValueError:
            return f"{name}: {turn.steps}"
        said = []
        for step, lines in played:
            told = (line for line in lines if line.rule not in TOLD_ALREADY)
            said.append(tell_step(step, name))
            said += [say(line.reason.naming(names)) for line in told if line.points or line.rule != "group"]
        gained = sum(line.points for _, lines in played for line in lines)
        return " ".join([*said, f"({points_text(gained)})"] if gained else said)

    def rule_text(self, rule: str) -> str:
        """Say a rule."""
        return _(mars.RULEBOOK[rule])

    def seat_icon(self, seat: str) -> Markup:
        """Draw a martian."""
        return garden_drawing.martian_icon(seat)

    def board(self, game: Game, carpets: Sequence[Carpet], marked: Sequence[str]) -> Markup:
        """Draw the garden as it stands."""
        martians = [player.martian for player in game.players]
        garden = mars.Garden.parse(game.position)
        return garden_drawing.board(garden, martians, title=_("The garden"), describe=str, marked=marked)


@dataclass(frozen=True)
class Evidence:
    """What a dispute about this game rests on: never photos, for these cannot be read yet."""

    waiting: None = None
    unread: None = None


TOLD_ALREADY = ("place", "roll", "no-roll")
"""What the step itself says."""


@lru_cache(maxsize=2000)
def _played(before: str, steps: str, rules: mars.Rules) -> tuple[tuple[mars.Step, tuple[mars.Line, ...]], ...]:
    """Play a turn and return what each step gave; kept, for every look at a game tells all its turns."""
    garden, found = mars.Garden.parse(before), []
    for step in mars.parse_steps(steps):
        played = mars.play(garden, step, rules)
        garden = played.garden
        found.append((step, played.lines))
    return tuple(found)


def tell_step(step: mars.Step, name: str) -> str:
    """Tell what was done, and by whom."""
    match step:
        case mars.Place(cell):
            return _("{name} puts a gardener on {cell}.", name=name, cell=BOARD.names[cell])
        case mars.Roll(dice):
            return _("{name} rolls {dice}.", name=name, dice=" ".join(map(str, dice)))
        case mars.Move(die, start, target, colour):
            places = {"name": name, "die": die, "start": BOARD.names[start], "target": BOARD.names[target]}
            if colour:
                places["colour"] = colour_name(colour)
                return _("{name} goes from {start} to {target} with the {die} and plants {colour}.", **places)
            return _("{name} goes from {start} to {target} with the {die}.", **places)
        case mars.Stay(die):
            return _("{name} uses up the {die}.", name=name, die=die)
        case _:
            return _("{name} cannot roll: flowers stand all round.", name=name)


def _left(garden: mars.Garden, seat: int) -> list[tuple[str, int]]:
    return [(letter, n) for letter, n in zip(garden.flower_set.letters, garden.hands[seat], strict=True) if n]


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 3 else 0
