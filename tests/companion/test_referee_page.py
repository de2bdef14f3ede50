"""Is this move allowed? On two photos, on the last turn and now, by tapping, and on positions."""

import html
import io
import re

import pytest
from flask.testing import FlaskClient

from companion.app import create_app
from companion.history import Game, History, fold
from engine import Position
from engine.board import board_of
from tests.table import RING, KnowingReader, drawn_photo

OWN = {"Origin": "http://localhost"}
SEATS = {"name-0": "Ada", "colours-0": ["b"], "name-1": "Bo", "colours-1": ["r"], "starter": "0"}


def laid(**faces: str) -> Position:
    return Position.covered().with_faces({board_of(6).index(name): face for name, face in faces.items()})


BEFORE = laid(A1="b", B3="r", C4=RING, F6="b", H2=RING[2:] + RING[:2], K6="r")


def changed(**faces: str) -> Position:
    return BEFORE.with_faces({board_of(6).index(name): face for name, face in faces.items()})


@pytest.fixture
def reader() -> KnowingReader:
    return KnowingReader()


@pytest.fixture
def client(local_history: History, reader: KnowingReader) -> FlaskClient:
    return create_app(history=local_history, reader=reader).test_client()


def running(client: FlaskClient, history: History) -> str:
    players = [{"name": "Ada", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}]
    return history.begin("game", [("settings", {"players": players}), ("position", {"position": str(BEFORE)})])


def ask(client: FlaskClient, **form: object) -> str:
    answer = client.post("/referee", data={**SEATS, **form}, headers=OWN)
    assert answer.status_code == 303, answer.text
    address = str(answer.headers["Location"])
    assert client.get(f"{address}/reading").status_code == 204
    return address


def page(client: FlaskClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return html.unescape(answer.text)


def state_of(history: History, address: str) -> Game:
    game = address.rsplit("/", 1)[1]
    return fold(game, *history.log(game))


def photo(reader: KnowingReader, position: Position, seed: int, **doubts: tuple[str, str]) -> tuple[io.BytesIO, str]:
    return io.BytesIO(reader.learn(drawn_photo(position, seed), position, doubts)), "x.png"


def test_two_positions(client: FlaskClient) -> None:
    told = page(client, ask(client, before=str(BEFORE), after=str(changed(E5="b"))))
    assert "Yes, this is allowed" in told
    assert "Ada turns up E5, blue flower, and leaves it open." in told
    told = page(client, ask(client, before=str(BEFORE), after=str(changed(E5="r"))))
    assert "No, this is not allowed" in told
    assert "A flower that is not the player's own was left open: E5." in told
    assert "A flower that is not yours is covered again where it lay" in told
    assert "/rules#foreign" in told
    assert re.search(r'class="cell marked" data-cell="E5"', told)


def test_the_other_reading_of_the_rules_is_named(client: FlaskClient) -> None:
    told = page(client, ask(client, before=str(BEFORE), after=str(changed(E5="g"))))
    assert "No, this is not allowed" in told
    assert "By another reading of the rules it would be otherwise: Flowers nobody owns: may stay open" in told
    told = page(client, ask(client, before=str(BEFORE), after=str(changed(E5="g")), ownerless="open"))
    assert "Yes, this is allowed" in told


def test_what_nobody_can_know_is_said(client: FlaskClient) -> None:
    told = page(client, ask(client, before=str(BEFORE), after=str(changed(E5="?"))))
    assert "This cannot be decided" in told
    assert "It depends on what lies at E5" in told


def test_two_photos(client: FlaskClient, reader: KnowingReader) -> None:
    files = {"before": photo(reader, BEFORE, 1), "after": photo(reader, changed(E5="b").turned(2), 2)}
    told = page(client, ask(client, **files))
    assert "Yes, this is allowed" in told
    assert "Ada turns up E5, blue flower" in told
    cheat = changed(C4=RING[1:] + RING[:1])
    told = page(client, ask(client, before=photo(reader, BEFORE, 3), after=photo(reader, cheat, 4)))
    assert "A Serendip that had been placed was moved or turned: C4." in told


def test_unsure_tiles_are_asked_and_misread_ones_corrected(
    client: FlaskClient, reader: KnowingReader, local_history: History
) -> None:
    files = {
        "before": photo(reader, BEFORE, 1, J3=("g", ".")),
        "after": photo(reader, changed(E5="r"), 2),
    }
    address = ask(client, **files)
    told = page(client, address)
    assert "What lies here?" in told
    assert "this is not allowed" not in told
    form = {"role": "before", "cell": "J3", "face": ".", "seen": state_of(local_history, address).last_number}
    assert client.post(f"{address}/cell", data=form, headers=OWN).status_code == 303
    assert "A flower that is not the player's own was left open: E5." in page(client, address)
    assert 'role="dialog"' in page(client, f"{address}?role=after&cell=E5")
    assert client.post(f"{address}/cell", data=form, headers=OWN).status_code == 409
    form |= {"role": "after", "cell": "E5", "face": "b", "seen": state_of(local_history, address).last_number}
    assert client.post(f"{address}/cell", data=form, headers=OWN).status_code == 303
    assert "Yes, this is allowed" in page(client, address)
    for wrong in ({"role": "during"}, {"cell": "Q1"}, {"face": "x"}):
        assert client.post(f"{address}/cell", data={**form, **wrong}, headers=OWN).status_code == 400


def test_the_last_turn_and_now(client: FlaskClient, reader: KnowingReader, local_history: History) -> None:
    game = running(client, local_history)
    assert "Ada’s turn, now" in page(client, f"/referee?game={game}")
    files = {"photo": photo(reader, changed(E5="b", F6=".", G6="b"), 1)}
    address = ask(client, game=game, **files)
    told = page(client, address)
    assert "No, this is not allowed" in told
    assert "Back to the game" in told
    state = fold(game, *local_history.log(game))
    assert state.turns == ()
    assert state.sheet is None, "asking the referee changes nothing in the game"


def test_a_move_entered_by_tapping_may_break_the_rules(client: FlaskClient, local_history: History) -> None:
    game = running(client, local_history)
    address = ask(client, game=game)
    told = page(client, address)
    assert "Tap the tile that was turned up" in told
    assert "Cover it again" in page(client, f"{address}?cell=E5&face=g")
    told = page(client, f"{address}?done=reveal E5 green, cover")
    assert 'value="reveal E5 green, cover"' in told
    told = page(client, f"{address}?done=reveal E5 green, cover&cell=G7&face=b")
    steps = "reveal E5 green, cover; reveal G7 blue, stay"
    assert f'value="{steps}"' in told
    assert client.post(f"{address}/claim", data={"steps": steps}, headers=OWN).status_code == 303
    told = page(client, address)
    assert "No, this is not allowed" in told
    assert "The turn had ended already" in told
    assert "Tap another move" in told
    legal = {"steps": "reveal E5 blue, swap G7"}
    assert client.post(f"{address}/claim", data=legal, headers=OWN).status_code == 303
    told = page(client, address)
    assert "Yes, this is allowed" in told
    assert "Ada turns up E5, blue flower, and swaps it with the tile at G7." in told
    assert client.post(f"{address}/claim", data={"steps": "dance"}, headers=OWN).status_code == 400
    assert page(client, f"{address}?again=1").count("Tap the tile that was turned up")


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Show the table before the move"),
        ({"before": str(BEFORE)}, "Show the table after the move"),
        ({"before": "bbb", "after": str(BEFORE)}, "This position cannot be read"),
        ({"before": str(BEFORE), "after": str(BEFORE), "colours-1": ["b"]}, "has two owners"),
    ],
)
def test_wrong_input_is_one_sentence_and_stays_in_the_form(
    client: FlaskClient, form: dict[str, object], sentence: str
) -> None:
    answer = client.post("/referee", data={**SEATS, **form}, headers=OWN)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert 'value="Ada"' in answer.text
    assert str(form.get("before", "")) in answer.text


def test_a_photo_without_a_board_can_be_taken_again(client: FlaskClient, reader: KnowingReader) -> None:
    nothing = io.BytesIO(reader.learn(drawn_photo(Position.covered(), 9), None)), "x.png"
    address = ask(client, before=str(BEFORE), after=nothing)
    assert "The board was not found" in page(client, address)
    again = {"role": "after", "photo": photo(reader, changed(E5="b"), 10)}
    assert client.post(f"{address}/photos", data=again, headers=OWN).status_code == 303
    client.get(f"{address}/reading")
    assert "Yes, this is allowed" in page(client, address)
    assert (
        client.post("/referee", data={**SEATS, "before": (io.BytesIO(b"x"), "x.png")}, headers=OWN).status_code == 422
    )


def test_the_history_lists_what_was_asked(client: FlaskClient, local_history: History) -> None:
    """A move in question is found again beside the games and photos, but counts as neither."""
    address = ask(client, before=str(BEFORE), after=str(changed(E5="r")))
    for shown in ("", "?show=disputes", "?q=Ada"):
        assert f'href="{address}"' in page(client, f"/history{shown}"), shown
    for shown in ("?show=games", "?show=photos", "?q=nobody"):
        assert f'href="{address}"' not in page(client, f"/history{shown}"), shown
    assert address.rsplit("/", 1)[1] not in client.get("/history/export.csv").text
    local_history.append(address.rsplit("/", 1)[1], "delete", {})
    assert f'href="{address}"' not in page(client, "/history")
