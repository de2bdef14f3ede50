"""From photos to play: readings in one naming, judged together with what was known and with the rules.

The command line, the page and the live table all use `follow`.
"""

from companion.tracking.following import Followed, follow
from companion.tracking.known import Known
from companion.tracking.naming import Naming, name_board

__all__ = ["Followed", "Known", "Naming", "follow", "name_board"]
