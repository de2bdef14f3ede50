import random
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import COLOURS, OPTIONS, Position, Rules, Table, board_of, problems, score, standing
from engine.position import LETTERS
from tests.bench import full_boards, lean_figures
from tests.plain_scorer import PlainScorer
from tests.strategies import FACINGS, odd_serendips, positions, rules

own = st.lists(st.sampled_from(COLOURS), min_size=1, max_size=6, unique=True)
some = settings(max_examples=60, deadline=None)


def figures(position, colours, rules):
    found = score(position, colours, rules)
    return found.points, found.flowers, found.serendips, found.matches


COMBINATIONS = [
    Rules(carpet_choice=choice, chains=chains, bridges=bridges, several_colours=several)
    for choice, chains, bridges, several in product(
        OPTIONS["carpet_choice"], OPTIONS["chains"], OPTIONS["bridges"], OPTIONS["several_colours"]
    )
]
"""Every combination of the options that scoring knows; the others are about turns and the end."""


def random_boards(number, seed):
    """Yield boards of many sizes; every third is odd: holes, unknown tiles, Serendips with a colour twice."""
    chance = random.Random(seed)
    for i in range(number):
        edge = chance.choice((2, 2, 3, 3, 3, 3, 4, 6))
        kinds = [".", *chance.choice((LETTERS, "br", "bvr")) * 2, *chance.choices(FACINGS, k=chance.choice((1, 3, 8)))]
        if i % 3 == 0:
            kinds += ["_", "?", *("".join(chance.choices(LETTERS, k=6)) for _ in range(3))]
        yield Position(tuple(chance.choices(kinds, k=len(board_of(edge).cells))), edge)


@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_the_plain_scorer_on_1000_boards_under_all_options(seed):
    chance = random.Random(seed)
    for position in random_boards(1000, seed):
        plain, letters = PlainScorer(str(position)), "".join(chance.sample(LETTERS, chance.choice((1, 2, 2, 3))))
        for chosen in COMBINATIONS:
            expected = plain.score(letters, chosen.chosen)
            assert figures(position, letters, chosen) == expected, (str(position), letters, chosen)


def test_the_bench_compares_with_the_same_points():
    for board in full_boards(50):
        assert lean_figures(board.faces) == [figures(board, letter, Rules()) for letter in LETTERS]


@settings(max_examples=100, deadline=None)
@given(positions() | positions(3) | positions(2), own, rules)
def test_agrees_with_the_plain_scorer(position, colours, rules):
    letters = "".join(colour[0] for colour in colours)
    assert figures(position, colours, rules) == PlainScorer(str(position)).score(letters, rules.chosen)


@some
@given(positions(), own, rules)
def test_lines_add_up(position, colours, rules):
    found = score(position, colours, rules)
    assert sum(line.points for line in found.lines) == found.points
    by_rule = {rule: sum(line.points for line in found.lines if line.rule == rule) for rule, _, _ in found.lines}
    assert by_rule.get("point-flower", 0) == found.flowers == len(found.carpet)
    assert by_rule.get("point-serendip", 0) == 2 * found.serendips
    assert by_rule.get("point-match", 0) == 2 * found.matches
    letters = {colour[0] for colour in colours}
    flowers = {name for name, face in zip(position.board.names, position.faces, strict=True) if face in letters}
    assert {*found.carpet, *found.apart} == flowers
    assert not {*found.carpet} & {*found.apart}


@some
@given(positions(), own, rules, st.integers(1, 5))
def test_turning_the_board_keeps_every_score(position, colours, rules, turns):
    assert figures(position, colours, rules) == figures(position.turned(turns), colours, rules)


@some
@given(positions(), rules, st.permutations(LETTERS))
def test_exchanging_colours_exchanges_scores(position, rules, letters):
    exchange = str.maketrans(LETTERS, "".join(letters))
    exchanged = Position(tuple(face.translate(exchange) for face in position.faces))
    for before, after in zip(LETTERS, letters, strict=True):
        found, seen = score(position, before, rules), score(exchanged, after, rules)
        assert (found[:4], found.lines, found.apart) == (seen[:4], seen.lines, seen.apart)


@some
@given(positions(), own, st.integers(0, 90), odd_serendips)
def test_a_serendip_more_never_lowers_a_score(position, colours, cell, petals):
    if position.faces[cell] in (".", "_", "?"):
        assert score(position.with_faces({cell: petals}), colours).points >= score(position, colours).points


def test_the_booklets_example():
    """A finished game built so that it gives the six lines that the booklets print."""
    position = Position.parse((Path(__file__).parent / "positions" / "booklet.txt").read_text())
    assert problems(position) == ()
    found = standing(position, Table())
    lines = {
        player.name: (points.points, points.flowers, points.serendips, points.matches, len(points.apart))
        for player, points in found.scores
    }
    assert lines == {
        "red": (18, 12, 3, 0, 1),
        "blue": (23, 11, 4, 2, 1),
        "green": (22, 8, 4, 3, 2),
        "yellow": (22, 10, 3, 3, 3),
        "orange": (21, 11, 3, 2, 0),
        "violet": (24, 12, 3, 3, 0),
    }
    assert (found.over, found.winners) == (True, ("violet",))


def test_a_player_without_a_colour_or_an_open_flower_has_nothing():
    for several in OPTIONS["several_colours"]:
        assert figures(Position.covered().with_faces({3: "r"}), [], Rules(several_colours=several)) == (0, 0, 0, 0)
    found = score(Position.covered().with_faces({45: FACINGS[0]}), ["red", "blue"])
    assert (found.points, found.carpet, found.lines) == (0, (), ())


@some
@given(positions(), rules)
def test_disputes_are_the_options_that_change_something(position, rules):
    table = Table.parse("A=blue+red,B=green", rules)
    found = standing(position, table)
    disputed = {(dispute.option, dispute.value): dispute for dispute in found.disputes}
    for option, values in OPTIONS.items():
        for value in values:
            if value == rules.chosen[option]:
                assert (option, value) not in disputed
                continue
            other = standing(position, Table(table.players, Rules(**{**rules.chosen, option: value})))
            points = [points.points for _, points in found.scores] != [points.points for _, points in other.scores]
            winner = found.winners != other.winners
            if winner or points:
                assert disputed[option, value].changes == ("winner" if winner else "points")
                assert disputed[option, value].winners == other.winners
            else:
                assert (option, value) not in disputed


def test_the_end_says_what_is_missing():
    faces = ["b"] * 13 + [FACINGS[0]] * 12 + ["r"] * 13 + ["."] * 53
    table = Table.parse("A=blue,B=green")
    ending = standing(Position(tuple(faces)), table).ending
    assert str(ending) == "Still covered before the game is over – Serendips: 1."
    faces[90] = FACINGS[1]
    assert standing(Position(tuple(faces)), table).over
    faces[0] = "."
    missing = standing(Position(tuple(faces)), table)
    assert (missing.over, missing.ending.key, dict(missing.ending.params)["colour"]) == (
        False,
        "missing-flowers",
        "blue",
    )
    assert standing(Position(tuple(faces)), Table(table.players, Rules(complete_colour="any"))).over


@pytest.mark.parametrize("text", ["bridges", "bridges=all", "bridge=none", "bridges=none,bridges=none", "none,german"])
def test_unknown_rules_are_refused(text):
    with pytest.raises(ValueError, match=r"option|rules"):
        Rules.parse(text)
