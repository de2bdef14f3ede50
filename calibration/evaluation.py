"""Readings of a folder of photos against their truth files: a row a photo, the totals, and a picture of both."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.marking import KINDS, SURENESS, Marks, confusions, load_truth, marked, reliability
from vision.profile import Profile
from vision.reader import read_photo

PHOTOS = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif")
STAGES = ("open", "grid", "faces")
FIELDS = ("photo", "status", "cells", "right", "asked", "silent", "off", *(f"ms_{stage}" for stage in STAGES))


@dataclass(frozen=True)
class Row:
    """One photo: its name, what the reading said, whether there is a board, its marks, milliseconds by stage."""

    photo: str
    status: str
    has_board: bool
    marks: Marks | None
    ms: tuple[float, ...]

    @property
    def fields(self) -> tuple[str | int | float, ...]:
        """The row as `FIELDS` names it; a table without a board that is refused has nothing to be right about."""
        m = self.marks
        silent = m.silent if m else 0
        counts = (m.cells, m.right, m.asked, silent, round(m.off, 3)) if m else ("", "", "", silent, "")
        return (self.photo, self.status, *counts, *(round(ms, 1) for ms in self.ms))


def photos_in(folder: Path) -> list[Path]:
    """Return the photos of a folder that have a truth file beside them; raises ValueError when there are none."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    found = [p for p in sorted(folder.iterdir()) if p.suffix.lower() in PHOTOS and p.with_suffix(".json").exists()]
    if not found:
        raise ValueError(f"{folder} holds no photo with a truth file beside it (NAME.jpg and NAME.json)")
    return found


def evaluate_photo(path: Path, profile: Profile | None = None) -> Row:
    """Read one photo and mark it."""
    truth = load_truth(path)
    reading = read_photo(path.read_bytes(), profile)
    marks = marked(reading, truth) if reading.cells else None
    return Row(path.name, reading.status, truth.has_board, marks, tuple(reading.ms.get(stage, 0.0) for stage in STAGES))


def as_csv(rows: Iterable[Row]) -> str:
    """Return the rows as CSV with a heading."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows(row.fields for row in rows)
    return out.getvalue()


def as_table(rows: Sequence[Row]) -> str:
    """Return the rows and their totals for people to read, with the reliability of the confidences."""
    lines = [f"{'photo':28}{'cells':>6}{'right':>6}{'asked':>6}{'silent':>7}{'off':>6}   ms: {' '.join(STAGES)}"]
    for row in rows:
        ms = " ".join(f"{spent:.0f}" for spent in row.ms)
        if row.marks is None:
            lines.append(f"{row.photo:28} {row.status:29}   {ms}")
            continue
        m = row.marks
        lines.append(f"{row.photo:28}{m.cells:6}{m.right:6}{m.asked:6}{m.silent:7}{m.off:6.2f}   {ms}")
    found = [row.marks for row in rows if row.has_board and row.marks]
    boards = sum(row.has_board for row in rows)
    empty = [row for row in rows if not row.has_board]
    cells = sum(m.cells for m in found)
    lines.append(f"boards read {len(found)} of {boards}, right from end to end {sum(m.whole for m in found)}; ")
    lines[-1] += f"tables without a board refused {sum(row.marks is None for row in empty)} of {len(empty)}"
    if cells:
        right, asked, silent = (sum(getattr(m, key) for m in found) for key in ("right", "asked", "silent"))
        lines.append(f"cells right {right} of {cells} ({100 * right / cells:.2f}%), ")
        lines[-1] += f"asked about {asked} ({100 * asked / cells:.2f}%), silently wrong {silent}"
        for low, high, count, share in reliability(pair for m in found for pair in m.sure):
            if count:
                lines.append(f"  confidence {low:.4f} to {high:.4f}: {count:6} cells, {100 * share:6.2f}% right")
    return "\n".join(lines)


def draw_evaluation(rows: Sequence[Row]) -> NDArray[np.uint8]:
    """Return a picture (BGR): the reliability diagram on the left, the confusion matrix on the right."""
    found = [row.marks for row in rows if row.has_board and row.marks]
    canvas = np.full((620, 1240, 3), 255, np.uint8)
    _draw_reliability(canvas, reliability(pair for m in found for pair in m.sure))
    _draw_confusions(canvas, confusions(pair for m in found for pair in m.seen))
    return canvas


def _write(canvas: NDArray[np.uint8], words: str, x: float, y: float, size: float = 0.5) -> None:
    cv2.putText(canvas, words, (int(x), int(y)), cv2.FONT_HERSHEY_SIMPLEX, size, (40, 40, 40), 1, cv2.LINE_AA)


def _draw_reliability(canvas: NDArray[np.uint8], rows: list[tuple[float, float, int, float]]) -> None:
    """Draw how many of the cells read with a confidence are right, one bar for each row of the table."""
    left, top, width, height = 90, 70, 500, 440
    _write(canvas, "Of the cells read with this confidence, how many are right?", left - 40, 40, 0.55)
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + height * (1 - share)
        cv2.line(canvas, (left, int(y)), (left + width, int(y)), (225, 225, 225), 1)
        _write(canvas, f"{100 * share:.0f}%", left - 50, y + 5)
    step = width / len(rows)
    for i, (low, high, count, share) in enumerate(rows):
        x = left + i * step
        if count:
            y = top + height * (1 - share)
            cv2.rectangle(canvas, (int(x + 6), int(y)), (int(x + step - 6), top + height), (190, 140, 60), -1)
        ideal = int(top + height * (1 - (low + high) / 2))
        cv2.line(canvas, (int(x + 2), ideal), (int(x + step - 2), ideal), (40, 40, 220), 2)
        _write(canvas, f"{low:g}-", x + 8, top + height + 22, 0.42)
        _write(canvas, str(count), x + 8, top + height + 44, 0.42)
    _write(canvas, "confidence from; number of cells; red: what the confidence promises", left - 40, top + height + 80)
    assert len(rows) == len(SURENESS)


def _draw_confusions(canvas: NDArray[np.uint8], table: NDArray[np.int64]) -> None:
    """Draw the confusion matrix: green the right ones, red the wrong ones, each with its number."""
    left, top, step = 700, 100, 46
    _write(canvas, "What lay there (rows) and what was read (columns)", left - 30, 40, 0.55)
    for i, kind in enumerate(KINDS):
        _write(canvas, kind, left + i * step + 16, top - 12, 0.6)
        _write(canvas, kind, left - 26, top + i * step + 30, 0.6)
        for j in range(len(KINDS)):
            count = int(table[i, j])
            x, y = left + j * step, top + i * step
            share = count / max(int(table[i].sum()), 1)
            paint = (200, 235, 200) if i == j else (255 - int(120 * share**0.3), 255 - int(120 * share**0.3), 255)
            if count:
                cv2.rectangle(canvas, (x, y), (x + step, y + step), paint, -1)
                _write(canvas, str(count), x + 4, y + 28, 0.42)
            cv2.rectangle(canvas, (x, y), (x + step, y + step), (215, 215, 215), 1)
    _write(canvas, ". covered   letters flowers   S Serendip   _ no tile   ? unknown", left - 30, top + 10 * step + 34)
