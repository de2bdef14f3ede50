"""Compare a reading with the truth beside a photo, in whichever of the six namings fits best."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from engine import Position, board_of
from tests.drawer import Drawing
from vision import Reading

NAMES = board_of(6).names
FACES = {"-": ".", "": "_"}


@dataclass(frozen=True)
class Truth:
    """What a photo shows; `centres` are pixels by cell index, `hidden` are cells nobody could read."""

    position: Position
    centres: np.ndarray
    hidden: frozenset[int]


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


def load_truth(path: Path) -> Truth:
    """Read the truth file beside a photo."""
    told = json.loads(path.with_suffix(".json").read_text())
    faces = tuple(FACES.get(told["cells"][name], told["cells"][name]) for name in NAMES)
    centres = np.array([told["centres"].get(name, (0, 0)) for name in NAMES], float)
    return Truth(Position(faces), centres, frozenset(NAMES.index(name) for name in told["hidden"]))


def truth_of(drawing: Drawing) -> Truth:
    """Return the truth of a drawn photo."""
    return Truth(drawing.position, drawing.centres, drawing.hidden)


def marked(reading: Reading, truth: Truth) -> Marks:
    """Mark a reading in the naming that gives it the most right cells."""
    return max((_marked(reading, truth, turns) for turns in range(6)), key=lambda marks: (marks.right, -marks.silent))


def _marked(reading: Reading, truth: Truth, turns: int) -> Marks:
    there = board_of(6).turns[turns]
    wanted = truth.position.turned(turns)
    tile = float(np.linalg.norm(truth.centres[45] - truth.centres[46]))
    counts, off, sure = {"cells": 0, "right": 0, "asked": 0, "silent": 0}, 0.0, []
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
        if wanted.faces[j] != "_":
            off = max(off, float(np.linalg.norm(np.array(reading.centres[name]) - truth.centres[i])) / tile)
    return Marks(**counts, off=off, sure=tuple(sure))


def reliability(sure: Iterable[tuple[float, bool]]) -> list[tuple[float, float, int, float]]:
    """Return rows (from, to, cells, share right) of cells by confidence."""
    cells = list(sure)
    edges = (0.0, 0.5, 0.8, 0.9, 0.97, 0.99, 0.999, 1.01)
    rows = []
    for low, high in pairwise(edges):
        inside = [right for confidence, right in cells if low <= confidence < high]
        rows.append((low, min(high, 1.0), len(inside), sum(inside) / len(inside) if inside else float("nan")))
    return rows
