"""What unknown cells would have to show for a turn to be legal.

Any unknown cell can be filled so that no turn is legal: another player's flowers are as many after a turn as before,
and one filling of the cell breaks that. So all there is to find is one filling that makes the turn legal.
The last step is guessed; then each colour's flowers that came to lie somewhere must be as many as those whose place
a Serendip took, and unknown cells make up what is lacking. `!` stands for an unknown tile that is no Serendip.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb, prod
from typing import NamedTuple

from engine.census import PLACED, Kind, counts_of, goes_on, kind_of, too_strange
from engine.position import COVERED, EMPTY, LETTERS, UNKNOWN, Face, Position, is_serendip
from engine.standing import SERENDIP, is_over
from engine.story import Change
from engine.turns import leaving_allowed

MOVABLE = "!"

TRIAL_LIMIT = 4000
"""How many last steps are tried before the referee says that too much is unknown."""

FILLING_LIMIT = 4000
"""How many fillings are tried one by one where counting tiles does not settle it."""


class TooManyUnknown(Exception):  # noqa: N818 - a limit that was reached, not an error
    """More last steps are possible than the referee tries."""


class Place(NamedTuple):
    """A tile that is followed through the turn: the cells where it lay before and after the last swap, and its kind."""

    before: int
    after: int
    kind: Kind


class Trial(NamedTuple):
    """A guess at the last step: the kinds of cells it settled, and the places that the steps before it must explain."""

    settled: dict[int, Kind]
    places: tuple[Place, ...]
    left: Counter[Kind]


def plain_filling(change: Change) -> Change:
    """Fill unknown cells as if nothing had changed there."""
    old, new = list(change.before.faces), list(change.after.faces)
    for i, (was, now) in enumerate(zip(old, new, strict=True)):
        if UNKNOWN in (was, now):
            known = next((face for face in (was, now) if face != UNKNOWN), COVERED)
            old[i] = new[i] = known
    return _with(change, old, new)


def legal_filling(change: Change) -> Change | None:
    """Return the change with its unknown cells filled so that some turn is legal, or None where no filling does."""
    plain = plain_filling(change)
    if plain.is_legal:
        return plain
    kinds = [_kind(was, now) for was, now in zip(change.before.faces, change.after.faces, strict=True)]
    if _known_breach(Counter(kinds), change):
        return None
    doubtful = False
    for number, trial in enumerate(_trials(kinds, change)):
        if number >= TRIAL_LIMIT:
            raise TooManyUnknown
        if (lacking := _lacking(trial.left, change.player.letters)) is not None:
            filled = _filled(change, trial, lacking)
            if filled.is_legal:
                return filled
            doubtful = True
    # Flowers balance, but with more tiles of a kind than there are, or after the end of the game: each trial used as
    # few tiles as it could, unless unknown cells hid tiles before the turn or hide own flowers that went.
    hidden = UNKNOWN in change.before.faces or any((letter, UNKNOWN) in kinds for letter in change.player.letters)
    return _searched(change) if doubtful and hidden else None


def _searched(change: Change) -> Change | None:
    """Try every filling; of cells that show the same, only how many are filled in which way."""
    serendip = _some_serendip(change.before, change.after)
    alike: dict[tuple[Face, Face], list[int]] = {}
    for i, (was, now) in enumerate(zip(change.before.faces, change.after.faces, strict=True)):
        if UNKNOWN in (was, now):
            alike.setdefault((was, now), []).append(i)
    choices: list[tuple[list[tuple[Face, Face]], int]] = []
    for (was, now), cells in alike.items():
        faces = dict.fromkeys([*(face for face in (was, now) if face != UNKNOWN), COVERED, *LETTERS, serendip])
        fillings = product(faces if was == UNKNOWN else (was,), faces if now == UNKNOWN else (now,))
        possible = {kind: filling for filling in fillings if not too_strange(Counter([kind := kind_of(*filling)]), 2)}
        choices.append(([*possible.values()], len(cells)))
    if prod(comb(len(fillings) + number - 1, number) for fillings, number in choices) > FILLING_LIMIT:
        raise TooManyUnknown
    unknown = [i for cells in alike.values() for i in cells]
    for parts in product(*(combinations_with_replacement(*choice) for choice in choices)):
        filling = [*chain.from_iterable(parts)]
        before = change.before.with_faces({i: was for i, (was, _) in zip(unknown, filling, strict=True)})
        after = change.after.with_faces({i: now for i, (_, now) in zip(unknown, filling, strict=True)})
        if (filled := replace(change, before=before, after=after)).is_legal:
            return filled
    return None


def _kind(was: Face, now: Face) -> Kind:
    if UNKNOWN not in (was, now):
        return kind_of(was, now)
    return PLACED if is_serendip(was) else was, SERENDIP if is_serendip(now) else now


def _known_breach(kinds: Counter[Kind], change: Change) -> bool:
    """Tell whether the game was over, or tiles lie open that do not exist, whatever is unknown."""
    before, after = counts_of(kinds, 0), counts_of(kinds, 1)
    return is_over(before, change.table) or any(
        after[face] > max(change.table.copies, before[face] + before[UNKNOWN]) for face in (*LETTERS, SERENDIP)
    )


def _trials(kinds: list[Kind], change: Change) -> Iterator[Trial]:
    """Yield guesses at the last step; of cells that are alike, only the first ones are tried."""
    table, own = change.table, change.player.letters
    census = Counter(kinds)
    cells: dict[Kind, list[int]] = {}
    for i, kind in enumerate(kinds):
        cells.setdefault(kind, []).append(i)
    strange = [kind for kind, number in census.items() for _ in range(number) if not _may_go_on(kind)]
    if len(strange) > 2:
        return

    def settle(*wanted: tuple[Kind, Kind]) -> Trial:
        left, settled = Counter(census), dict[int, Kind]()
        for kind, fill in wanted:
            left[kind] -= 1
            settled[next(i for i in cells[kind] if i not in settled)] = fill
        return Trial(settled, (), left)

    if not strange:
        leaving = table.ownerless if leaving_allowed(counts_of(census, 1)[SERENDIP], table) else ""
        for kind in census:
            for letter in dict.fromkeys((SERENDIP, *own, *leaving)):
                if _fits(kind, (COVERED, letter)):
                    yield settle((kind, (COVERED, letter)))
        for one, other in _pairs(census):
            for letter in LETTERS:
                for moved, landed in ((one, other), (other, one)):
                    if _fits(moved, (letter, SERENDIP)) and _fits(landed, (COVERED, letter)):
                        yield settle((moved, (letter, SERENDIP)), (landed, (COVERED, letter)))
    for stayed in census:
        if _fits(stayed, (COVERED, SERENDIP)):
            trial = settle((stayed, (COVERED, SERENDIP)))
            for one, other in _pairs(trial.left):
                if not set(strange) <= {one, other}:
                    continue
                if swapped := _swap(trial, one, other, cells):
                    yield swapped


def _pairs(census: Counter[Kind]) -> Iterator[tuple[Kind, Kind]]:
    kinds = [kind for kind, number in census.items() if number]
    yield from combinations(kinds, 2)
    yield from ((kind, kind) for kind in kinds if census[kind] > 1)


def _swap(trial: Trial, one: Kind, other: Kind, cells: dict[Kind, list[int]]) -> Trial | None:
    """Take back a swap of two tiles, neither of them a Serendip."""
    shown = [MOVABLE if kind[1] == UNKNOWN else kind[1] for kind in (one, other)]
    if not all(face in (MOVABLE, COVERED, *LETTERS) for face in shown) or shown == [COVERED, COVERED]:
        return None
    i = next(i for i in cells[one] if i not in trial.settled)
    j = next(j for j in cells[other] if j not in (i, *trial.settled))
    left = Counter(trial.left)
    left[one] -= 1
    left[other] -= 1
    places = (Place(i, j, (one[0], shown[1])), Place(j, i, (other[0], shown[0])))
    left.update(place.kind for place in places)
    return Trial(trial.settled, places, left)


def _fits(kind: Kind, wanted: Kind) -> bool:
    return all(is_face in (UNKNOWN, face) for is_face, face in zip(kind, wanted, strict=True))


def _may_go_on(kind: Kind) -> bool:
    """Tell whether a cell can be filled as steps that let the turn go on would leave it."""
    if kind in ((PLACED, MOVABLE), (EMPTY, MOVABLE)):
        return False
    return UNKNOWN in kind or MOVABLE in kind or goes_on(kind)


def _lacking(left: Counter[Kind], own: str) -> list[tuple[Kind, Kind]] | None:
    """Return which kinds of unknown cells must be filled how, so that flowers and Serendips balance; None if none can.

    Serendips already seen are used before unknown tiles become Serendips: there are only so many.
    """
    if any(number > 0 and not _may_go_on(kind) for kind, number in left.items()):
        return None
    spare = Counter({kind: number for kind, number in left.items() if UNKNOWN in kind or MOVABLE in kind})
    filled: list[tuple[Kind, Kind]] = []

    def fill(wanted: Kind, number: int, *kinds: Kind) -> int:
        for kind in kinds:
            used = min(number, spare[kind])
            spare[kind] -= used
            number -= used
            filled.extend([(kind, wanted)] * used)
        return number

    lost = {x: left[COVERED, x] - left[x, SERENDIP] for x in LETTERS}
    wants = {x: number for x, number in lost.items() if number > 0 and x not in own}
    for x in wants:
        wants[x] -= (sure := min(wants[x], spare[x, UNKNOWN]))
        wants[x] = fill((x, SERENDIP), wants[x], (UNKNOWN, SERENDIP)) + sure
    for x, number in wants.items():
        short = fill((x, SERENDIP), number, (UNKNOWN, SERENDIP), (x, UNKNOWN), (UNKNOWN, UNKNOWN))
        if short:
            return None
    for x, number in lost.items():
        rest = fill((COVERED, x), max(0, -number), (UNKNOWN, x))
        rest = fill((COVERED, x), rest, (COVERED, MOVABLE), (COVERED, UNKNOWN), (UNKNOWN, MOVABLE), (UNKNOWN, UNKNOWN))
        if rest:
            return None
    return filled


def _filled(change: Change, trial: Trial, lacking: list[tuple[Kind, Kind]]) -> Change:
    """Write a trial's filling into the positions."""
    old, new = list(change.before.faces), list(change.after.faces)
    serendip = _some_serendip(change.before, change.after)
    swapped = {i for place in trial.places for i in (place.before, place.after)}
    places = [
        Place(i, i, _kind(was, now))
        for i, (was, now) in enumerate(zip(old, new, strict=True))
        if i not in trial.settled and i not in swapped and UNKNOWN in (was, now)
    ]
    places += [place for place in trial.places if UNKNOWN in place.kind or MOVABLE in place.kind]
    wanted: dict[Kind, list[Kind]] = {}
    for kind, fill in lacking:
        wanted.setdefault(kind, []).append(fill)

    def put(at: Place, was: Face, now: Face) -> None:
        if old[at.before] == UNKNOWN:
            old[at.before] = was
        if new[at.after] == UNKNOWN:
            new[at.after] = serendip if now == SERENDIP else now

    for i, (was, now) in trial.settled.items():
        put(Place(i, i, (was, now)), was, now)
    for place in places:
        if fills := wanted.get(place.kind):
            put(place, *fills.pop())
            continue
        was, now = old[place.before], new[place.after]
        known = next((face for face in (was, now) if face != UNKNOWN), COVERED)
        put(place, known, known)
    return _with(change, old, new)


def _with(change: Change, old: list[Face], new: list[Face]) -> Change:
    edge = change.before.edge
    return replace(change, before=Position(tuple(old), edge), after=Position(tuple(new), edge))


def _some_serendip(*positions: Position) -> Face:
    return next((position.faces[i] for position in positions for i in position.serendips), LETTERS)
