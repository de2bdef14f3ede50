"""The rooms of the page: what people come for, each a tap away from everywhere."""

from collections.abc import Iterator
from dataclasses import dataclass

from flask import current_app, request, url_for

from companion.languages import mark


@dataclass(frozen=True)
class Room:
    """A place people go to; `icon` is one of the drawings in icons.html, `inside` are the blueprints it is made of."""

    icon: str
    label: str
    endpoint: str
    inside: tuple[str, ...]

    @property
    def address(self) -> str:
        """Where its door is."""
        return url_for(self.endpoint)

    @property
    def is_here(self) -> bool:
        """Tell whether the reader is in it."""
        return request.blueprint in self.inside


ROOMS = (
    Room("camera", mark("Photo"), "scoring.start", ("scoring",)),
    Room("game", mark("Game"), "games.new", ("games", "game_photos", "disputes")),
    Room("history", mark("History"), "past.index", ("past", "leaving")),
    Room("rules", mark("Rules"), "rules.show", ("rules",)),
    Room("copy", mark("My copy"), "teaching.start", ("teaching",)),
)


def open_rooms() -> Iterator[Room]:
    """Yield the rooms this application has."""
    return (room for room in ROOMS if room.endpoint in current_app.view_functions)
