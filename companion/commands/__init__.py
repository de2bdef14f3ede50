"""The commands, one module a room; each has `add_commands(subparsers)` and lets `run` return the exit status."""

from typing import Any

from companion.commands import learning, past, photos, playing, positions, serving, watching

ROOMS: tuple[Any, ...] = (photos, positions, playing, watching, learning, serving, past)
