"""The doors where text comes in: positions, steps, rules and players. Only a ValueError of one line comes out."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import OPTIONS, PRESETS, Position, Rules, Table, board_of, check, parse_steps
from engine.play import play_game
from tests.strategies import RING, positions, rules

BOARD = board_of(6)
DOORS = {
    "position": Position.parse,
    "position of the game": lambda text: Position.parse(text, edge=6),
    "steps": lambda text: parse_steps(text, BOARD),
    "rules": Rules.parse,
    "players": Table.parse,
}
door = st.sampled_from(sorted(DOORS))
words = st.sampled_from(
    [
        *(
            "reveal",
            "serendip",
            "stay",
            "swap",
            "move",
            "turn",
            "cover",
            "leave",
            "pass",
            "blue",
            "b",
            "D4",
            "Z99",
            "A0",
        ),
        *("/", ";", ",", "=", "+", "(", ")", "(bvroyg)", ".", "?", "_", " ", "german", "bridges", "none", "é", RING),
        *("\x00", "\n", "\u2028"),
    ]
)
texts = st.text(max_size=60) | st.lists(words, max_size=40).map("".join) | st.lists(words, max_size=40).map(" ".join)


def refusal(name, text):
    """Return what a door says when it refuses a text, or nothing; any other error gets through."""
    try:
        DOORS[name](text)
    except ValueError as mistake:
        return str(mistake)
    return ""


@settings(max_examples=400, deadline=None)
@given(door, texts)
@example("position", "/" * 24)
@example("position", "(" * 1000)
@example("steps", "reveal D4 serendip")
@example("steps", ", , ;;,")
@example("rules", "=,=")
@example("players", "=")
def test_any_text_is_read_or_refused_in_one_line(name, text):
    said = refusal(name, text)
    assert len(said.splitlines()) <= 1
    assert len(said) < 500


@pytest.mark.parametrize("name", DOORS)
@pytest.mark.parametrize(
    "piece", ["/", ".", "(", "(bvroyg)", ";", ",", "=", "a=b,", "reveal D4 blue, stay; ", "\x00", " "]
)
def test_endless_text_is_refused_at_once(name, piece):
    start = time.process_time()
    said = refusal(name, piece * (3_000_000 // len(piece)))
    assert time.process_time() - start < 0.5
    assert 0 < len(said) < 500


@settings(max_examples=60, deadline=None)
@given(positions() | positions(2) | positions(3, odd=False) | positions(1))
def test_positions_round_trip(position):
    assert Position.parse(str(position)) == position
    assert Position.parse(f" {position}\n", edge=position.edge) == position
    assert position.turned(6) == position == position.turned(2).turned(4)


@given(rules)
def test_rules_round_trip(rules):
    assert Rules.parse(str(rules)) == rules
    assert Rules.parse(",".join(f"{name}={value}" for name, value in rules.chosen.items())) == rules


def test_presets_are_named_after_the_documents():
    assert list(PRESETS) == ["german", "five-language", "hungarian", "russian"]
    for name, preset in PRESETS.items():
        assert Rules.parse(name) == preset
        assert Rules.parse(f"{name},ownerless=open") == Rules(**{**preset.chosen, "ownerless": "open"})
    assert set(Rules().chosen) == set(OPTIONS)


def test_steps_round_trip_and_are_checked_as_they_are_written():
    table = Table.parse("A=blue+red,B=green+violet", Rules.parse("moved_serendip=may-turn,ownerless=open"))
    for turn in play_game(table, 5):
        text = "; ".join(map(str, turn.steps))
        assert parse_steps(text, BOARD) == turn.steps
        assert parse_steps(text.upper().replace("; ", " ;").replace(", ", " , "), BOARD) == turn.steps


@pytest.mark.parametrize(
    "text",
    [
        "reveal D4 red, cover",
        "reveal D4 blue, stay",
        "reveal D4 blue, swap E6",
        "reveal D4 serendip bvroyg, stay",
        "reveal D4 serendip bvroyg, turn vroygb, swap A1 B2",
        "reveal D4 serendip bvroyg, move E6",
        "reveal D4 green, leave",
        "reveal D4 blue, stay; reveal D5 serendip bvroyg, move E6; reveal D6 red, cover",
    ],
)
def test_the_steps_of_the_contract(text):
    assert "; ".join(map(str, parse_steps(text, BOARD))) == text
    table = Table.parse("A=blue,B=red", Rules(ownerless="open"))
    assert check(Position.covered(), text, "blue", table).verdict == "legal"
