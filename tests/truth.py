"""Marks of readings, for drawn photos too."""

from calibration.marking import Marks, Truth, load_truth, marked, reliability
from tests.drawer import Drawing

__all__ = ["Marks", "Truth", "load_truth", "marked", "reliability", "truth_of"]


def truth_of(drawing: Drawing) -> Truth:
    """Return the truth of a drawn photo."""
    return Truth(drawing.position, drawing.centres, drawing.hidden)
