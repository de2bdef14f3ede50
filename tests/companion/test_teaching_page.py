"""Teaching one's own copy on the page: a rosette becomes a profile that readings use and a backup holds."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from calibration import from_text
from companion.app import create_app
from companion.history import History, fold, open_history
from companion.history.backup import restore, save_backup
from companion.history.profiles import kept_profiles, used_profile
from companion.reading import Reader
from tests.calibration.test_rosette import photograph
from tests.server import photo_form

OWN = {"Origin": "http://localhost"}
SAMPLES = Path(__file__).parents[2] / "sample_images"
ROSETTE = SAMPLES / "rosettes" / "garden.jpg"


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    started = Reader(children=1)
    yield started
    started.close()


@pytest.fixture
def client(local_history: History, reader: Reader) -> FlaskClient:
    return create_app(history=local_history, reader=reader).test_client()


def send(client: FlaskClient, photo: Path | bytes, to: str = "/copy/photos"):
    data = photo.read_bytes() if isinstance(photo, Path) else photo
    body, kind = photo_form(data)
    return client.post(to, data=body, content_type=kind, headers=OWN)


def test_a_rosette_is_learned_used_and_backed_up(
    client: FlaskClient, local_history: History, reader: Reader, tmp_path: Path
) -> None:
    assert "rosette" in client.get("/copy").text
    answer = send(client, ROSETTE)
    assert answer.status_code == 303
    page = client.get(answer.headers["Location"]).text
    assert "Your copy is learned" in page
    (kept,) = kept_profiles(local_history)
    assert (kept.name, kept.is_used) == ("My copy", True)
    assert len(re.findall(r"/face-\d\.png", page)) == 8
    assert client.get(f"/copy/{kept.id}/face-0.png").mimetype == "image/png"
    assert client.get(f"/copy/{kept.id}/face-8.png").status_code == 404
    assert from_text(client.get(f"/copy/{kept.id}.json").text) == from_text(kept.text)
    # A photo is read with the profile in use, and otherwise without one.
    snapshot = send(client, SAMPLES / "easy.jpg", "/photos").headers["Location"]
    client.get(snapshot + "/reading")
    assert reader.profile == used_profile(local_history)
    client.post("/copy/use", data={"profile": ""}, headers=OWN)
    assert used_profile(local_history) is None
    client.post(f"/copy/{kept.id}/name", data={"name": " Grandma's <b>box</b>\n "}, headers=OWN)
    page = client.get("/copy").text
    assert "<b>box" not in page
    assert "Grandma&#39;s" in page
    client.post("/copy/use", data={"profile": kept.id}, headers=OWN)
    save_backup(local_history, tmp_path / "b.zip")
    restore(tmp_path / "b.zip", tmp_path / "other")
    other = open_history(tmp_path / "other")
    assert kept_profiles(other) == kept_profiles(local_history)
    assert other.photo_path(other.photo(kept.photo)).exists()
    assert used_profile(other).read_text() == kept.text
    other.close()
    client.post(f"/copy/{kept.id}/remove", headers=OWN)
    assert client.get(f"/copy/{kept.id}").status_code == 404
    assert client.post("/copy/use", data={"profile": kept.id}, headers=OWN).status_code == 404


def test_a_confirmed_photo_teaches_and_is_taken_back(client: FlaskClient, local_history: History) -> None:
    snapshot = send(client, SAMPLES / "easy.jpg", "/photos").headers["Location"]
    client.get(snapshot + "/reading")
    game = snapshot.rsplit("/", 1)[1]
    state = fold(game, *local_history.log(game))
    if state.sheet.unsure:
        assert client.post(f"/copy/practice/{game}", headers=OWN).status_code == 404
        said = {"of": 1, "position": state.position, "unsure": [], "turned": 0}
        local_history.append(game, "position", said, replaces=2)
    begun = client.post(f"/copy/practice/{game}", headers=OWN).headers["Location"]
    assert "The photo was learned" in client.get(begun).text
    (kept,) = kept_profiles(local_history)
    assert kept.is_used
    again = client.post(f"/copy/practice/{game}", headers=OWN).headers["Location"]
    assert "learned already" in client.get(again).text
    assert kept_profiles(local_history) == [kept]
    other = send(client, SAMPLES / "tilted.jpg", "/photos").headers["Location"]
    client.get(other + "/reading")
    state = fold(other.rsplit("/", 1)[1], *local_history.log(other.rsplit("/", 1)[1]))
    said = {"of": 1, "position": state.position, "unsure": [], "turned": 0}
    local_history.append(state.id, "position", said, replaces=2)
    client.post(f"/copy/practice/{state.id}", headers=OWN)
    (more,) = kept_profiles(local_history)
    names = [sitting.photo for sitting in from_text(more.text).sittings]
    if len(names) > 1:  # another print is not learned into this one
        page = client.get(f"/copy/{kept.id}").text
        assert names[1] in page
        client.post(f"/copy/{kept.id}/forget", data={"photo": names[1]}, headers=OWN)
        (back,) = kept_profiles(local_history)
        assert back.text == kept.text
    assert client.post(f"/copy/{kept.id}/forget", data={"photo": "../x"}, headers=OWN).status_code == 400


def test_what_is_wrong_with_a_rosette_is_shown_on_its_photo(client: FlaskClient, local_history: History) -> None:
    answer = send(client, photograph(5000, "two flowers changed places")[0])
    page = client.get(answer.headers["Location"], follow_redirects=True)
    assert kept_profiles(local_history) == []
    assert "not quite right" in page.text
    assert 'class="asked"' in page.text


def test_a_photo_of_something_else_is_refused_in_a_sentence(client: FlaskClient, local_history: History) -> None:
    answer = send(client, SAMPLES / "no_board.jpg")
    assert answer.status_code == 422
    assert "rosette" in answer.text
    assert kept_profiles(local_history) == []
    assert client.get(f"/copy/wrong/{'0' * 64}").status_code == 404


def test_profiles_work_on_both_databases(history: History) -> None:
    from companion.history.profiles import keep_profile, remove_profile, rename_profile, use_profile

    first = keep_profile(history, "one", '{"a": 1}', None)
    second = keep_profile(history, "two", '{"b": 2}', None)
    assert [kept.name for kept in kept_profiles(history) if kept.is_used] == ["two"]
    use_profile(history, first)
    rename_profile(history, first, "uno")
    assert [kept.name for kept in kept_profiles(history) if kept.is_used] == ["uno"]
    with pytest.raises(KeyError):
        use_profile(history, "0" * 16)
    assert [kept.name for kept in kept_profiles(history) if kept.is_used] == ["uno"]
    remove_profile(history, second)
    use_profile(history, None)
    assert used_profile(history) is None
    assert [kept.id for kept in kept_profiles(history)] == [first]
