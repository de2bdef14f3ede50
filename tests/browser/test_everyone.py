"""For everyone at the table: seven languages, small phones, the keyboard alone, a screen reader, no JavaScript."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from companion.languages import LANGUAGES
from engine import Position
from engine.position import is_serendip
from tests.browser.conftest import Phones, Table, accessibility_faults, send_photo
from tests.table import drawn_photo, finished_position
from tests.words import OTHERS, load

SAMPLES = Path(__file__).parents[2] / "sample_images"
PLAYERS = [{"name": "Ada", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}]


def pages_of(table: Table) -> list[str]:
    """Put a scored position, a running game and a finished one on the table; return the addresses of all main pages."""
    position = str(finished_position())
    seats = ("settings", {"players": PLAYERS})
    snapshot = table.history.begin("snapshot", [("position", {"position": position})])
    running = table.history.begin("game", [seats, ("position", {"position": str(Position.covered())})])
    over = table.history.begin("game", [seats, ("position", {"position": position}), ("end", {"early": True})])
    paths = ["", "games/new", "referee", "history", "players", "rules", "rules/gardens-of-mars", "copy", "nowhere"]
    paths += [f"table/{snapshot}?player=2", f"table/{snapshot}?cell=D4", f"games/{running}", f"games/{over}"]
    return [*paths, f"history/{over}"]


def english_sentences(language: str) -> list[str]:
    """Return pieces of English text that must not be seen on a page in this language."""
    pieces = []
    for message in load(language):
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        said = " ".join(message.string if isinstance(message.string, tuple) else (message.string,))
        for piece in re.split(r"\{\w+\}", ids[-1]):
            if len(piece.strip()) >= 12 and " " in piece.strip() and piece.strip() not in said:
                pieces.append(piece.strip())
    return pieces


@pytest.mark.parametrize("language", OTHERS)
def test_every_page_speaks_the_language_on_the_smallest_phone(phones: Phones, table: Table, language: str) -> None:
    phones.expect(404)
    page = phones.open(table.address, language=language, width=320, height=640)
    foreign = english_sentences(language)
    assert len(foreign) > 300
    for path in pages_of(table):
        page.goto(table.address + path)
        assert page.locator("html").get_attribute("lang") == language
        seen = " ".join(page.locator("body").inner_text().split())
        assert [piece for piece in foreign if piece in seen] == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, f"{path} is wider than the phone"


def test_the_language_can_be_switched(phones: Phones, table: Table) -> None:
    page = phones.open(table.address, language="fr")
    for code, name in LANGUAGES.items():
        page.locator("#language").select_option(label=name)
        page.wait_for_selector(f"html[lang={code}]")


def test_every_page_is_for_everyone(phones: Phones, table: Table) -> None:
    """No axe violation in light or dark, and nothing to tap that is smaller than a fingertip."""
    phones.expect(404)
    page = phones.open(table.address)
    small = """() => [...document.querySelectorAll("button, .button, summary, select, nav a, input:not([type=hidden])")]
        .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
        .filter((element) => Math.round(element.getBoundingClientRect().height) < 44 && !element.closest("label, svg"))
        .map((element) => element.outerHTML.slice(0, 90))"""
    for path in pages_of(table):
        page.goto(table.address + path)
        assert accessibility_faults(page) == [], path
        assert page.evaluate(small) == [], path


def test_the_keyboard_alone_scores_and_corrects(phones: Phones, table: Table) -> None:
    page = phones.open(table.address)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator(".text-entry summary").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.insert_text(str(finished_position()))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/table/*")
    page.locator("a:has([data-cell='D4'])").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".sheet button").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".sheet")).to_have_count(0)
    page.locator("a:has([data-cell='D4'])").focus()
    page.keyboard.press("Enter")
    page.locator(".sheet button[value='_']").focus()
    page.keyboard.press("Enter")
    expect(page.locator("a:has([data-cell='D4'])")).to_have_attribute("aria-label", "D4: no tile")


def test_without_javascript_a_photo_is_scored_and_corrected(phones: Phones, table: Table) -> None:
    position = finished_position()
    page = phones.open(table.address, java_script_enabled=False)
    photo = table.reader.learn(drawn_photo(position), position, {"A1": ("y", position["A1"])})
    page.locator("#album").set_input_files({"name": "t.png", "mimeType": "image/png", "buffer": photo})
    page.get_by_role("button", name="Use this photo").last.click()
    page.wait_for_selector(".question")
    page.locator(f".question button[value='{position['A1']}']").first.click()
    expect(page.locator("h1")).to_contain_text("wins")
    page.locator("a:has([data-cell='D4'])").click()
    page.locator(".sheet button[value='_']").click()
    expect(page.locator("a:has([data-cell='D4'])")).to_have_attribute("aria-label", "D4: no tile")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("a:has([data-cell='D4'])")).not_to_have_attribute("aria-label", "D4: no tile")


def test_a_serendip_and_the_board_are_turned_by_tapping(phones: Phones, table: Table) -> None:
    position = finished_position()
    cell = next(name for name in position.board.names if is_serendip(position[name]))
    page = phones.open(table.address)
    send_photo(page, table.reader.learn(drawn_photo(position), position))
    page.locator(f"[data-cell={cell}]").tap()
    for turns in (1, 2):
        page.locator(".turning button").tap()
        turned = position[cell][turns:] + position[cell][:turns]
        expect(page.locator(f".sheet button.face[value={turned}]")).to_have_attribute("aria-current", "true")
    page.locator(".sheet .close").tap()
    page.get_by_role("button", name="Turn the board").tap()
    there = position.board.names[position.board.turns[1][position.board.indices[cell]]]
    expect(page.locator(f"a:has([data-cell={there}])")).to_have_attribute("aria-label", re.compile("Serendip"))


def test_a_point_is_explained_on_tap(phones: Phones, table: Table) -> None:
    position = finished_position()
    page = phones.open(table.address)
    send_photo(page, table.reader.learn(drawn_photo(position), position))
    page.locator(".score summary").first.tap()
    expect(page.locator(".small-board")).to_be_visible()
    page.locator(".score details[open] .lines a[data-swift]").first.tap()
    cells = page.locator(".score details[open] .lines .cells").first.inner_text().split()
    expect(page.locator(".small-board .marked")).to_have_count(len(cells))


def test_many_questions_are_answered_at_once(phones: Phones, table: Table) -> None:
    position = finished_position()
    doubts = {name: (position[name], "y") for name in ("A1", "B2", "C3", "D4", "E5")}
    page = phones.open(table.address)
    send_photo(page, table.reader.learn(drawn_photo(position), position, doubts))
    expect(page.locator("h1")).to_have_text("5 tiles need your eye")
    page.get_by_role("button", name="The others all lie as drawn").tap()
    expect(page.locator("h1")).to_contain_text("wins")


def test_a_rosette_teaches_a_copy(phone: Page) -> None:
    phone.locator(".rooms").get_by_role("link", name="My copy").click()
    phone.locator("#album").set_input_files(SAMPLES / "rosettes" / "garden.jpg")
    expect(phone.locator("main")).to_contain_text("Your copy is learned", timeout=60_000)
    assert accessibility_faults(phone) == []
