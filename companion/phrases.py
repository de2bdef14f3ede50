"""What the engine, the eye and the page say, in the reader's language."""

from collections.abc import Iterable, Mapping
from typing import Any

from companion.history.checking import BadImport
from companion.languages import gettext as _
from companion.languages import mark
from companion.tracking.notes import NOTES
from engine import GAMES, board_of
from engine.position import COLOURS, COVERED, EMPTY, LETTER_OF, Face, is_serendip
from engine.rulebook import RULEBOOK
from engine.rulebook import Reason as EngineReason
from engine.steps import parse_steps
from vision.reasons import ENGLISH

COLOUR_NAMES = {
    "b": mark("blue"),
    "v": mark("violet"),
    "r": mark("red"),
    "y": mark("yellow"),
    "o": mark("orange"),
    "g": mark("green"),
    "p": mark("pink"),
    "w": mark("white"),
    "e": mark("grey"),
}
SEAT_NAMES = {
    "round": mark("round head"),
    "square": mark("square head"),
    "pointed": mark("pointed head"),
    "horned": mark("horned head"),
    "crowned": mark("crowned head"),
}
FLOWER_NAMES = {
    "b": mark("blue flower"),
    "v": mark("violet flower"),
    "r": mark("red flower"),
    "y": mark("yellow flower"),
    "o": mark("orange flower"),
    "g": mark("green flower"),
}
OPTION_NAMES = {
    "ownerless": mark("Flowers nobody owns"),
    "moved_serendip": mark("A Serendip that moves"),
    "carpet_choice": mark("Which carpet counts"),
    "chains": mark("Serendips side by side"),
    "bridges": mark("Serendips as bridges"),
    "several_colours": mark("Several colours for one player"),
    "complete_colour": mark("The complete colour that ends the game"),
    "centre": mark("The centre of the garden"),
    "group_score": mark("What a planted flower scores"),
    "last_of_colour_extra_turn": mark("Another turn for planting one’s last flower of a colour"),
    "track_hop_extra_turn": mark("Another turn for landing on a taken field above 25"),
    "two_gardeners": mark("Two gardeners for each of two players"),
}
VALUE_NAMES = {
    ("ownerless", "cover"): mark("are covered again"),
    ("ownerless", "open-after-10"): mark("may stay open after the tenth Serendip"),
    ("ownerless", "open"): mark("may stay open"),
    ("moved_serendip", "as-revealed"): mark("keeps its facing"),
    ("moved_serendip", "may-turn"): mark("may be turned"),
    ("carpet_choice", "most-valuable"): mark("the most valuable"),
    ("carpet_choice", "largest"): mark("the largest"),
    ("chains", "join"): mark("pass the link on"),
    ("chains", "single"): mark("do not pass the link on"),
    ("bridges", "any-face"): mark("link whatever they touch"),
    ("bridges", "matching-face"): mark("link only by the matching petal"),
    ("bridges", "none"): mark("link nothing"),
    ("several_colours", "linked"): mark("one carpet, linked by Serendips"),
    ("several_colours", "best-colour"): mark("the best colour counts"),
    ("several_colours", "sum"): mark("all colours are added up"),
    ("complete_colour", "owned"): mark("belongs to a player"),
    ("complete_colour", "any"): mark("may be anybody's or nobody's"),
    ("centre", "no-stop"): mark("may be crossed"),
    ("centre", "no-cross"): mark("may not even be crossed"),
    ("group_score", "connected"): mark("all connected flowers of its colour"),
    ("group_score", "adjacent"): mark("only flowers of its colour right beside it"),
    ("last_of_colour_extra_turn", "off"): mark("no"),
    ("last_of_colour_extra_turn", "on"): mark("yes"),
    ("track_hop_extra_turn", "off"): mark("no"),
    ("track_hop_extra_turn", "on"): mark("yes"),
    ("two_gardeners", "off"): mark("no"),
    ("two_gardeners", "on"): mark("yes"),
}
PRESET_NAMES = {
    "german": mark("German rules"),
    "five-language": mark("Rules in five languages"),
    "hungarian": mark("Hungarian rules"),
    "russian": mark("Russian rules"),
    "leaflet": mark("Rules of the leaflet"),
    "special-actions": mark("With the special actions"),
    "two-gardeners": mark("With two gardeners each"),
    "closed-centre": mark("With a closed centre"),
}
COLOUR_LETTERS = {
    look.name: look.letter
    for game in GAMES.values()
    for looks in game.sets.values()
    for look in looks
    if look.letter in COLOUR_NAMES
}
"""From the English name of every colour of every game to its letter."""
OWN_REASONS = {
    "too-hard": mark("This photo takes too long or too much memory to read. Send a smaller one."),
    "no-file": mark("No photo arrived. Choose one and try again."),
    "photo-missing": mark("This photo did not come with the game, so it cannot be read here."),
}
TROUBLES = {
    "full": mark("The disk is full. Nothing was lost; make some room and try again."),
    "read-only": mark("The data folder cannot be written to. Nothing was lost; check its permissions."),
    "locked": mark("Another program is using the history right now. Nothing was lost; try again in a moment."),
    "corrupt": mark("The history file is damaged. It was left as it is; restore a backup."),
    "newer": mark("This history was written by a newer version of the program. It was left as it is."),
    "disk": mark("The disk reports an error. What was saved before is kept; check the disk, then try again."),
    "gone": mark("The database does not answer. Nothing was lost; try again in a moment."),
}


IMPORT_REASONS = {
    "not-an-export": mark("This is not a file of games that the companion wrote. Nothing was changed."),
    "not-a-backup": mark("This is not a backup that the companion wrote. Nothing was changed."),
    "newer-import": mark("This file comes from a newer version of the program. Nothing was changed."),
    "broken-import": mark("This file is damaged or was changed by hand (at {where}). Nothing was taken in."),
    "too-large": mark(
        "This file is larger than {megabytes} megabytes. Take it in on the computer: serendipity import FILE."
    ),
    "no-file": mark("There is no file {file}."),
    "no-folder": mark("There is no folder {folder}."),
    "backup-exists": mark("{file} is there already and was left as it is. Choose another name."),
    "not-clean": mark("{folder} is not empty and was left as it is. Restore into a new folder."),
}


def say_import(mistake: BadImport) -> str:
    """Say why a file was not taken in."""
    return _(IMPORT_REASONS[mistake.key], **mistake.places)


def colour_name(letter: str) -> str:
    """Name a colour, given by its letter or its English name."""
    return _(COLOUR_NAMES[COLOUR_LETTERS.get(letter, letter)])


def seat_name(seat: str) -> str:
    """Name what a player chose at the start: a colour, or a type of martians."""
    return _(SEAT_NAMES[seat]) if seat in SEAT_NAMES else colour_name(seat)


def player_name(name: str) -> str:
    """Name a player; those who are only a colour get the name of their colour."""
    return colour_name(name).capitalize() if name in COLOURS else name


def listed(names: Iterable[str]) -> str:
    """Join names as a list in a sentence."""
    names = list(names)
    return names[0] if len(names) == 1 else _("{first} and {last}", first=", ".join(names[:-1]), last=names[-1])


def face_name(face: Face) -> str:
    """Name what a tile shows."""
    if face in FLOWER_NAMES:
        return _(FLOWER_NAMES[face])
    if is_serendip(face):
        return _("Serendip")
    if face == COVERED:
        return _("covered tile")
    return _("no tile") if face == EMPTY else _("not known")


def cell_name(name: str, face: Face) -> str:
    """Name a cell and what lies there, for those who cannot see it."""
    if is_serendip(face):
        return _("{cell}: Serendip, from the right counter-clockwise {petals}", cell=name, petals=petals_named(face))
    return f"{name}: {face_name(face)}"


def petals_named(letters: str) -> str:
    """Name the colours round a Serendip."""
    return ", ".join(colour_name(letter) for letter in letters)


def rule_text(rule: str) -> str:
    """Say a rule in one sentence."""
    return _(RULEBOOK[rule])


def rule_link(rule: str, game: str = "serendipity") -> str:
    """Return where a rule can be looked up."""
    return f"/rules#{rule}" if game == "serendipity" else f"/rules/{game}#{rule}"


def option_text(option: str, value: str) -> str:
    """Say an option and its value."""
    return f"{_(OPTION_NAMES[option])}: {_(VALUE_NAMES[option, value])}"


def say(reason: EngineReason) -> str:
    """Say a reason of the engine, as a sentence of its own."""
    said = _(reason.sentence, **{name: _place(name, value) for name, value in reason.params})
    return said[:1].upper() + said[1:]


def say_notes(notes: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Say what the log keeps of a photo: what was seen, what was inferred, what nobody can know."""
    return [_(NOTES[key], cells=", ".join(cells)) for key, cells in notes if key in NOTES]


def say_reading(key: str, places: Mapping[str, Any]) -> str:
    """Say why a photo was read as it was."""
    try:
        return _(ENGLISH.get(key) or OWN_REASONS[key], **places)
    except KeyError:  # a game from elsewhere may bring a reason this version does not know
        return _("This photo could not be read.")


def _place(name: str, value: object) -> object:
    """Say a parameter: the engine names colours, faces and rings by plain English words and letters."""
    if isinstance(value, tuple):
        return ", ".join(str(_place(name, part)) for part in value)
    if not isinstance(value, str):
        return value
    if name == "face":
        return face_name(COVERED if value == "covered" else LETTER_OF.get(value) or value.removeprefix("serendip "))
    if name in ("ring", "petals"):
        return petals_named(value)
    if name == "step":
        from companion.play.telling import tell_step  # it says faces and lists through this module

        return "; ".join(tell_step(step) for step in parse_steps(value, board_of(6)))
    if name == "martian":
        return seat_name(value)
    return colour_name(value) if value in COLOUR_LETTERS else value
