"""A fuzzer over every door where bytes from outside come in: each may refuse with its own error, and nothing else.

usage: python -m tests.fuzz [--seconds 60] [--door photo] [--seed 1]
Seeds are real inputs; each round damages one in a few places, joins two or repeats a piece, and goes through the door.
"""

import argparse
import io
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from calibration.files import ProfileError, from_text, to_text
from companion.history import open_history
from companion.history.checking import BadImport
from companion.history.exchange import export, parse
from engine import Position, Rules, Table, board_of, parse_steps
from tests.table import finished_position
from vision import PhotoError, open_photo
from vision.kinds import SHOWN
from vision.patches import PATCH
from vision.profile import Profile, Sitting

PHOTOS = Path(__file__).parent / "photos"
LONGEST = 5.0
"""Seconds one input may take, on a loaded machine."""

WORD = re.compile(rb'"[^"]{0,200}"|[0-9]+')
ODD_WORDS = (
    b"null",
    b"-1",
    b"1e999",
    b'""',
    b'"../../x"',
    b"[]",
    b"{}",
    b"true",
    b"9" * 40,
    b'"<script>"',
    b'"\\u0000"',
)
"""What stands in for a word or number: where the text stays JSON, it means something else."""


@dataclass(frozen=True)
class Door:
    """One way in: real inputs, what takes them, and the one kind of error it may raise."""

    seeds: Sequence[bytes]
    enter: Callable[[bytes], object]
    refusal: type[Exception]


def _pictures() -> list[bytes]:
    picture = Image.effect_noise((200, 150), 80).convert("RGB")
    out = []
    for format, options in (("JPEG", {}), ("JPEG", {"progressive": True}), ("PNG", {}), ("WEBP", {})):
        file = io.BytesIO()
        picture.save(file, format, **options)
        out.append(file.getvalue())
    return out


def _profile() -> bytes:
    patches = random.Random(1).randbytes(len(SHOWN) * PATCH * PATCH * 3)
    return to_text(Profile("bvroyg", (Sitting("0" * 64, patches),), {"Table Camera 1": 0.02})).encode()


def _exported() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        history = open_history(Path(folder))
        first = {"position": str(finished_position())}
        settings = {"players": [{"name": "Ann", "colours": ["blue"]}, {"name": "Bo", "colours": ["red"]}], "rules": {}}
        history.append(history.begin("snapshot", [("position", first)]), "settings", settings)
        data = "".join(export(history, history.logs(), with_photos=True)).encode()
        history.close()
    return data


def _text(take: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: take(data.decode("utf-8", "replace"))


def doors() -> dict[str, Door]:
    """Return every door by name."""
    covered = str(Position.covered())
    played = covered.replace("......", ".b(bvroyg)r?_", 2)
    steps = b"reveal D4 serendip bvroyg, turn vroygb, swap A1 B2; reveal D5 blue, stay; reveal E6 red, cover"
    return {
        "photo": Door(_pictures(), open_photo, PhotoError),
        "position": Door([covered.encode(), played.encode()], _text(Position.parse), ValueError),
        "steps": Door([steps], _text(lambda text: parse_steps(text, board_of(6))), ValueError),
        "players": Door([b"A=blue,B=red+violet", b"Ann=b,Bo=g"], _text(Table.parse), ValueError),
        "profile": Door([_profile()], _text(from_text), ProfileError),
        "import": Door([_exported()], parse, BadImport),
        "rules": Door([b"chains=single,bridges=none", b"german"], _text(Rules.parse), ValueError),
    }


def damaged(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return a seed with something wrong with it."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at = rng.randrange(len(data) + 1)
        harm = rng.randrange(7)
        if harm == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif harm == 1:
            del data[at : at + rng.choice((1, 4, 64, 1024))]
        elif harm == 2:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 4, 32)))
        elif harm == 3:
            data[at : at + 4] = rng.choice((b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\0\0\0\x01"))
        elif harm == 4:
            piece = bytes(data[at : at + rng.choice((2, 16, 256))])
            data[at:at] = piece * rng.choice((1, 2, 50))
        elif harm == 5:
            data[at:] = rng.choice(seeds)[at:]
        elif words := list(WORD.finditer(data[at : at + 2000])):
            start, end = rng.choice(words).span()
            data[at + start : at + end] = rng.choice(ODD_WORDS)
    return bytes(data)


def fuzz(door: Door, seconds: float, seed: int) -> int:
    """Walk through a door for some seconds; return how often. What must not happen is raised with its input."""
    rng = random.Random(seed)
    until, rounds = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        data = damaged(rng, door.seeds)
        began = time.monotonic()
        try:
            door.enter(data)
        except door.refusal as refusal:
            if not str(refusal).strip() or "\n" in str(refusal):
                raise AssertionError(f"not one sentence: {refusal!r}, for {data[:300]!r}") from refusal
        except Exception as fault:
            raise AssertionError(f"{type(fault).__name__} got out for {data[:300]!r}") from fault
        if time.monotonic() - began > LONGEST:
            raise AssertionError(f"took {time.monotonic() - began:.1f} s: {data[:300]!r}")
        rounds += 1
    return rounds


def main() -> None:
    """Fuzz one door or all, and say how often each was entered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--door", choices=sorted(doors()))
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for name, door in doors().items():
        if args.door in (None, name):
            print(f"{name}: {fuzz(door, args.seconds, args.seed)} inputs, all taken or refused in words", flush=True)


if __name__ == "__main__":
    main()
