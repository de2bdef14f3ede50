"""Judge a whole turn from the positions before and after it.

Legal means that some legal turn explains the change; what photos cannot show (a foreign flower shown and covered again,
covered tiles that changed places, the first facing of a Serendip) is granted to the player.
"""

from engine.breaches import breach_of
from engine.filling import TooManyUnknown, legal_filling, plain_filling
from engine.position import COLOUR_OF, UNKNOWN, Face, Position, is_serendip
from engine.rulebook import Reason
from engine.story import Change
from engine.table import Player, Table
from engine.verdict import MANY, Verdict, with_disputes

STORY_LIMIT = 1000
"""Up to here stories are counted; more are "many"."""


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
    change = Change(before, after, player, table)
    if UNKNOWN in before.faces or UNKNOWN in after.faces:
        return _judge_unknown(change)
    if not change.is_legal:
        return breach_of(change)
    stories = change.stories
    number = MANY if stories is None or stories > STORY_LIMIT else stories
    story = tuple(map(str, change.story()))
    return Verdict("legal", Reason.of("explained" if change.cells else "no-trace"), story, number, cells=change.cells)


def _judge_unknown(change: Change) -> Verdict:
    """Look for tiles that make the turn legal at the unknown cells; if there are some, the verdict hangs on these."""
    unknown = [
        i for i, faces in enumerate(zip(change.before.faces, change.after.faces, strict=True)) if UNKNOWN in faces
    ]
    cells = change.before.named(unknown)
    try:
        legal = legal_filling(change)
    except TooManyUnknown:
        return Verdict("undecided", Reason.of("unknown-too-many", cells=cells), stories=MANY, cells=cells)
    if legal is None:
        return breach_of(plain_filling(change))
    # A tile that must have changed is the better question.
    asked = next((i for i in unknown if legal.kinds[i][0] != legal.kinds[i][1]), unknown[0])
    moment = "after" if change.after.faces[asked] == UNKNOWN else "before"
    face = (legal.after if moment == "after" else legal.before).faces[asked]
    reason = Reason.of(f"unknown-{moment}", cell=change.before.board.names[asked], face=_word(face))
    return Verdict("undecided", reason, None, MANY, cells=cells, nearest=tuple(map(str, legal.story())))


def _word(face: Face) -> str:
    if is_serendip(face):
        return f"serendip {face}"
    return COLOUR_OF.get(face, "covered")
