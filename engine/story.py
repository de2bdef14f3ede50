"""One shortest legal turn that explains a change, told step by step."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod

from engine.census import Ending, Kind, count_turns, endings, going, is_legal, kind_of
from engine.position import COVERED, LETTERS, Face, Position, is_serendip
from engine.standing import open_counts
from engine.steps import Step
from engine.table import Player, Table
from engine.turns import facings


@dataclass(frozen=True)
class Change:
    """Two positions with nothing unknown, and the player whose turn lies between them."""

    before: Position
    after: Position
    player: Player
    table: Table

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """What each cell showed before and after."""
        return tuple(map(kind_of, self.before.faces, self.after.faces))

    @cached_property
    def census(self) -> Counter[Kind]:
        """How many cells there are of each kind."""
        return Counter(self.kinds)

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The cells that changed."""
        return self.after.named(i for i, (before, after) in enumerate(self.kinds) if before != after)

    def endings(self) -> Iterator[Ending]:
        """Yield the kinds of last step that a legal turn may have had, the plainest first."""
        return endings(self.census, self.player.letters, self.table, self._first_facings)

    @cached_property
    def stories(self) -> int | None:
        """How many legal turns explain the change; None where there are too many to count."""
        turnings = prod(len(facings(self.after.faces[i])) for i in self._new_serendips)
        return count_turns(self.census, self.player.letters, self.table, self._first_facings, turnings)

    @cached_property
    def is_legal(self) -> bool:
        """Tell whether some legal turn explains the change."""
        return is_legal(self.census, self.player.letters, self.table)

    def story(self) -> tuple[Step, ...]:
        """Tell one of the shortest legal turns; there must be one."""
        if not self.cells:
            counts = open_counts(self.after.faces)
            shown = next(x for x in LETTERS if x not in self.player.letters and counts[x] < self.table.copies)
            return (Step.of(self._name(self.kinds.index((COVERED, COVERED))), shown, "cover"),)
        faces = list(self.after.faces)
        steps = [self._last_step(next(self.endings()), faces)]
        while tuple(faces) != self.before.faces:
            steps.append(self._unwind(faces))
        return tuple(reversed(steps))

    @property
    def _new_serendips(self) -> list[int]:
        return [i for i, kind in enumerate(self.kinds) if kind[1] == "S"]

    @property
    def _first_facings(self) -> int:
        stayed = (i for i in self._new_serendips if self.before.faces[i] == COVERED)
        return sum(len(facings(self.after.faces[i])) for i in stayed)

    def _name(self, i: int) -> str:
        return self.before.board.names[i]

    def _last_step(self, ending: Ending, faces: list[Face]) -> Step:
        """Tell the last step and take it back from the faces."""
        at = [self.kinds.index(kind) for kind in ending.kinds]
        first, face = at[0], faces[at[0]]
        if ending.name == "serendip-swap":
            serendip = self.kinds.index((COVERED, "S"))
            petals, (a, b) = faces[serendip], sorted(at)
            faces[a], faces[b], faces[serendip] = faces[b], faces[a], COVERED
            return Step.of(self._name(serendip), petals, "stay", f"swap {self._name(a)} {self._name(b)}")
        if ending.name == "serendip-move":
            return self._unmove(first, faces)
        faces[first] = COVERED
        if ending.name == "own-swap":
            source = next(i for i, face in enumerate(self.after.faces) if face == COVERED)
            return Step.of(self._name(source), face, f"swap {self._name(first)}")
        return Step.of(self._name(first), face, "leave" if ending.name == "leave" else "stay")

    def _unwind(self, faces: list[Face]) -> Step:
        """Tell the last of the steps that let the turn go on, and take it back from the faces."""
        for i in reversed(range(len(faces))):
            if self.before.faces[i] == COVERED and faces[i] in self.player.letters:
                face, faces[i] = faces[i], COVERED
                if going(Counter(map(kind_of, self.before.faces, faces)), self.player.letters):
                    return Step.of(self._name(i), face, "stay")
                faces[i] = face
        new = [i for i, face in enumerate(faces) if is_serendip(face) and face != self.before.faces[i]]
        return self._unmove(max(new, key=lambda i: self.before.faces[i] != COVERED), faces)

    def _unmove(self, target: int, faces: list[Face]) -> Step:
        """Tell how a Serendip came to its cell, from a covered tile's place, and take it back."""
        was = self.before.faces[target]
        sources = [i for i, face in enumerate(faces) if i != target and self.before.faces[i] == COVERED]
        wanted = [i for i in sources if faces[i] == was] or [i for i in sources if not is_serendip(faces[i])]
        source, petals = wanted[0], faces[target]
        faces[target], faces[source] = faces[source], COVERED
        return Step.of(self._name(source), petals, f"move {self._name(target)}")
