"""From "use this photo" to the points on the screen the page costs no more than twice the reading itself."""

import os

import pytest

from tests.conftest import IN_CI
from tests.page_cost import BOUND, PHOTOS, measured


def test_the_page_costs_no_more_than_twice_the_reading_of_any_photo() -> None:
    """What seems late is measured again, and longer; only where other programs crowd the machine is that no verdict."""
    late = [photo for photo, cost in zip(PHOTOS, measured(turns=5), strict=True) if cost.ratio > BOUND]
    costs = [cost for cost in measured(25, late) if cost.ratio > BOUND]
    if costs and not IN_CI and os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip(f"other programs keep this machine too busy to measure {costs}")
    assert costs == []
