"""The live table: drawn films with hands that come and go, folders of photos, and the cost of an update."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from companion import cli
from companion.history import Game, History, fold, open_history
from companion.watching import Frame, LiveTable, Stillness, arriving_photos, film_frames, live
from engine import Position
from engine.play import Turn
from engine.position import COVERED
from tests.drawer import draw_photo
from tests.drawn_games import FOUR, jpeg, played, print_of
from tests.films import RATE, SCENE, frames_of, write_film
from tests.update_cost import BOUND, measured
from vision import CellReading, Reading, read_photo
from vision.still import Glimpse, changed_cells, first_glimpse, glimpse_again

PRINT = print_of(7_010, held=False)
SEED = 8_000_023
TURNS = list(islice(played(FOUR, 10, PRINT.ring, 24), 40))


def watched(history: History, frames: Sequence[np.ndarray], starter: int) -> tuple[Game, list[str]]:
    """Let a live table see frames, and return the game and what was said."""
    said: list[str] = []
    live = LiveTable(history, FOUR, starter, say=said.append)
    for number, frame in enumerate(frames[::2]):
        live.see(Frame(2 * number / RATE, frame))
    live.finish()
    assert live.game is not None
    return fold(live.game, *history.log(live.game)), said


def visible(turns: Sequence[Turn]) -> list[Turn]:
    return [turn for turn in turns if turn.before.position != turn.after.position]


def test_each_turn_of_a_film_is_logged_once_and_none_during_a_hand(local_history, tmp_path):
    """One turn that opens a Serendip, one that leaves no trace, in a film read back from its file."""
    first = next(i for i, turn in enumerate(TURNS) if turn in visible(TURNS))
    turns = TURNS[first : first + 2]
    positions = [turns[0].before.position, *(turn.after.position for turn in turns)]
    film = write_film(tmp_path / "table.avi", frames_of(positions, PRINT, SEED))
    said: list[str] = []
    live = LiveTable(local_history, FOUR, turns[0].before.seat, say=said.append)
    entries = []
    for frame in film_frames(str(film)):
        live.see(frame)
        if live.game:
            count = len(fold(live.game, *local_history.log(live.game)).turns)
            entries.append((frame.at, count))
    live.finish()
    game = fold(live.game, *local_history.log(live.game))
    assert [turn.player for turn in game.turns] == [turn.before.seat for turn in turns]
    assert [turn.verdict for turn in game.turns] == ["legal", "legal"]
    side = next(k for k in range(6) if str(positions[0].turned(k)) == game.first)
    assert [turn.position for turn in game.turns] == [str(position.turned(side)) for position in positions[1:]]
    # A still picture lies for 1.2 seconds, a hand is there for 1.3: nothing is logged while it is.
    changes = [at for (at, now), (_, before) in zip(entries[1:], entries, strict=False) if now != before]
    assert all(at % 2.5 <= 1.2 for at in changes)
    assert len(said) >= 3


@pytest.fixture(scope="module")
def stills() -> dict[str, np.ndarray]:
    """Draw one table in several states: as it lies, with an own flower open, a foreign one, and a hand over it."""
    position = TURNS[0].before.position
    covered = position.where(COVERED)
    states = {
        "start": position,
        "own": position.with_faces({covered[30]: "b"}),
        "foreign": position.with_faces({covered[30]: "r"}),
        "violet": position.with_faces({covered[30]: "b", covered[50]: "v"}),
        "more": position.with_faces({covered[30]: "b", covered[50]: "b"}),
    }

    def drawn(position: Position, hand: bool = False) -> np.ndarray:
        wish = replace(SCENE, printing=PRINT, position=position, frame=4, hand=hand)
        return draw_photo(SEED, wish).image

    return {**{name: drawn(state) for name, state in states.items()}, "hand": drawn(position, hand=True)}


def still(image: np.ndarray, seconds: float) -> list[np.ndarray]:
    return [image] * round(seconds * RATE)


def test_a_foreign_flower_left_open_is_spoken_about_within_seconds(local_history, stills):
    frames = still(stills["start"], 1.2) + still(stills["hand"], 1) + still(stills["foreign"], 2.4)
    game, said = watched(local_history, frames, 0)
    assert [(turn.verdict, turn.said["rule"]) for turn in game.turns] == [("illegal", "foreign")]
    assert any("ILLEGAL (foreign)" in line for line in said)
    assert game.turns[0].photo is not None


def test_a_foreign_flower_covered_again_in_time_is_no_offence(local_history, stills):
    frames = still(stills["start"], 1.2) + still(stills["hand"], 1) + still(stills["foreign"], 1.0)
    frames += still(stills["hand"], 1) + still(stills["start"], 1.2)
    game, said = watched(local_history, frames, 0)
    assert [turn.verdict for turn in game.turns] == ["legal"]
    assert "red, cover" in game.turns[0].steps
    assert not any("ILLEGAL" in line for line in said)


def test_a_hand_that_rests_on_the_table_is_waited_for(local_history, stills):
    frames = still(stills["start"], 1.2) + still(stills["hand"], 3) + still(stills["own"], 1.2)
    game, _ = watched(local_history, frames, 0)
    assert [(turn.player, turn.verdict) for turn in game.turns] == [(0, "legal")]


def test_a_player_who_goes_on_after_a_pause_has_played_one_turn(local_history, stills):
    frames = still(stills["start"], 1.2) + still(stills["hand"], 1) + still(stills["own"], 1.2)
    frames += still(stills["hand"], 1) + still(stills["more"], 2.2)
    game, said = watched(local_history, frames, 0)
    assert [(turn.player, turn.verdict) for turn in game.turns] == [(0, "legal")]
    assert game.turns[0].steps.count("reveal") == 2
    assert any(line.startswith("Taken back") for line in said)


def test_a_visit_that_was_no_turn_is_taken_back_when_the_next_picture_shows_it(local_history, stills):
    frames = still(stills["start"], 1.2) + still(stills["hand"], 1) + still(stills["start"], 1.2)
    frames += still(stills["hand"], 1) + still(stills["own"], 2.2)
    game, said = watched(local_history, frames, 0)
    assert [(turn.player, turn.verdict) for turn in game.turns] == [(0, "legal")]
    assert "If it was Ben instead, it breaks a rule (foreign)." in said
    assert ["one-turn", []] in game.turns[0].said["notes"]


def test_several_turns_that_changed_nothing_excuse_no_foreign_flower(local_history, stills):
    """Ann and Ben covered again what they showed; then Cleo leaves a blue flower open."""
    visit = still(stills["hand"], 1) + still(stills["start"], 1.2)
    frames = still(stills["start"], 1.2) + 2 * visit + still(stills["hand"], 1) + still(stills["own"], 2.2)
    game, said = watched(local_history, frames, 0)
    assert [(turn.player, turn.verdict) for turn in game.turns] == [(0, "legal"), (1, "legal"), (2, "illegal")]
    assert any("Cleo: ILLEGAL (foreign)" in line for line in said)


def test_a_foreign_flower_that_is_shown_takes_no_turn_back(local_history, stills):
    """Ann's hand changed nothing; then Ben shows a blue flower, which is Ann's, and covers it."""
    frames = still(stills["start"], 1.2) + still(stills["hand"], 1) + still(stills["start"], 1.2)
    frames += (
        still(stills["hand"], 1) + still(stills["own"], 1.0) + still(stills["hand"], 1) + still(stills["start"], 1.2)
    )
    game, said = watched(local_history, frames, 0)
    assert [(turn.player, turn.verdict) for turn in game.turns] == [(0, "legal"), (1, "legal")]
    assert "blue, cover" in game.turns[1].steps
    assert not any(line.startswith("Taken back") for line in said)


def seen_with(reading: Reading, chances: dict[str, dict[str, float]]) -> Reading:
    """Let the eye be unsure of some cells."""
    cells = dict(reading.cells)
    for name, shares in chances.items():
        face, *others = sorted(shares, key=lambda face: -shares[face])
        cells[name] = CellReading(face, shares[face], others[0], shares)
    return Reading.of(cells, [*chances], reading.centres, reading.ring)


@pytest.mark.parametrize(("chances", "verdict"), [({"b": 0.7, "v": 0.3}, "legal"), ({"v": 0.8, "b": 0.2}, "undecided")])
def test_a_turn_that_leaves_a_question_is_logged_before_the_next_one(
    local_history, stills, monkeypatch, chances, verdict
):
    """A flower of an unsure colour lies there for a second; then the next player plays."""
    doubtful = dict[str, dict[str, float]]()

    def glimpse(last: Glimpse, image: np.ndarray) -> Glimpse:
        seen = glimpse_again(last, image)
        if len(seen.changed) == 1 and not doubtful:
            doubtful[seen.changed[0]] = chances
        return replace(seen, reading=seen_with(seen.reading, doubtful))

    monkeypatch.setattr(live, "glimpse_again", glimpse)
    frames = still(stills["start"], 1.2) + still(stills["hand"], 1) + still(stills["own"], 1.2)
    frames += still(stills["hand"], 1) + still(stills["violet"], 1.2)
    game, said = watched(local_history, frames, 0)
    assert [turn.player for turn in game.turns] == [0, 1]
    assert [turn.verdict for turn in game.turns] == [verdict, "legal"]
    assert f"Not sure, please look: {next(iter(doubtful))}." in said


def test_only_what_changed_is_read_again(stills):
    first = first_glimpse(stills["start"])
    again = glimpse_again(first, stills["own"])
    assert len(again.changed) == 1
    for name, cell in again.reading.cells.items():
        assert name in again.changed or cell == first.reading.cells[name]
    assert again.reading.cells[again.changed[0]].face == "b"
    dimmed = (stills["start"] * 0.9).astype(np.uint8)
    assert glimpse_again(first, dimmed).changed == ()
    assert len(changed_cells(first.patches, np.zeros_like(first.patches))) > 45
    shifted = np.roll(stills["start"], 25, axis=1)
    assert glimpse_again(first, shifted).grid is not first.grid


def test_an_update_costs_at_most_half_of_a_full_reading(stills):
    cost = measured(stills["start"], stills["own"])
    assert cost.changed == 1
    assert cost.ratio <= BOUND


def test_a_table_lies_still_when_nothing_but_noise_changes(stills):
    noise = np.random.default_rng(1)
    watch = Stillness()
    for number in range(10):
        grainy = np.clip(stills["start"] + noise.normal(0, 4, stills["start"].shape), 0, 255).astype(np.uint8)
        seconds = watch.see(Frame(number / 5, grainy))
    assert seconds == pytest.approx(1.6)
    watch.rest(Frame(1.8, grainy))
    assert watch.see(Frame(2.0, stills["hand"])) == 0
    assert watch.visited


def test_photos_that_arrive_in_a_folder_are_played(tmp_path, stills, capsys):
    folder = tmp_path / "photos"
    folder.mkdir()
    for number, name in enumerate(("start", "own", "hand")):
        (folder / f"{number}.jpg").write_bytes(jpeg(stills[name]))
    (folder / "notes.txt").write_text("no photo")
    words = ["watch", str(folder), "--players", str(FOUR), "--data", str(tmp_path / "data"), "--idle", "1"]
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert "Ann: reveal" in out
    assert "hand" in out


def test_the_same_photo_again_is_no_turn_and_another_table_is_left_aside(local_history, stills):
    other = draw_photo(
        SEED + 1, replace(SCENE, printing=PRINT, position=next(played(FOUR, 77, PRINT.ring, 300)).before.position)
    )
    arriving = [jpeg(stills["start"]), jpeg(stills["start"]), jpeg(other.image), jpeg(stills["own"])]
    said: list[str] = []
    live = LiveTable(local_history, FOUR, 0, say=said.append)
    for at, data in enumerate(arriving):
        live.see_photo(data, read_photo(data), 30.0 * at)
    game = fold(live.game, *local_history.log(live.game))
    assert [(turn.player, turn.verdict) for turn in game.turns] == [(0, "legal")]
    assert any("same photo" in line for line in said)
    assert any("Too much changed" in line for line in said)


def test_a_table_that_a_second_photo_confirms_is_a_gap_in_the_log(local_history, stills):
    later = next(played(FOUR, 10, PRINT.ring, 200)).before.position
    images = [draw_photo(SEED + n, replace(SCENE, printing=PRINT, position=later, frame=n)).image for n in range(2)]
    live = LiveTable(local_history, FOUR, 0, say=lambda _: None)
    for at, data in enumerate([jpeg(stills["start"]), *map(jpeg, images)]):
        live.see_photo(data, read_photo(data), 30.0 * at)
    game = fold(live.game, *local_history.log(live.game))
    assert [turn.verdict for turn in game.turns] == ["gap"]
    assert any(game.turns[0].position == str(later.turned(side)) for side in range(6))


def test_a_photo_that_is_still_being_written_is_taken_when_it_is_whole(tmp_path):
    photo = tmp_path / "1.jpg"
    photo.write_bytes(b"half")
    (tmp_path / "folder.jpg").mkdir()
    coming = arriving_photos(tmp_path, idle=1.0, pause=0.05)
    assert next(coming) == photo
    photo.write_bytes(b"half and the other half")
    assert next(coming) == photo
    assert list(coming) == []


def test_a_folder_that_goes_away_is_said_in_a_sentence(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "1.jpg").write_bytes(b"x")
    coming = arriving_photos(folder, pause=0.05)
    next(coming)
    shutil.rmtree(folder)
    with pytest.raises(ValueError, match="is gone; the game is in the history"):
        next(coming)


def test_an_interruption_ends_cleanly_and_loses_nothing(tmp_path, stills):
    """Ctrl-C comes while the second photo is awaited."""
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "1.jpg").write_bytes(jpeg(stills["start"]))
    words = [
        sys.executable,
        "-m",
        "companion",
        "watch",
        str(folder),
        "--players",
        str(FOUR),
        "--data",
        str(tmp_path / "data"),
    ]
    watching = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert watching.stdout is not None
        assert "plays first" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        _, complaint = watching.communicate(timeout=60)
    finally:
        watching.kill()
    assert watching.returncode == 0
    assert complaint.splitlines()[-1] == "No longer watching; the game is in the history."
    assert "Traceback" not in complaint
    history = open_history(tmp_path / "data")
    try:
        assert len(history.heads()) == 1
    finally:
        history.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.avi", "--players", "A=blue,B=red"], "no such film"),
        (["{here}", "--players", "A=blue"], "two to six"),
        (["{here}"], "who plays"),
        (["{here}", "--game", "abc"], "no game"),
        (["{film}", "--players", "A=blue,B=red"], "cannot be opened"),
        (["97", "--players", "A=blue,B=red"], "camera 97 cannot be opened"),
    ],
)
def test_wrong_use_is_one_line(words, said, tmp_path, capfd):
    film = tmp_path / "film.avi"
    film.write_bytes(b"no film")
    places = {"here": tmp_path, "film": film}
    status = cli.main(["watch", *(word.format(**places) for word in words), "--data", str(tmp_path / "data")])
    complaint = capfd.readouterr().err.removeprefix("Watching 97.\n").removeprefix(f"Watching {film}.\n")
    assert status == 2
    assert len(complaint.splitlines()) == 1
    assert said in complaint
    assert "Traceback" not in complaint
