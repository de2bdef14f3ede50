"""`make screenshots`: the pictures of the README, taken of the real program with the real reader.

A sample photo is scored, a game by seeded players is entered turn by turn; nothing on the pictures is painted by hand.
"""

import io
import sys
import tempfile
import threading
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from waitress.server import create_server

from companion.app import create_app
from engine.play import greedily, play_game
from engine.table import Table
from tests.browser.conftest import FLAGS, browser_program

ROOT = Path(__file__).parents[1]
PHONE, DESKTOP = (390, 844), (1280, 800)
OWN = {"Origin": "http://localhost"}
SEATS = {"name-0": "Ada", "colours-0": "v", "name-1": "Bo", "colours-1": "b", "name-2": "Cleo", "colours-2": "o"}


def enter_game(client: FlaskClient, seed: int, turns: int | None) -> str:
    """Enter a game of seeded players, or only its first turns, and return its address."""
    address = client.post("/games", data={**SEATS, "starter": "0"}, headers=OWN).headers["Location"]
    game = play_game(Table.parse("Ada=violet,Bo=blue,Cleo=orange"), seed, greedily)
    for turn in islice(game, turns):
        steps = "; ".join(map(str, turn.steps))
        assert client.post(f"{address}/turns", data={"steps": steps}, headers=OWN).status_code == 303
    return str(address).lstrip("/")


def score_photo(client: FlaskClient, name: str) -> str:
    """Send a sample photo, wait until it is read, and return the address of its table."""
    photo = (ROOT / "sample_images" / name).read_bytes()
    answer = client.post("/photos", data={"photo": (io.BytesIO(photo), name)}, headers=OWN)
    address = answer.headers["Location"]
    while "data-waiting" in client.get(address).text:
        client.get(f"{address}/reading")
    return str(address).lstrip("/")


def open_a_point(page: Page) -> None:
    """Answer what is asked with the likeliest face, then show one carpet and where its points come from."""
    while (asked := page.locator(".question [name=cell]").first).count():
        cell = asked.get_attribute("value")
        page.locator(".question button.face").first.click()
        page.locator(f".question [name=cell][value={cell}]").first.wait_for(state="detached")
    page.locator(".score summary").first.click()
    page.locator(".score .lines a[data-swift]").nth(1).click()
    page.locator(".lines a[aria-current]").wait_for()
    if page.locator(".small-board").is_visible():
        page.locator(".points-side").evaluate("side => side.scrollIntoView()")


def shoot(browser: Browser, address: str, name: str, size: tuple[int, int], act: Callable[[Page], None] | None) -> None:
    """Take one picture and keep it small."""
    phone = size == PHONE
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        device_scale_factor=1.25 if phone else 1,
        is_mobile=phone,
        has_touch=phone,
        locale="en",
        color_scheme="dark" if name.endswith("dark") else "light",
        reduced_motion="reduce",
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(address)
    page.reload()  # now the letters of the page are at hand from the first moment
    if act:
        act(page)
    page.wait_for_load_state("networkidle")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, kmeans=4).save(FOLDER / f"{name}.png", optimize=True)
    context.close()


FOLDER = ROOT / "docs" / "screenshots"


def main() -> int:
    """Take every picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        app = create_app(data)
        server: Any = create_server(app, host="127.0.0.1", port=0, threads=6)
        threading.Thread(target=server.run, daemon=True).start()
        address = f"http://127.0.0.1:{server.effective_port}/"
        client = app.test_client()
        over, running = enter_game(client, 5, None), enter_game(client, 11, 40)
        doubtful, table = score_photo(client, "tilted.jpg"), score_photo(client, "easy.jpg")
        browser = playwright.chromium.launch(executable_path=browser_program(), args=FLAGS)
        pictures: list[tuple[str, str, tuple[int, int], Callable[[Page], None] | None]] = [
            ("start", "", PHONE, None),
            ("question", doubtful, PHONE, None),
            ("why", table, PHONE, open_a_point),
            ("game", running, PHONE, None),
            ("winner", over, PHONE, None),
            ("history", "history", PHONE, None),
            ("winner-dark", over, PHONE, None),
            ("points-desktop", table, DESKTOP, open_a_point),
        ]
        for name, path, size, act in pictures:
            shoot(browser, address + path, name, size, act)
            print(f"docs/screenshots/{name}.png", flush=True)
        browser.close()
        companion = app.extensions["companion"]
        companion.desk.close()
        companion.reader.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
