"""Every rule can be looked up, and every point and verdict leads to its rule."""

import re

import pytest
from flask.testing import FlaskClient

from companion.app import create_app
from companion.history import History
from companion.pages.rules import CHAPTERS, PICTURES, WHY
from companion.phrases import OPTION_NAMES, rule_link
from engine import GAMES
from tests.table import KnowingReader, finished_position

OWN = {"Origin": "http://localhost"}


@pytest.fixture
def client(local_history: History) -> FlaskClient:
    return create_app(history=local_history, reader=KnowingReader()).test_client()


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_and_option_has_its_place(client: FlaskClient, game: str) -> None:
    page = client.get(f"/rules/{game}", follow_redirects=True).text
    ids = re.findall(r'class="rule-entry card" id="([^"]+)"', page)
    assert set(GAMES[game].rulebook) == {rule for rule in ids if not rule.startswith("option-")}
    assert [rule for rule in ids if ids.count(rule) > 1] == []
    assert {f"option-{option}" for option in GAMES[game].options} <= set(ids)
    assert set(GAMES[game].options) <= set(WHY)
    assert set(GAMES[game].options) <= set(OPTION_NAMES)
    assert {rule for chapter in CHAPTERS[game].values() for rule in chapter} == set(GAMES[game].rulebook)


def test_the_first_rules_are_those_of_serendipity(client: FlaskClient) -> None:
    assert 'id="own-swap"' in client.get("/rules").text
    assert set(PICTURES) <= set(GAMES["serendipity"].rulebook)
    assert client.get("/rules/chess").status_code == 404


def test_every_point_leads_to_its_rule(client: FlaskClient) -> None:
    answer = client.post("/positions", data={"position": str(finished_position())}, headers=OWN)
    page = client.get(answer.headers["Location"]).text
    links = set(re.findall(r'class="look-up" href="([^"]+)"', page))
    assert {rule_link("point-flower"), rule_link("point-serendip"), rule_link("point-match")} <= links
    for link in links:
        address, _, anchor = link.partition("#")
        assert f'id="{anchor}"' in client.get(address).text
