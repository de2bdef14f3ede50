"""From a photo to the winner on a phone: the way most people use the companion."""

from pathlib import Path

from playwright.sync_api import Page, Route, expect

from companion.phrases import cell_name
from engine import Position, board_of
from engine.standing import standing
from engine.table import Table as Rulings
from tests.browser.conftest import Phones, Table, accessibility_faults, send_photo
from tests.table import drawn_photo, finished_position
from tests.truth import load_truth

SAMPLES = Path(__file__).parents[2] / "sample_images"
NAMES = board_of(6).names


def shown_position(page: Page) -> list[str]:
    """Return what each cell of the board on the page is called."""
    return [str(page.locator(f'.board a:has([data-cell="{name}"])').get_attribute("aria-label")) for name in NAMES]


def in_the_naming_of(page: Page, truth: Position) -> Position:
    """Turn the truth as the photo was named: nothing in a lone photo says which row is A."""
    shown = shown_position(page)

    def alike(turned: Position) -> int:
        return sum(cell_name(name, turned[name]) == said for name, said in zip(NAMES, shown, strict=True))

    return max((truth.turned(turns) for turns in range(6)), key=alike)


def test_a_sample_photo_is_scored_to_the_winner(phone: Page) -> None:
    """Answer whatever is asked as a person would who sees the table, and compare with the points of the truth."""
    send_photo(phone, SAMPLES / "tilted.jpg")
    truth = in_the_naming_of(phone, load_truth(SAMPLES / "tilted.jpg").position)
    result = standing(truth, Rulings())
    assert result.over
    while (asked := phone.locator(".question [name=cell]").first).count():
        cell = str(asked.get_attribute("value"))
        phone.locator(".question details.more").evaluate("more => { more.open = true }")
        phone.locator(f".question details.more button[value='{truth[cell]}']").tap()
        expect(phone.locator(f".question [name=cell][value={cell}]")).to_have_count(0)
    expect(phone.locator("h1")).to_have_text(f"Red wins, {result.scores[2][1].points} points")
    for player, score in result.scores:
        line = phone.locator(".score", has_text=player.name.capitalize())
        expect(line.locator(".points")).to_have_text(f"{score.points} points")


def test_the_result_can_be_used_by_everyone(phone: Page) -> None:
    assert accessibility_faults(phone) == []
    send_photo(phone, SAMPLES / "easy.jpg")
    assert accessibility_faults(phone) == []


def test_a_wrong_file_gets_a_sentence(phones: Phones, phone: Page) -> None:
    phones.expect(422)
    phone.locator("#album").set_input_files(
        {"name": "holiday.jpg", "mimeType": "image/jpeg", "buffer": b"PK\3\4 this is no photo"}
    )
    expect(phone.locator(".progress")).to_contain_text("not a photo that can be read")
    phone.locator("#album").set_input_files(SAMPLES / "no_board.jpg")
    expect(phone.locator("h1")).to_have_text("The board was not found")


def test_the_photo_is_shown_while_it_is_sent(phones: Phones, table: Table) -> None:
    position = finished_position()
    page = phones.open(table.address)
    held: list[Route] = []
    page.route("**/photos", lambda route: held.append(route))
    photo = table.reader.learn(drawn_photo(position), position)
    page.locator("#album").set_input_files({"name": "table.png", "mimeType": "image/png", "buffer": photo})
    page.wait_for_function("document.querySelector('.progress .preview')?.naturalWidth === 1200")
    expect(page.locator(".progress")).to_contain_text("the photo")
    held[0].continue_()
    expect(page.locator(".scores")).to_be_visible()
    expect(page.locator(".preview")).to_have_count(0)


def test_a_tile_is_corrected_in_two_taps(phones: Phones, table: Table) -> None:
    position = finished_position()
    page = phones.open(table.address)
    send_photo(page, table.reader.learn(drawn_photo(position), position))
    before = shown_position(page)
    page.locator('[data-cell="D4"]').tap()
    page.locator(".sheet button[value='_']").tap()
    expect(page.locator(".sheet")).to_have_count(0)
    after = shown_position(page)
    assert [name for name, a, b in zip(NAMES, before, after, strict=True) if a != b] == ["D4"]
    assert after[NAMES.index("D4")] == "D4: no tile"
    assert Position.parse(str(position))["D4"] != "_"


def test_corner_tiles_are_tapped_where_no_script_runs(phones: Phones, table: Table) -> None:
    """Six taps on the small picture land where they were meant on the photo."""
    position = finished_position()
    photo = table.reader.learn_at_corners(drawn_photo(position), position)
    page = phones.open(table.address, java_script_enabled=False)
    page.locator("#album").set_input_files({"name": "table.png", "mimeType": "image/png", "buffer": photo})
    page.locator("form:has(#album) button").click()
    for number, (x, y) in enumerate([(80, 40), (240, 40), (300, 130), (240, 260), (80, 260), (20, 130)], 1):
        expect(page.locator(".corners-form .count")).to_contain_text(f"{number} of 6")
        page.locator("input[type=image]").click(position={"x": x, "y": y})
    expect(page.locator(".scores")).to_be_visible()
    game = page.url.rsplit("/", 1)[1]
    marks = table.history.log(game)[2][2].said["corners"]
    wanted = [(300, 150), (900, 150), (1125, 488), (900, 975), (300, 975), (75, 488)]
    assert all(abs(x - there) <= 4 and abs(y - down) <= 4 for (x, y), (there, down) in zip(marks, wanted, strict=True))


def test_the_way_back_leads_to_the_first_page(phones: Phones, table: Table) -> None:
    """The points come without a reload, and still have a place of their own in the browser's history."""
    position = finished_position()
    page = phones.open(table.address)
    send_photo(page, table.reader.learn(drawn_photo(position), position))
    expect(page.locator(".scores")).to_be_visible()
    page.locator("#language").select_option("de")
    expect(page.locator("h2", has_text="Die Punkte")).to_be_visible()
    page.go_back()
    page.go_back()
    expect(page.locator("#album")).to_be_attached()
    page.go_forward()
    expect(page.locator(".scores")).to_be_visible()
