"""Photos as play: `score` and `referee` on photos, and `track`, which follows a whole game."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.commands.photos import STATUS_CODES, Task, load_profile, read_all, read_one
from engine import GAMES, Position, Rules, Table, standing

if TYPE_CHECKING:
    from vision import Reading

DONE, NEEDS_AN_EYE = 0, 3
SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif")


def add_commands(subparsers: Any) -> None:
    """Add `track`."""
    parser = subparsers.add_parser(
        "track",
        help="follows a game from its photos",
        description="Follow a game from its photos in order: positions in one naming, and the turn between each two.",
        epilog='example: serendipity track evening/*.jpg --players "Ann=blue,Ben=red+violet"',
    )
    parser.add_argument("photos", nargs="+", metavar="PHOTO", help="the photos in the order they were taken")
    parser.add_argument("--players", required=True, help='who plays, in order, as in "A=blue,B=red+violet"')
    parser.add_argument("--rules", default="", help="options as name=value,...; a preset may come first")
    parser.add_argument("--starts", metavar="PLAYER", help="who plays after the first photo (default: the first named)")
    parser.add_argument("--profile", metavar="FILE", help="the profile of your copy of the game, from `calibrate`")
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each photo")
    parser.set_defaults(run=track)


def is_photo(argument: str) -> bool:
    """Tell a photo from a position: a file, or what is named like one."""
    try:
        return Path(argument).suffix.lower() in SUFFIXES or Path(argument).is_file()
    except OSError:  # a position is often longer than a file name may be
        return False


def score_photo(photo: str, args: argparse.Namespace) -> int:
    """Score what a photo shows, with the best guess where a tile is unsure."""
    from companion.commands.positions import told

    table = Table.parse(args.players, Rules.parse(args.rules))
    reading = read_one(_task(photo, args))
    if not reading.cells:
        return _refuse(photo, reading, args)
    result = standing(reading.position, table)
    if args.json:
        print(json.dumps({**result.as_json(), "unsure": list(reading.unsure)}, ensure_ascii=False))
    else:
        print(told(result))
    _ask_about(reading.unsure)
    return NEEDS_AN_EYE if reading.unsure else DONE


def referee_photos(before: str, after: str, args: argparse.Namespace) -> int:
    """Judge a turn where what lay there before, or after, or both, are photos."""
    from companion.commands.positions import judged
    from companion.tracking import first_known, follow, reading_of

    table = Table.parse(args.players, Rules.parse(args.rules))
    name = table.player(args.player).name
    readings = []
    for given in (before, after):
        reading = read_one(_task(given, args)) if is_photo(given) else reading_of(Position.parse(given, edge=6))
        if not reading.cells:
            return _refuse(given, reading, args)
        readings.append(reading)
    first, second = readings
    if is_photo(before):
        known = first_known(first, like=None if is_photo(after) else second.position)
        found = follow(known, second, name, table, hint=0)
    else:
        found = follow(first.position, second, name, table)
    print(json.dumps(found.verdict.as_json()) if args.json else judged(found.verdict, GAMES["serendipity"]))
    for note in found.notes:
        print(note, file=sys.stderr)
    _ask_about(found.unsure)
    return NEEDS_AN_EYE if found.needs_an_eye else DONE


def track(args: argparse.Namespace) -> int:
    """Follow a game photo by photo; a photo that cannot be read leaves a gap."""
    from companion.tracking import Course

    table = Table.parse(args.players, Rules.parse(args.rules))
    course = Course.begin(table, args.starts)
    highest = DONE
    tasks = [_task(photo, args) for photo in args.photos]
    for i, (task, reading) in enumerate(read_all(tasks), 1):
        print(f"{i}/{len(tasks)} {task.photo}: {reading.message}", file=sys.stderr, flush=True)
        if not reading.cells:
            highest = max(highest, _refuse(task.photo, reading, args))
            course = course.missed()
            continue
        course = course.next(reading)
        if args.json:
            print(json.dumps({"photo": task.photo, **course.to_json()}, ensure_ascii=False), flush=True)
            for hint in course.hints:
                print(f"  {hint}", file=sys.stderr)
        else:
            print(f"{task.photo}: {course.told()}", flush=True)
        highest = max(highest, NEEDS_AN_EYE if course.needs_an_eye else DONE)
    return highest


def _task(photo: str, args: argparse.Namespace) -> Task:
    return Task(photo, profile=load_profile(args.profile))


def _refuse(photo: str, reading: "Reading", args: argparse.Namespace) -> int:
    """Say why a photo could not be read, in the line that it would have had."""
    if args.json:
        said = {"photo": photo, "position": "", "unsure": [], "status": reading.status, "message": str(reading.message)}
        print(json.dumps(said, ensure_ascii=False), flush=True)
    print(f"serendipity: {photo}: {reading.message}", file=sys.stderr)
    return STATUS_CODES[reading.status]


def _ask_about(cells: tuple[str, ...]) -> None:
    if cells:
        print(f"Not sure, please look: {' '.join(cells)}", file=sys.stderr)
