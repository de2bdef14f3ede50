"""A real browser at the size of a phone, on the real program; every page it opens is watched."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from waitress.server import create_server

from companion.app import create_app
from companion.history import History
from tests.conftest import IN_CI
from tests.server import running_server
from tests.table import KnowingReader

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]


@dataclass
class Table:
    """A companion that answers at an address; its reader knows only the photos it was told about."""

    address: str
    history: History
    reader: KnowingReader


@dataclass
class Phones:
    """Opens pages, and remembers whatever no page should do: an error, a refused request, a word to another host."""

    browser: Browser
    expected: set[int] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, address: str, *, language: str = "en", width: int = 390, height: int = 844, **options: Any) -> Page:
        """Open an address as a phone of its own; options are Playwright's, such as `java_script_enabled=False`."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=True,
            is_mobile=width < 600,
            locale=language,
            **options,
        )
        context.set_default_timeout(20_000)
        self.contexts.append(context)
        own = urlsplit(address).netloc
        context.on("request", lambda request: self._note_host(request.url, own))
        context.on("response", lambda answer: self._note_status(answer.status, answer.url))
        context.on("weberror", lambda error: self.faults.append(f"script error: {error.error}"))
        context.on("console", lambda said: self._note_words(said.type, said.text))
        page = context.new_page()
        page.goto(address)
        return page

    def expect(self, *statuses: int) -> None:
        """Let the test provoke these answers."""
        self.expected.update(statuses)

    def _note_host(self, url: str, own: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.netloc != own:
            self.faults.append(f"a request went to {url}")

    def _note_status(self, status: int, url: str) -> None:
        if status >= 400 and status not in self.expected:
            self.faults.append(f"{status} from {url}")

    def _note_words(self, kind: str, text: str) -> None:
        # The browser repeats every refused request here; those are judged by their status.
        if kind in ("error", "warning") and not text.startswith("Failed to load resource: the server responded"):
            self.faults.append(f"console {kind}: {text}")


def browser_program() -> str | None:
    """Find the browser of this machine."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = browser_program()
    if program is None:
        if IN_CI:
            pytest.fail("Chromium is not installed")
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def phones(browser: Browser) -> Iterator[Phones]:
    """Open pages with `phones.open(address)`; the test fails afterwards if any of them misbehaved."""
    opened = Phones(browser)
    yield opened
    for context in opened.contexts:
        context.close()
    assert opened.faults == []


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the program with the real reader on a fresh folder; every test shares it."""
    with running_server(tmp_path_factory.mktemp("served")) as server:
        yield server.address


@pytest.fixture
def phone(phones: Phones, address: str) -> Page:
    """Open the first page of the real program on a phone."""
    return phones.open(address)


@pytest.fixture
def table(local_history: History) -> Iterator[Table]:
    """Serve a companion of this test's own on an empty history; its reader knows the photos it is told about."""
    reader = KnowingReader()
    app = create_app(history=local_history, reader=reader)
    server: Any = create_server(app, host="127.0.0.1", port=0, threads=6)

    def serve() -> None:
        with suppress(OSError):  # the sockets may be closed below while the server waits for them
            server.run()

    threading.Thread(target=serve, daemon=True).start()
    yield Table(f"http://127.0.0.1:{server.effective_port}/", local_history, reader)
    app.extensions["companion"].desk.close()
    server.close()  # the thread ends by itself once the last phone has hung up


def send_photo(page: Page, photo: Path | bytes, name: str = "table.png") -> None:
    """Choose a photo on the page that is open, and wait until it was read."""
    chosen: Any = photo if isinstance(photo, Path) else {"name": name, "mimeType": "image/png", "buffer": photo}
    page.locator("#album").set_input_files(chosen)
    page.wait_for_url("**/table/*")
    page.wait_for_selector("main:not(:has([data-waiting]))")


def accessibility_faults(page: Page) -> list[str]:
    """Return what axe finds wrong with the page at rest, in light and in dark."""
    from axe_playwright_python.sync_playwright import Axe

    faults = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        for violation in Axe().run(page).response["violations"]:
            nodes = "; ".join(str(node["target"]) + " " + str(node["any"][:1]) for node in violation["nodes"][:3])
            faults.append(f"{scheme}: {violation['id']}: {violation['help']}: {nodes}")
    return faults
