"""Follow a game from one photo to the next: names, faces, questions, and the turn that lies between."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from companion.tracking.known import Known, Sight, sights_of
from companion.tracking.naming import Naming, name_board, side
from companion.tracking.notes import Note, notes_on
from companion.tracking.slips import sobered
from companion.tracking.weighing import Way, Weighing, incredible, plausible, weigh
from engine import Position, Reason, Table, TurnBetween, Verdict, referee, referee_turns
from engine.breaches import breaks_one_rule
from engine.position import COLOUR_OF, COVERED, LETTERS, UNKNOWN, Face, is_serendip
from engine.story import Change
from engine.verdict import MANY
from vision import CellReading, Reading

ANSWERED = 0.998
"""The share from which what was known answers a question of the eye; the eye itself vouches with such a chance."""
AGAINST = 4.0
"""A picture that favours another face by more than this speaks against the answer, and the question stays: unless
that other face is one that hands hardly ever bring about."""
DOUBTED = 0.85
"""Below this share a change that the eye vouches for is asked about: it breaks a rule, and the eye may be wrong."""
OPEN = 0.15
"""Ways with less than this share of the best one do not count as possible."""
MOST_JUDGED = 24
MOST_TURNS = 4
"""How many turns between two photos are worked out; with more, what happened is anybody's guess."""
TOO_MUCH, MOST_CHANGED, MOST_BROKEN = "too-much-changed", 12, 4
"""More changed cells than this that no turn explains, nor one broken rule that shows on few of them, are no cheat: the
photo is of another table, or others are missing."""
SURE_NAMES = 5.0
"""The lead in log odds, some hundred and fifty to one, with which the names of cells are sure."""


@dataclass(frozen=True)
class Followed:
    """A photo in the names of the game, and the turn that led to it.

    `position` holds the best answer for every cell; `unsure` are those a person should look at. `verdict` is that of
    the one turn by `player`. Cells are `seen` to have changed on the photo; they are `inferred` where the photo left a
    question that the last position and the rules have answered.
    """

    position: Position
    unsure: tuple[str, ...]
    naming: Naming
    player: str
    verdict: Verdict
    seen: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    doubts: dict[int, dict[Face, float]] = field(default_factory=dict)
    before: Position | None = None
    table: Table | None = None

    @cached_property
    def several(self) -> tuple[TurnBetween, ...]:
        """The turns in the players' order that would explain the change if a photo is missing; none where one does."""
        if self.verdict.verdict == "legal" or self.before is None or self.table is None:
            return ()
        most = min(MOST_TURNS, len(self.table.players))
        turns = referee_turns(self.before, self.position, self.player, self.table, most) or ()
        return turns if len(turns) > 1 else ()

    @cached_property
    def fits(self) -> tuple[str, ...]:
        """The other players whose legal turn the change would be."""
        if self.before is None or self.table is None:
            return ()
        others = [player.name for player in self.table.players if player.name != self.player]
        return tuple(
            name for name in others if referee(self.before, self.position, name, self.table).verdict == "legal"
        )

    @property
    def is_a_gap(self) -> bool:
        """Tell whether too much changed for anyone to say what was played."""
        return self.verdict.reason.key == TOO_MUCH

    @property
    def turned(self) -> int:
        """By how many sixths the photo's board was turned to get the game's names."""
        return self.naming.turned

    @property
    def sure_of_naming(self) -> bool:
        """Tell whether the cells surely have the names they had before."""
        return self.naming.is_sure

    @property
    def known(self) -> Known:
        """What the next photo is compared with."""
        return Known(self.position, self.doubts)

    @property
    def needs_an_eye(self) -> bool:
        """Tell whether a person should look: a cell, the naming or the verdict is open."""
        return bool(self.unsure) or not self.sure_of_naming or self.verdict.verdict == "undecided"

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What was seen, what was inferred, and what nobody can know."""
        return notes_on(self.verdict, self.seen, self.inferred, self.position == self.before, self.naming)

    @property
    def noted(self) -> list[list[Any]]:
        """The notes as the log keeps them: keys and cells, to be said in any language."""
        return [[note.key, list(note.cells)] for note in self.notes]

    def turn_json(self) -> dict[str, Any]:
        """Return the turn as `track` prints it; `turns` are offered where several would explain it better."""
        said = {"player": self.player, **self.verdict.as_json()}
        if self.several:
            said["turns"] = [{"player": turn.player.name, "story": list(turn.story)} for turn in self.several]
        return said


def follow(
    last: Known | Position,
    reading: Reading,
    player: str,
    table: Table,
    hint: int | None = None,
    turned: int | None = None,
) -> Followed:
    """Follow the game to a new photo, after a turn of this player (by name or colour).

    The reading must have cells; one from the history is `Reading.from_json(said)`. `hint` is `turned` of the photo
    before, if there was one: people mostly photograph from the same side. With `turned` someone has said the side.
    """
    known = last if isinstance(last, Known) else Known(last)
    name = table.player(player).name
    naming = name_board(known, reading, hint) if turned is None else Naming(turned)
    if not naming.rivals:
        return _followed(known, reading, naming, name, table)
    # The rules know more than the mere number of changes: of two sides, the one that needs no broken rule is likelier.
    every = (naming.turned, *naming.rivals)
    seat = table.player(name)
    worth = {k: weigh(known, _sights(known, reading, k), seat, table).evidence + side(k, hint) for k in every}
    best = max(every, key=lambda k: worth[k])
    rivals = tuple(k for k in every if k != best and worth[best] - worth[k] < SURE_NAMES)
    return _followed(known, reading, replace(naming, turned=best, rivals=rivals), name, table)


def first_known(reading: Reading, like: Position | None = None) -> Known:
    """Take a photo as the beginning of a game, in its own naming, or in that of a position it is like."""
    turned = name_board(Known(like), reading).turned if like else 0
    sights = sights_of(reading, turned)
    doubts = {i: _doubt(sight, sight.face) for i, sight in enumerate(sights) if not sight.vouched}
    return Known(reading.position.turned(turned), doubts)


def reading_of(position: Position) -> Reading:
    """Take a position as a photo without a doubt."""
    names = position.board.names
    cells = {name: CellReading(face, float(face != UNKNOWN)) for name, face in zip(names, position.faces, strict=True)}
    return Reading.of(cells, (), {}, edge=position.edge)


def _sights(known: Known, reading: Reading, turned: int) -> tuple[Sight, ...]:
    return sobered(known, sights_of(reading, turned, known.ring))


def _followed(known: Known, reading: Reading, naming: Naming, player: str, table: Table) -> Followed:
    sights = _sights(known, reading, naming.turned)
    weighing = weigh(known, sights, table.player(player), table)
    best = weighing.ways[0]
    faces: dict[int, Face] = {}
    doubts: dict[int, dict[Face, float]] = {}
    inferred: list[int] = []
    for i in weighing.open:
        sight, shares = sights[i], weighing.shares(i)
        answer = max(shares, key=lambda face: shares[face])
        if _is_answered(known, sights, i, answer, shares[answer], best):
            faces[i] = answer
            if not sight.vouched:
                inferred.append(i)
        else:
            faces[i] = answer if sight.is_hidden else sight.face
            doubts[i] = _doubt(sight, answer) if sight.is_hidden else shares
    position = best.after.with_faces(faces)
    names = position.board.names
    unseen = {i: UNKNOWN for i in doubts if sights[i].is_hidden}
    ways = _possible(weighing, position)
    verdict = _judged(ways, unseen, player, table)
    if verdict.verdict == "illegal":
        # Nobody is accused of what hands hardly do: what is asked about counts as unchanged first, and then the rest.
        was = best.before.faces
        credible = position.with_faces({i: was[i] for i in incredible(best.before, position) if i in doubts})
        strange = incredible(best.before, credible)
        credible = credible.with_faces({i: was[i] for i in strange})
        doubts |= {i: {position.faces[i]: 0.5, was[i]: 0.5} for i in strange}
        inferred = [i for i in inferred if i not in doubts]
        verdict = _judged([*ways, Way(best.before, credible, 0.0, True)], unseen, player, table)
    changed = [i for i, face in enumerate(position.faces) if face != best.before.faces[i]]
    found = Followed(
        position,
        position.named(doubts),
        naming,
        player,
        verdict,
        tuple(names[i] for i in changed if i not in doubts and i not in inferred),
        position.named(inferred),
        doubts,
        best.before,
        table,
    )
    if verdict.verdict != "illegal" or len(changed) <= MOST_CHANGED:
        return found
    if len(verdict.cells) <= MOST_BROKEN and breaks_one_rule(
        Change(best.before, position, table.player(player), table)
    ):
        return found
    reason = Reason.of(TOO_MUCH, count=len(changed))
    return replace(found, verdict=Verdict("undecided", reason, None, MANY, cells=position.named(changed)))


def _is_answered(known: Known, sights: tuple[Sight, ...], i: int, answer: Face, share: float, best: Way) -> bool:
    """Tell whether a cell needs no question: the answer is all but certain, and the picture is not against it."""
    sight = sights[i]
    if sight.is_hidden:
        return i not in known.doubts and _cannot_have_changed(sights, i, best)
    if sight.vouched:
        return share >= DOUBTED and answer == sight.face
    if is_serendip(answer) and not known.ring:
        return False  # the first one: nobody knows its ring but the eye
    if share < ANSWERED or AGAINST * sight.chance(answer) >= sight.chance(sight.face):
        return share >= ANSWERED
    # The picture is against it, but shows what hands hardly do: it has to be clear, and then the share is less.
    return answer == best.before.faces[i] and i in incredible(best.before, best.after.with_faces({i: sight.face}))


def _cannot_have_changed(sights: tuple[Sight, ...], i: int, best: Way) -> bool:
    """Tell whether the rules keep a hidden tile as it is: a Serendip, or a flower while no Serendip can be new."""
    face = best.before.faces[i]
    if is_serendip(face):
        return True
    if face not in LETTERS:
        return False
    return not any(
        best.before.faces[j] == COVERED and (sight.is_hidden or is_serendip(best.after.faces[j]))
        for j, sight in enumerate(sights)
    )


def _doubt(sight: Sight, answer: Face) -> dict[Face, float]:
    """Return the chances that a later photo starts from."""
    guess = COVERED if answer == UNKNOWN else answer
    chances = dict(sight.chances) or {guess: 1.0}
    if sight.is_hidden:
        chances = {**dict.fromkeys((COVERED, *LETTERS), 0.01), guess: 0.9}
    total = sum(chances.values())
    return {face: chance / total for face, chance in chances.items() if chance > 1e-4 * total}


def _possible(weighing: Weighing, position: Position) -> list[Way]:
    """Return the ways that count: the likely ones, and the likeliest that agrees with what the picture shows."""
    ways = list(islice(plausible(weighing, OPEN), MOST_JUDGED))
    if shown := next((way for way in weighing.ways if way.after == position), None):
        ways.append(shown)
    return ways


def _judged(ways: list[Way], unseen: dict[int, Face], player: str, table: Table) -> Verdict:
    """Judge every way that is possible; where they differ, ask for the cell that decides."""
    judgements = [(way, referee(way.before, way.after.with_faces(unseen), player, table)) for way in ways]
    first, verdict = judgements[0]
    other = next(((way, judged) for way, judged in judgements if judged.verdict != verdict.verdict), None)
    if other is None:
        # Nobody is accused of more than the picture needs: where something is illegal, the least change counts.
        return min(judgements, key=lambda told: len(told[0].changed))[1]
    second, against = other
    names = first.after.board.names
    after = [i for i, (a, b) in enumerate(zip(first.after.faces, second.after.faces, strict=True)) if a != b]
    before = [i for i, (a, b) in enumerate(zip(first.before.faces, second.before.faces, strict=True)) if a != b]
    legal = first if verdict.verdict == "legal" else second
    cell, moment = (after[0], "after") if after else (before[0], "before")
    face = (legal.after if after else legal.before).faces[cell]
    reason = Reason.of(f"unknown-{moment}", cell=names[cell], face=_word(face))
    nearest = (verdict if verdict.verdict == "legal" else against).story or ()
    return Verdict("undecided", reason, None, MANY, cells=tuple(names[i] for i in after or before), nearest=nearest)


def _word(face: Face) -> str:
    return f"serendip {face}" if is_serendip(face) else COLOUR_OF.get(face, "covered")
