"""A table for the tests: an application on a fresh folder, whose reader knows the truth about drawn photos."""

import io
import json
import random
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from companion.drawing import INK, centre
from companion.reading import Corners, Prepared, Reader, Refused, Taken
from engine import Position
from engine.board import board_of
from engine.position import COVERED, LETTERS, is_serendip
from vision.reading import CellReading, Reading

RING = "bvroyg"


def finished_position(seed: int = 3, covered: int = 12) -> Position:
    """Shuffle a complete set of tiles and open all but some flowers."""
    rng = random.Random(seed)
    serendips = [RING[k:] + RING[:k] for k in (rng.randrange(6) for _ in range(13))]
    flowers = [letter for letter in LETTERS for _ in range(13)]
    # Neighbouring cells get like colours, as at the end of a real game.
    cells = sorted(range(91), key=lambda i: (board_of(6).cells[i].q * 2 + rng.random() * 3, rng.random()))
    faces = [COVERED] * 91
    for cell, face in zip(
        cells, sorted(flowers, key=lambda f: (LETTERS.index(f), rng.random())) + [""] * 13, strict=True
    ):
        faces[cell] = face or serendips.pop()
    for _ in range(60):
        a, b = rng.sample(range(91), 2)
        faces[a], faces[b] = faces[b], faces[a]
    hidden = [i for i in range(91) if not is_serendip(faces[i]) and faces[i] != "v"]
    for i in rng.sample(hidden, covered):
        faces[i] = COVERED
    return Position(tuple(faces))


def centres(width: int = 1200, height: int = 1000) -> dict[str, tuple[float, float]]:
    board = board_of(6)
    return {
        name: (width / 2 + centre(cell)[0] * 1.1, height / 2 + centre(cell)[1] * 1.1)
        for name, cell in zip(board.names, board.cells, strict=True)
    }


def drawn_photo(position: Position, seed: int = 0) -> bytes:
    """Draw a plain photo of a position: good enough for a person, and for a reader that gets the truth with it."""
    rng = random.Random(seed)
    picture = Image.new("RGB", (1200, 1000), (112, 74, 50))
    pen = ImageDraw.Draw(picture)
    for name, (x, y) in centres().items():
        face = position[name]
        pen.regular_polygon(
            (x, y, 52), 6, rotation=rng.uniform(-1.5, 1.5), fill="#fffaf0" if face != COVERED else "#7fa37f"
        )
        if is_serendip(face):
            for d, letter in enumerate(face):
                pen.pieslice((x - 38, y - 38, x + 38, y + 38), -60 * d - 30, -60 * d + 30, fill=INK[letter])
        elif face in INK:
            pen.ellipse((x - 32, y - 32, x + 32, y + 32), fill=INK[face])
    pen.text((10, 10), f"{seed}", font=ImageFont.load_default(), fill="#a08060")
    out = io.BytesIO()
    picture.save(out, "PNG", pnginfo=PngInfo())
    return out.getvalue()


def _view(data: bytes) -> bytes:
    view = io.BytesIO()
    Image.open(io.BytesIO(data)).convert("RGB").save(view, "JPEG")
    return view.getvalue()


class KnowingReader(Reader):
    """Knows what the drawn photos show, so that tests of the page do not depend on how well photos are read."""

    def __init__(self) -> None:
        super().__init__(children=0)
        self.truths: dict[bytes, dict[str, Any]] = {}
        self.at_corners: dict[bytes, dict[str, Any]] = {}

    def learn(
        self, photo: bytes, position: Position | None, unsure: Mapping[str, tuple[str, str]] | None = None
    ) -> bytes:
        """Remember a photo; `unsure` gives the (wrong) best guess and the runner-up for some cells."""
        if position is None:
            truth = {"status": "no-board", "reason": "no-board", "places": {}, "unsure": [], "centres": {}}
        else:
            doubts = dict(unsure or {})
            cells = {
                name: CellReading(doubts[name][0], 0.4, doubts[name][1])
                if name in doubts
                else CellReading(position[name], 0.99999)
                for name in board_of(6).names
            }
            reading = Reading.of(cells, doubts, centres(), RING)
            truth = reading.to_kept()
        self.truths[photo] = json.loads(json.dumps(truth))
        return photo

    def prepare(self, data: bytes) -> Prepared:
        if data not in self.truths:
            raise Refused("not-a-photo")
        return Prepared(data, "image/png", 1200, 1000)

    def take(self, data: bytes) -> Taken:
        taken = Taken(self.prepare(data), Future[dict[str, Any]](), Future[bytes]())
        taken.reading.set_result(self.truths[data])
        taken.view.set_result(_view(data))
        return taken

    def view(self, path: Path) -> bytes:
        return _view(path.read_bytes())

    def learn_at_corners(self, photo: bytes, position: Position) -> bytes:
        """Remember a photo whose board is found only once someone marks its corners."""
        self.learn(photo, position)
        self.at_corners[photo] = self.truths[photo]
        return self.learn(photo, None)

    def read(self, path: Path, corners: Corners = ()) -> dict[str, Any]:
        data = path.read_bytes()
        return (self.at_corners if corners else self.truths)[data]
