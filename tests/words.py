"""The catalogues: every text that a page can show, found in code, templates and the books of rules and reasons.

`python -m tests.words` puts new texts into companion/locale/*.po and says how many are still to be translated.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from calibration import remarks
from companion.languages import CATALOGUES, NAMES
from engine import rulebook
from engine.gardens_of_mars import rulebook as mars
from vision import reasons

ROOT = Path(__file__).parents[1]
OTHERS = tuple(language for language in NAMES if language != "en")
KEYWORDS = {"_": None, "mark": None, "gettext": None, "ngettext": (1, 2)}
METHODS = [("**.py", "python"), ("templates/**.html", "jinja2")]
OPTIONS = {"templates/**.html": {"trim_blocks": "true", "lstrip_blocks": "true"}}
BOOKS = {
    "engine/rulebook.py": (rulebook.RULEBOOK, rulebook.MESSAGES),
    "engine/gardens_of_mars/rulebook.py": (mars.RULEBOOK, mars.MESSAGES),
    "vision/reasons.py": (reasons.ENGLISH,),
    "calibration/remarks.py": (remarks.ENGLISH, remarks.FACES, remarks.PLACES),
}
"""These rooms know nothing of languages: all that they say stands in these tables."""

HEADER = """# {name}
msgid ""
msgstr ""
"Language: {language}\\n"
"Plural-Forms: {forms}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""


def texts() -> Iterator[tuple[str, str | tuple[str, str]]]:
    """Yield (file, text) for everything a page can say; a text that counts is a pair."""
    found = extract_from_dir(ROOT / "companion", METHODS, OPTIONS, KEYWORDS)
    for file, _line, text, _comments, _context in sorted(found, key=lambda row: (row[0], row[1])):
        yield f"companion/{file}", text
    for file, tables in BOOKS.items():
        for table in tables:
            for text in table.values():
                yield file, text


def template() -> Catalog:
    """Return a catalogue of every text, without translations."""
    catalogue = Catalog()
    for file, text in texts():
        catalogue.add(text, locations=[(file, None)])
    return catalogue


def load(language: str) -> Catalog:
    """Read the catalogue of a language as it is in the repository."""
    path = CATALOGUES / f"{language}.po"
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def save(catalogue: Catalog) -> None:
    """Write a catalogue so that the same content gives the same file."""
    CATALOGUES.mkdir(exist_ok=True)
    forms = f"nplurals={catalogue.num_plurals}; plural={catalogue.plural_expr};"
    with (CATALOGUES / f"{catalogue.locale}.po").open("wb") as file:
        file.write(HEADER.format(name=NAMES[str(catalogue.locale)], language=catalogue.locale, forms=forms).encode())
        write_po(file, catalogue, width=120, omit_header=True, include_lineno=False)


def updated(language: str) -> Catalog:
    """Return a language's catalogue with every text of today, and none of yesterday's."""
    old, catalogue = load(language), Catalog(locale=language)
    for message in template():
        if message.id:
            known = old.get(message.id)
            said = known.string if known else ""
            catalogue.add(message.id, said, locations=message.locations)
    return catalogue


def missing(catalogue: Catalog) -> list[str | tuple[str, ...]]:
    """Return the texts that have no translation, or too few forms of it."""
    forms = catalogue.num_plurals
    found: list[str | tuple[str, ...]] = []
    for message in catalogue:
        said = message.string if isinstance(message.string, tuple | list) else (message.string,)
        if message.id and (not all(said) or (message.pluralizable and len(said) != forms)):
            found.append(message.id)
    return found


def main() -> int:
    """Update every catalogue."""
    left = 0
    for language in OTHERS:
        catalogue = updated(language)
        save(catalogue)
        wanting = missing(catalogue)
        left += len(wanting)
        print(f"{language}: {len(catalogue)} texts, {len(wanting)} to translate")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
