"""Commands about one's own copy of the game and about how well it is read: `calibrate` and `evaluate`."""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import Any

DONE, WRONG_USE, NEEDS_AN_EYE, UNREADABLE = 0, 2, 3, 4


def add_commands(subparsers: Any) -> None:
    """Add `calibrate` and `evaluate`."""
    learned = subparsers.add_parser(
        "calibrate",
        help="learn your own copy of the game from a photo of the rosette",
        description="Learn your own copy of the game from a photo of the rosette: a Serendip, round it the six "
        "flowers, each against the petal of its own colour, round those twelve covered tiles.",
        epilog="example: serendipity calibrate sample_images/rosettes/garden.jpg --out my-copy.json",
    )
    learned.add_argument("photo", metavar="PHOTO", help="a photo of the rosette")
    learned.add_argument("--out", metavar="FILE", required=True, help="where the profile is written")
    learned.add_argument("--overlay", metavar="OUT.jpg", help="draw over the photo what was learned or is wrong")
    learned.set_defaults(run=calibrate)

    judged = subparsers.add_parser(
        "evaluate",
        help="compare readings with truth files",
        description="Read every photo of a folder that has its truth beside it, and say how well it is read.",
        epilog="example: serendipity evaluate sample_images --csv results.csv",
    )
    judged.add_argument("folder", metavar="FOLDER", help="photos NAME.jpg, each with NAME.json beside it")
    judged.add_argument("--profile", metavar="FILE", help="the profile of your copy of the game, from `calibrate`")
    judged.add_argument("--csv", metavar="OUT.csv", help="write one row for each photo")
    judged.add_argument("--picture", metavar="OUT.png", help="draw the reliability diagram and the confusion matrix")
    judged.set_defaults(run=evaluate)


def calibrate(args: argparse.Namespace) -> int:
    """Learn from the rosette and write the profile; a wrong rosette is explained, and nothing is written."""
    from calibration import described, draw_rosette, learn_rosette, save_profile
    from vision import PhotoError

    try:
        data = Path(args.photo).read_bytes()
    except OSError as fault:
        print(f"{args.photo}: {(fault.strerror or 'cannot be read').lower()}", file=sys.stderr)
        return UNREADABLE
    try:
        rosette = learn_rosette(data)
    except PhotoError as refusal:
        print(f"{args.photo}: {refusal.reason}", file=sys.stderr)
        return UNREADABLE
    if args.overlay:
        _write_picture(args.overlay, draw_rosette(rosette))
    if rosette.profile is None:
        for remark in rosette.faults:
            print(f"{args.photo}: {remark}", file=sys.stderr)
        print("Nothing was saved. Lay the tiles right and take another photo.", file=sys.stderr)
        return NEEDS_AN_EYE
    save_profile(rosette.profile, args.out)
    for remark in described(rosette.profile):
        print(remark)
    print(f"Saved as {args.out}: `serendipity read PHOTO --profile {args.out}` uses it.")
    return DONE


def evaluate(args: argparse.Namespace) -> int:
    """Read the folder with all cores and print the table."""
    from calibration import load_profile
    from calibration.evaluation import as_csv, as_table, draw_evaluation, evaluate_photo, photos_in

    profile = load_profile(args.profile) if args.profile else None
    photos = photos_in(Path(args.folder))
    rows = []
    with ProcessPoolExecutor(min(len(photos), cpu_count() or 1), get_context("spawn"), initializer=_alone) as pool:
        for i, row in enumerate(pool.map(partial(evaluate_photo, profile=profile), photos), 1):
            print(f"\r{i}/{len(photos)}", end="", file=sys.stderr, flush=True)
            rows.append(row)
    print(file=sys.stderr)
    print(as_table(rows))
    if args.csv:
        _write(args.csv, as_csv(rows).encode())
    if args.picture:
        _write_picture(args.picture, draw_evaluation(rows))
    return DONE


def _alone() -> None:
    """Keep OpenCV to one thread: the processes share the cores already."""
    import cv2

    cv2.setNumThreads(1)


def _write_picture(out: str, picture: Any) -> None:
    import cv2

    if Path(out).suffix.lower() not in (".jpg", ".jpeg", ".png", ".webp"):
        raise ValueError(f"a picture is written as .jpg, .png or .webp, not as {out!r}")
    _write(out, cv2.imencode(Path(out).suffix.lower(), picture)[1].tobytes())


def _write(out: str, data: bytes) -> None:
    try:
        Path(out).write_bytes(data)
    except OSError as fault:
        raise ValueError(f"cannot write {out}: {(fault.strerror or 'unknown reason').lower()}") from fault
