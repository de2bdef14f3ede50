"""What is drawn over photos."""

import re

import pytest

from companion.photo_drawing import overlay
from tests.table import centres


@pytest.mark.parametrize("nearness", [1.0, 0.3])
def test_the_photo_is_drawn_where_the_board_lies(nearness: float) -> None:
    """A board photographed from far away fills the drawing; one that fills the photo keeps all of it."""
    size = (1200, 1000)
    seen = {name: (600 + nearness * (x - 600), 500 + nearness * (y - 500)) for name, (x, y) in centres().items()}
    drawn = overlay("/photo.jpg", size, seen, title="the photo", unsure=["A1"])
    left, top, width, height = map(int, re.findall(r'viewBox="(\d+) (\d+) (\d+) (\d+)"', drawn)[0])
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in seen.values())
    assert (width, height) <= size
    spread = max(x for x, _ in seen.values()) - min(x for x, _ in seen.values())
    assert spread > 0.7 * width
    assert drawn.count('class="asked') == 2


def test_a_photo_without_a_board_is_drawn_whole() -> None:
    assert 'viewBox="0 0 640 480"' in overlay("/photo.jpg", (640, 480), {}, title="the photo")
