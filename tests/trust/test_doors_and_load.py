"""The fuzzer, the load and the soak, for a bounded time; `python -m tests.fuzz` and the others go on for longer."""

import pytest

from tests.fuzz import doors, fuzz
from tests.load import measure
from tests.soak import soak

DOORS = doors()


@pytest.mark.parametrize("name", DOORS)
def test_damaged_input_is_taken_or_refused_in_one_sentence(name: str) -> None:
    assert fuzz(DOORS[name], seconds=3, seed=2) > 20


def test_phones_that_look_while_others_send_get_no_error() -> None:
    load = measure(phones=8, seconds=3)
    assert load.errors == ()
    assert load.photos > 0


def test_play_leaves_neither_memory_nor_files_behind() -> None:
    result = soak(36)
    assert result.last < result.middle + 6, "half a megabyte a round would be as much"
    assert result.end.handles <= result.middle_handles + 2
    assert result.end.scratch == 0
