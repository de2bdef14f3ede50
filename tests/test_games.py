"""One test of conformance that walks every game in `engine.GAMES`: what the companion does with any of them."""

import itertools
import json
import re

import pytest

from engine import GAMES, Game
from engine.game import Moment

TABLES = {
    "serendipity": ("Ada=blue,Ben=red", "Ada=blue+green,Ben=red,Cleo=yellow", "russian,bridges=none"),
    "gardens-of-mars": ("Ada,Ben", "Ada=horned,Ben=round,Cleo=square", "special-actions,centre=no-cross"),
}
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def some_turns(game: Game, seed: int, most: int = 12) -> list[tuple[Moment, str]]:
    table = game.table(TABLES[game.name][seed % 2], TABLES[game.name][2] if seed % 3 == 0 else "")
    return list(itertools.islice(game.practice(table, seed), most))


@each_game
def test_what_there_is_to_choose_is_data(game: Game) -> None:
    assert GAMES[game.name] is game
    assert re.fullmatch("[a-z-]+", game.name)
    assert game.title
    assert list(game.players) == list(range(2, max(game.players) + 1))
    for players in game.players:
        assert len(game.seats) >= players * game.seats_each(players)
        assert game.draws(players) >= 0
    for values in game.options.values():
        assert len(set(values)) == len(values) > 1
    for name, rules in game.presets.items():
        assert game.table(None, name).rules == rules
        assert game.table(None, str(rules)).rules == rules
    for option, values in game.options.items():
        for value in values:
            assert game.table(None, f"{option}={value}").rules.chosen[option] == value
    looks = [look for pieces in game.sets.values() for look in pieces]
    for look in (*looks, *game.seats.values()):
        assert re.fullmatch("#[0-9a-f]{6}", look.rgb)
        assert len(look.letter) == 1
        assert look.copies > 0
        assert look.shape
    for pieces in (*game.sets.values(), tuple(game.seats.values())):
        for part in ("letter", "name", "shape"):
            assert len({getattr(look, part) for look in pieces}) == len(pieces), "colour is never the only cue"
    assert all(name == look.name for name, look in game.seats.items())
    assert all(rule.endswith(".") for rule in game.rulebook.values())


@each_game
@pytest.mark.parametrize("seed", range(6))
def test_turns_are_played_undone_told_and_judged(game: Game, seed: int) -> None:
    for before, steps in some_turns(game, seed):
        assert not before.begun
        assert before.ended_by == ""
        assert not before.over
        position = str(before.position)
        assert str(game.parse(position)) == position
        assert game.problems(before.position) == ()
        resumed = game.at(before.table, position, before.seat)
        assert (str(resumed.position), resumed.seat) == (position, before.seat)
        state = before
        for step in steps.split("; "):
            assert not state.ended_by
            assert game.play(state, step) == game.play(state, step), "a state is a value"
            state = game.play(state, step)
            assert state.begun
        assert str(before.position) == position, "the old state is there to go back to"
        assert game.play(before, steps) == state
        assert game.may_stop(state)
        judged = game.check(before, steps)
        assert (judged.verdict, judged.rule) == ("legal", None)
        assert judged.story == tuple(steps.split("; "))
        assert game.referee(before, state).verdict == "legal"
        if not state.over:
            assert not game.next_turn(state).begun
            if state.ended_by:
                with pytest.raises(ValueError, match=r"\S"):
                    game.play(state, step)
                assert game.check(before, f"{steps}; {step}").verdict == "illegal"


@each_game
def test_legal_steps_can_be_played_and_what_is_illegal_names_its_rule(game: Game) -> None:
    claims = [steps for _, steps in some_turns(game, 4)]
    verdicts = set()
    for before, _ in some_turns(game, 2, most=6):
        # Serendipity has a hundred thousand legal steps at the start: the first ones stand for all.
        legal = list(itertools.islice(game.legal_steps(before), 600))
        assert len(set(legal)) == len(legal)
        for step in legal[::20]:
            assert game.play(before, step).begun
            assert game.check(before, step).verdict == "legal"
        for claim in claims:
            judged = game.check(before, claim)
            verdicts.add(judged.verdict)
            assert judged.rule is None if judged.verdict == "legal" else judged.rule in game.rulebook
    assert "illegal" in verdicts


@each_game
@pytest.mark.parametrize("seed", [1, 3])
def test_a_whole_game_ends_with_every_point_explained(game: Game, seed: int) -> None:
    table = game.table(TABLES[game.name][0], "")
    replayed = None
    for before, steps in game.practice(table, seed):
        # What a history keeps is enough: the first position, then the steps of each turn.
        replayed = replayed or before
        assert (str(replayed.position), replayed.seat) == (str(before.position), before.seat)
        last = game.play(replayed, steps)
        replayed = last if last.over else game.next_turn(last)
    assert game.is_over(last)
    assert last.over
    standing = game.score(last)
    assert standing.over
    assert str(standing.ending)
    names = [player.name for player, _ in standing.scores]
    assert names == [player.name for player in table.players] == ["Ada", "Ben"]
    for player, score in standing.scores:
        assert sum(line.points for line in score.lines) == score.points
        assert all(line.rule in game.rulebook for line in score.lines)
        assert all(colour in game.seats for colour in player.colours)
    most = max(score.points for _, score in standing.scores)
    assert list(standing.winners) == [player.name for player, score in standing.scores if score.points == most]
    said = standing.as_json()
    assert json.loads(json.dumps(said)) == said
    assert said["position"] == str(last.position)
    assert said["rules"] == table.rules.chosen
    assert list(game.practice(table, seed))[-1][1] == steps, "the same seed, the same game"


@each_game
def test_bad_input_is_one_sentence(game: Game) -> None:
    start = some_turns(game, 2)[0][0]
    for wrong in (
        lambda: game.table("Ada", ""),
        lambda: game.table("Ada=tartan,Ben", ""),
        lambda: game.table("Ada=,Ben=", ""),
        lambda: game.table(None, "tartan"),
        lambda: game.table(None, "tartan=on"),
        lambda: game.parse("garbage"),
        lambda: game.check(start, "dance on the table"),
        lambda: game.play(start, "dance on the table"),
        lambda: game.new(start.table, "tartan"),
    ):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            wrong()


def test_there_are_two_games() -> None:
    assert list(GAMES) == ["serendipity", "gardens-of-mars"] == list(TABLES)
