"""Seven languages, complete: every text that code, templates, rules and reasons can say is in every catalogue."""

import re

import pytest
from flask.testing import FlaskClient

from companion.app import create_app
from companion.history import History
from companion.languages import LANGUAGES, translations
from tests.table import KnowingReader
from tests.words import OTHERS, load, missing, updated

OWN = {"Origin": "http://localhost"}


@pytest.fixture
def client(local_history: History) -> FlaskClient:
    return create_app(history=local_history, reader=KnowingReader()).test_client()


def test_all_seven_languages_can_be_chosen() -> None:
    assert set(LANGUAGES) == {"de", "en", "fr", "nl", "it", "hu", "ru"}


@pytest.mark.parametrize("language", OTHERS)
def test_no_text_is_missing(language: str) -> None:
    """Compare with texts found afresh; `make words` puts the new ones into the catalogues."""
    there, wanted = load(language), updated(language)
    assert {message.id for message in there} == {message.id for message in wanted}
    assert missing(wanted) == []
    assert [message.id for message in there if message.fuzzy and message.id] == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_translation_has_the_places_of_its_text(language: str) -> None:
    for message in load(language):
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        said = message.string if isinstance(message.string, tuple) else (message.string,)
        wanted = sorted(re.findall(r"\{(\w*)\}", ids[-1]))
        for text in said:
            assert sorted(re.findall(r"\{(\w*)\}", text)) == wanted, message.id
            # Formatting fails on a stray brace, on the page of one language only.
            text.format_map(dict.fromkeys(wanted, "x"))


@pytest.mark.parametrize(
    ("language", "counts"),
    [
        ("de", {0: "0 Punkte", 1: "1 Punkt", 2: "2 Punkte"}),
        ("fr", {0: "0 point", 1: "1 point", 2: "2 points"}),
        ("nl", {0: "0 punten", 1: "1 punt", 21: "21 punten"}),
        ("it", {0: "0 punti", 1: "1 punto", 2: "2 punti"}),
        ("hu", {0: "0 pont", 1: "1 pont", 2: "2 pont"}),
        ("ru", {1: "1 очко", 2: "2 очка", 5: "5 очков", 11: "11 очков", 21: "21 очко", 24: "24 очка", 0: "0 очков"}),
    ],
)
def test_counting_follows_the_language(language: str, counts: dict[int, str]) -> None:
    points = translations(language).ngettext
    assert {n: points("{n} point", "{n} points", n).format(n=n) for n in counts} == counts


@pytest.mark.parametrize(
    ("asked", "language"),
    [("hu", "hu"), ("de-AT,de;q=0.9,en;q=0.5", "de"), ("pt,fr;q=0.4", "fr"), ("ja", "en"), ("ru-RU", "ru"), ("", "en")],
)
def test_the_browser_chooses(client: FlaskClient, asked: str, language: str) -> None:
    page = client.get("/", headers={"Accept-Language": asked}).text
    assert f'<html lang="{language}">' in page


def test_a_person_chooses_over_the_browser(client: FlaskClient) -> None:
    client.post("/language", data={"language": "nl", "back": "/"}, headers=OWN)
    page = client.get("/", headers={"Accept-Language": "de"}).text
    assert '<html lang="nl">' in page
    assert "Foto maken" in page


def test_a_mistake_is_said_in_the_language_of_the_page(client: FlaskClient) -> None:
    hungarian = {**OWN, "Accept-Language": "hu"}
    refused = client.post("/positions", data={"position": "b/x"}, headers=hungarian)
    assert "B sor, 1. mező" in refused.text
    assert "row B" not in refused.text
