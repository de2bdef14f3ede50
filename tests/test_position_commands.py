"""`score`, `check` and `referee` on positions: the form of the answers, bad input, and many at once."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from companion.cli import main
from engine import OPTIONS, RULEBOOK, Position

COVERED = str(Position.covered())
BLUE = COVERED.replace("......", "b.....", 1)
RED = COVERED.replace("......", "r.....", 1)
HIDDEN = COVERED.replace("......", "?.....", 1)
ROOT = Path(__file__).parents[1]
BOOKLET = (Path(__file__).parent / "positions" / "booklet.txt").read_text().strip()


def run(capsys, *words, lines=None, monkeypatch=None):
    if lines is not None:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    try:
        status = main(list(words))
    except SystemExit as stop:
        status = stop.code
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["score", "garbage"], ["row A", "'arbage'"]),
        (["score", COVERED.replace("......", ".....", 1)], ["row A", "5 cells, not 6"]),
        (["score", COVERED.removesuffix("/......")], ["11 rows", "not 10"]),
        (["score", COVERED.replace("......", "..(bvr)...", 1)], ["row A, cell 3"]),
        (["score", "../.../.."], ["11 rows", "not 3"]),
        (["score", ""], ["11 rows"]),
        (["score", COVERED, "--players", "A=blue,B=pink"], ["'pink'", "blue, violet, red, yellow, orange, green"]),
        (["score", COVERED, "--players", "A=blue,B=blue"], ["blue has two owners: A and B"]),
        (["score", COVERED, "--players", "A=blue,B=red+red"], ["B has a colour twice"]),
        (["score", COVERED, "--players", "A=b,B=v,C=r,D=y,E=o,F=g,G=b"], ["two to six", "not 7"]),
        (["score", COVERED, "--players", "A=blue"], ["two to six", "not 1"]),
        (["score", COVERED, "--players", "A=b+v,B=r,C=y,D=o"], ["A has 2 colours", "at most 1"]),
        (["score", COVERED, "--players", "A=blue,A=red"], ["two players are called A"]),
        (["score", COVERED, "--players", "blue"], ["name=colour", "'blue'"]),
        (["score", COVERED, "--rules", "bridges=all"], ["bridges", "any-face, matching-face, none", "'all'"]),
        (["score", COVERED, "--rules", "bridge=none"], ["'bridge'"]),
        (["score"], ["PHOTO_OR_POSITION"]),
        (["check", COVERED, "reveal Z9 blue, stay", "--player", "blue"], ["step 1", "'Z9'"]),
        (["check", COVERED, "reveal D4 pink, stay", "--player", "blue"], ["step 1", "pink"]),
        (["check", COVERED, "reveal D4 blue, fly", "--player", "blue"], ["step 1", "fly"]),
        (["check", COVERED, "reveal D4 blue, stay"], ["--player"]),
        (["referee", COVERED, "x", "--player", "blue"], ["row A, cell 1", "'x'"]),
        (["referee", COVERED, COVERED, "--player", "Zoe"], ["'Zoe'", "blue, violet"]),
    ],
)
def test_bad_input_is_one_sentence_that_names_what_and_where(capsys, words, parts):
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert err.startswith("serendipity: ")
    assert err.count("\n") == 1
    for part in parts:
        assert part in err


def test_score_answers_as_the_contract_says(capsys):
    status, out, err = run(capsys, "score", BOOKLET, "--json")
    assert (status, err, out.count("\n")) == (0, "", 1)
    answer = json.loads(out)
    assert list(answer) == ["position", "over", "winners", "players", "disputes", "unsure", "rules"]
    assert (answer["position"], answer["over"], answer["winners"]) == (BOOKLET, True, ["violet"])
    assert answer["rules"] == {option: values[0] for option, values in OPTIONS.items()}
    fields = ["name", "colours", "points", "flowers", "serendips", "matches", "carpet", "lines"]
    for player in answer["players"]:
        assert list(player) == fields
        assert sum(line["points"] for line in player["lines"]) == player["points"]
        assert all(list(line) == ["rule", "cells", "points"] and line["rule"] in RULEBOOK for line in player["lines"])
    assert answer["disputes"]
    for dispute in answer["disputes"]:
        assert list(dispute) == ["option", "value", "changes", "winners"]
        assert dispute["value"] in OPTIONS[dispute["option"]]
        assert dispute["changes"] in ("points", "winner")
    status, out, _ = run(capsys, "score", HIDDEN, "--json", "--players", "A=blue,B=red+violet")
    assert (status, json.loads(out)["unsure"]) == (3, ["A1"])
    assert [player["colours"] for player in json.loads(out)["players"]] == [["blue"], ["red", "violet"]]


@pytest.mark.parametrize(
    ("words", "status", "verdict", "rule"),
    [
        (["referee", COVERED, BLUE], 0, "legal", None),
        (["referee", COVERED, RED], 0, "illegal", "foreign"),
        (["referee", COVERED, HIDDEN], 3, "undecided", None),
        (["check", COVERED, "reveal A1 blue, swap A2"], 0, "legal", None),
        (["check", BLUE, "reveal A1 blue, stay"], 0, "illegal", "reveal"),
        (["check", HIDDEN, "reveal A1 blue, stay"], 3, "undecided", None),
    ],
)
def test_verdicts_answer_as_the_contract_says(capsys, words, status, verdict, rule):
    found, out, err = run(capsys, *words, "--player", "blue", "--json")
    answer = json.loads(out)
    assert (found, err, out.count("\n")) == (status, "", 1)
    assert list(answer) == ["verdict", "story", "stories", "rule", "reason", "cells", "disputes"]
    assert (answer["verdict"], answer["rule"]) == (verdict, rule)
    assert (answer["story"] is not None) == (verdict == "legal")
    assert answer["reason"]
    told, out, _ = run(capsys, *words, "--player", "blue")
    assert told == status
    assert verdict in out.lower()


def test_a_bad_line_does_not_stop_the_others(capsys, monkeypatch):
    lines = f"{BLUE}\n\nnonsense\n{HIDDEN}\n{RED}"
    status, out, err = run(capsys, "score", "-", "--json", lines=lines, monkeypatch=monkeypatch)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer.get("position") for answer in answers] == [BLUE, None, HIDDEN, RED]
    assert answers[1]["line"] == 3
    assert "row A, cell 1" in answers[1]["error"]
    assert status == 3, "the highest: a bad line is 2, an unknown tile 3"
    assert err.count("\n") == 1
    assert "line 3" in err
    status, out, err = run(capsys, "score", "-", lines=f"{BLUE}\nnonsense\n", monkeypatch=monkeypatch)
    assert status == 2
    assert "blue: 1 points" in out


def test_pairs_on_standard_input(capsys, monkeypatch):
    lines = f"{COVERED} {BLUE}\n{COVERED}\n{COVERED} {RED}\n"
    words = ["referee", "-", "-", "--player", "blue", "--json"]
    status, out, err = run(capsys, *words, lines=lines, monkeypatch=monkeypatch)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer.get("verdict") for answer in answers] == ["legal", None, "illegal"]
    assert (status, err) == (2, "serendipity: line 2 of standard input: 2 positions are expected, not 1\n")
    words = ["referee", COVERED, "-", "--player", "blue", "--json"]
    status, out, _ = run(capsys, *words, lines=f"{BLUE}\n{RED}\n", monkeypatch=monkeypatch)
    assert [json.loads(line)["verdict"] for line in out.splitlines()] == ["legal", "illegal"]


def test_bytes_that_are_no_text_spoil_their_own_line_only():
    call = [sys.executable, "-m", "companion", "score", "-", "--json"]
    given = b"\xff\xfe\n" + BOOKLET.encode() + b"\n"
    answer = subprocess.run(call, input=given, capture_output=True, check=False, cwd=ROOT)
    assert answer.returncode == 2
    assert len(answer.stdout.splitlines()) == 2
    assert b"Traceback" not in answer.stderr


def test_the_same_input_gives_the_same_bytes_in_every_process():
    program = """
import json
from engine import Position, Table, referee, standing
from tests.bench import full_boards, strange_pairs
for board in full_boards(20):
    print(json.dumps(standing(board, Table()).as_json()))
for pair in strange_pairs(30):
    print(json.dumps(referee(*pair).as_json()))
"""
    call = [sys.executable, "-c", program]
    runs = [subprocess.check_output(call, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}) for seed in "12"]
    assert runs[0] == runs[1]
    assert len(runs[0].splitlines()) == 50
