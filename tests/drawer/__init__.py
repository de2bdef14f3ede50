"""A drawer of boards: seeded photographs of tables, with the truth beside each."""

from tests.drawer.scenes import Drawing, Wish, draw_photo

__all__ = ["Drawing", "Wish", "draw_photo"]
