"""One photo after another, with readings made by hand: names, questions, answers, and what must never be hidden."""

import random
from dataclasses import replace

import pytest

from companion.tracking import follow, name_board
from companion.tracking.known import Known
from engine import Position, Table
from engine.play import play_game
from engine.position import COVERED, UNKNOWN, is_serendip, turned_face
from vision import CellReading, Reading

FOUR = Table.parse("Ann=blue,Ben=violet,Cleo=red,Dan=yellow")
TURNS = list(play_game(FOUR, 7))
MIDDLE = TURNS[200].before.position


def reading_of(position: Position, doubts: dict[str, dict[str, float]] | None = None, turned: int = 0) -> Reading:
    """Make the reading of a photo taken from another side; `doubts` are chances of cells, in the game's names."""
    doubts = doubts or {}
    board = position.board
    seen = position.turned(-turned)
    cells, unsure = {}, []
    for i, name in enumerate(board.names):
        there = board.names[board.turns[turned % 6][i]]
        if there not in doubts:
            cells[name] = CellReading(seen.faces[i], 0.99995, UNKNOWN, {seen.faces[i]: 0.99995})
            continue
        chances = {turned_face(face, -turned): chance for face, chance in doubts[there].items()}
        order = sorted(chances, key=lambda face: -chances[face])
        face = order[0]
        cells[name] = CellReading(face, 0.0 if face == UNKNOWN else chances[face], order[-1], chances)
        unsure.append(name)
    return Reading.of(cells, unsure, dict.fromkeys(board.names, (0.0, 0.0)), "bvroyg")


def some(position: Position, wanted: str) -> str:
    """Name a cell that shows such a face; S is any Serendip."""
    index = position.serendips[0] if wanted == "S" else position.where(wanted)[0]
    return position.board.names[index]


def spun(face: str, edges: int = 1) -> str:
    return face[edges:] + face[:edges]


def test_honest_turns_from_any_side_keep_their_names_and_are_legal():
    chance = random.Random(5)
    for turn in chance.sample(TURNS, 60):
        before, after, side = turn.before.position, turn.after.position, chance.randrange(6)
        found = follow(before, reading_of(after, turned=side), turn.before.player.name, FOUR)
        if before.serendips:
            assert found.naming.turned == side
            assert found.sure_of_naming
        assert found.naming.free or found.position == after
        assert (found.verdict.verdict, found.unsure) == ("legal", ())


def test_a_covered_board_has_no_side_and_says_so():
    naming = name_board(Known(Position.covered()), reading_of(Position.covered(), turned=2))
    assert naming.free
    assert naming.is_sure
    assert naming.turned == 0
    assert name_board(Known(Position.covered()), reading_of(Position.covered()), hint=4).turned == 4


def test_names_are_found_when_many_tiles_changed():
    chance = random.Random(6)
    for number in range(40, 400, 30):
        side = chance.randrange(6)
        found = follow(
            TURNS[number].before.position, reading_of(TURNS[number + 24].after.position, turned=side), "Ann", FOUR
        )
        assert found.position == TURNS[number + 24].after.position
        assert found.sure_of_naming


def test_two_sides_that_fit_equally_well_are_told():
    lone = Position.covered().with_faces({0: "b"})
    found = follow(lone, reading_of(Position.covered()), "Ann", FOUR)
    assert not found.sure_of_naming
    assert found.needs_an_eye


def test_what_was_known_answers_a_question():
    cell = some(MIDDLE, "r")
    found = follow(MIDDLE, reading_of(MIDDLE, {cell: {"r": 0.6, "o": 0.4}}), "Ann", FOUR)
    assert found.unsure == ()
    assert found.inferred == (cell,)
    assert found.position == MIDDLE


def test_a_placed_serendip_under_a_hand_is_inferred_and_a_covered_tile_is_asked_about():
    serendip, covered = some(MIDDLE, "S"), some(MIDDLE, COVERED)
    found = follow(
        MIDDLE, reading_of(MIDDLE, {serendip: {UNKNOWN: 1.0}, covered: {UNKNOWN: 1.0}}, turned=3), "Ann", FOUR
    )
    assert found.inferred == (serendip,)
    assert found.unsure == (covered,)
    assert found.position == MIDDLE
    assert found.verdict.verdict in ("legal", "undecided")


def test_a_flower_under_a_hand_is_inferred_only_while_no_serendip_is_new():
    flower, covered = some(MIDDLE, "v"), some(MIDDLE, COVERED)
    hidden = {flower: {UNKNOWN: 1.0}}
    assert follow(MIDDLE, reading_of(MIDDLE, hidden), "Ann", FOUR).inferred == (flower,)
    fresh = MIDDLE.with_faces({MIDDLE.board.index(covered): MIDDLE.faces[MIDDLE.serendips[0]]})
    assert follow(MIDDLE, reading_of(fresh, hidden), "Ann", FOUR).unsure == (flower,)


@pytest.mark.parametrize("edges", [1, 2, 3, 5])
def test_a_turned_serendip_is_reported_from_every_side(edges):
    at = MIDDLE.serendips[2]
    cheat = MIDDLE.with_faces({at: spun(MIDDLE.faces[at], edges)})
    for side in range(6):
        found = follow(MIDDLE, reading_of(cheat, turned=side), "Cleo", FOUR)
        assert (found.verdict.verdict, found.verdict.rule) == ("illegal", "serendip-fixed")
        assert found.position == cheat
        assert found.seen == MIDDLE.named([at])


@pytest.mark.parametrize("chance", [0.8, 0.9, 0.98, 0.995])
def test_a_turned_serendip_that_the_picture_rather_shows_is_asked_about_and_never_smoothed_away(chance):
    at = MIDDLE.serendips[2]
    name, old = MIDDLE.board.names[at], MIDDLE.faces[at]
    reading = reading_of(MIDDLE, {name: {spun(old): chance, old: 1 - chance}})
    found = follow(MIDDLE, reading, "Cleo", FOUR)
    assert name in found.unsure or found.verdict.verdict == "illegal"
    assert found.position[name] == spun(old)
    assert found.verdict.verdict in ("undecided", "illegal")


def test_an_illegal_change_the_eye_vouches_for_with_a_rest_of_doubt_is_asked_about():
    covered = some(MIDDLE, COVERED)
    reading = reading_of(MIDDLE.with_faces({MIDDLE.board.index(covered): "g"}))
    shy = CellReading("g", 0.99, COVERED, {"g": 0.99, COVERED: 0.01})
    reading = Reading.of({**reading.cells, covered: shy}, (), reading.centres, reading.ring)
    found = follow(MIDDLE, reading, "Ann", FOUR)
    assert found.verdict.verdict == "undecided"
    assert found.unsure == (covered,)
    own = CellReading("b", 0.99, COVERED, {"b": 0.99, COVERED: 0.01})
    legal = follow(MIDDLE, Reading.of({**reading.cells, covered: own}, (), reading.centres, "bvroyg"), "Ann", FOUR)
    assert (legal.verdict.verdict, legal.unsure) == ("legal", ())


def test_a_question_nobody_answered_is_answered_by_the_next_photo():
    covered = some(MIDDLE, COVERED)
    fresh = MIDDLE.with_faces({MIDDLE.board.index(covered): "b"})
    first = follow(MIDDLE, reading_of(fresh, {covered: {"b": 0.7, "g": 0.3}}), "Ann", FOUR)
    assert first.unsure == (covered,)
    second = follow(first.known, reading_of(fresh), "Ben", FOUR)
    assert second.unsure == ()
    assert second.position == fresh
    assert second.verdict.verdict == "legal"


def test_the_log_says_what_is_seen_inferred_and_unknowable():
    covered, red = some(MIDDLE, COVERED), some(MIDDLE, "r")
    fresh = MIDDLE.with_faces({MIDDLE.board.index(covered): "b"})
    found = follow(MIDDLE, reading_of(fresh, {red: {"r": 0.6, "o": 0.4}}), "Ann", FOUR)
    assert [note.key for note in found.notes] == ["seen", "inferred", "origin", "foreign"]
    assert is_serendip(MIDDLE.faces[MIDDLE.serendips[0]])
    turn = found.turn_json()
    assert turn["player"] == "Ann"
    assert turn["verdict"] == "legal"


def test_a_ring_that_the_eye_mistook_does_not_turn_any_serendip():
    """Two colours taken for each other on every Serendip: all tiles are printed alike, so the ring is the known one."""
    mistaken = {"r": "o", "o": "r"}
    seen = Position(
        tuple("".join(mistaken.get(x, x) for x in face) if is_serendip(face) else face for face in MIDDLE.faces)
    )
    reading = reading_of(seen, turned=2)
    found = follow(MIDDLE, Reading.of(reading.cells, (), reading.centres, "bvoryg"), "Ann", FOUR)
    assert found.position == MIDDLE
    assert found.unsure == ()
    assert found.verdict.verdict == "legal"
    assert set(found.inferred) == set(MIDDLE.named(MIDDLE.serendips))


def test_the_log_says_that_nothing_changed_only_where_nothing_did():
    covered = some(MIDDLE, COVERED)
    fresh = MIDDLE.with_faces({MIDDLE.board.index(covered): "b"})
    found = follow(MIDDLE, reading_of(fresh, {covered: {"b": 0.985, "g": 0.015}}), "Ann", FOUR)
    assert [note.key for note in found.notes] == ["inferred", "origin", "foreign"]
    assert [note.key for note in follow(MIDDLE, reading_of(MIDDLE), "Ann", FOUR).notes] == ["nothing-seen", "foreign"]


def of_unsure_ring(reading: Reading, ring_chance: float = 0.07) -> Reading:
    """Leave most of the chance of every Serendip to rings that the reading does not name, as the eye does."""
    cells = {
        name: replace(cell, confidence=ring_chance, chances={cell.face: ring_chance})
        if is_serendip(cell.face)
        else cell
        for name, cell in reading.cells.items()
    }
    unsure = [name for name, cell in cells.items() if is_serendip(cell.face)]
    return Reading.of(cells, unsure, reading.centres, "")


def test_a_turned_serendip_is_reported_where_only_the_ring_was_unsure():
    at = MIDDLE.serendips[2]
    cheat = MIDDLE.with_faces({at: spun(MIDDLE.faces[at])})
    found = follow(MIDDLE, of_unsure_ring(reading_of(cheat, turned=4)), "Ann", FOUR)
    assert (found.verdict.verdict, found.verdict.rule) == ("illegal", "serendip-fixed")
    assert found.position == cheat
    honest = follow(MIDDLE, of_unsure_ring(reading_of(MIDDLE, turned=4)), "Ann", FOUR)
    assert (honest.verdict.verdict, honest.unsure) == ("legal", ())


@pytest.mark.parametrize("ring_chance", [0.07, 0.6, 0.998])
def test_the_first_serendip_is_asked_about_while_its_ring_is_unsure(ring_chance):
    fresh = Position.covered().with_faces({0: "b", 7: "b", 30: "bvroyg"})
    reading = of_unsure_ring(reading_of(fresh), ring_chance)
    found = follow(fresh.with_faces({30: COVERED}), reading, "Ann", FOUR, turned=0)
    assert found.verdict.verdict == "legal"
    assert found.unsure == fresh.named([30])
    assert found.position == fresh


def test_a_turned_serendip_is_reported_beside_others_that_are_hard_to_see():
    at, *others = MIDDLE.serendips[:3]
    cheat = MIDDLE.with_faces({at: spun(MIDDLE.faces[at])})
    blurred = {MIDDLE.board.names[i]: {"o": 0.5, "v": 0.35, MIDDLE.faces[i]: 0.1, "b": 0.05} for i in others}
    found = follow(MIDDLE, reading_of(cheat, blurred), "Ann", FOUR)
    assert (found.verdict.verdict, found.verdict.rule) == ("illegal", "serendip-fixed")
    assert found.seen == MIDDLE.named([at])


@pytest.mark.parametrize("shown", ["o", "_"])
def test_what_hands_do_not_do_is_believed_only_when_it_is_clear(shown):
    """A yellow flower does not become orange, nor does it leave the table, while the picture leaves a doubt."""
    cell = some(MIDDLE, "y")
    found = follow(MIDDLE, reading_of(MIDDLE, {cell: {shown: 0.85, "y": 0.15}}), "Ann", FOUR)
    assert (found.verdict.verdict, found.unsure, found.inferred) == ("legal", (), (cell,))
    found = follow(MIDDLE, reading_of(MIDDLE, {cell: {shown: 0.9985, "y": 0.0015}}), "Ann", FOUR)
    assert (found.verdict.verdict, found.unsure) == ("undecided", (cell,))
    assert found.position[cell] == shown


def test_a_flower_that_moved_is_one_cheat_though_its_colour_is_unsure():
    """The moved yellow flower looks orange: that it was covered and an orange one turned up would be two cheats."""
    old, new = MIDDLE.where("y")[0], MIDDLE.where(COVERED)[0]
    cell = MIDDLE.board.names[new]
    reading = reading_of(MIDDLE.with_faces({old: COVERED}), {cell: {"o": 0.69, "y": 0.31}})
    found = follow(MIDDLE, reading, "Cleo", FOUR)
    assert (found.verdict.verdict, found.verdict.rule) == ("illegal", "reveal")


def test_a_photo_on_which_little_can_be_told_accuses_nobody():
    """More cells are open than can be weighed: each may still be what it was."""
    blurred = {
        name: {"o": 0.5, "v": 0.3, "g": 0.15, MIDDLE[name]: 0.05}
        for name in MIDDLE.named([*MIDDLE.serendips, *MIDDLE.where("b"), *MIDDLE.where("r")])
    }
    found = follow(MIDDLE, reading_of(MIDDLE, blurred), "Ann", FOUR)
    assert len(blurred) > 11
    assert found.verdict.verdict != "illegal"


def test_a_colour_misread_all_over_the_photo_is_asked_about_and_nobody_is_accused():
    red_ones = MIDDLE.where("r")[:3]
    found = follow(MIDDLE, reading_of(MIDDLE.with_faces(dict.fromkeys(red_ones, "o"))), "Ann", FOUR)
    assert found.verdict.verdict == "undecided"
    assert found.unsure == MIDDLE.named(red_ones)
    assert [found.position.faces[i] for i in red_ones] == ["o"] * 3
    turned = MIDDLE.serendips[:2]
    cheat = MIDDLE.with_faces({i: spun(MIDDLE.faces[i]) for i in turned})
    found = follow(MIDDLE, reading_of(cheat), "Ann", FOUR)
    assert found.verdict.verdict == "undecided"
    assert found.unsure == MIDDLE.named(turned)
    assert found.position == cheat


def test_a_flower_taken_for_a_back_all_over_the_photo_is_asked_about_and_one_alone_is_reported():
    """Where the eye takes every red flower for a covered tile it errs; where it sees all others, one was covered."""
    red_ones = MIDDLE.where("r")
    found = follow(MIDDLE, reading_of(MIDDLE.with_faces(dict.fromkeys(red_ones, COVERED)), turned=1), "Ann", FOUR)
    assert len(red_ones) > 3
    assert found.verdict.verdict == "undecided"
    assert found.unsure == MIDDLE.named(red_ones)
    assert [found.position.faces[i] for i in red_ones] == [COVERED] * len(red_ones)
    found = follow(MIDDLE, reading_of(MIDDLE.with_faces({red_ones[0]: COVERED}), turned=1), "Ann", FOUR)
    assert (found.verdict.verdict, found.verdict.rule) == ("illegal", "one-at-a-time")
    assert found.unsure == ()


def test_in_glare_that_spoils_many_tiles_nobody_is_accused_for_one_of_them():
    """One of the tiles in the glare looks covered with little doubt; that the others do too says what it is worth."""
    glare = {name: {COVERED: 0.6, MIDDLE[name]: 0.4} for name in MIDDLE.named(MIDDLE.where("r"))}
    worst = some(MIDDLE, "v")
    covered = {worst: {COVERED: 0.985, "b": 0.01499, "v": 0.00001}}
    alone = follow(MIDDLE, reading_of(MIDDLE, covered), "Ann", FOUR)
    assert alone.verdict.verdict == "illegal"
    found = follow(MIDDLE, reading_of(MIDDLE, {**glare, **covered}), "Ann", FOUR)
    assert found.verdict.verdict == "undecided"
    assert worst in found.unsure


def test_a_tile_that_seems_to_be_gone_is_asked_about():
    at = MIDDLE.serendips[0]
    found = follow(MIDDLE, reading_of(MIDDLE.with_faces({at: "_"})), "Ann", FOUR)
    assert found.unsure == MIDDLE.named([at])
    assert found.verdict.verdict == "undecided"


def test_two_flowers_that_changed_places_without_a_serendip_are_reported():
    i, j = MIDDLE.where("r")[0], MIDDLE.where("v")[0]
    found = follow(MIDDLE, reading_of(MIDDLE.with_faces({i: "v", j: "r"})), "Ann", FOUR)
    assert found.verdict.verdict == "illegal"
    assert found.verdict.rule in ("reveal", "faces-kept", "one-at-a-time")
    assert found.unsure == ()
