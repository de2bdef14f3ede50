"""Trace copies of the game for training, or photographs with their truth for measuring.

usage: python -m tests.training.traced FOLDER [--copies 300] [--first 0] [--boards 2] [--held] [--photos] [--lights DIR]
Writes the same files as `tests.training.copies`; with `--photos` whole photos, `NAME.jpg` beside `NAME.json`, as
`serendipity evaluate` takes them. Needs the package `bpy`; DIR holds panoramas (.exr), Blender's own if none is given.
"""

import argparse
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import bpy
import cv2
import numpy as np

from engine import board_of
from engine.position import COVERED, EMPTY
from tests.drawer import Drawing
from tests.drawer.prints import make_print
from tests.training.copies import ROSETTE_SIZE, keep
from tests.training.tracer import Setting, trace_photo

SIZE, PHOTO = (480, 360), (1024, 768)


def trace_copy(seed: int, boards: int, held: bool, lights: list[Path]) -> list[Drawing]:
    """Trace the boards of one copy and, last, its rosette, each in a light of its own."""
    random = np.random.default_rng([seed, 7])
    printing = make_print(np.random.default_rng(seed), held)
    out = []
    for _ in range(boards):
        size = SIZE if random.random() < 0.7 else SIZE[::-1]
        out.append(trace_photo(random, printing, Setting(size=size, held=held, fill=random.uniform(0.6, 1.0)), lights))
    rosette = Setting(edge=3, size=ROSETTE_SIZE, held=held, fill=random.uniform(0.6, 0.9), hand=False, cut=False)
    return [*out, trace_photo(random, printing, replace(rosette, harsh=0.5 * random.random()), lights)]


def trace_truth(folder: Path, seed: int, held: bool, lights: list[Path]) -> None:
    """Trace one photo and write it with its truth."""
    path = folder / f"traced_{seed:06}.json"
    if path.exists():
        return
    random = np.random.default_rng([seed, 8])
    printing = make_print(np.random.default_rng(seed), held)
    level = ("easy", "normal", "normal", "hard")[seed % 4]
    harsh = {"easy": 0.0, "normal": 0.35, "hard": 0.9}[level]
    drawing = trace_photo(random, printing, Setting(size=PHOTO, held=held, harsh=harsh), lights)
    cv2.imwrite(str(path.with_suffix(".jpg")), drawing.image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    names = board_of(6).names
    faces = ["-" if f == COVERED else "" if f == EMPTY else f for f in drawing.position.faces]
    truth = {
        "photo": path.with_suffix(".jpg").name,
        "cells": dict(zip(names, faces, strict=True)),
        "centres": {
            n: [round(float(x), 2), round(float(y), 2)] for n, (x, y) in zip(names, drawing.centres, strict=True)
        },
        "hidden": [names[i] for i in sorted(drawing.hidden)],
        "scene": {"seed": seed, "level": level, "ring": printing.ring},
    }
    path.write_text(json.dumps(truth))


def main() -> None:
    """Trace one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--copies", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--boards", type=int, default=2)
    parser.add_argument("--held", action="store_true")
    parser.add_argument("--photos", action="store_true")
    parser.add_argument("--lights", type=Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    own = Path(bpy.utils.system_resource("DATAFILES")) / "studiolights" / "world"
    lights = sorted((args.lights or own).glob("*.exr"))
    for seed in range(args.first, args.first + args.copies):
        if args.photos:
            trace_truth(args.folder, seed, args.held, lights)
        else:
            keep(args.folder / f"{seed}.npz", partial(trace_copy, seed, args.boards, args.held, lights))


if __name__ == "__main__":
    main()
