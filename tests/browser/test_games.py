"""Games on phones: a whole short game with photos, taps, two phones at one table, a disputed move, marked corners."""

import time

import cv2
import numpy as np
from playwright.sync_api import Page, expect

from companion.history import fold
from engine import Position
from engine.board import board_of
from tests.browser.conftest import Phones, Table, accessibility_faults
from tests.browser.test_photo_to_points import in_the_naming_of
from tests.drawer.prints import make_print
from tests.drawer.scenes import Wish, draw_photo
from tests.table import RING, drawn_photo, finished_position

PLAYERS = [{"name": "Ada", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}]
LYING = {"A1": "b", "B3": "r", "C4": RING, "F6": "b", "H2": RING[2:] + RING[:2], "K6": "r"}


def laid(base: Position, faces: dict[str, str]) -> Position:
    return base.with_faces({board_of(6).index(name): face for name, face in faces.items()})


def sit_down(page: Page) -> None:
    """Begin a game of Ada with blue and Bo with red, as two people would who sit down."""
    page.get_by_role("link", name="New game").first.click()
    for seat, (name, letter) in enumerate((("Ada", "b"), ("Bo", "r"))):
        page.locator(f"#name-{seat}").fill(name)
        for other in page.locator(f"[name=colours-{seat}]:checked").all():
            other.uncheck()
        page.locator(f"[name=colours-{seat}][value={letter}]").check()
    page.locator("[name=starter][value='0']").check()
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("h1")).to_have_text("Ada is on turn")


def running(table: Table) -> str:
    """Put a running game on the table and return its id."""
    lying = str(laid(Position.covered(), LYING))
    return table.history.begin("game", [("settings", {"players": PLAYERS}), ("position", {"position": lying})])


def upload(page: Page, photo: bytes, field: str = "#album") -> None:
    with page.expect_navigation(timeout=60_000):
        page.locator(field).set_input_files({"name": "table.jpg", "mimeType": "image/jpeg", "buffer": photo})
    page.wait_for_selector(".verdict-side:not([data-waiting])", timeout=60_000)


def test_a_whole_short_game_with_photos(phone: Page) -> None:
    """Three turns on drawn boards, read by the real eye; questions are answered as someone who sees the table would."""
    printing = make_print(np.random.default_rng(5))
    sit_down(phone)
    ring = printing.ring
    steps = [{"E5": "b", "E6": "b"}, {"D3": "r"}, {"H4": ring[1:] + ring[:1]}]
    lying, turned = Position.covered(), None
    for number, changes in enumerate(steps):
        lying = laid(lying, changes)
        wish = Wish(position=lying, printing=printing, harsh=0.0, tilt=6, fill=0.85, hand=False, cut=False)
        data = cv2.imencode(".jpg", draw_photo(40 + number, wish).image)[1].tobytes()
        upload(phone, data)
        # Nothing tells which row of the first photo is A; from then on the names stay.
        truth = in_the_naming_of(phone, lying) if turned is None else lying.turned(turned)
        turned = next(k for k in range(6) if lying.turned(k) == truth) if turned is None else turned
        while phone.locator(".verdict-side .question").count():
            cell = str(phone.locator(".question [name=cell]").first.get_attribute("value"))
            phone.locator(".question details.more").evaluate("more => { more.open = true }")
            phone.locator(f".question details.more button[value='{truth[cell]}']").click()
            expect(phone.locator(f".question [name=cell][value={cell}]")).to_have_count(0)
        assert in_the_naming_of(phone, lying) == truth
        name = ("Ada", "Bo")[number % 2]
        expect(phone.locator(".told")).to_contain_text(f"{name} turns up")
        phone.get_by_role("button", name="Yes, enter this turn").click()
        expect(phone.locator("h1")).to_have_text(f"{('Bo', 'Ada')[number % 2]} is on turn")
    phone.get_by_text("End the game").click()
    phone.get_by_role("button", name="End it here").click()
    expect(phone.locator("h1")).to_contain_text("Ada wins")
    phone.locator(".log summary").first.click()
    expect(phone.locator(".turns li")).to_have_count(3)
    phone.get_by_role("button", name="Play again").click()
    expect(phone.locator("h1")).to_have_text("Ada is on turn")


def test_a_turn_is_tapped(phones: Phones, table: Table) -> None:
    page = phones.open(table.address)
    sit_down(page)
    page.locator('[data-cell="E5"]').tap()
    page.locator(".sheet a", has_text="blue flower").tap()
    page.get_by_role("link", name="It stays; turn up another tile").tap()
    expect(page.locator(".so-far")).to_have_text("Ada turns up E5, blue flower, and leaves it open.")
    page.locator('[data-cell="F5"]').tap()
    page.locator(".sheet a", has_text="blue flower").tap()
    page.get_by_role("link", name="Swap it with a covered tile").tap()
    expect(page.locator(".sheet.low")).to_contain_text("Tap the covered tile it changes places with.")
    page.locator('[data-cell="E5"]').tap()
    expect(page.locator(".sheet h2")).to_contain_text("swapped with a covered tile only")
    page.get_by_role("link", name="Tap another tile").tap()
    expect(page.locator(".sheet.low")).to_be_visible()
    page.locator('[data-cell="E6"]').tap()
    page.get_by_role("button", name="Yes; the turn ends").tap()
    expect(page.locator("h1")).to_have_text("Bo is on turn")
    expect(page.locator(".last-turn")).to_contain_text("Ada turns up E5, blue flower, and leaves it open; turns up F5")
    page.get_by_role("button", name="Undo").tap()
    expect(page.locator("h1")).to_have_text("Ada is on turn")


def test_a_game_without_javascript(phones: Phones, table: Table) -> None:
    page = phones.open(table.address, java_script_enabled=False)
    sit_down(page)
    page.locator('a:has([data-cell="E5"])').click()
    page.locator(".sheet a", has_text="red flower").click()
    page.get_by_role("button", name="Cover it again; the turn ends").click()
    expect(page.locator("h1")).to_have_text("Bo is on turn")
    after = laid(Position.covered(), {"E5": "r"})
    photo = table.reader.learn(drawn_photo(after), after)
    page.locator("#album").set_input_files({"name": "t.png", "mimeType": "image/png", "buffer": photo})
    page.locator("form:has(#album) button").click()
    page.wait_for_selector(".verdict-side:not([data-waiting])")
    page.get_by_role("button", name="Yes, enter this turn").click()
    expect(page.locator("h1")).to_have_text("Ada is on turn")


def test_two_phones_in_one_game(phones: Phones, table: Table) -> None:
    phones.expect(409)
    game = running(table)
    one, other = (phones.open(f"{table.address}games/{game}") for _ in range(2))
    turn = f"{table.address}games/{game}?cell=E5&face=b"
    other.goto(f"{table.address}games/{game}?cell=G7&face=b")
    one.goto(turn)
    one.get_by_role("button", name="It stays; the turn ends").tap()
    expect(one.locator("h1")).to_have_text("Bo is on turn")
    # The other is in the middle of entering something: it is told, and not interrupted.
    expect(other.locator("[data-changed]")).to_be_visible()
    expect(other.locator(".sheet")).to_be_visible()
    other.get_by_role("button", name="It stays; the turn ends").tap()
    expect(other.locator(".warning[role=alert]")).to_contain_text("Another phone was faster")
    expect(other.locator("h1")).to_have_text("Bo is on turn")
    one.get_by_role("button", name="Undo").tap()
    expect(other.locator("h1")).to_have_text("Ada is on turn")
    assert len(fold(game, *table.history.log(game)).turns) == 0


def test_a_change_is_on_every_phone_within_two_seconds(phones: Phones, table: Table) -> None:
    """Whenever between two looks it comes, the phone shows it in time, by the phone's own clock."""
    game = running(table)
    phone = phones.open(f"{table.address}games/{game}")
    phone.evaluate("""() => new MutationObserver(() => {
        const told = document.querySelector("h1").textContent;
        if (told !== window.told) { window.told = told; window.shown = Date.now(); }
    }).observe(document.body, { childList: true, subtree: true })""")
    steps = {"player": 0, "steps": "reveal E5 blue, stay", "verdict": "legal", "next": 1}
    after = str(laid(Position.parse(fold(game, *table.history.log(game)).position), {"E5": "b"}))
    for number in range(3):
        phone.wait_for_timeout(1000 / 3 * number)  # another moment between two looks each time
        for kind, said, name in (("turn", {**steps, "position": after}, "Bo"), ("undo", {}, "Ada")):
            last = table.history.last_number(game)
            written = 1000 * time.time()
            table.history.append(game, kind, said, replaces=last if kind == "undo" else None)
            expect(phone.locator("h1")).to_have_text(f"{name} is on turn")
            assert phone.evaluate("window.shown") - written < 2000, (number, kind)


def test_a_phone_that_looks_often_gets_little(phones: Phones, table: Table) -> None:
    """While nothing changes, a phone asks for one number and gets a few bytes."""
    page = phones.open(f"{table.address}games/{running(table)}")
    page.wait_for_load_state("networkidle")
    asked: list[tuple[str, int]] = []
    page.on("response", lambda answer: asked.append((answer.url, len(answer.body()))))
    page.wait_for_timeout(3500)
    assert 1 <= len(asked) <= 4
    assert [(url, size) for url, size in asked if not url.endswith("/number") or size > 8] == []


def test_a_disputed_move(phones: Phones, table: Table) -> None:
    game = running(table)
    page = phones.open(f"{table.address}games/{game}")
    page.get_by_role("link", name="Is this move allowed?").click()
    assert accessibility_faults(page) == []
    after = laid(Position.parse(fold(game, *table.history.log(game)).position), {"E5": "g"})
    upload(page, table.reader.learn(drawn_photo(after), after), f"#now-{game}")
    expect(page.locator("h1")).to_contain_text("No, this is not allowed")
    expect(page.locator(".judged")).to_contain_text("A flower that is not the player's own was left open: E5.")
    expect(page.locator(".judged")).to_contain_text("Flowers nobody owns: may stay open")
    expect(page.locator('.board .marked[data-cell="E5"]')).to_have_count(2)
    assert accessibility_faults(page) == []
    page.get_by_role("link", name="The rule").click()
    expect(page.locator("#foreign")).to_be_in_viewport()
    page.go_back()
    page.get_by_role("link", name="Back to the game").click()
    page.get_by_role("link", name="Is this move allowed?").click()
    page.get_by_role("button", name="Tap the move").click()
    page.locator('[data-cell="E5"]').tap()
    page.locator(".sheet a", has_text="blue flower").tap()
    page.get_by_role("button", name="Cover it again; the turn ends").tap()
    expect(page.locator("h1")).to_contain_text("No, this is not allowed")
    expect(page.locator(".judged")).to_contain_text("stays open; it is not covered again")


def test_corners_are_marked_by_hand(phones: Phones, table: Table) -> None:
    position = finished_position()
    page = phones.open(table.address)
    photo = table.reader.learn_at_corners(drawn_photo(position), position)
    page.locator("#album").set_input_files({"name": "t.png", "mimeType": "image/png", "buffer": photo})
    expect(page.locator("[data-corner]")).to_have_count(6)
    assert accessibility_faults(page) == []
    field, handle = page.locator("[name=corner]").first, page.locator("[data-corner]").first
    before = str(field.get_attribute("value"))
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 12, steps=3)
    expect(page.locator("[data-loupe]")).to_be_visible()
    page.mouse.up()
    dragged = field.input_value()
    assert int(dragged.split(",")[0]) > int(before.split(",")[0])
    assert int(dragged.split(",")[1]) > int(before.split(",")[1])
    handle.press("ArrowLeft")
    assert int(field.input_value().split(",")[0]) == int(dragged.split(",")[0]) - 12
    page.get_by_role("button", name="Read the board here").tap()
    expect(page.locator("h1")).to_contain_text("wins")


def test_everyone_can_play(phones: Phones, table: Table) -> None:
    """Nothing that axe knows is in anyone's way, on any screen of a game."""
    game = running(table)
    address = f"{table.address}games/{game}"
    page = phones.open(f"{table.address}games/new")
    assert accessibility_faults(page) == []
    for words in ("", "?cell=E5", f"?cell=E5&face={RING}", "?cell=A1"):
        page.goto(f"{address}{words}")
        assert accessibility_faults(page) == [], words
    page.goto(address)
    after = laid(Position.covered(), {**LYING, "E5": "b"})
    upload(page, table.reader.learn(drawn_photo(after), after))
    assert accessibility_faults(page) == []
    table.history.append(game, "end", {"early": True})
    page.goto(address)
    assert accessibility_faults(page) == []
