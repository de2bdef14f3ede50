"""Teach the program one's own copy of the game.

`learn_rosette` begins a profile, `learn_photo` improves it with a confirmed photo and `forget_photo` takes that back;
`load_profile` and `save_profile` keep it in a file, `to_text` and `from_text` anywhere else.
"""

from calibration.files import ProfileError, from_text, load_profile, save_profile, to_text
from calibration.learning import Lesson, forget_photo, learn_photo
from calibration.pairs import Pair, colours_of, pairs_of, warnings_of
from calibration.picture import draw_rosette
from calibration.remarks import Remark
from calibration.rosette import Rosette, learn_rosette, photo_id
from calibration.words import described

__all__ = [
    "Lesson",
    "Pair",
    "ProfileError",
    "Remark",
    "Rosette",
    "colours_of",
    "described",
    "draw_rosette",
    "forget_photo",
    "from_text",
    "learn_photo",
    "learn_rosette",
    "load_profile",
    "pairs_of",
    "photo_id",
    "save_profile",
    "to_text",
    "warnings_of",
]
