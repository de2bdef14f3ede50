"""From "use this photo" to the points on the screen the page costs no more than twice the reading itself."""

import os

import pytest

from tests.conftest import IN_CI
from tests.page_cost import BOUND, measured


def test_the_page_costs_no_more_than_twice_the_reading_of_any_photo() -> None:
    if not IN_CI and os.getloadavg()[0] > 2 * (os.cpu_count() or 1):
        pytest.skip("other programs keep this machine too busy to measure anything")
    costs = list(measured(turns=4))
    assert [cost for cost in costs if cost.ratio > BOUND] == []
