"""The face network in two halves, so that a tile that looks as before is not looked at again.

Its first half sees each tile by itself and takes most of the time; the second lets all tiles look at each other. Both
are cut out of the one file, at the node where the tiles of a board come together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faces import KIND_HEAT, PETAL_HEAT, Look, Tiles
from vision.kinds import KINDS, SHOWN
from vision.patches import PATCH

Marks = NDArray[np.float32]
"""What the first half makes of tiles (n, marks)."""
FEW = 8
"""Tiles are looked at so many at a time: the copy's eight, or those that changed."""

_GRAPH = 7
_NODE, _INITIALIZER, _INPUT, _OUTPUT = 1, 5, 11, 12
"""Numbers of fields in the ONNX format: of a model, and of its graph."""


@dataclass(frozen=True, eq=False)
class TilesSeen:
    """What the first half made of the 91 tiles of a board, each as it looked when it last changed."""

    patches: Tiles
    marks: Marks

    @classmethod
    def of(cls, patches: Tiles) -> "TilesSeen":
        """Look at every tile (91, PATCH, PATCH, 3)."""
        return cls(patches, _marks(patches, len(patches)))

    def again(self, patches: Tiles, changed: list[int]) -> "TilesSeen":
        """Look again at the tiles that changed, by index."""
        marks, seen = self.marks.copy(), self.patches.copy()
        seen[changed] = patches[changed]
        for start in range(0, len(changed), FEW):
            cells = changed[start : start + FEW]
            marks[cells] = _marks(patches[cells], FEW)
        return TilesSeen(seen, marks)

    def look(self, patches: Tiles, shown: Tiles | None = None) -> Look:
        """Say what `faces.look` says of a board, beside eight tiles of the copy."""
        del patches  # seen already
        network = _halves()[1]
        network.setInput(np.concatenate([self.marks, _nothing() if shown is None else _marks(shown, FEW)]))
        cells = network.forward()[: len(self.marks)].astype(np.float64)
        petals = cells[:, len(KINDS) : len(KINDS) + 36].reshape(-1, 6, 6)
        return Look(cells[:, : len(KINDS)] / KIND_HEAT, petals / PETAL_HEAT)


def _marks(tiles: Tiles, count: int) -> Marks:
    """Look at some tiles; always `count`, for another number would set the network up anew."""
    shown = np.zeros((count, PATCH, PATCH, 3), np.float32)
    shown[: len(tiles)] = tiles
    network = _first_half(count)
    network.setInput(np.ascontiguousarray(shown.transpose(0, 3, 1, 2)) / np.float32(255))
    return np.asarray(network.forward()[: len(tiles)], np.float32).copy()


@lru_cache(maxsize=1)
def _nothing() -> Marks:
    return _marks(np.zeros((len(SHOWN), PATCH, PATCH, 3), np.uint8), FEW)


@lru_cache(maxsize=2)
def _first_half(count: int) -> "cv2.dnn.Net":
    """Return a network of its own for each number of tiles."""
    del count
    return cv2.dnn.readNetFromONNX(np.frombuffer(_halves()[0], np.uint8))


@lru_cache(maxsize=1)
def _halves() -> tuple[bytes, "cv2.dnn.Net"]:
    """Cut the network where it first reshapes what it made of single tiles."""
    model = list(_fields(Path(__file__).with_name("faces.onnx").read_bytes()))
    graph = list(_fields(next(value for number, value in model if number == _GRAPH)))
    nodes = [value for number, value in graph if number == _NODE]
    cut = next(k for k, node in enumerate(nodes) if _text(node, 4) == ["Reshape"])
    marks = _text(nodes[cut], 1)[0]
    first = _model(model, graph, nodes[:cut], _OUTPUT, _value(marks, ()))
    eye = cv2.dnn.readNetFromONNX(np.frombuffer(first, np.uint8))
    eye.setInput(np.zeros((len(SHOWN), 3, PATCH, PATCH), np.float32))
    tokens = 91 + len(SHOWN), eye.forward().shape[1]
    rest = [node for k, node in enumerate(nodes) if k >= cut or _text(node, 4) == ["Constant"]]
    second = _model(model, graph, rest, _INPUT, _value(marks, tokens))
    return first, cv2.dnn.readNetFromONNX(np.frombuffer(second, np.uint8))


def _model(
    model: list[tuple[int, bytes]], graph: list[tuple[int, bytes]], nodes: list[bytes], side: int, value: bytes
) -> bytes:
    """Write a model with some nodes only, and another input or output."""
    needed = {name for node in nodes for name in _text(node, 1)}
    kept = [
        (number, each)
        for number, each in graph
        if number not in (_NODE, side, 13) and (number != _INITIALIZER or _text(each, 8)[0] in needed)
    ]
    written = _written([*((_NODE, node) for node in nodes), *kept, (side, value)])
    return _written([(number, written if number == _GRAPH else each) for number, each in model])


def _value(name: str, shape: tuple[int, ...]) -> bytes:
    """Describe numbers of a shape under a name."""
    sizes = _written([(1, _written([(1, _varint(size))])) for size in shape])
    kind = _written([(1, _varint(1)), (2, sizes)])
    return _written([(1, name.encode()), (2, _written([(1, kind)]))])


def _text(message: bytes, wanted: int) -> list[str]:
    return [value.decode() for number, value in _fields(message) if number == wanted]


class _Number(bytes):
    """A number as it is written, beside the bytes that have a length."""


def _varint(value: int) -> _Number:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return _Number([*out, value])


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a protocol buffer: their numbers and bytes."""
    at = 0
    while at < len(message):
        key, at = _read(message, at)
        kind = key & 7
        if kind == 0:
            value, end = _read(message, at)
            yield key >> 3, _varint(value)
        elif kind == 2:
            length, at = _read(message, at)
            end = at + length
            yield key >> 3, message[at:end]
        else:
            raise ValueError("faces.onnx has fields that no ONNX model has")
        at = end


def _read(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (message[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if message[at - 1] < 128:
            return value, at


def _written(fields: list[tuple[int, bytes]]) -> bytes:
    out = bytearray()
    for number, value in fields:
        if isinstance(value, _Number):
            out += _varint(number << 3) + value
        else:
            out += _varint(number << 3 | 2) + _varint(len(value)) + value
    return bytes(out)
