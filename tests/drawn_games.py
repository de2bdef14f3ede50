"""Photos of whole games: every turn of a seeded game is drawn, with one print, from any side and in changing light."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np

from engine import Position, Table
from engine.play import Turn, play_game
from engine.position import is_serendip
from tests.drawer import Wish, draw_photo
from tests.drawer.prints import Print, make_print

PLAYED_RING = "bvroyg"
"""The ring that `engine.play` deals with."""


WISHES = (
    Wish(harsh=0.1, tilt=12.0, fill=0.85),
    Wish(harsh=0.3, tilt=25.0, fill=0.8),
    Wish(harsh=0.5, tilt=35.0, fill=0.75),
)
"""Three evenings: good light from above, some glare from the side, and harsh light from low down."""
FOUR = Table.parse("Ann=blue,Ben=violet,Cleo=red,Dan=yellow")


def printed(position: Position, ring: str) -> Position:
    """Give the Serendips of a played position the ring of a print."""

    def face(old: str) -> str:
        if not is_serendip(old):
            return old
        turn = (PLAYED_RING * 2).index(old)
        return (ring * 2)[turn : turn + 6]

    return Position(tuple(map(face, position.faces)), position.edge)


def print_of(seed: int, held: bool = True) -> Print:
    """Make the print of one copy of the game; `held` are prints that nothing is trained on."""
    return make_print(np.random.default_rng(seed), held)


def photo_of(position: Position, printing: Print, seed: int, wish: Wish | None = None) -> bytes:
    """Photograph a position: the seed chooses the table, the side, the light and how tiles are laid."""
    wish = wish or Wish(harsh=0.3, tilt=20.0, fill=0.85)
    wish = replace(wish, position=position, printing=printing, cut=False, hand=bool(wish.hand))
    return jpeg(draw_photo(seed, wish).image)


def jpeg(image: np.ndarray) -> bytes:
    """Store an image as a phone does."""
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()


def played(table: Table, seed: int, ring: str, skip: int = 0) -> Iterator[Turn]:
    """Yield the turns of a seeded game in the ring of a print, from some turn on."""
    for number, turn in enumerate(play_game(table, seed)):
        if number >= skip:
            yield replace(
                turn,
                before=replace(turn.before, position=printed(turn.before.position, ring)),
                after=replace(turn.after, position=printed(turn.after.position, ring)),
            )


def same_but_turned(found: Sequence[Position], truth: Sequence[Position]) -> bool:
    """Tell whether positions are the true ones, all in one naming."""
    return any(all(a == b.turned(k) for a, b in zip(found, truth, strict=True)) for k in range(6))
