"""What is said about a rosette or a profile: a key and its words for any language, and the English for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.position import COLOUR_OF

ENGLISH: Mapping[str, str] = {
    "learned": "Your copy is learned: six flowers, the back and the Serendip. The order of its colours: {ring}.",
    "alike": "{first} and {second} look much alike. You will be asked about them more often.",
    "by-pattern": "{first} and {second} differ mainly in pattern.",
    "missing-tile": "A tile is missing ({place}). The rosette has 19 tiles.",
    "no-serendip": "A Serendip belongs in the middle. What lies there: {face}.",
    "not-a-flower": "A flower belongs here ({place}). What lies there: {face}.",
    "two-of-one": "There twice: {face}. Missing: {other}.",
    "wrong-petal": "{face} ({place}) lies against the wrong petal: {colour}.",
    "not-covered": "A covered tile belongs here ({place}). What lies there: {face}.",
    "unclear": "A tile cannot be read surely ({place}). Take the photo from nearer above, in even light.",
    "taught": "The photo was learned: {count} of the eight faces of your copy.",
    "nothing-new": "Too few faces are open on this photo to learn from it.",
    "contradicted": "What was confirmed does not fit the photo in {count} places, so nothing was learned from it.",
    "other-copy": "The tiles on this photo are not those of your profile, so nothing was learned from it.",
    "known-photo": "This photo was learned already.",
}
"""Every remark with its English sentence."""

FACES: Mapping[str, str] = {
    **{letter: f"{word} flower" for letter, word in COLOUR_OF.items()},
    ".": "back",
    "S": "Serendip",
    "_": "no tile",
    "?": "something else",
}
PLACES: Mapping[str, str] = {
    "right": "on the right",
    "upper-right": "at the upper right",
    "upper-left": "at the upper left",
    "left": "on the left",
    "lower-left": "at the lower left",
    "lower-right": "at the lower right",
    "middle": "in the middle",
}
"""Where a tile lies in the picture; the first six by sixths of a turn counter-clockwise from the right."""


@dataclass(frozen=True)
class Remark:
    """One sentence to a player about a photo; `cells` are the indexes of the cells it is about.

    `words` are keys for any language: letters of `FACES`, keys of `PLACES`, letters of colours, or numbers.

    >>> str(Remark("by-pattern", {"first": "g", "second": "."}))
    'Green flower and back differ mainly in pattern.'
    """

    key: str
    words: Mapping[str, str | int] = field(default_factory=dict)
    cells: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a remark that has no words."""
        if self.key not in ENGLISH:
            raise ValueError(f"there is no remark called {self.key!r}")

    def __str__(self) -> str:
        """Say it in English."""
        return self.said(lambda text: text)

    def said(self, translate: Callable[[str], str]) -> str:
        """Say it in the language into which `translate` takes each English text."""

        def word(name: str, value: str | int) -> str:
            if name in ("face", "first", "second", "other"):
                return translate(FACES[str(value)])
            if name == "place":
                return translate(PLACES[str(value)])
            if name in ("colour", "ring"):
                return " ".join(translate(COLOUR_OF[letter]) for letter in str(value))
            return str(value)

        said = translate(ENGLISH[self.key]).format_map({name: word(name, value) for name, value in self.words.items()})
        return said[0].upper() + said[1:]
