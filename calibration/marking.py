"""Mark readings against the truth beside photos, in whichever of the six namings fits best."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine import Position, board_of
from engine.position import is_serendip
from vision.reading import Reading

NAMES = board_of(6).names
FACES = {"-": ".", "": "_"}
SURENESS = (0.0, 0.5, 0.8, 0.9, 0.97, 0.99, 0.999, 0.9999)
"""Where the rows of a reliability table begin."""
KINDS = ".bvryogS_?"
"""The rows and columns of a confusion matrix; Serendips are one kind, whose petals are marked by themselves."""


@dataclass(frozen=True)
class Truth:
    """What a photo shows; `centres` are pixels by cell index, `hidden` are cells nobody could read."""

    position: Position
    centres: NDArray[np.float64]
    hidden: frozenset[int]

    @property
    def has_board(self) -> bool:
        """Whether any tile lies on the table."""
        return set(self.position.faces) != {"_"}


@dataclass(frozen=True)
class Marks:
    """How a reading did: cells in view, right, asked about, silently wrong; the worst centre in tiles."""

    cells: int
    right: int
    asked: int
    silent: int
    off: float
    sure: tuple[tuple[float, bool], ...]
    """The confidence of every cell in view, and whether it was right."""
    seen: tuple[tuple[str, str], ...]
    """The kinds of every cell in view: what lay there, what was read."""

    @property
    def whole(self) -> bool:
        """Whether every cell in view is right."""
        return self.right == self.cells


def load_truth(path: Path) -> Truth:
    """Read the truth file beside a photo; raises ValueError with the file's name when it is not one."""
    file = path.with_suffix(".json")
    try:
        told = json.loads(file.read_text())
        faces = tuple(FACES.get(told["cells"][name], told["cells"][name]) for name in NAMES)
        centres = np.array([told["centres"].get(name, (0, 0)) for name in NAMES], float)
        hidden = frozenset(NAMES.index(name) for name in told["hidden"])
        return Truth(Position(faces), centres, hidden)
    except OSError as fault:
        raise ValueError(f"cannot read {file}: {(fault.strerror or 'unknown reason').lower()}") from None
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ValueError(f"{file} does not tell what lies on a board") from None


def marked(reading: Reading, truth: Truth) -> Marks:
    """Mark a reading in the naming that gives it the most right cells."""
    return max((_marked(reading, truth, turns) for turns in range(6)), key=lambda marks: (marks.right, -marks.silent))


def _marked(reading: Reading, truth: Truth, turns: int) -> Marks:
    there = board_of(6).turns[turns]
    wanted = truth.position.turned(turns)
    tile = max(float(np.linalg.norm(truth.centres[45] - truth.centres[46])), 1e-6)
    counts = {"cells": 0, "right": 0, "asked": 0, "silent": 0}
    off, sure, seen = 0.0, [], []
    for i, j in enumerate(there):
        name = NAMES[j]
        right = reading.cells[name].face == wanted.faces[j]
        asked = name in reading.unsure
        counts["silent"] += not asked and not right
        if i in truth.hidden:
            continue
        counts["cells"] += 1
        counts["right"] += right
        counts["asked"] += asked
        sure.append((reading.cells[name].confidence, right))
        seen.append((_kind(wanted.faces[j]), _kind(reading.cells[name].face)))
        if wanted.faces[j] != "_":
            off = max(off, float(np.linalg.norm(np.array(reading.centres[name]) - truth.centres[i])) / tile)
    return Marks(**counts, off=off, sure=tuple(sure), seen=tuple(seen))


def _kind(face: str) -> str:
    return "S" if is_serendip(face) else face


def reliability(sure: Iterable[tuple[float, bool]]) -> list[tuple[float, float, int, float]]:
    """Return rows (from, to, cells, share right) of cells by confidence."""
    cells = list(sure)
    rows = []
    for low, high in pairwise((*SURENESS, 1.01)):
        inside = [right for confidence, right in cells if low <= confidence < high]
        rows.append((low, min(high, 1.0), len(inside), sum(inside) / len(inside) if inside else float("nan")))
    return rows


def confusions(seen: Iterable[tuple[str, str]]) -> NDArray[np.int64]:
    """Count what lay there (rows) against what was read (columns), both in the order of `KINDS`."""
    table = np.zeros((len(KINDS), len(KINDS)), np.int64)
    for lay, read in seen:
        table[KINDS.index(lay), KINDS.index(read)] += 1
    return table
