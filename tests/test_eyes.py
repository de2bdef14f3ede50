"""The networks that look at faces: only what changed is looked at again, and a mirror changes nothing."""

from itertools import islice

import numpy as np
import pytest

from tests.drawn_games import FOUR, photo_of, played, print_of
from vision import open_photo
from vision.eyes import Look, Tiles, TilesSeen
from vision.grid import find_grid
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


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("count", [1, 8, 11])
def test_tiles_that_changed_are_looked_at_again(boards, count, mirrored):
    one, other = boards
    changed = list(range(3, 3 + 5 * count, 5))
    table = one.copy()
    table[changed] = other[changed]
    seen = TilesSeen(one)
    before = seen.look(mirrored=mirrored)
    assert same(seen.again(table, changed).look(mirrored=mirrored), TilesSeen(table).look(mirrored=mirrored))
    assert same(seen.look(mirrored=mirrored), before)
    assert not same(before, TilesSeen(table).look(mirrored=mirrored))


def test_the_copy_shown_beside_a_board_is_seen(boards):
    one, other = boards
    seen = TilesSeen(one)
    assert not same(seen.look(), seen.look(other[:8]))
    assert same(seen.look(other[:8]), TilesSeen(one).look(other[:8]))


def test_where_one_network_leaves_no_doubt_the_other_is_not_asked(boards):
    for patches in boards:
        seen = TilesSeen(patches)
        once, well = seen.look(), seen.look_well()
        odds = once.kinds - np.logaddexp.reduce(once.kinds, 1, keepdims=True)
        doubt = np.exp(odds.max(1).min()) < 0.9
        assert same(once, well) != doubt
