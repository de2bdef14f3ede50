"""The board as the rules page describes it, and what cannot lie on it."""

import pytest

from engine import Board, Cell, Position, board_of, legal_steps, problems
from engine.board import DIRECTIONS, turned
from engine.table import Player, Table
from engine.turns import State, fault_of

RING = "bvroyg"


def test_names_and_coordinates_of_the_rules_page():
    board = board_of(6)
    assert [len(row) for row in board.rows] == [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6]
    assert (board.names[0], board.names[-1], len(board.cells)) == ("A1", "K6", 91)
    places = {"F6": (0, 0), "A1": (0, -5), "F1": (-5, 0), "K6": (0, 5), "A6": (5, -5), "F11": (5, 0), "K1": (-5, 5)}
    assert {name: tuple(board.cell(name)) for name in places} == places
    around = [board.names[i] for i in board.neighbours[board.index("F6")]]
    assert around == ["F7", "E6", "E5", "F5", "G5", "G6"], "E, NE, NW, W, SW, SE"


@pytest.mark.parametrize("edge", range(1, 14))
def test_every_edge_has_its_hexagon(edge):
    board = Board(edge)
    assert len(board.cells) == 3 * edge * (edge - 1) + 1 == len(set(board.names))
    for i, around in enumerate(board.neighbours):
        assert board.index(board.names[i].lower()) == i == board.index_of[board.cell(board.names[i])]
        for direction, j in enumerate(around):
            assert j is None or board.neighbours[j][(direction + 3) % 6] == i
    for k, places in enumerate(board.turns):
        assert sorted(places) == list(range(len(board.cells)))
        for i, around in enumerate(board.neighbours):
            for direction, j in enumerate(around):
                if j is not None:
                    assert board.neighbours[places[i]][(direction + k) % 6] == places[j]


def test_a_turn_of_the_board_turns_directions():
    for k in range(6):
        assert [turned(cell, k) for cell in DIRECTIONS] == [DIRECTIONS[(d + k) % 6] for d in range(6)]
    lone = Position.covered().with_faces({45: RING})
    assert lone.turned(1)["F6"] == RING[-1] + RING[:-1], "the petal that faced east faces north-east"
    assert turned(Cell(2, -1), 6) == Cell(2, -1)


@pytest.mark.parametrize("edge", [0, 14, -1])
def test_an_edge_without_names_is_refused(edge):
    with pytest.raises(ValueError, match="edge of 1 to 13"):
        Board(edge)


def test_what_cannot_be_is_named_with_its_cells():
    board = board_of(6)

    def found(**faces):
        cells = {board.index(name): face for name, face in faces.items()}
        return {problem.kind: problem.cells for problem in problems(Position.covered().with_faces(cells))}

    assert found() == {}
    assert found(A1=RING, A2=RING[2:] + RING[:2], A3="r") == {}
    assert found(**{f"F{i}": "r" for i in range(1, 12)}, G1="r", G2="r") == {}
    fourteen = (*(f"F{i}" for i in range(1, 12)), "G1", "G2", "G3")
    assert found(**dict.fromkeys(fourteen, "r")) == {"too-many": fourteen}
    assert found(**dict.fromkeys(fourteen, RING)) == {"too-many": fourteen}
    assert found(A1="bbroyg", A2=RING) == {"petals": ("A1",)}
    assert found(A1=RING, A2="gyorvb", A3=RING) == {"ring": ("A2",)}
    assert found(C3="_", K6="_") == {"missing": ("C3", "K6")}
    assert found(D4="?") == {"unknown": ("D4",)}
    assert set(found(A1="_", A2="?", A3="bbbbbb", A4=RING, A5="gyorvb")) == {"missing", "unknown", "petals", "ring"}


def test_legal_steps_are_those_without_a_fault():
    table = Table((Player("A", "b"), Player("B", "r")), copies=2)
    state = State(Position.parse(f"b./.({RING})r/._", edge=2), table)
    steps = list(legal_steps(state))
    assert len(set(map(str, steps))) == len(steps)
    assert all(fault_of(state, step) is None for step in steps)
    told = set(map(str, steps))
    assert {"reveal A2 blue, stay", "reveal A2 blue, swap B1", "reveal B1 green, cover"} <= told
    assert f"reveal A2 serendip {RING}, move B3" in told
    assert f"reveal A2 serendip {RING}, stay, swap A1 B1" in told
    assert not any("B2" in step for step in told), "a placed Serendip has no part in any step"
    assert not any("C2" in step for step in told), "nor has a place without a tile"
    assert not any(step.endswith("leave") for step in told)
    for step in steps[::7]:
        assert state.play(step).position.board is state.position.board
