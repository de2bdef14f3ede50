"""`serendipity read`: what lies on the table in each photo."""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.position import is_serendip

if TYPE_CHECKING:
    from vision.profile import Profile
    from vision.reading import CellReading, Reading

DONE, NEEDS_AN_EYE, UNREADABLE = 0, 3, 4
STATUS_CODES = {"ok": DONE, "unsure": NEEDS_AN_EYE, "no-board": UNREADABLE, "bad-file": UNREADABLE}
MOST_BYTES = 200 << 20
"""No photo of 60 megapixels is larger; anything else, say a film, is not even loaded."""


@dataclass(frozen=True)
class Task:
    """One photo to read, where its overlay goes, and the profile that helps."""

    photo: str
    overlay: str | None = None
    profile: "Profile | None" = None


def add_commands(subparsers: Any) -> None:
    """Add `read`."""
    parser = subparsers.add_parser(
        "read",
        help="read what lies on the table",
        description="Read what lies on the table in each photo.",
        epilog="example: serendipity read sample_images/easy.jpg --overlay read.jpg",
    )
    parser.add_argument("photos", nargs="+", metavar="PHOTO", help="a JPEG, PNG, WebP or HEIC photo")
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each photo")
    parser.add_argument("--profile", metavar="FILE", help="the profile of your copy of the game, from `calibrate`")
    parser.add_argument(
        "--overlay",
        metavar="OUT.jpg",
        help="draw the reading over the photo; with several photos, {name} stands for each photo's name, "
        "and without it they are numbered: OUT-1.jpg, OUT-2.jpg",
    )
    parser.set_defaults(run=read)


def read(args: argparse.Namespace) -> int:
    """Read every photo, print each answer in its turn, and return the highest exit status."""
    overlays = overlay_names(args.overlay, args.photos)
    profile = load_profile(args.profile)
    tasks = [Task(photo, out, profile) for photo, out in zip(args.photos, overlays, strict=True)]
    highest = DONE
    for i, (task, reading) in enumerate(read_all(tasks), 1):
        if len(tasks) > 1 or args.json:
            print(f"{i}/{len(tasks)} {task.photo}: {reading.message}", file=sys.stderr, flush=True)
        if args.json:
            print(json.dumps(reading.to_json(task.photo), ensure_ascii=False), flush=True)
        else:
            print(described(task.photo, reading), flush=True)
        highest = max(highest, STATUS_CODES[reading.status])
    return highest


def overlay_names(pattern: str | None, photos: Sequence[str]) -> list[str | None]:
    """Name the overlay of each photo.

    >>> overlay_names("out.jpg", ["a.jpg"]), overlay_names("out.jpg", ["a.jpg", "b.jpg"])
    (['out.jpg'], ['out-1.jpg', 'out-2.jpg'])
    >>> overlay_names("{name}-read.png", ["table/a.jpg", "b.heic"])
    ['a-read.png', 'b-read.png']
    """
    if pattern is None:
        return [None] * len(photos)
    if Path(pattern).suffix.lower() not in (".jpg", ".jpeg", ".png", ".webp"):
        raise ValueError(f"the overlay is written as .jpg, .png or .webp, not as {pattern!r}")
    if "{name}" in pattern:
        names = [pattern.replace("{name}", Path(photo).stem) for photo in photos]
    elif len(photos) == 1:
        names = [pattern]
    else:
        names = [str(Path(pattern).with_stem(f"{Path(pattern).stem}-{i}")) for i in range(1, len(photos) + 1)]
    if len(set(names)) < len(names):
        raise ValueError("two photos have the same name, and so would their overlays: leave {name} out to number them")
    if same := [name for name in names if any(Path(name).resolve() == Path(photo).resolve() for photo in photos)]:
        raise ValueError(f"the overlay would replace the photo {same[0]}")
    if missing := [name for name in names if not Path(name).parent.is_dir()]:
        raise ValueError(f"there is no folder for the overlay {missing[0]}")
    return list(names)


def read_all(tasks: Sequence[Task]) -> Iterator[tuple[Task, "Reading"]]:
    """Read photos in order; several at a time in processes of their own where there are several."""
    workers = min(len(tasks), os.cpu_count() or 1)
    if workers < 2:
        for task in tasks:
            yield task, read_one(task)
        return
    # Spawned, not forked: a fork copies OpenCV's threads in whatever state they are.
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_work_alone) as pool:
        try:
            yield from zip(tasks, pool.map(read_one, tasks), strict=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _work_alone() -> None:
    """Keep OpenCV to one thread: the processes share the cores already."""
    import cv2

    cv2.setNumThreads(1)


def read_one(task: Task) -> "Reading":
    """Read one photo from its file and draw its overlay; whatever is wrong with the file is part of the reading."""
    from vision import Reading, Reason, read_photo

    try:
        if Path(task.photo).stat().st_size > MOST_BYTES:
            return Reading.refused("bad-file", Reason("not-a-photo"), {})
        data = Path(task.photo).read_bytes()
    except OSError as fault:
        why = (fault.strerror or "unknown reason").lower()
        return Reading.refused("bad-file", Reason("unopened", {"why": why}), {})
    reading: Reading = read_photo(data, task.profile)
    if task.overlay and reading.cells:
        _write_overlay(task.overlay, data, reading)
    return reading


def load_profile(path: str | None) -> "Profile | None":
    """Load the profile of one's own copy; a wrong one is wrong use, and is said before any photo is read."""
    from calibration import load_profile

    return load_profile(path) if path else None


def _write_overlay(out: str, data: bytes, reading: "Reading") -> None:
    import cv2

    from vision import open_photo
    from vision.overlay import draw_overlay

    _, drawn = cv2.imencode(Path(out).suffix.lower(), draw_overlay(open_photo(data), reading))
    try:
        Path(out).write_bytes(drawn.tobytes())
    except OSError as fault:
        raise ValueError(f"cannot write {out}: {(fault.strerror or 'unknown reason').lower()}") from fault


def described(photo: str, reading: "Reading") -> str:
    """Say a reading in text: the board as a hexagon (* a Serendip), its Serendips, and what is asked."""
    lines = [f"{photo}: {reading.message}"]
    if not reading.cells:
        return lines[0]
    names, faces = iter(reading.board.names), dict(zip(reading.board.names, reading.position.faces, strict=True))
    widest = 2 * reading.edge - 1
    for row in reading.board.rows:
        here = [next(names) for _ in row]
        marks = ["!" if name in reading.unsure else " " for name in here]
        shown = ["*" if is_serendip(faces[name]) else faces[name] for name in here]
        hexes = "".join(face + mark for face, mark in zip(shown, marks, strict=True))
        lines.append(f"  {here[0][0]} {' ' * (widest - len(row))}{hexes}".rstrip())
    if serendips := [f"{name} {face}" for name, face in faces.items() if is_serendip(face)]:
        lines.append(f"  * Serendips: {', '.join(serendips)}")
    for name in reading.unsure:
        cell = reading.cells[name]
        lines.append(f"  ! {name}: {_guess(cell)}")
    return "\n".join(lines)


def _guess(cell: "CellReading") -> str:
    from vision.reading import face_word

    if cell.face == "?":
        return "not to be seen"
    other = "" if cell.runner_up == "?" else f", or else {face_word(cell.runner_up)}"
    return f"{face_word(cell.face)} ({100 * cell.confidence:.0f}%){other}"
