"""`--game gardens-of-mars`: the same commands for the second game."""

import io
import json

import pytest

from companion.cli import main
from engine import GAMES
from tests.test_gardens_of_mars import garden

MARS = "--game=gardens-of-mars"
TABLE = str(garden(gardeners="D4,D6", dice="2+3", points="4,1"))


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    said = capsys.readouterr()
    return status, said.out, said.err


def test_points_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "score", MARS, TABLE, "--players", "Ada,Ben=horned")
    assert status == 0
    assert "Ada (round): 4 points (flowers left: 6)" in out
    assert "Leading: Ada" in out
    status, out, _ = run(capsys, "score", MARS, TABLE, "--json")
    assert [player["points"] for player in json.loads(out)["players"]] == [4, 1]


@pytest.mark.parametrize(
    ("claim", "rule", "sentence"),
    [
        ("use 7, move D4 D9, plant red", "die", "No die shows 7: a die shows 1 to 6."),
        ("use 3, move D4 D7, plant red", "no-cross", "Another gardener stands on D6: it can be neither entered"),
        ("use 3, move D4 D1, plant pink", "own-flowers", "Ada has no pink flower."),
    ],
)
def test_a_wrong_claim_is_refused_with_its_rule(
    capsys: pytest.CaptureFixture[str], claim: str, rule: str, sentence: str
) -> None:
    status, out, _ = run(capsys, "check", MARS, TABLE, claim, "--player=Ada", "--players=Ada,Ben", "--json")
    answer = json.loads(out)
    assert (status, answer["verdict"], answer["rule"]) == (0, "illegal", rule)
    assert sentence in answer["reason"]
    _, out, _ = run(capsys, "check", MARS, TABLE, claim, "--player=Ada", "--players=Ada,Ben")
    assert GAMES["gardens-of-mars"].rulebook[rule] in out


def test_a_turn_between_two_tables(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    game = GAMES["gardens-of-mars"]
    step = "use 3, move D4 D1, plant red"
    after = str(game.play(game.at(game.table(None), TABLE), step).position)
    status, out, _ = run(capsys, "referee", MARS, TABLE, after, "--player=1", "--json")
    assert (status, json.loads(out)["story"]) == (0, [step])
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{TABLE}\t{after}\n\n{TABLE}\t{TABLE}\n"))
    status, out, _ = run(capsys, "referee", MARS, "-", "-", "--player=1", "--json")
    assert [json.loads(line)["verdict"] for line in out.splitlines()] == ["legal", "illegal"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("score", MARS, TABLE.replace("dice=2+3", "dice=2+7")), "no die shows 7"),
        (("score", MARS, "garbage"), "a table is its rows"),
        (("score", "--game=chess", TABLE), "invalid choice: 'chess'"),
        (("check", MARS, TABLE, "fly D4", "--player=1"), "is no step"),
        (("check", MARS, TABLE, "pass", "--player=Zoe"), "there is no player 'Zoe'"),
        (("score", MARS, TABLE, "--players=A,B,C,D,E,F"), "Two to five play"),
        (("score", MARS, TABLE, "--rules=bridges=none"), "there is no option 'bridges'"),
    ],
)
def test_wrong_use_is_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str) -> None:
    try:
        status = main(list(words))
    except SystemExit as stop:
        status = int(stop.code or 0)
    said = capsys.readouterr()
    assert status == 2
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert sentence in said.err
