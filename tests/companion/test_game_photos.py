"""A game followed by photos: the turn worked out, questions, corrections, rules broken, gaps, and other phones."""

import io
import re
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app import create_app
from companion.history import Game, History, fold
from engine import Position
from engine.board import board_of
from engine.position import LETTERS
from tests.table import RING, KnowingReader, drawn_photo

OWN = {"Origin": "http://localhost"}
SETTINGS = {
    "players": [{"name": "Ada", "colours": ["blue", "violet"]}, {"name": "Bo", "colours": ["red"]}],
    "rules": {},
    "starter": 0,
}


class Table:
    """A running game, and a camera above it."""

    def __init__(self, history: History, lying: Position) -> None:
        self.history, self.reader = history, KnowingReader()
        self.app: Flask = create_app(history=history, reader=self.reader)
        self.client: FlaskClient = self.app.test_client()
        self.game = history.begin("game", [("settings", SETTINGS), ("position", {"position": str(lying)})])
        self.address = f"/games/{self.game}"
        self.lying = lying
        self.photos = 0

    @property
    def state(self) -> Game:
        return fold(self.game, *self.history.log(self.game))

    def photograph(
        self, changes: dict[str, str], unsure: dict[str, tuple[str, str]] | None = None, side: int = 0
    ) -> str:
        """Photograph the table with some tiles changed, from some side; return the page with what was made of it."""
        after = self.lying.with_faces({board_of(6).index(name): face for name, face in changes.items()})
        self.photos += 1
        photo = self.reader.learn(drawn_photo(after, self.photos), after.turned(-side), unsure)
        answer = self.client.post(
            f"{self.address}/photos", data={"photo": (io.BytesIO(photo), "table.png")}, headers=OWN
        )
        assert answer.status_code == 303, answer.text
        assert self.client.get(f"{self.address}/reading").status_code == 204
        return self.page()

    def page(self) -> str:
        answer = self.client.get(self.address)
        assert answer.status_code == 200
        return answer.text

    def post(self, what: str, **form: object) -> int:
        form.setdefault("seen", self.state.last_number)
        return self.client.post(f"{self.address}/{what}", data=form, headers=OWN).status_code


@pytest.fixture
def table(local_history: History) -> Table:
    """Seat two players at a table on which some tiles lie open, no two sides of it alike."""
    faces = {"A1": "b", "B3": "r", "C4": RING, "F6": "v", "H2": RING[2:] + RING[:2], "K6": "r"}
    lying = Position.covered()
    return Table(local_history, lying.with_faces({lying.board.index(name): face for name, face in faces.items()}))


def test_a_photo_is_kept_first_and_becomes_a_turn(table: Table) -> None:
    page = table.photograph({"E5": "b"})
    assert [entry.kind for entry in table.state.log] == ["settings", "position", "photo", "reading"]
    assert "Ada turns up E5, blue flower, and leaves it open." in page
    assert table.state.turns == ()
    assert table.post("seen") == 303
    turn = table.state.turns[0]
    assert (turn.steps, turn.verdict, turn.player) == ("reveal E5 blue, stay", "legal", 0)
    assert Position.parse(turn.position)["E5"] == "b"
    assert turn.photo
    assert "Bo is on turn" in table.page()


def test_a_photo_from_another_side_keeps_the_names_of_the_game(table: Table) -> None:
    for side in range(6):
        page = table.photograph({"E5": "b"}, side=side)
        assert "Ada turns up E5, blue flower" in page, side
        assert table.post("discard") == 303
    assert table.state.turns == ()
    assert table.state.sheet is None


def test_nothing_seen_to_have_changed(table: Table) -> None:
    assert "Ada shows a flower of another colour and covers it again." in table.photograph({})
    assert table.post("seen") == 303
    assert (table.state.turns[0].steps, table.state.turns[0].position) == ("", str(table.lying))
    assert "Ada shows a flower of another colour and covers it again." in table.page()


def test_unsure_tiles_are_asked_first(table: Table) -> None:
    page = table.photograph({"E5": "b"}, unsure={"E5": ("g", "b"), "J3": (".", "g")})
    assert "What lies here?" in page
    assert table.post("seen") == 422
    asked = []
    while cell := re.search(r'<input type="hidden" name="cell" value="(\w+)">', table.page()):
        asked.append(cell[1])
        assert table.post("cell", cell=cell[1], face="b" if cell[1] == "E5" else ".") == 303
    assert "E5" in asked
    assert "Ada turns up E5, blue flower, and leaves it open." in table.page()
    corrections = [entry for entry in table.state.log if entry.kind == "position" and entry.said.get("of")]
    assert all(entry.replaces for entry in corrections)
    assert table.post("seen") == 303
    assert table.state.turns[0].verdict == "legal"


def test_a_tile_read_wrongly_is_corrected_in_two_taps(table: Table) -> None:
    assert "This breaks a rule" in table.photograph({"E5": "o"}, side=2)
    sheet = table.client.get(f"{table.address}?cell=E5").text
    assert 'role="dialog"' in sheet
    assert table.post("cell", cell="E5", face="v") == 303
    assert "Ada turns up E5, violet flower" in table.page()
    assert table.post("undo") == 303
    assert "This breaks a rule" in table.page()
    assert table.post("cell", cell="E5", face="x") == 400
    assert table.post("cell", cell="Q5", face="b") == 400


def test_a_broken_rule_is_named_and_can_be_kept(table: Table) -> None:
    moved = {"C4": RING[1:] + RING[:1], "E5": "b"}
    page = table.photograph(moved)
    assert "This breaks a rule" in page
    assert "A Serendip that had been placed was moved or turned: C4." in page
    assert "A Serendip that has been placed is never swapped or turned again." in page
    assert "The nearest legal turn:" in page
    assert re.search(r'class="cell marked" data-cell="C4"', page)
    assert table.post("seen") == 422
    assert table.state.turns == ()
    assert table.post("seen", keep="as-it-lies") == 303
    turn = table.state.turns[0]
    assert (turn.verdict, turn.steps, turn.said["rule"]) == ("illegal", "", "serendip-fixed")
    assert "Ada: A Serendip that had been placed was moved or turned: C4." in table.page()


def test_a_forgotten_photo_is_offered_as_several_turns(table: Table) -> None:
    page = table.photograph({"E5": "b", "G7": "r"}, side=1)
    assert "This breaks a rule" in page
    assert "Or was a photo forgotten? 2 turns would explain it:" in page
    assert "Ada turns up E5, blue flower, and leaves it open." in page
    assert "Bo turns up G7, red flower, and leaves it open." in page
    number = table.state.last_number
    assert table.post("seen", keep="several") == 303
    turns = table.state.turns
    assert [(turn.player, turn.steps) for turn in turns] == [(0, "reveal E5 blue, stay"), (1, "reveal G7 red, stay")]
    assert [bool(turn.photo) for turn in turns] == [False, True]
    assert (table.state.on_turn, table.state.last_number) == (0, number + 2)
    assert table.post("seen", keep="several") == 409
    assert table.post("undo") == 303
    assert [turn.steps for turn in table.state.turns] == ["reveal E5 blue, stay"]
    table.lying = Position.parse(table.state.position)
    table.photograph({"H7": "r"})
    assert table.post("seen", keep="several") == 400, "one turn explains it; there is nothing to choose"


def test_forgotten_photos_leave_a_gap(table: Table) -> None:
    table.photograph({"E5": "b", "G7": "r", "D1": "v", "I3": "r"})
    assert table.post("seen", keep="gap", next=9) == 400
    assert table.post("seen", keep="gap", next=1) == 303
    state = table.state
    assert (state.turns[0].verdict, state.turns[0].steps, state.on_turn) == ("gap", "", 1)
    assert "Some turns were not noted, from Ada on." in table.page()
    assert table.post("undo") == 303
    assert table.state.on_turn == 0


def test_no_board_on_the_photo_says_what_helps(table: Table) -> None:
    photo = table.reader.learn(drawn_photo(Position.covered(), 77), None)
    table.client.post(f"{table.address}/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    table.client.get(f"{table.address}/reading")
    assert "whole board in the picture" in table.page()
    assert table.post("seen") == 409
    assert table.post("discard") == 303
    assert table.state.sheet is None
    wrong = {"photo": (io.BytesIO(b"no photo"), "x.png")}
    assert table.client.post(f"{table.address}/photos", data=wrong, headers=OWN).status_code == 422


def test_a_turn_by_taps_and_a_photo_at_once(table: Table) -> None:
    """One phone enters the turn while another has photographed it: the slower one is told, the photo is not lost."""
    table.photograph({"E5": "b"})
    number = table.state.last_number
    assert table.post("turns", steps="reveal E5 blue, stay", seen=number) == 303
    assert table.post("seen", seen=number) == 409
    assert len(table.state.turns) == 1
    assert [entry.kind for entry in table.state.log].count("photo") == 1


def test_a_whole_short_game_by_photos(table: Table) -> None:
    steps = [({"E5": "b"}, "Ada"), ({"G7": "r"}, "Bo"), ({"G8": "v", "H8": RING}, "Ada"), ({}, "Bo")]
    for changes, name in steps:
        assert f"{name} is on turn" in table.page()
        table.photograph(changes, side=len(table.state.turns))
        assert table.post("seen") == 303
        table.lying = Position.parse(table.state.position)
    assert [turn.player for turn in table.state.turns] == [0, 1, 0, 1]
    assert {name: table.lying[name] for name in ("E5", "G7", "G8", "H8")} == {
        "E5": "b",
        "G7": "r",
        "G8": "v",
        "H8": RING,
    }
    assert sum(table.lying.faces.count(letter) for letter in LETTERS) == 7


def test_a_reading_that_was_cut_off_is_taken_up_again(table: Table) -> None:
    """The program may stop between keeping a photo and reading it; opening the page reads it."""
    after = table.lying.with_faces({board_of(6).index("E5"): "b"})
    photo = table.reader.learn(drawn_photo(after, 5), after)
    kept = table.history.keep_photo(photo, "image/png", 1200, 1000)
    table.history.append(table.game, "photo", {"photo": kept.sha256, "player": 0})
    assert "Ada turns up E5" in table.page()


def test_a_reading_that_takes_its_time_is_waited_for(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The photo is acknowledged before it is read; whoever looks meanwhile is told, and sees it once it is there."""
    after = table.lying.with_faces({board_of(6).index("E5"): "b"})
    photo = table.reader.learn(drawn_photo(after, 5), after)
    reading = Future[dict[str, Any]]()
    taken = replace(table.reader.take(photo), reading=reading)
    monkeypatch.setattr(table.reader, "take", lambda _photo: taken)
    sent = table.client.post(
        f"{table.address}/photos", data={"photo": (io.BytesIO(photo), "table.png")}, headers=OWN, follow_redirects=True
    )
    assert "being read" in sent.text
    reading.set_result(table.reader.truths[photo])
    assert "Ada turns up E5" in table.page()
