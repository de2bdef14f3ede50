"""The course of a game over its photos: forgotten ones, repeated ones, those of another table, and whose turn it is."""

import random
from dataclasses import replace

from companion.tracking import Course
from engine import Position
from engine.play import play_game
from engine.position import COVERED
from tests.test_following import FOUR, MIDDLE, TURNS, reading_of, spun
from vision import Reading


def course_over(positions: list[Position], first: int) -> list[Course]:
    """Follow a game over photos without a doubt, from any side."""
    chance = random.Random(9)
    course, courses = Course.begin(FOUR, FOUR.players[first].name), []
    for position in positions:
        course = course.next(reading_of(position, turned=chance.randrange(6)))
        courses.append(course)
    return courses


def shows_both(number: int) -> bool:
    """Tell whether two turns in a row each left a flower of their own."""
    grown = [
        len(turn.after.position.where(turn.before.player.letters))
        > len(turn.before.position.where(turn.before.player.letters))
        for turn in TURNS[number : number + 2]
    ]
    return all(grown)


def test_a_forgotten_photo_is_recognised_and_the_order_is_found_again():
    for number in [n for n in range(30, 300) if shows_both(n)][:6]:
        turns = TURNS[number : number + 5]
        # The photo after the first turn is missing.
        shown = [turns[0].before.position, *(turn.after.position for turn in turns[1:])]
        courses = course_over(shown, turns[0].before.seat)
        gap = courses[1].found
        assert gap.verdict.verdict == "illegal"
        assert [turn.player.name for turn in gap.several] == [turn.before.player.name for turn in turns[:2]]
        assert gap.several[-1].after == gap.position
        assert gap.turn_json()["turns"][0]["player"] == turns[0].before.player.name
        assert "If a photo is missing" in courses[1].told()
        last = [course.found for course in courses[2:]]
        visible = [turn for turn in turns[2:] if turn.before.position != turn.after.position]
        if visible:
            assert last[-1].player == turns[-1].before.player.name
            assert last[-1].verdict.verdict == "legal"


def test_a_cheat_does_not_change_the_order_of_players():
    for number in range(60, 200, 35):
        turns = TURNS[number : number + 5]
        cell = turns[0].before.position.where(COVERED)[0]
        foreign = next(x for x in "bvry" if x not in turns[0].before.player.letters)
        shown = [turns[0].before.position] + [
            position.with_faces({cell: foreign}) if position.faces[cell] == COVERED else position
            for position in (turns[0].before.position, *(turn.after.position for turn in turns[1:]))
        ]
        courses = course_over(shown, turns[0].before.seat)
        assert (courses[1].found.verdict.verdict, courses[1].found.verdict.rule) == ("illegal", "foreign")
        assert courses[1].found.player == turns[0].before.player.name


def test_after_a_photo_that_could_not_be_read_two_turns_are_expected():
    number = next(n for n in range(30, 300) if shows_both(n))
    turns = TURNS[number : number + 2]
    course = Course.begin(FOUR, turns[0].before.player.name).next(reading_of(turns[0].before.position))
    course = course.missed().next(reading_of(turns[1].after.position))
    assert len(course.found.several) == 2
    assert course.seat == (turns[1].before.seat + 1) % 4


def photo_of(position: Position, shift: float = 0.0, turned: int = 0) -> Reading:
    """Make the reading of a photo with its pixels: another shift is another photo."""
    reading = reading_of(position, turned=turned)
    centres = {name: (10.0 * i + shift, 5.0 * i) for i, name in enumerate(reading.cells)}
    return replace(reading, centres=centres)


def test_the_same_photo_twice_is_no_turn_and_another_one_of_the_same_table_is():
    turn = next(turn for turn in TURNS[200:] if turn.before.position != turn.after.position)
    before, after, name = turn.before.position, turn.after.position, turn.before.player.name
    course = Course.begin(FOUR, name).next(photo_of(before)).next(photo_of(before))
    assert course.again
    assert "turn" not in course.to_json()
    assert "once more" in course.told()
    course = course.next(photo_of(after, 3.0))
    assert not course.again
    assert (course.found.player, course.found.verdict.verdict) == (name, "legal")
    shown = Course.begin(FOUR, name).next(photo_of(before)).next(photo_of(before, 1.0))
    assert (shown.again, shown.found.player, shown.found.verdict.verdict) == (False, name, "legal")


def test_a_photo_of_another_table_accuses_nobody_and_the_game_goes_on_after_it():
    turns = TURNS[200:202]
    other = list(play_game(FOUR, 8))[260].after.position
    course = Course.begin(FOUR, turns[0].before.player.name).next(photo_of(turns[0].before.position))
    course = course.next(photo_of(other, 2.0, turned=2))
    assert (course.found.verdict.verdict, course.found.verdict.reason.key) == ("undecided", "too-much-changed")
    assert course.needs_an_eye
    course = course.next(photo_of(turns[0].after.position, 3.0, turned=5))
    assert (course.found.player, course.found.verdict.verdict) == (turns[0].before.player.name, "legal")
    assert course.known.position == turns[0].after.position
    assert "does not belong here" in course.told()
    course = course.next(photo_of(turns[1].after.position, 4.0))
    assert (course.found.player, course.found.verdict.verdict) == (turns[1].before.player.name, "legal")


def test_a_cheat_that_is_put_right_is_not_told_twice_and_the_turn_after_it_counts():
    at = MIDDLE.serendips[2]
    cheat = MIDDLE.with_faces({at: spun(MIDDLE.faces[at])})
    turn = TURNS[200]
    course = Course.begin(FOUR, turn.before.player.name).next(photo_of(MIDDLE)).next(photo_of(cheat, 1.0))
    assert course.found.verdict.rule == "serendip-fixed"
    course = course.next(photo_of(turn.after.position, 2.0))
    assert course.found.verdict.verdict == "legal"
    assert course.known.position == turn.after.position
    # A cheat that stays is not put right: the next turn is judged from the table as it lies.
    course = Course.begin(FOUR, turn.before.player.name).next(photo_of(MIDDLE)).next(photo_of(cheat, 1.0))
    course = course.next(photo_of(cheat, 2.0))
    assert (course.found.verdict.verdict, course.returned) == ("legal", False)
    assert course.known.position == cheat


def test_two_cheats_in_a_row_are_both_told_with_their_rules():
    at = MIDDLE.serendips[2]
    cheat = MIDDLE.with_faces({at: spun(MIDDLE.faces[at])})
    foreign = cheat.with_faces({cheat.where(COVERED)[0]: "g"})
    course = Course.begin(FOUR, TURNS[200].before.player.name)
    rules = []
    for shift, position in enumerate((MIDDLE, cheat, foreign)):
        course = course.next(photo_of(position, float(shift)))
        rules.append(course.found and course.found.verdict.rule)
    assert rules == [None, "serendip-fixed", "foreign"]


def test_a_turn_that_fits_another_player_says_so():
    covered = MIDDLE.where(COVERED)[0]
    course = Course.begin(FOUR, "Ann").next(photo_of(MIDDLE))
    course = course.next(photo_of(MIDDLE.with_faces({covered: "y"}), 1.0))
    assert course.found.verdict.rule == "foreign"
    assert course.found.fits == ("Dan",)


def test_what_one_turn_explains_is_not_offered_as_several():
    covered = MIDDLE.named([MIDDLE.where(COVERED)[0]])[0]
    course = Course.begin(FOUR, "Ann").next(photo_of(MIDDLE))
    course = course.next(replace(reading_of(MIDDLE, {covered: {"?": 1.0}}), centres=photo_of(MIDDLE, 1.0).centres))
    assert course.found.verdict.verdict == "undecided"
    assert course.found.several == ()
