"""The walls of the house: which room may import from which."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("engine", "vision", "calibration", "companion")
"""Each may import from those before it."""

FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
GEOMETRY = {"engine.board", "engine.position"}


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports anywhere, also inside functions; names of a package with the package."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    later = {*ROOMS[ROOMS.index(room) + 1 :], "tests"}
    wrong = {module for module in imported(path) if module.split(".")[0] in later}
    assert not wrong, f"{room} must not know of {sorted(wrong)}"


@pytest.mark.parametrize("path", [path for path in FILES if path.is_relative_to(ROOT / "engine")], ids=lambda p: p.name)
def test_the_engine_needs_only_the_standard_library(path: Path) -> None:
    tops = {module.split(".")[0] for module in imported(path)}
    assert tops <= {"engine", *sys.stdlib_module_names}


@pytest.mark.parametrize("path", [path for path in FILES if path.is_relative_to(ROOT / "vision")], ids=lambda p: p.name)
def test_the_eye_knows_the_board_and_nothing_of_the_rules(path: Path) -> None:
    import engine

    for module in imported(path):
        if module.split(".")[0] == "engine":
            home = getattr(getattr(engine, module.removeprefix("engine."), None), "__module__", module)
            assert any(home == allowed or home.startswith(f"{allowed}.") for allowed in GEOMETRY), module


def test_the_walls_are_looked_at() -> None:
    """All rooms have files, and an import inside a function is seen."""
    assert {path.relative_to(ROOT).parts[0] for path in FILES} == set(ROOMS)
    assert any(module.startswith("vision.") for path in FILES for module in imported(path))


def test_the_engine_imports_nothing_else_when_it_runs() -> None:
    """Start from nothing but the standard library."""
    import subprocess

    program = "import sys; sys.path.insert(0, sys.argv[1]); import engine; print(len(engine.GAMES))"
    call = [sys.executable, "-I", "-S", "-c", program, str(ROOT)]
    assert int(subprocess.run(call, capture_output=True, check=True).stdout) >= 1
