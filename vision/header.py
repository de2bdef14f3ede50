"""What the first bytes of a picture file say: its format, size, colours, orientation, colour profile and camera.

Everything is read without decoding a pixel, so that a file can be refused before it costs memory. The bytes may come
from anyone: whatever they hold, the answer is a `Header` or a `PhotoError`.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from vision.reasons import Reason

Colours = Literal["rgb", "grey", "cmyk"]

DISPLAY_P3 = 12
"""The number of the Display P3 primaries in the code points that PNG and HEIC share."""

OTHER_FORMATS = {
    b"GIF8": "GIF",
    b"BM": "BMP",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
    b"%PDF": "PDF",
    b"\0\0\1\0": "ICO",
    b"\xff\x0a": "JPEG XL",
    b"\0\0\0\x0cJXL ": "JPEG XL",
    b"\0\0\0\x0cjP  ": "JPEG 2000",
    b"8BPS": "Photoshop",
}
HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})
MOST_PROFILE_BYTES = 4 << 20


class PhotoError(Exception):
    """A photo that cannot be opened, with a reason a player understands.

    >>> str(PhotoError("other-format", format="GIF"))
    'Pictures in the GIF format cannot be read. Send a JPEG, PNG, WebP or HEIC photo.'
    """

    def __init__(self, key: str, **params: int | str) -> None:
        """Name the reason and its numbers."""
        self.reason = Reason(key, params)
        super().__init__(str(self.reason))

    def __reduce__(self) -> tuple[object, ...]:
        """Let the error travel between processes with its reason."""
        return _rebuilt, (self.reason,)


def _rebuilt(reason: Reason) -> PhotoError:
    return PhotoError(reason.key, **reason.params)


@dataclass(frozen=True)
class Header:
    """What a file claims to hold; `width` and `height` are as stored, before the orientation is applied."""

    format: str
    width: int
    height: int
    colours: Colours = "rgb"
    orientation: int = 1
    camera: str | None = None
    profile: bytes | None = None
    primaries: int | None = None


def sniffed(data: bytes) -> str:
    """Name the format by the bytes, never by the file's name."""
    if not data:
        raise PhotoError("empty-file")
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WebP"
    if data[4:8] == b"ftyp":
        brands = {data[at : at + 4] for at in (8, *range(16, min(int.from_bytes(data[:4]), 256), 4))}
        if b"avif" in brands or b"avis" in brands:
            raise PhotoError("other-format", format="AVIF")
        if brands & HEIC_BRANDS:
            return "HEIC"
    for start, name in OTHER_FORMATS.items():
        if data.startswith(start):
            raise PhotoError("other-format", format=name)
    raise PhotoError("not-a-photo")


def read_header(data: bytes) -> Header:
    """Read the header of a JPEG, PNG or WebP file."""
    readers = {"JPEG": _jpeg, "PNG": _png, "WebP": _webp}
    try:
        header = readers[sniffed(data)](data)
    except (struct.error, IndexError) as fault:
        raise PhotoError("damaged") from fault
    if not (header.width and header.height):
        raise PhotoError("damaged")
    return header


def _jpeg(data: bytes) -> Header:
    frame: tuple[int, int, int] | None = None
    exif = b""
    profile_parts: dict[int, bytes] = {}
    at = 2
    while True:
        if data[at] != 0xFF:
            raise PhotoError("damaged")
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
            continue
        if marker == 0xDA:
            break
        (length,) = struct.unpack_from(">H", data, at + 2)
        body = data[at + 4 : at + 2 + length]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            precision, height, width, components = struct.unpack_from(">BHHB", body)
            if precision != 8 or frame:
                raise PhotoError("damaged")
            frame = width, height, components
        elif marker == 0xE1 and body.startswith(b"Exif\0") and not exif:
            exif = body[6:]
        elif marker == 0xE2 and body.startswith(b"ICC_PROFILE\0"):
            profile_parts[body[12]] = body[14:]
        at += 2 + max(length, 2)
    # Compressed data holds no bare end marker, so a photo whose sending broke off is known by the lack of one.
    complete = data.endswith(b"\xff\xd9") or data.find(b"\xff\xd9", at) >= 0
    if frame is None or not complete:
        raise PhotoError("damaged")
    colours: dict[int, Colours] = {1: "grey", 3: "rgb", 4: "cmyk"}
    if frame[2] not in colours:
        raise PhotoError("damaged")
    orientation, camera = read_exif(exif)
    profile = b"".join(profile_parts[i] for i in sorted(profile_parts)) or None
    return Header("JPEG", frame[0], frame[1], colours[frame[2]], orientation, camera, profile)


def _png(data: bytes) -> Header:
    width, height, _, kind = struct.unpack_from(">IIBB", data, 16)
    if data[12:16] != b"IHDR":
        raise PhotoError("damaged")
    exif, profile, primaries = b"", None, None
    for name, start, length in _png_chunks(data):
        body = data[start : start + length]
        if name == b"eXIf":
            exif = body
        elif name == b"iCCP":
            profile = _unpacked(body[body.find(b"\0") + 2 :])
        elif name == b"cICP" and body:
            primaries = body[0]
    orientation, camera = read_exif(exif)
    colours: Colours = "grey" if kind in (0, 4) else "rgb"
    return Header("PNG", width, height, colours, orientation, camera, profile, primaries)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    at = 8
    while at + 8 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        yield name, at + 8, length
        at += 12 + length


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return zlib.decompressobj().decompress(packed, MOST_PROFILE_BYTES) or None
    except zlib.error:
        return None


def _webp(data: bytes) -> Header:
    size: tuple[int, int] | None = None
    exif, profile = b"", None
    at = 12
    while at + 8 <= len(data):
        name, length = struct.unpack_from("<4sI", data, at)
        start = at + 8
        if name == b"VP8X":
            size = (
                1 + int.from_bytes(data[start + 4 : start + 7], "little"),
                1 + int.from_bytes(data[start + 7 : start + 10], "little"),
            )
        elif name == b"VP8 " and size is None:
            width, height = struct.unpack_from("<HH", data, start + 6)
            size = width & 0x3FFF, height & 0x3FFF
        elif name == b"VP8L" and size is None:
            (bits,) = struct.unpack_from("<I", data, start + 1)
            size = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        elif name == b"ICCP":
            profile = data[start : start + length]
        elif name == b"EXIF":
            exif = data[start : start + length].removeprefix(b"Exif\0\0")
        at = start + length + length % 2
    if size is None:
        raise PhotoError("damaged")
    orientation, camera = read_exif(exif)
    return Header("WebP", size[0], size[1], "rgb", orientation, camera, profile)


def read_exif(exif: bytes) -> tuple[int, str | None]:
    """Return orientation (1..8) and camera model of an EXIF block; a broken block says nothing and costs nothing."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return 1, None
    orientation, camera = 1, None
    try:
        (at,) = struct.unpack_from(order + "I", exif, 4)
        (entries,) = struct.unpack_from(order + "H", exif, at)
        for i in range(entries):
            entry = at + 2 + 12 * i
            tag, kind, count = struct.unpack_from(order + "HHI", exif, entry)
            if tag == 0x0112 and kind == 3:
                (value,) = struct.unpack_from(order + "H", exif, entry + 8)
                orientation = value if 1 <= value <= 8 else 1
            elif tag == 0x0110 and kind == 2:
                start = entry + 8 if count <= 4 else struct.unpack_from(order + "I", exif, entry + 8)[0]
                text = exif[start : start + min(count, 200)].split(b"\0")[0].decode("utf-8", "replace").strip()
                camera = text if text and text.isprintable() else None
    except struct.error:
        pass  # what was found before the break is kept
    return orientation, camera
