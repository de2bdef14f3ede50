"""From photos to play: readings in one naming, judged together with what was known and with the rules.

The command line, the page and the live table all use `follow`.
"""

from companion.tracking.course import Course
from companion.tracking.following import Followed, first_known, follow, reading_of
from companion.tracking.known import Known
from companion.tracking.naming import Naming, name_board

__all__ = ["Course", "Followed", "Known", "Naming", "first_known", "follow", "name_board", "reading_of"]
