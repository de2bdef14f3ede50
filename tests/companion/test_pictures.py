"""Pictures to share are painted from the drawings of the page, and refuse what they cannot paint."""

import io

import pytest
from PIL import Image

from companion.history import History, fold
from companion.painting import is_paintable, paint
from companion.pictures import picture_of, share_svg, thumbnail
from engine import GAMES
from tests.table import finished_position

FRAME = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">{}</svg>'


def painted(inside: str) -> Image.Image:
    return Image.open(io.BytesIO(paint(FRAME.format(inside), 200))).convert("RGB")


@pytest.mark.parametrize(
    ("shape", "inside", "outside"),
    [
        ('<rect x="0" y="0" width="10" height="20" fill="#ff0000"/>', (50, 100), (150, 100)),
        ('<circle cx="5" cy="5" r="4" fill="#ff0000"/>', (50, 50), (150, 150)),
        (
            '<g transform="translate(10 10) rotate(90)"><rect x="0" y="-2" width="8" height="4" fill="#ff0000"/></g>',
            (100, 160),
            (160, 100),
        ),
        ('<path d="M0,0L20,0L0,20Z" fill="#ff0000"/>', (40, 40), (180, 180)),
        ('<path d="M0,20Q10,-20 20,20Z" fill="#ff0000"/>', (100, 80), (10, 20)),
        ('<path d="M0,10C0,0 20,0 20,10L0,10Z" fill="#ff0000"/>', (100, 60), (100, 150)),
        ('<polygon points="0,0 20,0 20,10 0,10" fill="#ff0000"/>', (100, 50), (100, 150)),
        ('<line x1="0" y1="5" x2="20" y2="5" stroke="#ff0000" stroke-width="4"/>', (100, 50), (100, 150)),
        ('<g id="a"><circle r="3" fill="#ff0000"/></g><use href="#a" x="15" y="15"/>', (150, 150), (100, 60)),
    ],
)
def test_shapes_lie_where_they_should(shape: str, inside: tuple[int, int], outside: tuple[int, int]) -> None:
    picture = painted(shape)
    assert picture.getpixel(inside) == (255, 0, 0)
    assert picture.getpixel(outside) != (255, 0, 0)


@pytest.mark.parametrize(
    "shape", ["<foreignObject/>", '<path d="M0,0A1,1 0 0 1 2,2"/>', '<g transform="skewX(3)"><circle r="1"/></g>']
)
def test_what_cannot_be_painted_is_refused(shape: str) -> None:
    with pytest.raises(ValueError, match="cannot be painted"):
        painted(shape)


def test_half_transparent_colours_mix() -> None:
    red, green, blue = painted('<rect x="0" y="0" width="20" height="20" fill="#000000" opacity="0.5"/>').getpixel(
        (9, 9)
    )
    assert (red, green, blue) == pytest.approx((123, 119, 113), abs=4)


@pytest.mark.parametrize("plays", GAMES)
def test_every_game_has_its_pictures(local_history: History, plays: str) -> None:
    rules = GAMES[plays]
    seats = list(rules.seats)[:2]
    players = [{"name": name, "colours": [seat]} for name, seat in zip(("Ada", "名前"), seats, strict=True)]
    table = rules.seated([(player["name"], player["colours"]) for player in players], {})
    first = str(next(rules.practice(table, 3))[0].position)
    game = local_history.begin("game", [("settings", {"game": plays, "players": players, "first": first})])
    state = fold(game, *local_history.log(game))
    picture = Image.open(io.BytesIO(picture_of(state, "png")))
    assert picture.size[0] == 1080
    assert "名前" in share_svg(state)
    assert is_paintable("名前") or "名前" not in share_svg(state, only_paintable=True)
    for drawn in (share_svg(state), thumbnail(state)):
        assert "<style" not in drawn
        assert "<script" not in drawn


def test_a_carpet_is_seen_on_the_picture(local_history: History) -> None:
    game = local_history.begin("snapshot", [("position", {"position": str(finished_position())})])
    state = fold(game, *local_history.log(game))
    assert 'class="carpet"' in share_svg(state)
    assert 'class="carpet"' not in thumbnail(state)
