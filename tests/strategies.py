"""Random tables for the property tests."""

from hypothesis import strategies as st

from engine import OPTIONS, Position, Rules, board_of
from engine.position import LETTERS

RING = "bvroyg"
FACINGS = [RING[k:] + RING[:k] for k in range(6)]

rules = st.builds(Rules, **{option: st.sampled_from(values) for option, values in OPTIONS.items()})
serendips = st.sampled_from(FACINGS)
odd_serendips = st.text(LETTERS, min_size=6, max_size=6)
flowers = st.sampled_from(LETTERS)


def positions(edge: int = 6, odd: bool = True) -> st.SearchStrategy[Position]:
    """Return boards with many open tiles; odd ones also have holes, unknown tiles and impossible Serendips."""
    faces = flowers | flowers | serendips | st.just(".")
    if odd:
        faces = faces | odd_serendips | st.sampled_from("_?")
    size = len(board_of(edge).cells)
    return st.lists(faces, min_size=size, max_size=size).map(lambda cells: Position(tuple(cells), edge))
