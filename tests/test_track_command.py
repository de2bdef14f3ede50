"""`track`, and `referee` and `score` on photos: a drawn game from any side, cheats in it, and what cannot be read."""

import json
from itertools import islice
from pathlib import Path

import pytest

from companion import cli
from companion.commands import playing
from companion.tracking import reading_of
from engine import Position
from tests.cheats import cheats_in
from tests.drawer import Wish
from tests.drawn_games import FOUR, WISHES, photo_of, played, print_of, same_but_turned
from tests.honest_turns import follow_game

EASY = Wish(harsh=0.0, tilt=12.0, fill=0.88)
PLAYERS = str(FOUR)
GAME, SKIP = 10, 24


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory):
    """Draw four photos of a game, the turns between them, and two cheats after the first photo."""
    folder = tmp_path_factory.mktemp("game")
    printing = print_of(7_000 + GAME, held=False)
    turns = list(islice(played(FOUR, GAME, printing.ring, SKIP), 3))
    positions = [turns[0].before.position, *(turn.after.position for turn in turns)]
    for number, position in enumerate(positions):
        (folder / f"{number}.jpg").write_bytes(photo_of(position, printing, 8_000_020 + number, EASY))
    cheats = {cheat.name: cheat for cheat in cheats_in(turns[0])}
    for number, cheat in enumerate(cheats.values()):
        (folder / f"cheat-{number}.jpg").write_bytes(photo_of(cheat.after, printing, 8_000_100 + number, EASY))
    (folder / "none.jpg").write_bytes(b"nothing of the kind")
    return folder, turns, positions, list(cheats.values())


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[str], str]:
    status = cli.main([str(word) for word in words])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return status, said.out.splitlines(), said.err


def test_a_game_is_tracked_in_one_naming_with_legal_turns(table, capsys):
    folder, turns, positions, _ = table
    photos = [folder / f"{number}.jpg" for number in range(4)]
    starts = turns[0].before.player.name
    status, lines, progress = run(capsys, "track", *photos, "--players", PLAYERS, "--starts", starts, "--json")
    told = [json.loads(line) for line in lines]
    assert [line["photo"] for line in told] == list(map(str, photos))
    assert same_but_turned([Position.parse(line["position"]) for line in told], positions)
    assert "turn" not in told[0]
    assert [line["turn"]["player"] for line in told[1:]] == [turn.before.player.name for turn in turns]
    assert [line["turn"]["verdict"] for line in told[1:]] == ["legal"] * 3
    assert status == (3 if any(line["unsure"] for line in told) else 0)
    assert [line.split()[0] for line in progress.splitlines() if line[0] != " "] == ["1/4", "2/4", "3/4", "4/4"]
    assert "leaves no trace" in progress


def test_a_side_that_cannot_be_told_is_said_and_needs_an_eye(capsys, monkeypatch):
    """A lone flower that is gone on the second photo might have lain anywhere along the rim."""
    lone = Position.covered().with_faces({0: "b"})
    readings = {"1.jpg": reading_of(lone), "2.jpg": reading_of(Position.covered())}
    monkeypatch.setattr(playing, "read_all", lambda tasks: ((task, readings[task.photo]) for task in tasks))
    status, lines, hints = run(capsys, "track", *readings, "--players", PLAYERS, "--json")
    assert (status, len(lines)) == (3, 2)
    assert "photographed from another side" in hints


def test_every_cheat_is_reported_with_its_rule(table, capsys):
    folder, turns, positions, cheats = table
    wrong = []
    for number, cheat in enumerate(cheats):
        words = (positions[0], folder / f"cheat-{number}.jpg", "--player", turns[0].before.player.name)
        _, lines, _ = run(capsys, "referee", *words, "--players", PLAYERS, "--json")
        told = json.loads(lines[0])
        assert told["verdict"] != "legal", cheat.name
        if (told["verdict"], told["rule"]) != ("illegal", cheat.rule):
            wrong.append((cheat.name, told["verdict"], told["rule"]))
    assert len(cheats) == 6
    assert len(wrong) <= 1


def test_referee_takes_photos_and_positions_in_any_mixture(table, capsys):
    folder, turns, positions, _ = table
    options = ("--player", turns[0].before.player.name, "--players", PLAYERS, "--json")
    for before in (positions[0], folder / "0.jpg"):
        for after in (positions[1], folder / "1.jpg"):
            status, lines, _ = run(capsys, "referee", before, after, *options)
            assert json.loads(lines[0])["verdict"] == "legal"
            assert status in (0, 3)


def test_a_photo_is_scored_like_its_position(table, capsys):
    folder, _, positions, _ = table
    status, lines, _ = run(capsys, "score", folder / "3.jpg", "--players", PLAYERS, "--json")
    seen = json.loads(lines[0])
    _, lines, _ = run(capsys, "score", positions[3], "--players", PLAYERS, "--json")
    known = json.loads(lines[0])
    assert same_but_turned([Position.parse(seen["position"])], [positions[3]])
    points = [(player["name"], player["points"]) for player in seen["players"]]
    assert points == [(player["name"], player["points"]) for player in known["players"]]
    assert seen.keys() == known.keys()
    assert status == (3 if seen["unsure"] else 0)


def test_a_photo_that_cannot_be_read_leaves_a_gap_and_the_game_goes_on(table, capsys):
    folder, turns, _, _ = table
    photos = [folder / "0.jpg", folder / "none.jpg", folder / "1.jpg"]
    starts = turns[0].before.player.name
    status, lines, progress = run(capsys, "track", *photos, "--players", PLAYERS, "--starts", starts, "--json")
    told = [json.loads(line) for line in lines]
    assert status == 4
    assert (told[1]["status"], told[1]["position"]) == ("bad-file", "")
    assert told[2]["turn"]["verdict"] == "legal"
    assert "not a photo" in progress


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["score", "nowhere.jpg"], 4, "cannot be opened"),
        (["referee", "nowhere.jpg", "x.jpg", "--player", "blue"], 4, "cannot be opened"),
        (["track", "x.jpg", "--players", "A=blue"], 2, "two to six"),
        (["track", "x.jpg", "--players", "A=blue,B=red", "--starts", "Zoe"], 2, "Zoe"),
        (["score", "nowhere.jpg", "--profile", "nowhere.json"], 2, "nowhere.json"),
    ],
)
def test_wrong_use_and_missing_files_are_one_line(words, status, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, lines, complaint = run(capsys, *words)
    assert (found, lines) == (status, [])
    assert said in complaint
    assert Path.cwd() == tmp_path


def test_honest_turns_of_an_unknown_print_raise_no_alarm():
    told = [turn for turn in follow_game(2, 6, WISHES[0]) if turn is not None]
    assert len(told) >= 4
    assert [turn.found.verdict.verdict for turn in told].count("illegal") == 0
    assert [name for turn in told for name in turn.silent] == []
