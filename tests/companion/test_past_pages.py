"""Looking back on the page: search, replay, notes, deleting, the players, and files that leave and come back."""

import io
import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from PIL import Image

from companion.app import create_app
from companion.history import History, fold, open_history
from companion.history.sweeping import sweep
from engine import Player, Table
from engine.play import play_game
from engine.scoring import score
from tests.table import KnowingReader, drawn_photo, finished_position

OWN = {"Origin": "http://localhost"}


@pytest.fixture
def reader() -> KnowingReader:
    return KnowingReader()


@pytest.fixture
def client(local_history: History, reader: KnowingReader) -> FlaskClient:
    return create_app(history=local_history, reader=reader).test_client()


def played_game(
    history: History, names: tuple[str, ...] = ("Ada", "Bo"), most: int | None = None, seed: int = 1
) -> str:
    """Write a whole legal game into a history, or its beginning."""
    table = Table(tuple(Player(name, letter) for name, letter in zip(names, "bvryog", strict=False)))
    players = [{"name": player.name, "colours": list(player.colours)} for player in table.players]
    game = history.begin("game", [("settings", {"game": "serendipity", "players": players, "rules": {}})])
    for n, turn in enumerate(play_game(table, seed)):
        if n == most:
            break
        said = {"player": turn.before.seat, "steps": "; ".join(map(str, turn.steps)), "verdict": "legal"}
        said |= {"position": str(turn.after.position), "over": turn.after.over}
        history.append(game, "turn", said)
    return game


def test_a_photo_that_is_still_read_is_called_so(client: FlaskClient, local_history: History) -> None:
    kept = local_history.keep_photo(b"a photo", "image/png", 1200, 1000)
    local_history.begin("snapshot", [("photo", {"photo": kept.sha256})])
    page = client.get("/history").text
    assert "Reading the tiles" in page
    assert "was not found" not in page


def test_games_are_listed_and_found(client: FlaskClient, local_history: History) -> None:
    one = played_game(local_history, ("Ada", "Bo"), most=8)
    two = played_game(local_history, ("Ada", "<b>Cy</b>"), most=8)
    client.post(f"/history/{two}/notes", data={"text": "Grandma laughed <script>"}, headers=OWN)
    page = client.get("/history").text
    assert one in page
    assert two in page
    assert "<script>" not in page.replace("<script src", "")
    assert "<b>Cy" not in page
    for words, found in (("bo", {one}), ("grandma", {two}), ("ada", {one, two}), ("violet", {one, two}), ("x", set())):
        page = client.get("/history", query_string={"q": words}).text
        assert {game for game in (one, two) if game in page} == found, words
    today = local_history.clock().date().isoformat()
    assert one in client.get(f"/history?q={today}").text
    assert client.get("/history?show=films").status_code == 404


def test_a_replay_shows_every_moment_and_its_points(client: FlaskClient, local_history: History) -> None:
    game = played_game(local_history)
    state = fold(game, *local_history.log(game))
    last = len(state.turns)
    page = client.get(f"/history/{game}").text
    assert f'max="{last}"' in page
    assert 'class="curve"' in page
    for at in (0, 5, last):
        moment = client.get(f"/history/{game}/frame/{at}").text
        assert "<html" not in moment
        position = state.turns[at - 1].position if at else state.first
        for player in state.players:
            points = score(_parsed(position), player.letters, state.table.rules).points
            assert re.search(rf"<span>{player.name}</span> <b>{points}</b>", moment)
        assert client.get(f"/history/{game}?at={at}").status_code == 200
    assert client.get(f"/history/{game}/frame/{last + 1}").status_code == 404
    assert client.get(f"/history/{'0' * 16}").status_code == 404


def _parsed(text: str):
    from engine import Position

    return Position.parse(text)


def test_a_running_game_tells_nothing_that_lies_covered(client: FlaskClient, local_history: History) -> None:
    game = played_game(local_history, most=30)
    state = fold(game, *local_history.log(game))
    at = next(i for i, turn in enumerate(state.turns, 1) if turn.steps.endswith(", cover"))
    cell = state.turns[at - 1].steps.rsplit("reveal ", 1)[1].split()[0]
    sentence = re.search(r'class="sentence"[^>]*>([^<]*)', client.get(f"/history/{game}/frame/{at}").text)[1]
    assert cell not in sentence
    client.post(f"/games/{game}/standings", headers=OWN)
    page = client.get(f"/history/{game}").text
    assert "hidden until the end" in page
    assert 'class="curve"' not in page
    assert client.get(f"/history/{game}/picture.png").status_code == 404


def test_notes_are_kept_changed_and_taken_away(client: FlaskClient, local_history: History) -> None:
    game = played_game(local_history, most=3)
    client.post(f"/history/{game}/notes", data={"text": "  rian\r\nand tea\x00 "}, headers=OWN)
    (note,) = fold(game, *local_history.log(game)).notes
    assert note.text == "rian\nand tea"
    client.post(f"/history/{game}/notes", data={"text": "rain", "replaces": note.entry}, headers=OWN)
    (note,) = fold(game, *local_history.log(game)).notes
    assert note.text == "rain"
    client.post(f"/history/{game}/notes", data={"text": "", "replaces": note.entry}, headers=OWN)
    assert "rain" not in [note.text for note in fold(game, *local_history.log(game)).notes]
    answer = client.post(f"/history/{game}/notes", data={"text": "x", "replaces": 99}, headers=OWN)
    assert answer.status_code == 400


def test_deleting_asks_first_and_can_be_undone_for_thirty_days(tmp_path: Path, reader: KnowingReader) -> None:
    now = [datetime(2026, 11, 1, 20)]
    history = open_history(tmp_path, clock=lambda: now[0])
    client = create_app(history=history, reader=reader).test_client()
    game = played_game(history, most=3)
    assert "Delete this game?" in client.get(f"/history/{game}/delete").text
    assert fold(game, *history.log(game)).deleted is None
    client.post(f"/history/{game}/delete", headers=OWN)
    assert game not in client.get("/history").text
    now[0] += timedelta(days=29)
    assert sweep(history) == (0, 0)
    page = client.get("/history?show=deleted").text
    assert game in page
    assert "1 more day" in page
    client.post(f"/history/{game}/restore", headers=OWN)
    assert game in client.get("/history").text
    client.post(f"/history/{game}/delete", headers=OWN)
    now[0] += timedelta(days=30)
    assert sweep(history) == (1, 0)
    assert client.get(f"/history/{game}").status_code == 404
    history.close()


def test_players_are_summed_up(client: FlaskClient, local_history: History) -> None:
    assert "Once a game" in client.get("/players").text
    games = [played_game(local_history, ("Ada", "Bo", "Cy"), seed=seed) for seed in (1, 2)]
    played_game(local_history, ("Ada", "Bo"), most=5)
    states = [fold(game, *local_history.log(game)) for game in games]
    ada = [score(_parsed(s.position), s.players[0].letters, s.table.rules).points for s in states]
    page = client.get("/players").text
    assert page.count('class="person card"') == 3
    assert "in 2 games" in page
    assert f"Best carpet: {max(ada)} points" in page
    assert page.count('class="balance"') == 3
    client.post(f"/history/{games[0]}/delete", headers=OWN)
    assert "in 1 game<" in client.get("/players").text


def test_a_snapshot_with_names_counts_once_it_is_over(client: FlaskClient, local_history: History) -> None:
    answer = client.post("/positions", data={"position": str(finished_position())}, headers=OWN)
    game = answer.headers["Location"].rsplit("/", 1)[1]
    assert "Once a game" in client.get("/players").text
    client.post(f"/table/{game}/players", data={"owner-v": "Ada", "owner-b": "Bo"}, headers=OWN)
    assert page_names(client) == ["Ada", "Bo"]
    assert client.get(f"/history/{game}").status_code == 200


def page_names(client: FlaskClient) -> list[str]:
    return sorted(re.findall(r"</svg></span><span>([^<]*)</span></h2>", client.get("/players").text))


def test_a_small_board_is_a_harmless_picture(client: FlaskClient, local_history: History) -> None:
    game = played_game(local_history, ("<script>alert(1)</script>", "Bo"), most=9)
    answer = client.get(f"/history/{game}/board.svg")
    assert answer.mimetype == "image/svg+xml"
    assert "<script" not in answer.text
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    shared = client.get(f"/history/{game}/picture.svg")
    assert "attachment" in shared.headers["Content-Disposition"]
    assert "<script" not in shared.text
    picture = Image.open(io.BytesIO(client.get(f"/history/{game}/picture.png").data))
    assert picture.size[0] == 1080
    assert client.get(f"/history/{game}/picture.exe").status_code == 404


def test_exports_come_back_through_the_page(
    client: FlaskClient, local_history: History, reader, tmp_path: Path
) -> None:
    position = finished_position()
    photo = reader.learn(drawn_photo(position), position)
    answer = client.post("/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    client.get(answer.headers["Location"] + "/reading")
    game = played_game(local_history, most=12)
    client.post(f"/history/{game}/notes", data={"text": "cake"}, headers=OWN)
    assert client.get(f"/history/{game}/export.json").status_code == 404
    assert game not in client.get("/history/export.json").text
    client.post(f"/games/{game}/end", headers=OWN)
    whole = client.get("/history/export.json?photos=1").data
    with client.get("/history/backup.zip") as answer:
        backup = answer.data
    for name, data in (("games.json", whole), ("backup.zip", backup)):
        other = open_history(tmp_path / name)
        fresh = create_app(history=other, reader=reader).test_client()
        answer = fresh.post("/history/import", data={"file": (io.BytesIO(data), "../../" + name)}, headers=OWN)
        assert answer.status_code == 303, answer.text
        assert "2 games are new here" in fresh.get(answer.headers["Location"]).text
        assert list(other.logs()) == list(local_history.logs())
        assert next(iter(other.shelf.folder.rglob("*.png"))).read_bytes() == photo
        again = fresh.post("/history/import", data={"file": (io.BytesIO(data), name)}, headers=OWN)
        assert "2 games were here already" in fresh.get(again.headers["Location"]).text
        other.close()
    without = json.loads(client.get(f"/history/{game}/export.json").data)
    assert [told["id"] for told in without["games"]] == [game]


def test_a_game_whose_photo_stayed_behind_can_still_be_looked_at(
    client: FlaskClient, reader: KnowingReader, tmp_path: Path
) -> None:
    position = finished_position()
    photo = reader.learn(drawn_photo(position), position)
    answer = client.post("/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    address = answer.headers["Location"]
    client.get(address + "/reading")
    data = client.get("/history/export.json").data
    other = open_history(tmp_path / "other")
    fresh = create_app(history=other, reader=reader).test_client()
    fresh.post("/history/import", data={"file": (io.BytesIO(data), "x.json")}, headers=OWN)
    assert "did not come with the game" in fresh.get(address.replace("/table/", "/history/")).text
    page = fresh.get(address)
    assert page.status_code == 200
    assert fresh.get(re.search(r"/photos/\w+\.jpg", page.text)[0]).mimetype == "image/svg+xml"
    other.close()


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"not json", b"PK\x03\x04 not a zip", b"[" * 10_000, b"\x89PNG\r\n\x1a\n"]
)
def test_a_wrong_file_is_refused_in_a_sentence(client: FlaskClient, data: bytes, local_history: History) -> None:
    answer = client.post("/history/import", data={"file": (io.BytesIO(data), "x")}, headers=OWN)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert not local_history.heads()
    assert client.post("/history/import", data={}, headers=OWN).status_code == 422


def test_a_photo_that_only_claims_to_be_one_is_not_taken_in(
    client: FlaskClient, reader: KnowingReader, tmp_path: Path
) -> None:
    position = finished_position()
    photo = reader.learn(drawn_photo(position), position)
    client.post("/photos", data={"photo": (io.BytesIO(photo), "x.png")}, headers=OWN)
    data = client.get("/history/export.json?photos=1").data
    other = open_history(tmp_path / "other")
    strict = create_app(history=other, reader=KnowingReader()).test_client()  # knows no photo, so it refuses every one
    answer = strict.post("/history/import", data={"file": (io.BytesIO(data), "x.json")}, headers=OWN)
    assert answer.status_code == 422
    assert not other.heads()
    other.close()
