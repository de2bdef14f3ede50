"""Seven languages: catalogues are plain .po files, compiled in memory when first used.

Messages are written in English with {named} places; `_("{name} wins", name=...)` says one in the reader's language.
"""

import gettext as gnu
import io
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from babel.dates import format_date, format_time
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal
from flask import g, has_request_context, request

NAMES: Mapping[str, str] = {
    "de": "Deutsch",
    "en": "English",
    "fr": "Français",
    "nl": "Nederlands",
    "it": "Italiano",
    "hu": "Magyar",
    "ru": "Русский",
}
CATALOGUES = Path(__file__).parent / "locale"
LANGUAGES: Mapping[str, str] = {
    code: name for code, name in NAMES.items() if code == "en" or (CATALOGUES / f"{code}.po").exists()
}
"""The languages that can be chosen: English, and those whose catalogue is there."""
COOKIE = "language"


@lru_cache(maxsize=len(LANGUAGES))
def translations(language: str) -> gnu.NullTranslations:
    """Return the catalogue of a language; English speaks for itself."""
    if language == "en":
        return gnu.NullTranslations()
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return gnu.GNUTranslations(compiled)


def current_language() -> str:
    """Return the language of the request: chosen before, or the best the browser asks for."""
    if not has_request_context():
        return "en"
    if "language" not in g:
        chosen = request.cookies.get(COOKIE, "")
        g.language = chosen if chosen in LANGUAGES else request.accept_languages.best_match(LANGUAGES, "en")
    return str(g.language)


def gettext(message: str, **places: object) -> str:
    """Say a message in the reader's language."""
    return translations(current_language()).gettext(message).format_map(places)


def translated(message: str) -> str:
    """Return a message in the reader's language with its places still open."""
    return translations(current_language()).gettext(message)


def ngettext(one: str, many: str, n: int, **places: object) -> str:
    """Say a message that counts something in the reader's language."""
    return translations(current_language()).ngettext(one, many, n).format_map({"n": n, **places})


def date(when: datetime) -> str:
    """Say a day and an hour as the reader's language does; the time is the one of the table's clock."""
    here = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone().replace(tzinfo=None)
    return f"{format_date(here, 'medium', locale=_locale())}, {format_time(here, 'short', locale=_locale())}"


def number(value: float, digits: int = 1) -> str:
    """Say a number with up to so many digits after the point or comma."""
    return format_decimal(round(value, digits), locale=_locale())


def _locale() -> str:
    # English here is British, as everywhere in the companion: the day comes before the month.
    return "en_GB" if current_language() == "en" else current_language()


def mark(message: str) -> str:
    """Mark a message for the catalogues; it is said later."""
    return message
