"""The README is run: its examples in Python, and every command it shows."""

import doctest
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from companion.cli import build_parser, main
from engine import Position

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PLACEHOLDERS = {
    "POSITION": str(Position.covered()),
    "PHOTO": "sample_images/easy.jpg",
    "PHOTO...": "sample_images/easy.jpg",
    "BEFORE": str(Position.covered()),
    "AFTER": str(Position.covered()),
    "STEPS": "reveal D4 blue, stay",
}
NEVER_RETURN = ("serve", "watch")


def commands() -> list[str]:
    """Return the commands between backticks, and those on lines of their own."""
    shown = re.findall(r"`(serendipity [^`]+)`", README)
    shown += re.findall(r"^ {4,}(serendipity .+)$", README, re.MULTILINE)
    return [re.sub(r"\s+#.*", "", command).strip() for command in shown]


def words_of(command: str) -> list[str]:
    return [PLACEHOLDERS.get(word, word) for word in shlex.split(command)[1:]]


def test_python_examples() -> None:
    found = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert found.attempted >= 2
    assert found.failed == 0


def test_there_are_commands_to_run() -> None:
    assert len(commands()) >= 5


@pytest.mark.parametrize("command", [command for command in commands() if len(command.split()) > 2])
def test_commands_are_understood(command: str) -> None:
    build_parser().parse_args(words_of(command))


def test_complete_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run them in their order, in a folder of their own; a word in capitals is for the reader to fill in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SERENDIPITY_DATABASE", raising=False)
    (tmp_path / "sample_images").symlink_to(ROOT / "sample_images")
    ran = 0
    for command in commands():
        words = shlex.split(command)[1:]
        if len(words) < 2 or words[0] in NEVER_RETURN or any(re.fullmatch(r"[A-Z_]{3,}[.]*", word) for word in words):
            continue
        assert main(words) in (0, 3), (command, capsys.readouterr().err)
        ran += 1
    assert ran


@pytest.mark.parametrize("target", re.findall(r"^ {4}make (\w+)", README, re.MULTILINE))
def test_make_knows_its_targets(target: str) -> None:
    planned = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False)
    assert planned.returncode == 0, planned.stderr
    assert {"run": "serendipity serve", "test": "pytest", "bench": "tests.bench"}[target] in planned.stdout
