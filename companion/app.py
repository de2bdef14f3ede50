"""The application factory: puts history, reader, guards, languages and pages together."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException, SecurityError

from companion import drawing, guard, languages, photo_drawing, phrases, rooms
from companion.desk import Desk
from companion.history import DataTrouble, History, Overtaken, open_history
from companion.history.database import NUMBERS
from companion.languages import gettext as _
from companion.languages import mark
from companion.pages import BLUEPRINTS
from companion.play import seat_icons
from companion.reading import Reader, Refused
from companion.records import Records
from engine.position import is_serendip

MOST_BYTES = 64 * 1024 * 1024
"""Larger than any photo of 60 megapixels that a phone makes."""

SENTENCES = {
    "foreign-origin": mark("This did not come from the companion's own page, so nothing was done."),
    "no-secret": mark("Scan the code at the table to join; this page is only for the people who play there."),
    "too-many-knocks": mark("Too many wrong codes. Wait a minute, then scan the code again."),
    "wrong-secret": mark("This code is no longer valid. Scan the one that is shown now."),
    400: mark("Something in this request was not understood. Nothing was changed."),
    403: mark("This is not allowed from here. Nothing was changed."),
    404: mark("There is nothing here. It may have been deleted, or the link is old."),
    405: mark("This cannot be opened like that. Go back and use the buttons."),
    409: mark("Someone else was faster. Here is how things stand now; look, then try again."),
    413: mark("That is more than a photo. Up to 64 megabytes can be sent."),
    429: mark("Too many tries. Wait a minute."),
    500: mark("Something went wrong in the program. What you saved before is safe."),
}
WRONG_HOST = mark("This address is not the companion's. Open the address it printed when it started.")


@dataclass(frozen=True)
class Companion:
    """What the pages work with."""

    history: History
    reader: Reader
    desk: Desk
    records: Records
    lan: bool


def create_app(
    folder: Path | str | None = None,
    *,
    database: str | None = None,
    history: History | None = None,
    reader: Reader | None = None,
    lan: bool = False,
    hosts: Sequence[str] = ("localhost", "127.0.0.1", "[::1]"),
) -> Flask:
    """Make the application on a data folder; with `lan` only phones that know the table's secret may enter."""
    history = history or open_history(Path(folder) if folder else None, database)
    reader = reader or Reader()
    app = Flask("companion")
    app.config.update(
        TRUSTED_HOSTS=list(hosts),
        MAX_CONTENT_LENGTH=MOST_BYTES,
        MAX_FORM_MEMORY_SIZE=1024 * 1024,
        MAX_FORM_PARTS=200,
        SEND_FILE_MAX_AGE_DEFAULT=3600,
        ADDRESS=None,
    )
    app.extensions["companion"] = Companion(history, reader, Desk(history, reader), Records(history), lan)
    app.extensions["knocks"] = guard.Knocks()
    guard.protect(app, history, needs_secret=lan)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    _teach_templates(app)
    _answer_errors(app)
    return app


def _teach_templates(app: Flask) -> None:
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.tests["serendip"] = is_serendip
    app.jinja_env.filters.update(
        enumerate=lambda items: list(enumerate(items)),
        player_name=phrases.player_name,
        date=languages.date,
        number=languages.number,
    )
    app.jinja_env.globals.update(
        _=languages.gettext,
        ngettext=languages.ngettext,
        LANGUAGES=languages.LANGUAGES,
        language=languages.current_language,
        draw=drawing,
        on_photo=photo_drawing,
        seat_icons_of=seat_icons,
        phrases=phrases,
        open_rooms=rooms.open_rooms,
    )


def _answer_errors(app: Flask) -> None:
    def page(sentence: str, status: int, link: str = "/") -> tuple[str, int]:
        return render_template("error.html", sentence=sentence, status=status, link=link), status

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response | tuple[str, int]:
        status = error.code or 500
        if status < 400:
            return error.get_response()  # type: ignore[return-value]
        key = error.description if error.description in SENTENCES else status
        if isinstance(error, SecurityError):
            # No page of ours: for a foreign host there are no addresses to link to.
            return Response(_(WRONG_HOST), status, mimetype="text/plain")
        return page(_(SENTENCES.get(key, SENTENCES[400 if status < 500 else 500])), status)

    @app.errorhandler(Refused)
    def bad_photo(error: Refused) -> tuple[str, int]:
        return page(
            phrases.say_reading(error.key, error.places), 413 if error.key in ("too-large", "too-hard") else 422
        )

    @app.errorhandler(Overtaken)
    def overtaken(_error: Overtaken) -> tuple[str, int]:
        return page(_(SENTENCES[409]), 409, request.form.get("back") or request.path.rsplit("/", 1)[0])

    @app.errorhandler(DataTrouble)
    def data_trouble(error: DataTrouble) -> tuple[str, int]:
        logging.getLogger(__name__).error("data trouble: %s", error)
        return page(_(phrases.TROUBLES[error.reason]), 507 if error.reason == "full" else 503)

    @app.errorhandler(Exception)
    def failed(error: Exception) -> tuple[str, int]:
        if isinstance(error, OSError) and error.errno in NUMBERS:
            return data_trouble(DataTrouble(NUMBERS[error.errno], str(error)))
        logging.getLogger(__name__).exception("a page failed", exc_info=error)
        return page(_(SENTENCES[500]), 500)
