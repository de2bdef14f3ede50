"""Looking back on a phone: the slider of a replay, with and without JavaScript, and files that leave."""

import json
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import Phones, Table, accessibility_faults
from tests.companion.test_past_pages import played_game

SAMPLES = Path(__file__).parents[2] / "sample_images"


def test_a_game_is_replayed_and_exported(phones: Phones, table: Table, tmp_path: Path) -> None:
    game = played_game(table.history, ("Ada", "Bo"))
    played_game(table.history, ("Ada", "Cy"), most=6, seed=2)
    page = phones.open(f"{table.address}history")
    page.get_by_role("searchbox").fill("bo")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".game-card")).to_have_count(1)
    page.locator(".game-card").click()
    slider = page.get_by_role("slider", name="Moment of the game")
    last = int(slider.get_attribute("max") or 0)
    assert last > 20
    end = page.locator(".frame .board").inner_html()
    slider.fill("5")
    expect(page.locator(".frame .count")).to_have_text(f"5 of {last}")
    assert page.locator(".frame .board").inner_html() != end
    page.get_by_role("link", name="One on").click()
    expect(page.locator(".frame .count")).to_have_text(f"6 of {last}")
    page.get_by_role("link", name="To the end").click()
    expect(page.locator(".frame .count")).to_have_text(f"{last} of {last}")
    assert page.locator(".frame .board").inner_html() == end
    expect(slider).to_have_value(str(last))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert accessibility_faults(page) == []

    with page.expect_download() as download:
        page.get_by_role("link", name="Picture").click()
    download.value.save_as(tmp_path / "board.png")
    with Image.open(tmp_path / "board.png") as picture:
        assert picture.size[0] == 1080
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON", exact=True).click()
    download.value.save_as(tmp_path / "game.json")
    assert [told["id"] for told in json.loads((tmp_path / "game.json").read_text())["games"]] == [game]
    assert (page.get_by_role("link", name="BG Stats", exact=True).get_attribute("href") or "").startswith("bgstats://")

    page.get_by_role("link", name="Delete this game…").click()
    page.get_by_role("button", name="Yes, delete it").click()
    expect(page.locator(".game-card")).to_have_count(1)
    page.get_by_role("link", name="Deleted").click()
    page.locator(".game-card").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("button", name="Restore")).to_have_count(0)
    page.goto(f"{table.address}history/import")
    page.get_by_label("The file").set_input_files(tmp_path / "game.json")
    page.get_by_role("button", name="Take it in").click()
    expect(page.get_by_role("status")).to_contain_text("was here already")


def test_a_replay_needs_no_script(phones: Phones, table: Table) -> None:
    game = played_game(table.history, most=8)
    page = phones.open(f"{table.address}history/{game}", java_script_enabled=False)
    page.get_by_role("link", name="One back").click()
    assert page.locator(".frame .count").inner_text() == "7 of 8"
    page.get_by_role("link", name="To the beginning").click()
    assert page.locator(".frame .count").inner_text() == "0 of 8"
    page.locator("#note").fill("tea and rain")
    page.get_by_role("button", name="Keep the note").click()
    assert "tea and rain" in page.locator(".note-text").inner_text()


def test_players_rules_and_the_rest_are_accessible(phones: Phones, table: Table) -> None:
    played_game(table.history, ("Ada", "Bo"))
    page = phones.open(f"{table.address}players")
    expect(page.locator(".person")).to_have_count(2)
    for address in ("players", "history", "history/import", "rules", "rules/gardens-of-mars#plant", "copy"):
        page.goto(table.address + address)
        assert accessibility_faults(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    expect(page.locator(".copy .board")).to_be_visible()


def test_a_rosette_is_taught(phones: Phones, address: str) -> None:
    page = phones.open(f"{address}copy")
    page.locator("#album").set_input_files(SAMPLES / "rosettes" / "garden.jpg")
    page.wait_for_url(lambda url: "/copy/" in url)
    expect(page.get_by_text("Your copy is learned")).to_be_visible()
    expect(page.locator(".learned-faces li")).to_have_count(8)
    assert accessibility_faults(page) == []
    page.get_by_role("link", name="All copies").click()
    expect(page.locator(".copies .used")).to_have_count(1)
    page.get_by_role("button", name="Read without a profile").click()
    expect(page.locator(".copies .used")).to_have_count(0)
