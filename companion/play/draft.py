"""A turn of Serendipity half entered, tap by tap: what is asked next, and what the rules allow."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from companion.phrases import player_name
from companion.play.telling import tell_steps
from companion.play.way import Words
from engine.position import COLOUR_OF, COVERED, LETTERS, Face, Position, is_serendip
from engine.steps import Step, parse_steps
from engine.turns import Fault, State, ends_turn, facings, fault_of, played


@dataclass(frozen=True)
class Choice:
    """Something that can be done with the tile in hand, or the rule that forbids it.

    `pair` is the swap of two others after a Serendip stays.
    """

    name: str
    steps: str
    goes_on: bool
    fault: Fault | None = None


@dataclass(frozen=True)
class Draft:
    """A turn half entered: the steps done, the tile in hand, and the cells tapped for it.

    With `free` anything can be entered, to ask the referee about it.
    """

    start: State
    done: str = ""
    cell: str = ""
    face: Face = ""
    petals: Face = ""
    plan: str = ""
    taps: tuple[str, ...] = ()
    free: bool = False

    @classmethod
    def of(cls, start: State, words: Words, *, free: bool = False) -> "Draft":
        """Read a draft from an address; what makes no sense is left out."""
        board = start.position.board
        cell = words.get("cell", "") if words.get("cell") in board.indices else ""
        face = words.get("face") or "".join(words.getlist("petal"))
        if not (face in COLOUR_OF or (is_serendip(face) and set(face) == set(LETTERS))):
            face = ""
        petals = words.get("petals", "")
        plan = words.get("plan", "")
        taps = tuple(name for name in words.getlist("tap") if name in board.indices)
        draft = cls(
            start,
            words.get("done", ""),
            cell,
            face if cell else "",
            petals if face and petals in facings(face) and is_serendip(face) else "",
            plan if face and plan in ("swap", "move", "pair") else "",
            taps[:2] if face and plan else (),
            free,
        )
        return draft if draft.is_possible else cls(start, free=free)

    @cached_property
    def state(self) -> State:
        """The table after the finished steps."""
        state = self.start
        for step in parse_steps(self.done, state.position.board):
            if not self.free:
                state = state.play(step)
            elif step.cell:
                # What breaks a rule has been done all the same; the referee says so later.
                state = replace(state, position=played(state.position, step), begun=True)
        return state

    @property
    def is_possible(self) -> bool:
        """Tell whether the finished steps could be played; an address can say anything."""
        try:
            return self.state is not None
        except ValueError:
            return False

    @cached_property
    def shown(self) -> Position:
        """The table as it lies in the middle of the turn, with the tile in hand turned up."""
        position = self.state.position
        if not self.face:
            return position
        return position.with_faces({position.board.index(self.cell): self.petals or self.face})

    @property
    def stage(self) -> str:
        """Tell what is asked next: a tile, its face, what to do with it, a cell, or a yes."""
        if not self.cell:
            return "tile"
        if self.first_fault and not self.free:
            return "refused"
        if not self.face:
            return "face"
        if not self.plan:
            return "act"
        if self.tap_fault:
            return "refused"
        return "cell" if len(self.taps) < self.taps_wanted else "confirm"

    @property
    def taps_wanted(self) -> int:
        """How many cells the plan needs."""
        return 2 if self.plan == "pair" else 1

    @cached_property
    def first_fault(self) -> Fault | None:
        """Say why the tapped tile cannot be turned up."""
        fault = fault_of(self.state, Step.of(self.cell, self._likely_face, "cover"))
        return fault if fault and fault.rule in ("reveal", "end", "one-at-a-time", None) else None

    @cached_property
    def tap_fault(self) -> Fault | None:
        """Say why a cell cannot be swapped."""
        if not self.taps or self.free:
            return None
        return self.fault_of_tap(self.taps[:-1], self.taps[-1])

    def fault_of_tap(self, before: tuple[str, ...], name: str) -> Fault | None:
        """Say why this cell cannot be tapped next."""
        if self.free:
            return None
        if self.plan != "pair":
            return fault_of(self.state, self.step(self.plan, (name,)))
        if not before:
            # The first of two: wrong only if it would be wrong with every other.
            other = next((n for n in self._free_names if n != name), name)
            return fault_of(self.state, self.step("pair", (name, other)))
        return fault_of(self.state, self.step("pair", (*before, name)))

    @cached_property
    def lit(self) -> frozenset[str]:
        """The cells that may be tapped now."""
        names = self.state.position.board.names
        if self.free:
            return frozenset(names)
        if self.stage in ("tile", "face", "act"):
            return frozenset(self.state.position.named(self.state.position.where(COVERED)))
        before = self.taps[: self.taps_wanted - 1] if self.stage == "confirm" else self.taps
        if self.stage == "refused" and self.taps:
            before = self.taps[:-1]
        return frozenset(name for name in names if name not in before and not self.fault_of_tap(before, name))

    def step(self, choice: str, taps: tuple[str, ...] = ()) -> Step:
        """Return the step that a choice makes of the tile in hand."""
        turn = (f"turn {self.petals}",) if self.petals and self.petals != self.face else ()
        if choice == "pair":
            return Step.of(self.cell, self.face, *(turn or ("stay",)), f"swap {' '.join(taps)}")
        if choice in ("swap", "move"):
            return Step.of(self.cell, self.face, *turn, f"{choice} {' '.join(taps)}")
        return Step.of(self.cell, self.face, *(turn if choice == "stay" and turn else (choice,)))

    @property
    def facings(self) -> tuple[Face, ...]:
        """The ways the Serendip in hand can lie."""
        return facings(self.face)

    @property
    def choices(self) -> list[Choice]:
        """What can be done with the tile in hand; what the rules forbid comes with the reason."""
        found = []
        for name in self._thinkable:
            # Any cells that fit stand for all of them: only whether it can be done at all is asked here.
            taps = self._free_names[: {"swap": 1, "move": 1, "pair": 2}.get(name, 0)]
            step = self.step(name, taps)
            fault = fault_of(self.state, step)
            goes_on = self.free or not ends_turn(step, self.state.player)
            found.append(Choice(name, self.text(step), goes_on, None if self.free else fault))
        return sorted(found, key=lambda choice: choice.fault is not None)

    @property
    def _thinkable(self) -> tuple[str, ...]:
        """What people may think of doing with the tile in hand."""
        if is_serendip(self.face):
            thinkable: tuple[str, ...] = ("stay", "move", "pair")
        elif self.face in self.state.player.letters:
            thinkable = ("stay", "swap", "cover")
        else:
            thinkable = ("cover", "leave")
        if self.free:
            thinkable = tuple(dict.fromkeys((*thinkable, "cover", "swap")))
        return thinkable if len(self._free_names) > 1 else thinkable[:1]

    def text(self, step: Step) -> str:
        """Return the turn so far with this step, as text."""
        return "; ".join(filter(None, (self.done, str(step))))

    @property
    def finished(self) -> str:
        """The turn as text once the last cell was tapped."""
        return self.text(self.step(self.plan, self.taps))

    @property
    def goes_on(self) -> bool:
        """Tell whether another tile may be turned up after this."""
        step = self.step(self.plan, self.taps)
        if self.free:
            return True
        if ends_turn(step, self.state.player) or fault_of(self.state, step):
            return False
        after = self.state.play(step)
        return not after.over and COVERED in after.position.faces

    @property
    def told(self) -> str:
        """The turn so far in a sentence."""
        steps = parse_steps(self.done, self.state.position.board)
        if self.stage == "confirm":
            steps = (*steps, self.step(self.plan, self.taps))
        return tell_steps(player_name(self.state.player.name), steps) if steps else ""

    def faces(self, ring: str) -> Iterator[tuple[Face, Fault | None]]:
        """Yield what may have been turned up: flowers, own ones first, then the facings of a Serendip."""
        own = self.state.player.letters
        for letter in sorted(LETTERS, key=lambda letter: (letter not in own, LETTERS.index(letter))):
            yield letter, self._fault_of_face(letter)
        for facing in facings(ring) if ring else ():
            yield facing, self._fault_of_face(facing)

    def _fault_of_face(self, face: Face) -> Fault | None:
        act = "cover" if face in LETTERS and face not in self.state.player.letters else "stay"
        return fault_of(self.state, Step.of(self.cell, face, act))

    @cached_property
    def _free_names(self) -> tuple[str, ...]:
        """Cells that a swap may touch: covered ones first, never the tile in hand or a Serendip."""
        position = self.state.position
        names = [n for n, face in zip(position.board.names, position.faces, strict=True) if not is_serendip(face)]
        return tuple(sorted((n for n in names if n != self.cell), key=lambda n: position[n] != COVERED))

    @cached_property
    def _likely_face(self) -> Face:
        """Any face that may lie there, so that only the cell is judged."""
        counts = {letter: len(self.state.position.where(letter)) for letter in LETTERS}
        foreign = [letter for letter in LETTERS if letter not in self.state.player.letters]
        return min(foreign, key=lambda letter: counts[letter])

    def words(self, **changes: Any) -> dict[str, Any]:
        """Return the draft as the words of an address, with some changed."""
        here = {"done": self.done, "cell": self.cell, "face": self.face, "petals": self.petals, "plan": self.plan}
        said = {**here, "tap": list(self.taps), **changes}
        return {name: value for name, value in said.items() if value}
