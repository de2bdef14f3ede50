"""Turns played step by step, with every rule checked.

A state is a value: playing a step gives a new one, and the old one is still there to go back to.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from engine.position import COLOUR_OF, COVERED, EMPTY, LETTERS, UNKNOWN, Face, Position, is_serendip
from engine.rulebook import Reason, Value
from engine.standing import SERENDIP, is_over, open_counts
from engine.steps import Step, parse_steps
from engine.table import Player, Table
from engine.verdict import Verdict, with_disputes


@dataclass(frozen=True)
class State:
    """A table in the middle of play: whose turn it is, and the step that ended it, if one has."""

    position: Position
    table: Table
    seat: int = 0
    begun: bool = False
    ended_by: str = ""

    @property
    def player(self) -> Player:
        """The player whose turn it is."""
        return self.table.players[self.seat]

    @property
    def over(self) -> bool:
        """Tell whether the game is over."""
        return is_over(open_counts(self.position.faces), self.table)

    def play(self, step: Step) -> "State":
        """Return the state after a legal step; the turn passes on by `next_turn`."""
        if fault := fault_of(self, step):
            raise ValueError(str(fault.reason))
        ended_by = str(step) if ends_turn(step, self.player) else ""
        return replace(self, position=played(self.position, step), begun=True, ended_by=ended_by)

    def next_turn(self) -> "State":
        """Return the state with the next player to begin."""
        return State(self.position, self.table, (self.seat + 1) % len(self.table.players))


@dataclass(frozen=True)
class Fault:
    """A step that breaks a rule; or, without a rule, one that nobody can judge."""

    rule: str | None
    reason: Reason
    cells: tuple[str, ...]


def ends_turn(step: Step, player: Player) -> bool:
    """Tell whether a legal step ends the turn: all do but an own flower that stays and a Serendip that moves."""
    verbs = {act.verb for act in step.acts}
    if is_serendip(step.face):
        return _target(step) is None
    return step.face not in player.letters or bool(verbs & {"swap", "move"})


def played(position: Position, step: Step) -> Position:
    """Return what the table shows after a legal step."""
    at, index = position.board.index(step.cell), position.board.index
    target = _target(step)
    if is_serendip(step.face):
        petals = next((act.words[0] for act in reversed(step.acts) if act.verb == "turn"), step.face)
        if target:
            return position.with_faces({at: position[target], index(target): petals})
        position = position.with_faces({at: petals})
        for act in step.acts:
            if act.verb == "swap":
                a, b = act.words
                position = position.with_faces({index(a): position[b], index(b): position[a]})
        return position
    if target:
        return position.with_faces({at: position[target], index(target): step.face})
    return position if step.acts[0].verb == "cover" else position.with_faces({at: step.face})


def fault_of(state: State, step: Step) -> Fault | None:
    """Find the rule that a step breaks, if any."""

    def fault(rule: str | None, key: str, *cells: str, **params: Value) -> Fault:
        return Fault(rule, Reason.of(key, **params), cells)

    position, table, cell = state.position, state.table, step.cell
    # players: two to six, and no colour twice.
    if table.fault:
        return Fault("players", table.fault, ())
    # end: once the game is over nothing more is revealed.
    if state.over:
        return fault("end", "game-over")
    # one-at-a-time: nothing more after the turn has ended, and no pass.
    if state.ended_by:
        return fault("one-at-a-time", "turn-ended", *filter(None, [cell]), step=state.ended_by)
    if any(act.verb == "pass" for act in step.acts):
        return fault("one-at-a-time", "passed")
    # reveal: a step begins by turning up one covered tile.
    if not cell:
        return fault("reveal", "not-revealed", *(word for act in step.acts if act.verb != "turn" for word in act.words))
    if position[cell] == UNKNOWN:
        return fault(None, "cell-unknown", cell, cell=cell)
    if position[cell] != COVERED:
        return fault("reveal", "not-covered", cell, cell=cell)
    # start: there are only so many tiles of a kind.
    kind = SERENDIP if is_serendip(step.face) else step.face
    if open_counts(position.faces)[kind] >= table.copies:
        return fault("start", "none-left", cell, cell=cell, copies=table.copies)
    if kind == SERENDIP:
        return _serendip_fault(state, step)
    if kind in state.player.letters:
        return _own_fault(state, step)
    # foreign: covered again at the same place; an ownerless one may be left open where the table plays so.
    may_leave = kind in table.ownerless and leaving_allowed(open_counts(position.faces)[SERENDIP], table)
    if not (step.acts[0].verb == "cover" or (step.acts[0].verb == "leave" and may_leave)):
        return fault("foreign", "foreign-kept", cell, cell=cell, colour=COLOUR_OF[kind])
    if len(step.acts) > 1:
        return fault("one-at-a-time", "too-much", cell, cell=cell)
    return None


def leaving_allowed(open_serendips: int, table: Table) -> bool:
    """Tell whether a flower that nobody owns may be left open now."""
    return table.rules.ownerless == "open" or (table.rules.ownerless == "open-after-10" and open_serendips >= 10)


def _own_fault(state: State, step: Step) -> Fault | None:
    cell, verbs = step.cell, [act.verb for act in step.acts]

    def fault(rule: str, key: str, *cells: str, **params: Value) -> Fault:
        return Fault(rule, Reason.of(key, cell=cell, **params), (cell, *cells))

    # faces-kept: only Serendips are turned, and a flower that was swapped stays open.
    if "turn" in verbs:
        return fault("faces-kept", "flower-turned")
    if "cover" in verbs[1:]:
        return fault("faces-kept", "face-changed")
    # own-stay: an own flower stays open.
    if verbs[0] == "cover":
        return fault("own-stay", "own-covered")
    if len(verbs) > 1:
        return fault("one-at-a-time", "too-much")
    # own-swap: with one covered tile.
    if verbs[0] in ("swap", "move"):
        if len(step.acts[0].words) != 1:
            return fault("own-swap", "own-swap-count", *step.acts[0].words)
        other = step.acts[0].words[0]
        if other != cell and state.position[other] == UNKNOWN:
            return Fault(None, Reason.of("cell-unknown", cell=other), (other,))
        if other == cell or state.position[other] != COVERED:
            return fault("own-swap", "own-swap-open", other, other=other)
    return None


def _serendip_fault(state: State, step: Step) -> Fault | None:
    cell, verbs, position = step.cell, [act.verb for act in step.acts], state.position
    swaps = [act.words for act in step.acts if act.verb == "swap" and len(act.words) == 2]
    moves = [act.words[0] for act in step.acts if act.verb in ("swap", "move") and len(act.words) == 1]

    def fault(rule: str, key: str, *cells: str, **params: Value) -> Fault:
        return Fault(rule, Reason.of(key, cell=cell, **params), (cell, *cells))

    # serendip-stay: it stays open, turned by any number of edges.
    if "cover" in verbs:
        return fault("serendip-stay", "serendip-covered")
    turned = [act.words[0] for act in step.acts if act.verb == "turn"]
    for petals in turned:
        if petals not in facings(step.face):
            return fault("serendip-stay", "serendip-turn", petals=petals)
    # serendip-move: either it moves or two others are swapped, and a moved one is not turned.
    if moves and swaps:
        return fault("serendip-move", "move-and-swap", *swaps[0])
    if moves and turned and turned[-1] != step.face and state.table.rules.moved_serendip == "as-revealed":
        return fault("serendip-move", "moved-turned")
    if len(moves) > 1 or (moves and "stay" in verbs):
        return fault("one-at-a-time", "too-much")
    # one-at-a-time: the swap of two others ends the turn, so a Serendip is turned before it.
    if swaps and "turn" in verbs[verbs.index("swap") :]:
        return fault("one-at-a-time", "turn-ended", step=" ".join(("swap", *swaps[0])))
    if len(swaps) > 1:
        return fault("serendip-stay", "swap-two", *(name for swap in swaps for name in swap))
    for name in (*moves, *(name for swap in swaps for name in swap)):
        if name != cell and position[name] == UNKNOWN:
            return Fault(None, Reason.of("cell-unknown", cell=name), (name,))
        # serendip-fixed: a placed one is never swapped again.
        if is_serendip(position[name]):
            return fault("serendip-fixed", "fixed", name, other=name)
        if name == cell or position[name] == EMPTY:
            if moves:
                return fault("serendip-move", "move-nowhere", other=name)
            return fault("serendip-stay", "swap-two", name)
    if swaps and swaps[0][0] == swaps[0][1]:
        return fault("serendip-stay", "swap-two", *swaps[0][:1])
    return None


def facings(petals: Face) -> tuple[Face, ...]:
    """Return the ways a Serendip can lie, each once, its own first."""
    return tuple(dict.fromkeys(petals[k:] + petals[:k] for k in range(6)))


def legal_steps(state: State, cell: str | None = None, face: Face | None = None) -> Iterator[Step]:
    """Yield the legal next steps; with a cell and a face, those after that tile has been turned up."""
    if face is None:
        ring = next((state.position.faces[i] for i in state.position.serendips), LETTERS)
        faces = [*LETTERS, *facings(ring)]
    else:
        faces = [face]
    names = state.position.board.names
    for name in names if cell is None else [cell]:
        for shown in faces:
            tries = (Step.of(name, shown, *acts) for acts in _tries(shown, names, shown in state.player.letters))
            yield from (step for step in tries if fault_of(state, step) is None)


def _tries(face: Face, names: tuple[str, ...], own: bool) -> Iterator[tuple[str, ...]]:
    if own:
        yield ("stay",)
        yield from ((f"swap {name}",) for name in names)
        return
    if not is_serendip(face):
        yield from (("cover",), ("leave",))
        return
    for petals in facings(face):
        turn = () if petals == face else (f"turn {petals}",)
        yield turn or ("stay",)
        yield from ((*turn, f"move {name}") for name in names)
        yield from ((*(turn or ("stay",)), f"swap {a} {b}") for a, b in combinations(names, 2))


def check(position: Position, steps: str, player: str, table: Table) -> Verdict:
    """Judge a claimed turn step by step; the first step that breaks a rule is named."""
    seat = 0 if table.fault else table.players.index(table.player(player))
    claimed = parse_steps(steps, position.board)

    def judge(table: Table) -> Verdict:
        state = State(position, table, seat)
        if not claimed:
            return Verdict("illegal", Reason.of("no-step"), rule="reveal")
        for step in claimed:
            if fault := fault_of(state, step):
                verdict = "illegal" if fault.rule else "undecided"
                return Verdict(verdict, fault.reason, rule=fault.rule, cells=fault.cells)
            state = state.play(step)
        return Verdict("legal", Reason.of("turn-legal"), tuple(map(str, claimed)), 1)

    return with_disputes(judge, table)


def _target(step: Step) -> str | None:
    """Return the cell that the revealed tile changes places with, if it does."""
    for act in step.acts:
        if act.verb in ("swap", "move") and len(act.words) == 1:
            return act.words[0]
    return None
