"""Judge a whole turn from the positions before and after it.

Legal means that some legal turn explains the change; what photos cannot show (a foreign flower shown and covered again,
covered tiles that changed places, the first facing of a Serendip) is granted to the player.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement, islice, product

from engine.breaches import breach_of
from engine.position import COLOUR_OF, COVERED, LETTERS, UNKNOWN, Face, Position, is_serendip
from engine.rulebook import Reason
from engine.story import Change
from engine.table import Player, Table
from engine.verdict import MANY, Verdict, with_disputes

STORY_LIMIT = 1000
"""Up to here stories are counted; more are "many"."""

FILLING_LIMIT = 1300
"""How many ways to fill unknown cells are tried before the referee says that too much is unknown."""


def referee(before: Position, after: Position, player: str, table: Table) -> Verdict:
    """Judge the turn of a player, named by name or colour, and say which options would change the verdict."""
    if before.edge != after.edge:
        raise ValueError(f"the boards have different edges: {before.edge} and {after.edge}")
    if table.fault:
        return Verdict("illegal", table.fault, rule="players")
    seat = table.players.index(table.player(player))
    return with_disputes(lambda table: judge(before, after, table.players[seat], table), table)


def judge(before: Position, after: Position, player: Player, table: Table) -> Verdict:
    """Judge a turn under one set of rules."""
    if UNKNOWN in before.faces or UNKNOWN in after.faces:
        return _judge_unknown(before, after, player, table)
    change = Change(before, after, player, table)
    if not change.is_legal:
        return breach_of(change)
    stories = change.stories
    number = MANY if stories is None or stories > STORY_LIMIT else stories
    story = tuple(map(str, change.story()))
    return Verdict("legal", Reason.of("explained" if change.cells else "no-trace"), story, number, cells=change.cells)


def _judge_unknown(before: Position, after: Position, player: Player, table: Table) -> Verdict:
    """Fill the unknown cells in every way that matters: legal if all ways are, illegal if none is."""
    unknown = [i for i, faces in enumerate(zip(before.faces, after.faces, strict=True)) if UNKNOWN in faces]
    cells = before.named(unknown)
    fillings = _fillings(before, after, unknown)
    legal: Change | None = None
    illegal: Change | None = None
    for old, new in islice(fillings, FILLING_LIMIT):
        change = Change(old, new, player, table)
        if change.is_legal:
            legal = legal or change
        else:
            illegal = illegal or change
        if legal and illegal:
            return _question(before, after, legal, unknown)
    if next(fillings, None):
        return Verdict("undecided", Reason.of("unknown-too-many", cells=cells), stories=MANY, cells=cells)
    if legal:
        story = tuple(map(str, legal.story()))
        return Verdict("legal", Reason.of("explained"), story, MANY, cells=legal.cells)
    assert illegal is not None
    return breach_of(illegal)


def _fillings(before: Position, after: Position, unknown: list[int]) -> Iterator[tuple[Position, Position]]:
    """Yield the positions with the unknown cells filled, unchanged cells first; cells alike are filled in one order."""
    alike: dict[tuple[Face, Face], list[int]] = {}
    for i in unknown:
        alike.setdefault((before.faces[i], after.faces[i]), []).append(i)
    serendip = _some_serendip(before)
    groups = [(_pairs(faces, serendip), len(group)) for faces, group in alike.items()]
    for filling in _choices(groups):
        old, new = {}, {}
        for group, pairs in zip(alike.values(), filling, strict=True):
            for i, (was, now) in zip(group, pairs, strict=True):
                old[i], new[i] = was, now
        yield before.with_faces(old), after.with_faces(new)


def _choices(groups: list[tuple[list[tuple[Face, Face]], int]]) -> Iterator[tuple[tuple[tuple[Face, Face], ...], ...]]:
    """Yield one choice for every group, made one at a time: there may be more than any memory holds."""
    if not groups:
        yield ()
        return
    (pairs, number), *rest = groups
    for others in _choices(rest):
        for chosen in combinations_with_replacement(pairs, number):
            yield (chosen, *others)


def _pairs(faces: tuple[Face, Face], serendip: Face) -> list[tuple[Face, Face]]:
    """Return what an unknown cell may have shown before and after, as far as it matters."""
    other = serendip[1:] + serendip[:1]
    known = [face for face in faces if face != UNKNOWN]
    domain = list(dict.fromkeys([*known, COVERED, *LETTERS, serendip, other]))
    olds = domain if faces[0] == UNKNOWN else [faces[0]]
    news = domain if faces[1] == UNKNOWN else [faces[1]]
    return sorted(product(olds, news), key=lambda pair: pair[0] != pair[1])


def _question(before: Position, after: Position, legal: Change, unknown: list[int]) -> Verdict:
    """Ask for an unknown cell that the verdict hangs on."""
    decisive = next((i for i in unknown if _hangs_on(i, before, after, legal)), unknown[0])
    moment = "after" if after.faces[decisive] == UNKNOWN else "before"
    face = (legal.after if moment == "after" else legal.before).faces[decisive]
    reason = Reason.of(f"unknown-{moment}", cell=before.board.names[decisive], face=_word(face))
    story = tuple(map(str, legal.story()))
    return Verdict("undecided", reason, None, MANY, cells=before.named(unknown), nearest=story)


def _hangs_on(i: int, before: Position, after: Position, legal: Change) -> bool:
    """Tell whether another tile at this cell alone would make a legal change illegal."""
    return any(
        not replace(legal, before=legal.before.with_faces({i: was}), after=legal.after.with_faces({i: now})).is_legal
        for was, now in _pairs((before.faces[i], after.faces[i]), _some_serendip(before))
    )


def _some_serendip(position: Position) -> Face:
    return next((position.faces[i] for i in position.serendips), LETTERS)


def _word(face: Face) -> str:
    if is_serendip(face):
        return f"serendip {face}"
    return COLOUR_OF.get(face, "covered")
