from itertools import combinations_with_replacement, islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Player, Position, Rules, Table, check, referee
from engine.play import at_random, greedily, play_game
from engine.referee import judge
from engine.steps import parse_steps
from engine.story import Change
from engine.turns import State
from tests.plain_turns import PlainTurns

ALIKE = "bbbbbb"
RING = "bvroyg"
OWN = Player("A", "b")


def table(copies: int, **options: str) -> Table:
    return Table((OWN, Player("B", "r")), Rules(**options), copies)


def leads(change: Change) -> bool:
    """Play the story of a change from the position before; it must be legal and end at the position after."""
    state = State(change.before, change.table)
    for step in change.story():
        state = state.play(step)
    return state.position == change.after


@pytest.mark.parametrize(
    ("tiles", "kinds", "ring", "setting"),
    [
        (7, [".", "b", ALIKE], ALIKE, table(13)),
        (7, [".", "b", "r"], ALIKE, table(2)),
        (5, [".", "b", "r", ALIKE], ALIKE, table(13)),
        (5, [".", "b", "r", ALIKE], ALIKE, table(2)),
        (5, [".", "b", "r", ALIKE], ALIKE, table(1)),
        (5, [".", "b", "g", ALIKE], ALIKE, table(2, ownerless="open", complete_colour="any")),
        (4, [".", "b", "r", RING, "roygbv"], RING, table(13)),
        (4, [".", "b", "r", RING, "roygbv"], RING, table(2, moved_serendip="may-turn")),
    ],
)
def test_every_pair_is_judged_as_by_plain_search(tiles, kinds, ring, setting):
    """No rule of a turn asks where a tile lies, so one order of the tiles before stands for all."""
    plain = PlainTurns("b", setting, ring)
    holes = ("_",) * (7 - tiles)
    for faces in combinations_with_replacement(kinds, tiles):
        before = Position(faces + holes, 2)
        turns = plain.turns_from(before.faces)
        for others in product(kinds, repeat=tiles):
            change = Change(before, Position(others + holes, 2), OWN, setting)
            expected = turns[change.after.faces]
            assert change.is_legal == bool(expected), (str(before), str(change.after))
            if expected:
                assert change.stories == expected, (str(before), str(change.after))
                assert leads(change), (str(before), str(change.after))


@pytest.mark.parametrize("setting", [table(13), table(1)])
def test_unknown_cells_are_judged_by_all_that_they_may_be(setting):
    kinds, holes = [".", "b", "r", ALIKE], ("_",) * 4
    plain = PlainTurns("b", setting, ALIKE)

    def fillings(faces):
        return product(*([*".bvryog", ALIKE] if face == "?" else [face] for face in faces))

    for faces in combinations_with_replacement([*kinds, "?"], 3):
        for others in product([*kinds, "?"], repeat=3):
            if not 1 <= (faces + others).count("?") <= 2:
                continue
            legal = {
                plain.turns_from(old + holes)[new + holes] > 0 for old in fillings(faces) for new in fillings(others)
            }
            expected = "undecided" if len(legal) == 2 else "legal" if legal == {True} else "illegal"
            before, after = Position(faces + holes, 2), Position(others + holes, 2)
            found = judge(before, after, OWN, setting)
            assert found.verdict == expected, (str(before), str(after), found)
            if expected == "undecided":
                assert found.cells
                assert dict(found.reason.params)["cell"] in found.cells


def test_a_breach_shows_however_many_cells_are_unknown():
    hand = dict.fromkeys(range(10, 40), "?")
    before = Position(("r", *"." * 90))
    found = referee(before, before.with_faces({0: "g", **hand}), "blue", Table())
    assert (found.verdict, found.rule) == ("illegal", "faces-kept")
    found = referee(before, before.with_faces({1: "g", **hand}), "blue", Table())
    assert (found.verdict, found.rule) == ("illegal", "foreign"), "no green flower lay open that a Serendip displaced"
    found = referee(before, before.with_faces({1: "r", **hand}), "blue", Table())
    assert (found.verdict, found.rule) == ("illegal", "foreign"), "nor did the red one go"
    found = referee(before, before.with_faces({0: "?", 1: "r", **hand}), "blue", Table())
    assert found.verdict == "undecided"
    assert dict(found.reason.params)["cell"] == "A1"
    assert found.nearest[0].endswith("move A1")


def position(*changes: tuple[str, str]) -> Position:
    covered = Position.covered()
    return covered.with_faces({covered.board.index(cell): face for cell, face in changes})


S, T = "bvroyg", "vroygb"
NEARLY_OVER = [*((f"A{i}", S) for i in range(1, 7)), *((f"B{i}", S) for i in range(1, 7))]
THIRTEEN_BLUE = [*((f"F{i}", "b") for i in range(1, 12)), ("G1", "b"), ("G2", "b")]


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("start", [], [("A1", "_")]),
        ("start", THIRTEEN_BLUE, [*THIRTEEN_BLUE, ("K1", "b")]),
        ("reveal", [("A1", "r")], [("A2", "r")]),
        ("foreign", [], [("A1", "r")]),
        ("foreign", [], [("A1", "r"), ("A2", "b")]),
        ("own-swap", [("A1", "r")], [("A1", "b"), ("C3", "r")]),
        ("serendip-stay", [("A1", "r"), ("A2", "g")], [("A3", "r"), ("A4", "g"), ("C3", S)]),
        (
            "serendip-move",
            [("A1", "r"), ("A2", "g"), ("A3", "v")],
            [("A1", S), ("B1", "r"), ("A2", "v"), ("A3", "g")],
        ),
        ("serendip-fixed", [("A1", S)], [("A1", T)]),
        ("serendip-fixed", [("A1", S), ("B1", "r")], [("A1", "r"), ("B1", S), ("C1", T)]),
        ("faces-kept", [("A1", "r")], [("C1", S)]),
        ("faces-kept", [("A1", "r")], [("A1", "g")]),
        ("one-at-a-time", [("A1", "r")], []),
        ("one-at-a-time", [("A1", "r"), ("A2", "g")], [("A1", "g"), ("A2", "r"), ("C1", "b")]),
        ("end", [*NEARLY_OVER, ("C1", S), *THIRTEEN_BLUE], [*NEARLY_OVER, ("C1", S), *THIRTEEN_BLUE]),
        (
            "end",
            [*NEARLY_OVER, *THIRTEEN_BLUE[:12], ("C2", "v")],
            [*NEARLY_OVER, *THIRTEEN_BLUE, ("C1", S), ("C2", "v")],
        ),
    ],
)
def test_a_breach_names_its_rule(rule, before, after):
    found = referee(position(*before), position(*after), "blue", Table())
    if rule == "end" and len(after) > len(before):
        # Thirteen blue flowers and the last Serendip: only the order that ends the game last is legal.
        assert found.verdict == "legal"
        return
    assert (found.verdict, found.rule) == ("illegal", rule), found
    assert str(found.reason)


def test_tiles_turned_up_after_the_end_are_named():
    before = position(*NEARLY_OVER, ("C1", S), *THIRTEEN_BLUE[:12])
    after = position(*NEARLY_OVER, ("C1", S), *THIRTEEN_BLUE, ("K1", "v"))
    players = Table.parse("A=blue+violet,B=red")
    found = referee(before, after, "A", players)
    assert (found.verdict, found.rule) == ("legal", None), "violet first, then the last blue"
    after = after.with_faces({after.board.index("K1"): "."})
    assert referee(before, after, "A", players).verdict == "legal"
    full = [(f"{row}{i}", "v") for row in "HI" for i in range(1, 8)][:12]
    found = referee(
        position(*NEARLY_OVER, ("C1", S), *THIRTEEN_BLUE[:12], *full),
        position(*NEARLY_OVER, ("C1", S), *THIRTEEN_BLUE, *full, ("K1", "v")),
        "A",
        players,
    )
    assert (found.verdict, found.rule, found.reason.key) == ("illegal", "end", "broken-end-later")


def test_bad_players_break_the_rule_players():
    twice = Table((Player("A", "b"), Player("B", "b")))
    assert referee(position(), position(), "A", twice).rule == "players"
    assert check(position(), "reveal A1 blue, stay", "A", twice).rule == "players"


def test_disputes_name_the_option_that_changes_the_verdict():
    table = Table.parse("A=blue,B=red")
    found = referee(position(), position(("A1", "g")), "A", table)
    assert found.rule == "foreign"
    assert [(d.option, d.value, d.verdict) for d in found.disputes] == [("ownerless", "open", "legal")]


@settings(max_examples=6, deadline=None, derandomize=True)
@given(
    st.sampled_from(["A=blue,B=red", "A=blue+red+green,B=violet+orange", "A=y,B=o,C=g", "A=b,B=v,C=r,D=y,E=o,F=g"]),
    st.sampled_from(["", "ownerless=open,moved_serendip=may-turn", "ownerless=open-after-10,complete_colour=any"]),
    st.integers(0, 10**6),
    st.sampled_from([at_random, greedily]),
    st.integers(1, 5),
)
def test_every_turn_that_is_played_is_judged_legal(players, rules, seed, choose, turns):
    # Every seventh turn of a game: openings, middles and ends, in a minute's time.
    for turn in islice(play_game(Table.parse(players, Rules.parse(rules)), seed, choose), 0, None, 7):
        before, after, player = turn.before.position, turn.after.position, turn.before.player
        change = Change(before, after, player, turn.before.table)
        assert change.is_legal
        state = turn.before
        for step in change.story():
            state = state.play(step)
        assert state.position == after
        assert change.stories is None or change.stories >= 1
        other = player.name if seed % 2 else turn.before.table.players[0].name
        verdict = referee(before, after, other, turn.before.table)
        seen = referee(before.turned(turns), after.turned(turns), other, turn.before.table)
        assert (seen.verdict, seen.rule, seen.stories) == (verdict.verdict, verdict.rule, verdict.stories)
        steps = "; ".join(map(str, turn.steps))
        assert check(before, steps, player.name, turn.before.table).verdict == "legal"
        assert parse_steps(steps, before.board) == turn.steps
