"""From "use this photo" to the points on the screen the page costs no more than twice the reading itself."""

from pathlib import Path

from tests.page_cost import BOUND, measured
from tests.server import running_server


def test_the_page_costs_no_more_than_twice_the_reading(tmp_path: Path) -> None:
    """The best of three photos counts: what else the machine does at the moment is not the page's doing."""
    with running_server(tmp_path) as server:
        _, *costs = measured(server, tmp_path, ["far", "tilted", "cloth", "game"])
    assert min(cost.ratio for cost in costs) <= BOUND, costs
