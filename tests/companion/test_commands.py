"""Every command is documented, has an example that works as written, and says what is wrong in one line."""

import argparse
import json
import re
import shlex
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from companion.cli import build_parser, main
from companion.history import open_history
from tests.table import finished_position

README = (Path(__file__).parents[2] / "README.md").read_text()
ACTIONS = [a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)]
COMMANDS: dict[str, argparse.ArgumentParser] = ACTIONS[0].choices


def example_of(command: str) -> list[str]:
    epilog = COMMANDS[command].epilog or ""
    assert epilog.startswith("example: serendipity "), f"{command} has no example in its help"
    return shlex.split(epilog.removeprefix("example: "))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_readme(command: str) -> None:
    assert re.search(rf"serendipity {command}\b", README), f"the README does not tell of `serendipity {command}`"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_an_example_that_parses(command: str, capsys) -> None:
    with pytest.raises(SystemExit) as done:
        main([command, "--help"])
    assert done.value.code == 0
    shown = capsys.readouterr().out
    assert "example:" in shown
    words = example_of(command)
    assert words[1] == command
    build_parser().parse_args(words[1:])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with one snapshot of a finished board, and a note."""
    history = open_history(tmp_path / "data")
    settings = {"players": [{"name": "Ada", "colours": ["blue"]}, {"name": "Анна", "colours": ["violet"]}]}
    first = [("position", {"position": str(finished_position())}), ("settings", settings)]
    history.append(history.begin("snapshot", first), "note", {"text": "=rain"})
    history.close()
    return tmp_path / "data"


def run(capsys, *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out, said.err


def test_history_lists_and_searches(data: Path, capsys) -> None:
    code, out, _ = run(capsys, "history", "--data", data)
    assert code == 0
    assert "Ada" in out
    assert "Анна" in out
    game = out.split()[0]
    assert run(capsys, "history", "--data", data, "--search", "nobody")[1] == ""
    assert game in run(capsys, "history", "--data", data, "--search", "анна RAIN")[1]
    told = json.loads(run(capsys, "history", game, "--data", data, "--json")[1])
    assert told["frames"][-1]["points"]["Ada"] == next(p["points"] for p in told["players"] if p["name"] == "Ada")
    assert "note: =rain" in run(capsys, "history", game, "--data", data)[1]


def test_exports_in_every_form(data: Path, tmp_path: Path, capsys) -> None:
    game = run(capsys, "history", "--data", data)[1].split()[0]
    lines = run(capsys, "export", "--data", data, "--format", "csv")[1].splitlines()
    assert len(lines) == 3
    assert lines[1].endswith(",'=rain")
    play = json.loads(run(capsys, "export", game, "--data", data, "--format", "bgstats")[1])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", play["playDate"])
    assert sorted(player["rank"] for player in play["players"]) == [1, 2]
    for form in ("png", "svg"):
        out = tmp_path / f"board.{form}"
        assert run(capsys, "export", game, "--data", data, "--format", form, "--out", out)[0] == 0
    with Image.open(tmp_path / "board.png") as picture:
        assert picture.size[0] == 1080
        assert len(picture.convert("RGB").getcolors(2**24)) > 50
    code, _, err = run(capsys, "export", "--data", data, "--out", tmp_path / "board.png")
    assert (code, err.count("\n")) == (2, 1)
    assert "there already" in err


def test_everything_goes_round(data: Path, tmp_path: Path, capsys) -> None:
    listed = run(capsys, "history", "--data", data)[1]
    assert run(capsys, "export", "--data", data, "--photos", "--out", tmp_path / "games.json")[0] == 0
    assert "1 new games" in run(capsys, "import", tmp_path / "games.json", "--data", tmp_path / "second")[1]
    assert run(capsys, "history", "--data", tmp_path / "second")[1] == listed
    assert run(capsys, "backup", tmp_path / "b.zip", "--data", data)[0] == 0
    assert run(capsys, "restore", tmp_path / "b.zip", "--data", tmp_path / "third")[0] == 0
    assert run(capsys, "history", "--data", tmp_path / "third")[1] == listed
    assert "1 that were here" in run(capsys, "import", tmp_path / "b.zip", "--data", tmp_path / "third")[1]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["history", "0" * 16], "no game"),
        (["export", "--format", "png"], "one game"),
        (["export", "--format", "csv", "--photos"], "JSON only"),
        (["import", "nowhere.json"], "no file"),
        (["import", "README.md"], "not a file of games"),
        (["backup", "nowhere/b.zip"], "no folder"),
        (["restore", "README.md"], "not a backup"),
        (["restore", "nowhere.zip"], "no file"),
    ],
)
def test_mistakes_are_one_line(words: list[str], part: str, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    code, _, err = run(capsys, *words, "--data", tmp_path / "data")
    assert code == 2
    assert err.count("\n") == 1
    assert part in err


def test_a_backup_is_a_plain_archive(data: Path, tmp_path: Path, capsys) -> None:
    run(capsys, "backup", tmp_path / "b.zip", "--data", data)
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {"backup.json", "history.sqlite"}
