"""What the log says about a turn beyond the verdict: what was seen, what was inferred, what nobody can know."""

from dataclasses import dataclass

from companion.languages import mark
from companion.tracking.naming import Naming
from engine import Verdict

NOTES = {
    "seen": mark("Seen on the photo: {cells} changed."),
    "nothing-seen": mark("The photo shows no change."),
    "inferred": mark("Not clear on the photo, but known from before and by the rules: {cells}."),
    "naming": mark("The board may have been photographed from another side; its cells may have other names."),
    "naming-free": mark("Nothing on the board tells from which side it was photographed, so the names were chosen."),
    "origin": mark("Nobody can know where the flower now at {cells} was turned up: covered tiles look alike."),
    "facing": mark("Nobody can know which way the Serendip at {cells} faced when it was turned up."),
    "one-turn": mark("Counted as one turn with what a hand did before; as a turn of its own it would break a rule."),
    "foreign": mark("A flower that was shown and covered again leaves no trace."),
}
"""Every note with its English sentence."""


@dataclass(frozen=True)
class Note:
    """A note for the log; its key in NOTES, and the cells it speaks of."""

    key: str
    cells: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say it in English."""
        return NOTES[self.key].format(cells=", ".join(self.cells))


def notes_on(
    verdict: Verdict, seen: tuple[str, ...], inferred: tuple[str, ...], unchanged: bool, naming: Naming
) -> tuple[Note, ...]:
    """Say what is seen, inferred and unknowable about a turn."""
    notes = [Note("nothing-seen")] if unchanged else []
    if seen:
        notes.append(Note("seen", seen))
    if inferred:
        notes.append(Note("inferred", inferred))
    if not naming.is_sure:
        notes.append(Note("naming"))
    elif naming.free:
        notes.append(Note("naming-free"))
    steps = [step.split() for step in verdict.story or ()]
    flowers = tuple(words[1] for words in steps if words[2] != "serendip" and words[-1] == "stay")
    serendips = tuple(words[1] for words in steps if words[2] == "serendip" and "move" not in words)
    if flowers:
        notes.append(Note("origin", flowers[-1:]))
    if serendips:
        notes.append(Note("facing", serendips))
    if verdict.verdict == "legal" and not serendips:
        notes.append(Note("foreign"))
    return tuple(notes)
