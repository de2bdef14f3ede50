"""Turns of Serendipity told in sentences.

While a game runs, the log keeps to itself what was shown and covered again, and where: it is a memory game.
"""

from collections.abc import Iterable

from companion.languages import gettext as _
from companion.phrases import face_name, listed
from engine.position import COVERED, is_serendip
from engine.steps import Step


def tell_steps(name: str, steps: Iterable[Step], *, veiled: bool = False) -> str:
    """Tell a whole turn in a sentence."""
    return f"{name} {'; '.join(tell_step(step, veiled=veiled) for step in steps)}."


def tell_nothing_seen(name: str) -> str:
    """Tell a turn that left no trace on the table."""
    return f"{name} {_('shows a flower of another colour and covers it again')}."


def tell_step(step: Step, *, veiled: bool = False) -> str:
    """Tell what was done with one tile, without saying who did it."""
    verbs = {act.verb: act.words for act in step.acts}
    if is_serendip(step.face):
        return _tell_serendip(step)
    places = {"cell": step.cell, "face": face_name(step.face)}
    if "cover" in verbs:
        if veiled:
            return _("shows a flower of another colour and covers it again")
        return _("turns up {cell}, {face}, and covers it again", **places)
    if "leave" in verbs:
        return _("turns up {cell}, {face}, which nobody owns, and leaves it open", **places)
    for verb in ("swap", "move"):
        if verb in verbs:
            other = listed(verbs[verb])
            return _("turns up {cell}, {face}, and swaps it with the tile at {other}", other=other, **places)
    if step.face == COVERED or not step.cell:
        return _("passes")
    return _("turns up {cell}, {face}, and leaves it open", **places)


def _tell_serendip(step: Step) -> str:
    verbs = {act.verb: act.words for act in step.acts}
    moved = next((act.words[0] for act in step.acts if act.verb in ("move", "swap") and len(act.words) == 1), None)
    if moved:
        told = _("turns up {cell}, a Serendip, and swaps it with the tile at {other}", cell=step.cell, other=moved)
    elif verbs.get("turn", (step.face,))[0] != step.face:
        told = _("turns up {cell}, a Serendip, and turns it", cell=step.cell)
    elif "cover" in verbs:
        told = _("turns up {cell}, {face}, and covers it again", cell=step.cell, face=face_name(step.face))
    else:
        told = _("turns up {cell}, a Serendip, and leaves it there", cell=step.cell)
    for act in step.acts:
        if act.verb == "swap" and len(act.words) == 2:
            told += _(", then swaps {first} and {second}", first=act.words[0], second=act.words[1])
    return told
