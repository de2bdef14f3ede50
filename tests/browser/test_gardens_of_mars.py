"""A whole game of Gardens of Mars for two, tapped on a phone."""

import random
import re

import pytest
from playwright.sync_api import Page, expect

from companion.history import fold
from companion.play import gardens_of_mars as way
from engine import GAMES
from tests.browser.conftest import Phones, Table, accessibility_faults

MARS = GAMES["gardens-of-mars"]
MOST_TURNS = 120


@pytest.fixture(autouse=True)
def same_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the companion draw and roll the same every time."""
    luck = random.Random(11)
    monkeypatch.setattr(way.secrets, "randbelow", luck.randrange)
    monkeypatch.setattr(way.random, "SystemRandom", lambda: luck)


def sit_down(page: Page) -> None:
    page.get_by_role("link", name="New game").click()
    page.get_by_role("link", name="Gardens of Mars").click()
    page.wait_for_selector("text=counter-clockwise")
    page.get_by_label("Name").nth(0).fill("Ada")
    page.get_by_label("Name").nth(1).fill("Bo")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("svg.garden")


def tap(page: Page, what: str) -> None:
    """Tap something and wait until the page has answered."""
    page.evaluate("document.querySelector('main').dataset.old = 'yes'")
    page.locator(what).first.tap()
    page.wait_for_selector("main:not([data-old])")


def tap_turn(page: Page, turn: int) -> None:
    if page.locator(".dice-entry").count():
        tap(page, "text=Roll for me")
    if page.locator(".lit").count():
        # The most points on offer; else anything but a loss, not always in the same corner.
        worth = page.eval_on_selector_all(
            ".cell.lit", "cells => cells.map(c => [c.dataset.cell, c.querySelector('.worth text')?.textContent || '0'])"
        )
        points = [(int(text.replace("−", "-")), cell) for cell, text in worth]
        best = [cell for n, cell in points if n == max(points)[0]]
        tap(page, f'[data-cell="{best[turn % len(best)]}"]')
        tap(page, ".sheet form button")
    else:
        tap(page, ".table-side form button")


def test_a_whole_game_for_two_is_tapped(phones: Phones, table: Table) -> None:
    page = phones.open(table.address)
    sit_down(page)
    game = page.url.rsplit("/", 1)[1]
    for turn in range(MOST_TURNS):
        if page.locator(".final").count():
            break
        tap_turn(page, turn)
        if turn == 9:
            assert accessibility_faults(page) == []
            page.emulate_media(color_scheme="light")
    played = fold(game, *table.history.log(game))
    assert played.ended
    state = MARS.at(played.table, played.first)
    for kept in played.turns[:-1]:
        state = MARS.next_turn(MARS.play(state, kept.steps))
    state = MARS.play(state, played.turns[-1].steps)
    standing = MARS.score(state)
    assert standing.over
    best = max(score.points for _, score in standing.scores)
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(rf"{standing.winners[0]}.*{best} points"))
    assert accessibility_faults(page) == []


def test_the_first_turns_with_real_dice_and_undo(phones: Phones, table: Table) -> None:
    page = phones.open(table.address)
    sit_down(page)
    assert accessibility_faults(page) == []
    for cell in ("D4", "D6"):
        tap(page, f'[data-cell="{cell}"]')
        tap(page, ".sheet form button")
    for number in (1, 2, 3, 3, 3, 3):
        tap(page, f'[aria-label="A die shows {number}"]')
    tap(page, '[data-cell="D7"]')
    expect(page.get_by_role("alertdialog")).to_contain_text("Another gardener stands on D6")
    tap(page, "text=Tap another hex")
    tap(page, '[data-cell="D1"]')
    expect(page.get_by_role("dialog")).to_contain_text("Which flower is planted on D1?")
    assert accessibility_faults(page) == []
    tap(page, '[data-colour="red"]')
    expect(page.locator(".last-turn")).to_contain_text("Ada goes from D4 to D1 with the 3 and plants red.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Bo is on turn")
    tap(page, "text=Undo")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada is on turn")


@pytest.mark.parametrize("language", ["de", "hu", "ru"])
def test_nothing_is_wider_than_the_phone(phones: Phones, table: Table, language: str) -> None:
    """Look in the languages with the longest words."""
    page = phones.open(f"{table.address}games/new?game=gardens-of-mars", language=language)
    page.locator(".rules-choice summary").tap()
    page.locator('[name="draw"][value="hands"]').check()
    widths = [page.evaluate("document.documentElement.scrollWidth")]
    page.locator('[name="draw"][value="seed"]').check()
    page.locator("#name-0").fill("Ada")
    page.locator("#name-1").fill("Bo")
    page.locator(".setup-form button.main").tap()
    page.wait_for_selector("svg.garden")
    for cell in ("D4", "D6"):
        tap(page, f'[data-cell="{cell}"]')
        tap(page, ".sheet form button")
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    page.goto(f"{page.url}?{'&'.join(['die=3'] * 6)}&tap=D7")
    widths.append(page.evaluate("document.documentElement.scrollWidth"))
    assert max(widths) <= 390
