"""The rules of Gardens of Mars one by one: what the referee says, what a step gives, and how wrong input is refused."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import GAMES
from engine import gardens_of_mars as mars
from engine.gardens_of_mars import Garden, Rules, check, parse_step, play, set_up
from engine.gardens_of_mars.garden import BOARD, FREE
from engine.gardens_of_mars.rulebook import NUMBERED

BARE = "/".join("." * n for n in (6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6))
PLAIN = Rules()


def garden(
    planted: dict[str, str] | None = None,
    *,
    gardeners: str = "D4,H4",
    flowers: str = "3g2r1b,3g2r1b",
    points: str = "0,0",
    dice: str = "3",
    turn: int = 1,
) -> Garden:
    """Lay out a table with few words: `planted` gives the hexes of each letter."""
    faces = list(BARE.replace("/", ""))
    for letter, names in (planted or {}).items():
        for name in names.split():
            faces[BOARD.index(name)] = letter
    rows = iter(faces)
    text = "/".join("".join(next(rows) for _ in row) for row in BOARD.rows)
    beside = f"gardeners={gardeners} flowers={flowers} points={points} dice={dice}"
    return Garden.parse(f"{text} set=pink-orange turn={turn} {beside}")


SURROUNDED = {"r": "C3 C4 D3 D5 E4 E5"}
"""Flowers all round D4."""

WRONG = [
    (garden(), "use 7, move D4 D9, plant red", "die", "No die shows 7: a die shows 1 to 6."),
    (garden(dice="-"), "roll 1 2 3 4 5 7", "die", "No die shows 7: a die shows 1 to 6."),
    (garden(dice="-"), "roll 1 2 3", "roll", "hexes without a flower number 6: so many dice are rolled, not 3."),
    (garden(), "roll 1 2 3 4 5 6", "roll-once", "Dice are rolled again only when all have been used, and 3 still"),
    (garden(dice="-"), "use 3, move D4 D7, plant red", "roll", "Player 1 has to roll first"),
    (garden(dice="-"), "pass", "roll", "dice have to be rolled, 6 of them"),
    (garden(SURROUNDED, dice="-"), "roll 1", "no-roll", "nothing is rolled and the turn is over"),
    (garden(SURROUNDED, dice="-"), "use 1, stuck", "no-roll", "nothing is rolled and the turn is over"),
    (garden(), "pass", "dice-used", "one of them has to be used"),
    (
        garden(dice="3+5"),
        "use 4, move D4 D8, plant red",
        "dice-used",
        "No 4 lies on the table; the dice there show 3, 5.",
    ),
    (garden(), "use 3, move H4 H7, plant red", "own-gardener", "Player 1 has no gardener on H4."),
    (garden(), "use 3, move D4 F7, plant red", "move-straight", "F7 does not lie in a straight line from D4."),
    (garden(), "use 3, move D4 D4, plant red", "move-straight", "D4 does not lie in a straight line from D4."),
    (garden(), "use 3, move D4 D6, plant red", "move-exact", "From D4 to D6 is 2 hexes, but the die shows 3."),
    (garden(gardeners="D4,D6"), "use 3, move D4 D7, plant red", "no-cross", "Another gardener stands on D6"),
    (garden(gardeners="D4,D7"), "use 3, move D4 D7, plant red", "no-cross", "Another gardener stands on D7"),
    (garden(gardeners="F3,H4"), "use 3, move F3 F6, plant red", "centre", "No gardener ends its move on the centre."),
    (garden({"b": "D7"}), "use 3, move D4 D7, plant red", "on-flower", "A flower stands on D7 already"),
    (garden(), "use 3, move D4 D7", "plant", "D7 is free, so one of the player's flowers is planted there."),
    (garden(), "use 3, move D4 D7, plant pink", "own-flowers", "Player 1 has no pink flower."),
    (garden(), "use 3, move D4 D7, plant mauve", "own-flowers", "Player 1 has no mauve flower."),
    (garden(), "use 3, stuck", "stuck", "Player 1 can move: from D4 to D7 with the 3, for one."),
    (garden(), "place A1", "place", "All gardeners are on the board already."),
    (garden(gardeners="-,-"), "place F6", "place", "A gardener is not placed on the centre."),
    (garden(gardeners="A1,-", turn=2), "place A1", "place", "A1 is not free"),
    (garden(gardeners="A1,-", turn=2), "roll 1 2 3", "place", "Player 2 has to place a gardener first."),
    (garden(flowers="-,1g"), "use 3, move D4 D7, plant red", "end", "Player 1 has no flowers left"),
]


@pytest.mark.parametrize(("before", "claim", "rule", "words"), WRONG, ids=[f"{w[2]}: {w[1]}" for w in WRONG])
def test_a_wrong_step_is_explained_in_one_sentence(before: Garden, claim: str, rule: str, words: str) -> None:
    verdict = check(before, claim, PLAIN)
    assert (verdict.verdict, verdict.rule) == ("illegal", rule)
    assert words in str(verdict.reason)
    assert str(verdict.reason).endswith(".")
    assert verdict.garden is None
    assert verdict.lines == ()
    with pytest.raises(ValueError, match=re.escape(words)):
        play(before, parse_step(claim), PLAIN)


def test_the_turn_belongs_to_one_player() -> None:
    before = garden(dice="3+1")
    first = "use 3, move D4 D7, plant red"
    assert check(before, first, PLAIN).verdict == "legal"
    late = check(before, f"{first}; use 1, move D7 D8, plant red", PLAIN)
    assert (late.rule, str(late.reason)) == (
        "turn-order",
        "The turn of Player 1 ended before this step; Player 2 is on turn.",
    )
    early = check(before, "use 3, move H4 H7, plant red", PLAIN, player=1)
    assert (early.rule, str(early.reason)) == ("turn-order", "It is the turn of Player 1, not of Player 2.")
    rolled = check(garden(dice="-"), "roll 6 5 4 3 2 1; use 3, move D4 D7, plant red", PLAIN)
    assert rolled.verdict == "legal"
    assert rolled.garden is not None
    assert rolled.garden.dice == (1, 2, 4, 5, 6)


def lines(before: Garden, step: str, rules: Rules = PLAIN) -> list[tuple[str, int]]:
    return [(line.rule, line.points) for line in play(before, parse_step(step), rules).lines]


def test_a_planted_flower_scores_its_group_or_its_neighbours() -> None:
    before = garden({"r": "D8 D9 C8 E7 F10 A1", "b": "C7"})
    assert lines(before, "use 3, move D4 D7, plant red") == [("group", 4)]
    assert lines(before, "use 3, move D4 D7, plant red", Rules(group_score="adjacent")) == [("group", 2)]
    assert lines(before, "use 3, move D4 D7, plant blue") == [("group", 1)]
    assert lines(before, "use 3, move D4 D7, plant green") == [("group", 0)]


def test_the_centre_may_be_crossed_unless_agreed_otherwise() -> None:
    before = garden(gardeners="F5,A1")
    verdict = check(before, "use 3, move F5 F8, plant red", PLAIN)
    assert verdict.verdict == "legal"
    assert [(d.option, d.value, d.changes) for d in verdict.disputes] == [("centre", "no-cross", "verdict")]
    closed = check(before, "use 3, move F5 F8, plant red", Rules(centre="no-cross"))
    assert (closed.rule, closed.cells) == ("centre", ("F6",))
    assert [(d.option, d.value, d.changes) for d in closed.disputes] == [("centre", "no-stop", "verdict")]


def test_the_centre_counts_as_a_hex_without_a_flower() -> None:
    before = garden({"r": "E4 E5 F4 G4 G5"}, gardeners="F5,A1", dice="-")
    assert lines(before, "roll 4") == [("roll", 0)]


def test_losses_go_back_along_the_track_and_stop_at_its_start() -> None:
    flower = {"r": "D7"}
    step = "use 3, move D4 D7"
    assert lines(garden(flower, points="5,9"), step) == [("on-flower", -1)]
    assert lines(garden(flower, points="5,4"), step) == [("on-flower", -1), ("track-hop", -1)]
    assert lines(garden(flower, points="2,1"), step) == [("on-flower", -1), ("track-hop", -1)]
    assert lines(garden(flower, points="1,0"), step) == [("on-flower", -1)]
    assert lines(garden(flower, points="0,0"), step) == [("on-flower", -1), ("track-start", 1)]


def test_a_martian_hops_over_all_that_stand_in_its_way() -> None:
    before = garden({"r": "D8 D9"}, points="3,5,6", gardeners="D4,H4,A1", flowers="2r,1r,1r")
    played = play(before, parse_step("use 3, move D4 D7, plant red"), PLAIN)
    assert played.garden.points == (7, 5, 6)
    assert [str(line.reason) for line in played.lines] == [
        "The red flower on D7 is connected to 2 more of its colour.",
        "Field 5 of the track is taken, so the martian goes on to 7.",
    ]


@pytest.mark.parametrize(
    ("points", "dice", "again"),
    [
        ("30,36", "1+3", True),
        ("30,36", "3", False),
        ("30,35", "1+3", False),
        ("19,25", "1+3", False),
        ("20,26", "1+3", True),
    ],
)
def test_an_extra_turn_for_a_hop_above_25(points: str, dice: str, again: bool) -> None:
    before = garden({"r": "D8 D9 C7 C8 E7 E8"}, points=points, dice=dice)
    step = parse_step("use 3, move D4 D7, plant red")
    assert (play(before, step, Rules(track_hop_extra_turn="on")).garden.player == 0) is again
    assert play(before, step, PLAIN).garden.player == 1


def test_extra_turns_for_the_last_of_a_colour_as_long_as_dice_are_left() -> None:
    rules = Rules(last_of_colour_extra_turn="on")
    now = garden(flowers="1r1g3y,9b", dice="1+2+3")
    for step, player in (("use 3, move D4 D7, plant red", 0), ("use 2, move D7 D9, plant green", 0)):
        now = play(now, parse_step(step), rules).garden
        assert now.player == player
    assert play(now, parse_step("use 1, move D9 D8, plant yellow"), rules).garden.player == 1
    last_die = garden(flowers="1r1g,9b")
    assert play(last_die, parse_step("use 3, move D4 D7, plant red"), rules).garden.player == 1
    verdict = check(garden(flowers="1r1g,9b", dice="1+3"), "use 3, move D4 D7, plant red", PLAIN)
    assert [(d.option, d.changes) for d in verdict.disputes] == [("last_of_colour_extra_turn", "turn")]


def test_a_stuck_player_loses_a_point_and_a_die_of_choice() -> None:
    before = garden(gardeners="A1,A2,B1,B2", flowers="1r,1r,1r,1r", points="4,0,0,0", dice="5+6", turn=1)
    steps = mars.legal_steps(before, PLAIN)
    assert [str(step) for step in steps] == ["use 5, stuck", "use 6, stuck"]
    after = play(before, steps[0], PLAIN).garden
    assert (after.points, after.dice, after.player) == ((3, 0, 0, 0), (6,), 1)


def test_a_walled_in_player_waits_until_dice_are_left_over() -> None:
    before = garden(SURROUNDED, dice="-")
    assert [str(step) for step in mars.legal_steps(before, PLAIN)] == ["pass"]
    after = play(before, parse_step("pass"), PLAIN).garden
    assert (after.player, after.points) == (1, (0, 0))
    assert check(garden(SURROUNDED, dice="3"), "use 3, move D4 D7, plant red", PLAIN).verdict == "legal"


def test_the_game_is_over_when_nobody_can_move_or_roll() -> None:
    full = {"r": " ".join(name for name in BOARD.names if name != "F6")}
    walled = garden(full, dice="-")
    assert str(mars.ending(walled, PLAIN)) == "The game is over: nobody can move or roll any more."
    assert mars.legal_steps(walled, PLAIN) == ()
    # A die that still moves someone keeps it going, even if only onto a flower.
    assert mars.ending(garden(full, dice="3"), PLAIN) is None
    # A gardener beside the centre can always roll.
    assert mars.ending(garden(full, gardeners="D4,F5", dice="-"), PLAIN) is None


def test_the_last_flower_ends_the_game_at_once() -> None:
    rules = mars.PRESETS["special-actions"]
    after = play(garden(flowers="1r,9b", dice="1+3"), parse_step("use 3, move D4 D7, plant red"), rules)
    assert str(mars.ending(after.garden, rules)) == "The game is over: Player 1 has no flowers left."
    assert [line.rule for line in after.lines] == ["group"]


def test_equal_points_share_the_win() -> None:
    assert mars.winners(garden(points="0,0")) == (0, 1)
    assert mars.winners(garden(points="3,4")) == (1,)


def test_two_gardeners_each() -> None:
    rules = Rules(two_gardeners="on")
    now = set_up(2, rules, seed=1)
    for step in ("place D4", "place H4", "place D6", "place A1"):
        now = play(now, parse_step(step), rules).garden
    assert now.gardeners == ((BOARD.index("D4"), BOARD.index("D6")), (BOARD.index("A1"), BOARD.index("H4")))
    now = play(now, parse_step("roll 1 2 3 3 3 3"), rules).garden
    own = check(now, "use 3, move D4 D7, plant red", rules)
    assert (own.rule, own.cells) == ("no-cross", ("D6",))
    colour = mars.SETS[now.set_name].colours[next(k for k, count in enumerate(now.hands[0]) if count)]
    for start, end in (("D4", "D1"), ("D6", "D9")):
        assert check(now, f"use 3, move {start} {end}, plant {colour}", rules).verdict == "legal"
    # One rolls by either gardener: C1 at the rim has three bare neighbours besides the flower, D6 has six.
    either = garden({"r": "B1"}, gardeners="C1+D6,H4+A1", dice="-")
    assert mars.dice_due(either, 0) == (3, 6)
    assert check(either, "roll 1 2 3", rules).verdict == "legal"
    assert str(check(either, "roll 1 2 3 4", rules).reason).endswith("number 3/6: so many dice are rolled, not 4.")


def test_flowers_are_drawn_by_seed_or_as_they_really_were() -> None:
    for players, size in mars.HAND_SIZES.items():
        start = set_up(players, PLAIN, seed=7)
        assert start == set_up(players, PLAIN, seed=7) != set_up(players, PLAIN, seed=8)
        assert [sum(hand) for hand in start.hands] == [size] * players
        assert [sum(counts) for counts in zip(*start.hands, strict=True)] == [10] * 6
        assert set_up(players, PLAIN, hands=start.hands) == start
        assert set(start.flowers) == {FREE}
        assert mars.problems(start) == ()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: set_up(6, PLAIN, seed=1), "two to five play"),
        (lambda: set_up(3, Rules(two_gardeners="on"), seed=1), "for two players, not 3"),
        (lambda: set_up(2, PLAIN), "either a seed or the flowers"),
        (lambda: set_up(2, PLAIN, seed=1, hands=[]), "either a seed or the flowers"),
        (lambda: set_up(2, PLAIN, seed=1, set_name="plastic"), "there is no set 'plastic'"),
        (lambda: set_up(2, PLAIN, hands=[(5,) * 6]), "2 players draw 2 hands"),
        (lambda: set_up(2, PLAIN, hands=[(5,) * 6, (5, 5, 5, 5, 5, 4)]), "Player 2 has 29"),
        (lambda: set_up(2, PLAIN, hands=[(6, 4, 5, 5, 5, 5), (5,) * 6]), "There are 10 green flowers, but 11"),
        (lambda: Rules.parse("centre"), "rules are written name=value"),
        (lambda: Rules.parse("middle=open"), "there is no option 'middle'"),
        (lambda: Rules.parse("centre=open"), "is one of no-stop, no-cross, not 'open'"),
        (lambda: Rules.parse("centre=no-stop,centre=no-cross"), "given twice"),
        (lambda: parse_step("use 3, fly D4 D7"), "is no step; write 'place D4'"),
        (lambda: parse_step("use 3, move D4 Z9, plant red"), "there is no cell"),
        (lambda: mars.parse_hand("3x", mars.SETS["pink-orange"]), "is no hand"),
        (lambda: mars.parse_hand("3g3g", mars.SETS["pink-orange"]), "is no hand"),
        (lambda: Garden.parse(""), "a table is its rows"),
        (lambda: Garden.parse(BARE), "a table is its rows"),
        (lambda: garden(points="0"), "each name every player"),
        (lambda: garden(turn=3), "1 to 2, not 3"),
        (lambda: garden(gardeners="A1,Z1"), "there is no cell"),
        (lambda: garden(dice="x"), "'x' is no number for a die"),
        (lambda: Garden.parse(str(garden()).replace(".", "q", 1)), "row A: 'q' is no flower"),
        (lambda: Garden.parse(str(garden()).replace("./", "/", 1)), "row A has 5 hexes, not 6"),
        (lambda: check(garden(gardeners="A1,A1"), "pass", PLAIN), "two gardeners stand on one hex (A1)"),
        (lambda: check(garden(gardeners="A1+B1,C1"), "pass", PLAIN), "each player has at most 1"),
        (lambda: check(garden(), (), PLAIN), "at least one step"),
        (lambda: mars.Record.parse("Serendipity"), "a game starts with the lines"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(wrong, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=re.escape(words)) as mistake:
        wrong()
    assert "\n" not in str(mistake.value)


def test_an_odd_table_is_described() -> None:
    odd = garden({"r": "F6 A1"}, gardeners="F6,F6", points="4,4", dice="7+1+1+1+1+1+1")
    found = mars.problems(odd)
    kinds = [problem.kind for problem in found]
    assert kinds == ["missing"] * 6 + ["centre", "centre", "shared-hex", "shared-field", "die", "dice"]
    assert found[-6].cells == ("F6",)
    assert found[0].message == "of 10 green flowers only 6 are in the game"


def test_every_rule_and_sentence_is_known_and_used() -> None:
    package = Path(mars.__file__).parent
    source = "".join(path.read_text() for path in package.glob("*.py") if path.name != "rulebook.py")
    made_up = {"too-many-flowers", "missing-flowers"}
    assert 'f"{kind}-flowers"' in source
    for key in mars.MESSAGES.keys() - made_up:
        assert f'"{key}"' in source, key
    named = set(re.findall(r'(?:Fault|Line)\((?:player, |garden.player, )?"([a-z-]+)"', source))
    assert len(named) > 15
    assert named <= mars.RULEBOOK.keys()
    for _, _, rule, _ in WRONG:
        assert rule in mars.RULEBOOK


def test_the_faces_of_a_set_are_data() -> None:
    for flower_set in mars.SETS.values():
        assert len(set(flower_set.letters)) == len(set(flower_set.colours)) == 6
        assert sum(flower.copies for flower in flower_set.flowers) == 60
        assert all(re.fullmatch("#[0-9a-f]{6}", flower.rgb) for flower in flower_set.flowers)
    known = {face for flower_set in mars.SETS.values() for face in flower_set.flowers}
    assert len({face.letter for face in known}) == len({face.name for face in known}) == len(known)


def test_practice_dice_come_from_their_seed() -> None:
    rolls = [mars.roll_dice(6, random.Random(seed)) for seed in (1, 1, 2)]
    assert rolls[0] == rolls[1] != rolls[2]
    assert all(die in range(1, 7) for roll in rolls for die in roll.dice)


def test_another_way_to_score_would_have_changed_the_game() -> None:
    rules = Rules()
    record = mars.practice_game(set_up(2, rules, seed=3), rules, 3)
    disputes = {dispute.option: dispute for dispute in record.disputes(["Ada", "Ben"])}
    assert disputes["group_score"].value == "adjacent"
    assert disputes["group_score"].changes in ("points", "winner")
    adjacent = mars.Record(Rules(group_score="adjacent"), record.start)
    for step in record.steps:
        adjacent = adjacent.play(step)
    same = adjacent.winners == record.winners
    assert disputes["group_score"].changes == ("points" if same else "winner")


def test_answers_for_other_programs() -> None:
    before = garden(gardeners="F5,A1")
    legal = check(before, "use 3, move f5 f8,plant red", PLAIN).as_json()
    assert legal == {
        "verdict": "legal",
        "story": ["use 3, move F5 F8, plant red"],
        "stories": 1,
        "rule": None,
        "reason": "Every step keeps the rules.",
        "cells": ["F8"],
        "disputes": [{"option": "centre", "value": "no-cross", "changes": "verdict", "verdict": "illegal"}],
    }
    illegal = check(before, "use 3, stuck", PLAIN).as_json()
    assert (illegal["verdict"], illegal["story"], illegal["stories"], illegal["rule"]) == ("illegal", None, 0, "stuck")
    both = check(garden(dice="-"), "roll 6 5 4 3 2 1; use 3, move D4 D7, plant red", PLAIN).as_json()
    assert both["story"] == ["roll 1 2 3 4 5 6", "use 3, move D4 D7, plant red"]


PLANTED: dict[str, Any] = {"planted": {"r": "D7"}, "gardeners": "D7,H4", "dice": "-", "flowers": "3g1r1b,3g2r1b"}
CHANGES = [
    ({"gardeners": "D4,H5"}, "own-gardener", "A gardener of another player changed places: H4, H5."),
    ({"gardeners": "-,H4"}, "place", "A gardener came or went: D4."),
    ({"planted": {"b": "A1", "r": "D7"}, "gardeners": "D7,H4", "dice": "-"}, "plant", "there are more: A1, D7."),
    ({"planted": {"r": "A1"}, "gardeners": "D7,H4", "dice": "-"}, "plant", "where the gardener ends, not on A1."),
    ({"gardeners": "D7,H4"}, "dice-used", "A turn uses one die: 3 lay there before, 3 lie there now."),
    ({"gardeners": "D7,H4", "dice": "-"}, "plant", "D7 is free"),
    ({"planted": {"r": "D6"}, "gardeners": "D6,H4", "dice": "-"}, "move-exact", "From D4 to D6 is 2 hexes"),
    ({"dice": "-"}, "stuck", "Player 1 can move"),
    (
        {"planted": {"r": "D7"}, "gardeners": "D7,H4", "dice": "-", "turn": 2},
        "own-flowers",
        "Player 1 should have 1 red flowers left, not 2.",
    ),
    (
        {**PLANTED, "turn": 2, "points": "1,0"},
        "track",
        "Player 1 should stand on field 0 of the track, not on 1.",
    ),
    (
        {**PLANTED, "turn": 2, "points": "4,4"},
        "track-hop",
        "Player 1 should stand on field 0 of the track, not on 4.",
    ),
    (
        PLANTED,
        "turn-order",
        "It is the turn of Player 2 after that.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("after", "rule", "words"), CHANGES, ids=[f"{c[1]}: {c[2]}" for c in CHANGES])
def test_a_change_that_no_turn_explains_names_the_rule(after: dict[str, Any], rule: str, words: str) -> None:
    before = garden(points="0,4") if after.get("points") == "4,4" else garden()
    verdict = mars.judge_change(before, garden(**after), PLAIN, 0)
    assert (verdict.verdict, verdict.rule) == ("illegal", rule)
    assert words in str(verdict.reason)
    assert rule in mars.RULEBOOK


def test_more_changes_that_no_turn_explains() -> None:
    two = garden(gardeners="D4+D6,H4+A1")
    said = mars.judge_change(two, garden(gardeners="D5+D7,H4+A1", dice="-"), Rules(two_gardeners="on"), 0)
    assert (said.rule, said.cells) == ("own-gardener", ("D4", "D5", "D6", "D7"))
    said = mars.judge_change(garden({"b": "A1"}), garden({"r": "A1"}), PLAIN, 0)
    assert (said.rule, said.cells) == ("plant", ("A1",))
    said = mars.judge_change(garden(dice="-"), garden(dice="1+2+3+4+5+6"), PLAIN, 0)
    assert str(said.reason) == "Dice were rolled, but none of them was used."
    said = mars.judge_change(garden(dice="-"), garden({"r": "D7"}, gardeners="D7,H4", dice="1+2"), PLAIN, 0)
    assert (said.rule, said.cells) == ("roll", ("D4",))
    said = mars.judge_change(garden(), garden(dice="-", turn=1), PLAIN, 1)
    assert (said.rule, str(said.reason)) == ("turn-order", "It is the turn of Player 1, not of Player 2.")
    with pytest.raises(ValueError, match="different games"):
        mars.judge_change(garden(), garden(gardeners="D4,H4,A1", flowers="1r,1r,1r", points="0,0,0"), PLAIN, 0)


@pytest.mark.parametrize("preset", mars.PRESETS)
def test_the_turn_between_two_tables_is_found_and_cheats_are_not(preset: str) -> None:
    game = GAMES[mars.NAME]
    before_that = None
    for before, steps in game.practice(game.table("Ada,Ben", preset), 6):
        after = game.play(before, steps)
        found = game.referee(before, after)
        assert (found.verdict, found.stories) == ("legal", 1)
        assert found.story == tuple(steps.split("; "))
        points = tuple(field + 100 * (seat == before.seat) for seat, field in enumerate(after.position.points))
        richer = game.at(before.table, str(replace(after.position, points=points)))
        cheat = game.referee(before, richer)
        assert (cheat.verdict, cheat.rule) == ("illegal", "track")
        assert cheat.nearest == found.story
        if before_that:
            assert game.referee(before_that, after).verdict == "illegal", "two turns are not one"
        before_that = before


def test_players_are_named_and_seated() -> None:
    game = GAMES[mars.NAME]
    table = game.table("Ada=horned,Ben", "")
    assert str(table) == "Ada=horned,Ben=square"
    state = game.at(table, str(garden()))
    assert str(game.check(state, "use 3, move D4 D7, plant pink").reason) == "Ada has no pink flower."
    assert str(game.check(game.at(table, str(garden()), 1), "use 3, stuck").reason).startswith("It is the turn of Ada")
    assert [player.name for player in game.at(game.table(None, ""), str(garden())).table.players] == list(NUMBERED[:2])
    carried = game.score(game.at(table, str(garden(points="5,2"))))
    assert [(line.rule, line.points) for _, score in carried.scores for line in score.lines] == [
        ("track", 5),
        ("track", 2),
    ]
    for players, words in (
        ("Ada,Ada", "Two players are called Ada"),
        ("Ada=round,Ben=round", "Two players have the same martians: round"),
        ("Ada,Ben,Cleo,Dan,Eve,Fay", "Two to five play Gardens of Mars, not 6"),
        ("Ada,Ben,Cleo", "2 players, but 3 are named"),
    ):
        with pytest.raises(ValueError, match=words):
            game.at(game.table(players, ""), str(garden()))
    for drawn, words in (
        ("", "a new game is set up by"),
        ("seed=x", "a seed is a number"),
        ("set=plastic seed=1", "there is no set"),
        ("flowers=3g,3g", "Each draws 30 flowers, but Player 1 has 3"),
    ):
        with pytest.raises(ValueError, match=words):
            game.new(table, drawn)
    start = game.new(table, "set=white-grey seed=4")
    hands = str(start.position).partition("flowers=")[2].split()[0]
    assert game.new(table, f"set=white-grey flowers={hands}") == start
