"""Why a photo was read as it was, in a form for any language: a key, its numbers, and the English for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

ENGLISH: Mapping[str, str] = {
    "read": "All {cells} tiles are read.",
    "ask": "{asked} of {cells} tiles need your eye.",
    "read-other-copy": "All {cells} tiles are read. They are not the tiles of your profile, so it was left aside.",
    "ask-other-copy": "{asked} of {cells} tiles need your eye. The tiles are not those of your profile, "
    "so it was left aside.",
    "no-board": "No Serendipity board is to be seen. Take the photo from above, with the whole board in the picture.",
    "no-rosette": "No rosette is to be seen. Lay a Serendip, the six flowers round it and twelve covered tiles round "
    "those, and take the photo from above.",
    "too-far": "The board is too small in the picture. Go closer.",
    "too-tilted": "The board is seen too flat from the side. Hold the camera higher above the table.",
    "too-dark": "The photo is too dark. Give it more light.",
    "too-bright": "The photo is too bright. Turn the lamp away or take the photo from another side.",
    "too-blurred": "The photo is blurred. Hold the camera still and try again.",
    "cut-off": "Too much of the board is outside the picture. Go back a little.",
    "corners": "The six marks do not lie on the corner tiles of a board. Put each on the middle of a corner tile.",
    "empty-file": "The file is empty. Send the photo again.",
    "not-a-photo": "This file is not a photo that can be read. Send a JPEG, PNG, WebP or HEIC photo.",
    "other-format": "Pictures in the {format} format cannot be read. Send a JPEG, PNG, WebP or HEIC photo.",
    "damaged": "The file is damaged or not complete. Send the photo again.",
    "too-large": "The picture has {megapixels} megapixels, and up to {most} can be read. Send a smaller one.",
    "too-small": "The picture is only {width} by {height} pixels. Send the photo itself, not a preview of it.",
    "no-colour": "The photo is black and white. Take it in colour: the tiles are told apart by their colours.",
    "print-colours": "The picture is made for a printing press (CMYK). Send the photo as the camera took it.",
    "unopened": "The file cannot be opened: {why}.",
}
"""Every reason with its English sentence: what is the matter and, where something helps, what to do."""


@dataclass(frozen=True)
class Reason:
    """A reason a player understands; `key` and `params` let a page say it in another language.

    >>> str(Reason("ask", {"asked": 2, "cells": 91}))
    '2 of 91 tiles need your eye.'
    """

    key: str
    params: Mapping[str, int | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a reason that has no words."""
        if self.key not in ENGLISH:
            raise ValueError(f"there is no reason called {self.key!r}")

    def __str__(self) -> str:
        """Say it in English."""
        return ENGLISH[self.key].format_map(self.params)
