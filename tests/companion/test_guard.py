"""Only the table can change the game."""

import pytest
from flask import Flask

from companion.app import create_app
from companion.guard import COOKIE, KEY, Knocks
from companion.history import History
from tests.table import KnowingReader, finished_position

OWN = {"Origin": "http://localhost"}


@pytest.fixture
def app(local_history: History) -> Flask:
    return create_app(history=local_history, reader=KnowingReader())


@pytest.fixture
def lan(local_history: History) -> Flask:
    return create_app(history=local_history, reader=KnowingReader(), lan=True)


def addresses(app: Flask, method: str) -> list[str]:
    fill = {"game": "0" * 16, "sha256": "0" * 64, "filename": "page.css", "secret": "wrong", "number": 1}
    rules = [rule for rule in app.url_map.iter_rules() if method in rule.methods]
    return [
        app.url_map.bind("localhost").build(r.endpoint, {a: fill.get(a, "x") for a in r.arguments}, method)
        for r in rules
    ]


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://localhost", "http://localhost:81"])
def test_no_form_from_elsewhere_is_taken(app: Flask, origin: str | None) -> None:
    client = app.test_client()
    headers = {"Origin": origin} if origin else {}
    for address in addresses(app, "POST"):
        assert client.post(address, headers=headers).status_code == 403, address


def test_looking_changes_nothing(app: Flask, local_history: History) -> None:
    position = str(finished_position())
    game = local_history.begin("snapshot", [("position", {"position": position})])
    before = list(local_history.logs())
    client = app.test_client()
    for address in addresses(app, "GET"):
        client.get(address.replace("0" * 16, game)).close()
    assert list(local_history.logs()) == before


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.7"])
def test_other_hosts_are_refused_in_words(app: Flask, host: str) -> None:
    answer = app.test_client().get("/", base_url=f"http://{host}")
    assert answer.status_code == 400
    assert "Take a photo" not in answer.text
    assert "Traceback" not in answer.text


def test_every_answer_carries_the_policy(app: Flask) -> None:
    client = app.test_client()
    for address in ["/", "/nowhere", "/static/page.css", "/photos/x.jpg"]:
        with client.get(address) as answer:
            headers = answer.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_no_page_has_inline_script_or_style(app: Flask) -> None:
    page = app.test_client().get("/").text
    assert "style=" not in page
    assert "<style" not in page
    assert " onclick" not in page
    assert page.count("<script") == page.count("<script src=")


def test_without_the_secret_nothing_is_seen(lan: Flask) -> None:
    client = lan.test_client()
    for address in addresses(lan, "GET"):
        if not address.startswith("/static"):
            assert client.get(address).status_code == 403, address
    for address in addresses(lan, "POST"):
        if address != "/language":
            assert client.post(address, headers=OWN).status_code == 403, address


def test_the_secret_opens_and_a_new_one_closes(lan: Flask, local_history: History) -> None:
    one, other = lan.test_client(), lan.test_client()
    secret = local_history.key(KEY)
    assert len(secret) >= 22
    for client in (one, other):
        assert client.get(f"/join/{secret}").status_code == 302
        assert client.get("/").status_code == 200
    cookie = one.get_cookie(COOKIE)
    assert cookie is not None
    assert cookie.value != secret
    assert cookie.http_only
    assert one.post("/join/renew", headers=OWN).status_code == 302
    assert one.get("/").status_code == 200
    assert other.get("/").status_code == 403
    assert other.get(f"/join/{secret}").status_code == 403
    assert local_history.key(KEY) in one.get("/join").text


def test_guessing_is_slowed_down(lan: Flask, local_history: History) -> None:
    client = lan.test_client()
    answers = [client.get(f"/join/guess{n}").status_code for n in range(12)]
    assert answers == [403] * 10 + [429] * 2
    assert client.get(f"/join/{local_history.key(KEY)}").status_code == 429


def test_the_door_opens_again_after_a_minute() -> None:
    now = [0.0]
    knocks = Knocks(most=2, seconds=60, clock=lambda: now[0])
    knocks.add_wrong("a")
    knocks.add_wrong("a")
    assert knocks.is_too_many("a")
    assert not knocks.is_too_many("b")
    now[0] = 61
    assert not knocks.is_too_many("a")


def test_the_invitation_is_only_for_the_home_network(app: Flask) -> None:
    assert app.test_client().get("/join").status_code == 404


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_changing_the_language_leads_nowhere_else(app: Flask, back: str) -> None:
    answer = app.test_client().post("/language", data={"language": "en", "back": back}, headers=OWN)
    assert answer.headers["Location"] == "/"


def test_too_much_is_refused(app: Flask) -> None:
    client = app.test_client()
    many = {f"x{n}": "1" for n in range(300)}
    assert (
        client.post("/positions", data=many, headers={**OWN, "Content-Type": "multipart/form-data"}).status_code == 413
    )
    claimed = {"CONTENT_LENGTH": str(10**9), "CONTENT_TYPE": "multipart/form-data; boundary=x"}
    huge = client.post("/photos", headers=OWN, environ_overrides=claimed)
    assert huge.status_code == 413
    assert client.get("/photos/..%2f..%2fetc%2fpasswd.jpg").status_code == 404
