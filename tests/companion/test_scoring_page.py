"""From a photo to points on the page, and every correction in between."""

import io
import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from PIL import Image

from companion.app import create_app
from companion.history import History, fold
from companion.reading import Reader
from engine import Position
from engine.standing import standing
from engine.table import Table
from tests.table import KnowingReader, drawn_photo, finished_position

OWN = {"Origin": "http://localhost"}


@pytest.fixture
def reader() -> KnowingReader:
    return KnowingReader()


@pytest.fixture
def client(local_history: History, reader: KnowingReader) -> FlaskClient:
    app = create_app(history=local_history, reader=reader)
    return app.test_client()


def send(client: FlaskClient, photo: bytes) -> str:
    answer = client.post("/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    assert answer.status_code == 303, answer.text
    address = answer.headers["Location"]
    assert client.get(f"{address}/reading").status_code == 204
    return address


def test_a_photo_becomes_points(client: FlaskClient, reader: KnowingReader) -> None:
    position = finished_position()
    page = client.get(send(client, reader.learn(drawn_photo(position), position))).text
    expected = standing(position, Table())
    for _, score in expected.scores:
        assert f"{score.points} points" in page
    assert f"wins, {max(score.points for _, score in expected.scores)} points" in page


def test_lines_on_the_page_add_up(client: FlaskClient, reader: KnowingReader) -> None:
    position = finished_position()
    page = client.get(send(client, reader.learn(drawn_photo(position), position))).text
    for item in page.split('<li class="score')[1:]:
        total = int(re.search(r"(\d+) points?</strong>", item)[1])
        item = item.split("</details>")[0]
        assert sum(int(n) for n in re.findall(r"<b>(\d+)</b></a>", item)) == total


def test_unsure_tiles_are_asked_about_and_no_winner_is_named(client: FlaskClient, reader: KnowingReader) -> None:
    position = finished_position()
    wrong = {name: ("y", position[name]) for name in ("A1", "F6")}
    address = send(client, reader.learn(drawn_photo(position), position, wrong))
    page = client.get(address).text
    assert "2 tiles need your eye" in page
    assert " wins, " not in page
    for cell in ("A1", "F6"):
        number = re.search(r'name="seen" value="(\d+)"', client.get(address).text)[1]
        answer = {"cell": cell, "face": position[cell], "seen": number}
        assert client.post(f"{address}/cell", data=answer, headers=OWN).status_code == 303
    assert " wins, " in client.get(address).text


def test_any_cell_is_corrected_and_the_correction_undone(
    client: FlaskClient, reader: KnowingReader, local_history: History
) -> None:
    position = finished_position()
    address = send(client, reader.learn(drawn_photo(position), position))
    game = address.rsplit("/", 1)[1]
    sheet = client.get(f"{address}?cell=D4").text
    assert 'role="dialog"' in sheet
    client.post(f"{address}/cell", data={"cell": "D4", "face": "_"}, headers=OWN)
    state = fold(game, *local_history.log(game))
    assert Position.parse(state.position)["D4"] == "_"
    assert state.log[-1].replaces == 2
    client.post(f"{address}/undo", data={}, headers=OWN)
    state = fold(game, *local_history.log(game))
    assert state.position == str(position)
    assert [entry.kind for entry in state.log] == ["photo", "reading", "position", "undo"]


def test_the_board_turns_with_its_photo(client: FlaskClient, reader: KnowingReader, local_history: History) -> None:
    position = finished_position()
    address = send(client, reader.learn(drawn_photo(position), position, {"A1": ("y", "b")}))
    game = address.rsplit("/", 1)[1]
    before = fold(game, *local_history.log(game)).sheet
    for _ in range(6):
        client.post(f"{address}/turned", data={}, headers=OWN)
    after = fold(game, *local_history.log(game)).sheet
    assert (after.position, after.unsure, after.centres) == (before.position, before.unsure, before.centres)
    client.post(f"{address}/turned", data={}, headers=OWN)
    once = fold(game, *local_history.log(game)).sheet
    (cell,) = once.unsure
    assert once.centres[cell] == before.centres["A1"]


def test_players_with_several_colours_and_other_rules(client: FlaskClient, reader: KnowingReader) -> None:
    position = finished_position()
    address = send(client, reader.learn(drawn_photo(position), position))
    form = {"owner-b": "Ada", "owner-r": "Ada", "owner-v": "<script>alert(1)</script>", "carpet_choice": "largest"}
    assert client.post(f"{address}/players", data=form, headers=OWN).status_code == 303
    page = client.get(address).text
    assert "Ada" in page
    assert "<script>alert" not in page
    refused = client.post(f"{address}/players", data={"owner-b": "Ada"}, headers=OWN)
    assert refused.status_code == 422
    assert "Two to six can play" in refused.text


def test_a_position_as_text(client: FlaskClient) -> None:
    position = finished_position()
    answer = client.post("/positions", data={"position": f" {position}\n"}, headers=OWN)
    assert " wins, " in client.get(answer.headers["Location"]).text
    refused = client.post("/positions", data={"position": "bbb/"}, headers=OWN)
    assert refused.status_code == 422
    assert "A position has 11 rows" in refused.text


def test_no_board_says_what_helps(client: FlaskClient, reader: KnowingReader) -> None:
    photo = reader.learn(drawn_photo(Position.covered()), None)
    assert "whole board in the picture" in client.get(send(client, photo)).text


def test_what_is_not_a_photo_is_refused_with_a_sentence(client: FlaskClient) -> None:
    answer = client.post("/photos", data={"photo": (io.BytesIO(b"PK not a photo"), "x.jpg")}, headers=OWN)
    assert answer.status_code == 422
    assert "Traceback" not in answer.text
    assert client.post("/photos", data={}, headers=OWN).status_code == 422


def test_too_many_tiles_of_a_kind_are_named(client: FlaskClient) -> None:
    text = str(Position(("b",) * 20 + (".",) * 71))
    answer = client.post("/positions", data={"position": text}, headers=OWN)
    assert "20 blue flowers lie open" in client.get(answer.headers["Location"]).text


def test_a_stale_correction_is_refused(client: FlaskClient, reader: KnowingReader) -> None:
    position = finished_position()
    address = send(client, reader.learn(drawn_photo(position), position))
    for expected in (303, 409):
        answer = client.post(f"{address}/cell", data={"cell": "D4", "face": "b", "seen": "2"}, headers=OWN)
        assert answer.status_code == expected
    assert client.post(f"{address}/cell", data={"cell": "Z9", "face": "b"}, headers=OWN).status_code == 400
    assert client.post(f"{address}/cell", data={"cell": "D4", "face": "bbbbbb"}, headers=OWN).status_code == 400


def test_a_photo_reads_the_same_as_it_comes_and_as_it_is_kept(tmp_path: Path) -> None:
    """Reading begins before the camera's traces are taken out; these must not matter."""
    lying = Image.open(Path(__file__).parents[2] / "sample_images" / "cloth.jpg").rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "a camera"
    sent = io.BytesIO()
    lying.save(sent, "JPEG", quality=90, exif=exif, comment=b"a note")
    reader = Reader(children=1)
    try:
        taken = reader.take(sent.getvalue())
        kept = tmp_path / "kept.jpg"
        kept.write_bytes(taken.prepared.data)
        ahead, later = taken.reading.result(), reader.read(kept)
        assert taken.view.result() == reader.view(kept)
    finally:
        reader.close()
    assert b"a camera" not in taken.prepared.data
    assert ahead["status"] in ("ok", "unsure")
    assert {**ahead, "ms": None} == {**later, "ms": None}
