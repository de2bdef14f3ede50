"""The face network in two halves: together they say what the whole says, and only what changed is looked at again."""

from itertools import islice

import numpy as np
import pytest

from tests.drawn_games import FOUR, photo_of, played, print_of
from vision import open_photo
from vision.faces import Look, Tiles, look
from vision.grid import find_grid
from vision.halves import TilesSeen
from vision.patches import cut_patches


@pytest.fixture(scope="module")
def boards() -> list[Tiles]:
    """Cut the tiles out of photos of two tables."""
    printing = print_of(7_010, held=False)
    cut = []
    for number, turn in enumerate(islice(played(FOUR, 10, printing.ring, 60), 0, 40, 39)):
        photo = open_photo(photo_of(turn.before.position, printing, 8_600_000 + number))
        cut.append(cut_patches(photo.image, find_grid(photo.image).lattice, 6))
    return cut


def same(one: Look, other: Look) -> bool:
    return np.allclose(one.kinds, other.kinds, atol=1e-3) and np.allclose(one.petals, other.petals, atol=1e-3)


def test_both_halves_say_what_the_whole_network_says_with_and_without_a_copy(boards):
    one, other = boards
    seen = TilesSeen.of(one)
    assert same(seen.look(one), look(one))
    copy = other[:8]
    assert same(seen.look(one, copy), look(one, copy))
    assert not same(seen.look(one), look(other))


@pytest.mark.parametrize("count", [1, 8, 11])
def test_tiles_that_changed_are_looked_at_again(boards, count):
    one, other = boards
    changed = list(range(3, 3 + 5 * count, 5))
    table = one.copy()
    table[changed] = other[changed]
    seen = TilesSeen.of(one)
    assert same(seen.again(table, changed).look(table), look(table))
    assert same(seen.look(one), look(one))
