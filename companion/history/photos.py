"""Photos on disk, named by the hash of their bytes, without the traces a camera leaves in them.

A photo is cleaned before it is kept: of its metadata only the orientation and the colour profile stay, so a stored
photo never tells where a family lives. The pixels are not touched.
"""

import hashlib
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

JPEG, PNG, WEBP, HEIC = "image/jpeg", "image/png", "image/webp", "image/heic"
SUFFIX = {JPEG: ".jpg", PNG: ".png", WEBP: ".webp"}
HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")
ORIENTATION = 0x0112


def media_type(data: bytes) -> str | None:
    """Tell the kind of an image by its first bytes; names and headers lie."""
    if data.startswith(b"\xff\xd8\xff"):
        return JPEG
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if data[4:8] == b"ftyp" and data[8:12] in HEIC_BRANDS:
        return HEIC
    return None


def cleaned(data: bytes) -> bytes:
    """Return a JPEG, PNG or WebP without metadata other than orientation and colour profile."""
    kind = media_type(data)
    if kind == JPEG:
        return b"".join(_clean_jpeg(data))
    if kind == PNG:
        return b"".join(_clean_png(data))
    if kind == WEBP:
        return _clean_webp(data)
    raise ValueError("this is not a JPEG, PNG or WebP image")


def sha256_of(data: bytes) -> str:
    """Return the name of a photo: the hash of its bytes."""
    return hashlib.sha256(data).hexdigest()


class PhotoShelf:
    """A folder of photos; each file is written in full, or not at all."""

    def __init__(self, folder: Path) -> None:
        """Use this folder; it is made when the first photo comes."""
        self.folder = folder

    def put(self, data: bytes, suffix: str) -> str:
        """Keep the bytes and return their hash; once this returns they are on disk."""
        sha256 = sha256_of(data)
        self.write(self.path(sha256, suffix), data)
        return sha256

    def path(self, sha256: str, suffix: str) -> Path:
        """Return where a photo lies."""
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise ValueError("a photo is named by 64 hexadecimal digits")
        return self.folder / sha256[:2] / f"{sha256}{suffix}"

    def files(self, sha256: str) -> list[Path]:
        """Return every file of a photo: itself, and the copies made of it."""
        return sorted(self.path(sha256, "").parent.glob(f"{sha256}.*"))

    def write(self, path: Path, data: bytes) -> None:
        """Write beside the final place, force it to disk, then rename: a reader sees all of a file or none of it."""
        if path.exists() and path.stat().st_size == len(data):
            self._sync(path)  # whoever wrote it may have been stopped before this
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._sync(path)

    def _sync(self, path: Path) -> None:
        for folder in {path.parent, path.parent.parent, self.folder.parent}:
            _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _clean_jpeg(data: bytes) -> Iterator[bytes]:
    yield data[:2]
    segments = list(_jpeg_segments(data))
    exif = next((body[6:] for marker, body, _ in segments if marker == 0xE1 and body[:6] == b"Exif\0\0"), b"")
    if (orientation := _orientation(exif)) > 1:
        body = b"Exif\0\0" + _minimal_exif(orientation)
        yield b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body
    for marker, body, rest in segments:
        is_profile = marker == 0xE2 and body[:12] == b"ICC_PROFILE\0"
        is_note = 0xE0 <= marker <= 0xEF or marker == 0xFE
        if not is_note or marker in (0xE0, 0xEE) or is_profile:
            yield bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body + rest


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield marker, body, and for the start of a scan everything up to the end of the first picture."""
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            raise ValueError("this JPEG is damaged")
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        (length,) = struct.unpack(">H", data[at + 2 : at + 4])
        if length < 2 or at + 2 + length > len(data):
            raise ValueError("this JPEG is cut short")
        body = data[at + 4 : at + 2 + length]
        at += 2 + length
        if marker == 0xDA:
            end = _end_of_scan(data, at)
            yield marker, body, data[at:end]
            at = end
            if data[at - 2 : at] == b"\xff\xd9":
                return
        else:
            yield marker, body, b""
    raise ValueError("this JPEG is cut short")


def _end_of_scan(data: bytes, at: int) -> int:
    while (at := data.find(b"\xff", at)) != -1 and at + 1 < len(data):
        following = data[at + 1]
        if following == 0xD9:
            return at + 2
        if following == 0 or 0xD0 <= following <= 0xD7 or following == 0xFF:
            at += 1 if following == 0xFF else 2
            continue
        return at
    return len(data)


def _clean_png(data: bytes) -> Iterator[bytes]:
    yield data[:8]
    at = 8
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if len(body) < length:
            raise ValueError("this PNG is cut short")
        if name == b"eXIf":
            if (orientation := _orientation(body)) > 1:
                body = _minimal_exif(orientation)
                yield struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        elif name not in (b"tEXt", b"zTXt", b"iTXt", b"tIME"):
            yield data[at : at + 12 + length]
        at += 12 + length
        if name == b"IEND":
            return
    raise ValueError("this PNG is cut short")


def _clean_webp(data: bytes) -> bytes:
    kept = []
    at = 12
    while at + 8 <= len(data):
        name, (length,) = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])
        body = data[at + 8 : at + 8 + length]
        if len(body) < length:
            raise ValueError("this WebP is cut short")
        if name == b"EXIF":
            orientation = _orientation(body.removeprefix(b"Exif\0\0"))
            body = _minimal_exif(max(orientation, 1))
        if name == b"VP8X" and body:
            body = bytes((body[0] & ~0x04,)) + body[1:]
        if name != b"XMP ":
            kept.append(name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2))
        at += 8 + length + length % 2
    inside = b"WEBP" + b"".join(kept)
    return b"RIFF" + struct.pack("<I", len(inside)) + inside


def _orientation(exif: bytes) -> int:
    """Return the orientation a TIFF block asks for, 1 when it is missing or makes no sense."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None or len(exif) < 8:
        return 1
    (start,) = struct.unpack(order + "I", exif[4:8])
    if start + 2 > len(exif):
        return 1
    (count,) = struct.unpack(order + "H", exif[start : start + 2])
    for i in range(count):
        field = exif[start + 2 + 12 * i : start + 14 + 12 * i]
        if len(field) == 12 and struct.unpack(order + "H", field[:2])[0] == ORIENTATION:
            (value,) = struct.unpack(order + "H", field[8:10])
            return value if 1 <= value <= 8 else 1
    return 1


def _minimal_exif(orientation: int) -> bytes:
    return b"MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, ORIENTATION, 3, 1, orientation, 0, 0)
