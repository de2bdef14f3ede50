"""Where no board was found, people show it: six marks on the corner tiles, and the photo is read there."""

import io
import re
from pathlib import Path

import numpy as np
import pytest

from companion.app import create_app
from companion.history import History, fold
from engine import Position
from engine.board import board_of
from tests.table import KnowingReader, drawn_photo, finished_position
from tests.truth import load_truth, marked
from vision import read_at
from vision.reader import CORNERS

OWN = {"Origin": "http://localhost"}
SAMPLES = Path("sample_images")


def corners_of(name: str, off: float, seed: int = 0) -> tuple[np.ndarray, bytes]:
    """Return the true corner tiles of a sample photo, each off by up to so many tiles, and the photo."""
    truth = load_truth(SAMPLES / f"{name}.jpg")
    at = [board_of(6).index(cell) for cell in CORNERS]
    tile = float(np.linalg.norm(truth.centres[at[0]] - truth.centres[at[1]])) / 5
    shift = np.random.default_rng(seed).uniform(-off, off, (6, 2)) * tile
    return truth.centres[at] + shift, (SAMPLES / f"{name}.jpg").read_bytes()


@pytest.mark.parametrize(("name", "off"), [("easy", 0.2), ("tilted", 0.2), ("cloth", 0.2)])
def test_marks_set_roughly_by_hand_are_enough(name: str, off: float) -> None:
    corners, data = corners_of(name, off)
    marks = marked(read_at(data, corners), load_truth(SAMPLES / f"{name}.jpg"))
    assert marks.silent == 0
    assert marks.right >= 90
    assert marks.off < 0.12


def test_the_order_of_the_marks_does_not_matter() -> None:
    corners, data = corners_of("easy", 0.1)
    first = read_at(data, corners)
    assert read_at(data, corners[[3, 0, 5, 1, 4, 2]]).position == first.position


def test_marks_that_span_no_board_are_refused_in_words() -> None:
    corners, data = corners_of("easy", 0)
    middle = corners.mean(0)
    for wrong in (np.repeat(corners[:1], 6, 0), np.vstack([corners[:5], middle]), middle + (corners - middle) * 0.02):
        reading = read_at(data, wrong)
        assert (reading.status, reading.message.key) == ("no-board", "corners")
    assert read_at(b"no photo", corners).status == "bad-file"


def test_a_photo_is_read_where_its_corners_were_marked(local_history: History) -> None:
    reader = KnowingReader()
    client = create_app(history=local_history, reader=reader).test_client()
    position = finished_position()
    photo = reader.learn_at_corners(drawn_photo(position), position)
    sent = client.post("/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    address = str(sent.headers["Location"])
    client.get(f"{address}/reading")
    page = client.get(address).text
    assert "Show where the board lies" in page
    fields = re.findall(r'name="corner" value="(\d+,\d+)"', page)
    assert len(fields) == page.count('role="slider"') == 6
    action = re.search(r'action="(/corners/[^"]+)"', page)[1]
    for wrong in (fields[:5], [*fields[:5], "x"], [*fields[:5], "1"], [*fields[:5], "nan,1"], [*fields[:5], "-1,5"]):
        assert client.post(action, data={"corner": wrong}, headers=OWN).status_code == 400
    assert client.post(action.replace("/1", "/7"), data={"corner": fields}, headers=OWN).status_code == 404
    assert client.post(action, data={"corner": fields, "seen": "1"}, headers=OWN).status_code == 409
    answer = client.post(action, data={"corner": fields, "seen": "2"}, headers=OWN)
    assert (answer.status_code, answer.headers["Location"]) == (303, address)
    client.get(f"{address}/reading")
    assert "points" in client.get(address).text
    game = address.rsplit("/", 1)[1]
    state = fold(game, *local_history.log(game))
    assert [entry.kind for entry in state.log] == ["photo", "reading", "corners", "reading"]
    assert state.position == str(position)


def test_corners_are_tapped_one_after_the_other_without_a_script(local_history: History) -> None:
    """The picture is shown 320 pixels wide; the photo has 1200."""
    reader = KnowingReader()
    client = create_app(history=local_history, reader=reader).test_client()
    position = finished_position()
    photo = reader.learn_at_corners(drawn_photo(position), position)
    sent = client.post("/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    address = shown = str(sent.headers["Location"])
    taps = [(80, 40), (240, 40), (300, 130), (240, 266), (80, 266), (20, 130)]
    for number, (x, y) in enumerate(taps, 1):
        page = client.get(shown).text
        assert f"{number} of 6" in page
        plain = page[page.index("/tap") :]
        action = re.search(r'action="(/corners/[^"]+/tap)"', page)[1]
        form = {"corner": re.findall(r'name="corner" value="([^"]+)"', plain), "seen": "2"}
        assert client.post(action, data=form, headers=OWN).status_code == 400
        assert client.post(action, data={**form, "at.x": "321", "at.y": "1"}, headers=OWN).status_code == 400
        shown = client.post(action, data={**form, "at.x": str(x), "at.y": str(y)}, headers=OWN).headers["Location"]
    assert shown == address
    assert "points" in client.get(address).text
    game = address.rsplit("/", 1)[1]
    marks = fold(game, *local_history.log(game)).log[2].said["corners"]
    assert marks == [[300, 150], [900, 150], [1125, 488], [900, 998], [300, 998], [75, 488]]


def test_corners_in_a_running_game(local_history: History) -> None:
    reader = KnowingReader()
    client = create_app(history=local_history, reader=reader).test_client()
    players = [{"name": "Ada", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}]
    game = local_history.begin("game", [("settings", {"players": players})])
    after = Position.covered().with_faces({40: "b"})
    photo = reader.learn_at_corners(drawn_photo(after), after)
    client.post(f"/games/{game}/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    client.get(f"/games/{game}/reading")
    page = client.get(f"/games/{game}").text
    action = re.search(r'action="(/corners/[^"]+)"', page)[1]
    corners = re.findall(r'name="corner" value="(\d+,\d+)"', page)
    assert client.post(action, data={"corner": corners}, headers=OWN).headers["Location"] == f"/games/{game}"
    client.get(f"/games/{game}/reading")
    assert "blue flower, and leaves it open" in client.get(f"/games/{game}").text
