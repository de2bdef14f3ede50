"""The door for photos: from the bytes of a file to an upright picture in sRGB at working size.

The long side of the working picture is 1000 to 1999 pixels (or that of the photo, if it is smaller): some 50 pixels a
tile, which is enough to read it, and a twelve-megapixel JPEG is then never decoded in full.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageCms
from PIL.PngImagePlugin import PngImageFile

from vision.header import DISPLAY_P3, Colours, Header, PhotoError, read_exif, read_header, sniffed
from vision.heic import HeicError, decoded_heic, reduction_for

__all__ = ["MOST_PIXELS", "Photo", "PhotoError", "open_photo"]

Picture = npt.NDArray[np.uint8]
"""Height x width x 3, blue green red."""

MOST_PIXELS = 60_000_000
LEAST_SIDE = 100
"""Eleven tiles across fewer pixels than this are nine pixels each: nothing to read."""
JPEG_SCALES = {1: cv2.IMREAD_COLOR, 2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4}
JPEG_SCALES[8] = cv2.IMREAD_REDUCED_COLOR_8


@dataclass(frozen=True, eq=False)
class Photo:
    """An upright photo at working size.

    `scale` is how many pixels of the full-size photo one working pixel spans; `width` and `height` are those of the
    upright photo at full size.
    """

    image: Picture
    scale: float
    width: int
    height: int
    format: str
    camera: str | None = None

    def full_size(self, points: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        """Take (x, y) from the working picture to the upright photo at full size; whole numbers are pixel centres."""
        return [((x + 0.5) * self.scale - 0.5, (y + 0.5) * self.scale - 0.5) for x, y in points]


def open_photo(data: bytes, finer: int = 1) -> Photo:
    """Open a JPEG, PNG, WebP or HEIC photo; raises PhotoError for whatever cannot be read.

    `finer` (1, 2, 4) asks for so many times the working size, as far as the photo has the pixels.
    """
    if sniffed(data) == "HEIC":
        header, image = _opened_heic(data, finer)
    else:
        header = read_header(data)
        _admit(header)
        decode = {"JPEG": _decoded_jpeg, "PNG": _decoded_png, "WebP": _decoded_webp}[header.format]
        image = decode(data, header, reduction_for(header.width, header.height, finer))
    if (transform := _to_srgb(header.profile or _profile_of(header.primaries))) is not None:
        rgb = Image.fromarray(np.ascontiguousarray(image[:, :, ::-1]))
        ImageCms.applyTransform(rgb, transform, inPlace=True)
        image = np.asarray(rgb)[:, :, ::-1]
    if _is_colourless(image):
        raise PhotoError("no-colour")
    image = np.ascontiguousarray(_upright(image, header.orientation))
    image.flags.writeable = False
    width, height = (header.width, header.height) if header.orientation < 5 else (header.height, header.width)
    scale = reduction_for(width, height, finer)
    return Photo(image, scale, width, height, header.format, header.camera)


def _admit(header: Header) -> None:
    """Refuse by what the header claims, before any pixel is decoded."""
    if (pixels := header.width * header.height) > MOST_PIXELS:
        raise PhotoError("too-large", megapixels=-(-pixels // 1_000_000), most=MOST_PIXELS // 1_000_000)
    if min(header.width, header.height) < LEAST_SIDE:
        raise PhotoError("too-small", width=header.width, height=header.height)
    if header.colours == "grey":
        raise PhotoError("no-colour")
    if header.colours == "cmyk":
        raise PhotoError("print-colours")


def _decoded_jpeg(data: bytes, header: Header, reduction: int) -> Picture:
    """Let libjpeg decode at reduced scale, which skips most of the work."""
    quick = min(reduction, 8)
    flags = JPEG_SCALES[quick] | cv2.IMREAD_IGNORE_ORIENTATION
    image = _decoded_by_opencv(data, flags)
    if image.shape != (-(-header.height // quick), -(-header.width // quick), 3):
        raise PhotoError("damaged")
    return _shrunk(image, reduction // quick)


def _decoded_webp(data: bytes, header: Header, reduction: int) -> Picture:
    image = _decoded_by_opencv(data, cv2.IMREAD_UNCHANGED)
    if image.ndim != 3 or image.shape[:2] != (header.height, header.width):
        raise PhotoError("damaged")
    return _on_white(_shrunk(image, reduction))


def _decoded_by_opencv(data: bytes, flags: int) -> Picture:
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error as fault:
        raise PhotoError("damaged") from fault
    if image is None or image.dtype != np.uint8:
        raise PhotoError("damaged")
    return image  # type: ignore[return-value]


def _decoded_png(data: bytes, header: Header, reduction: int) -> Picture:
    """Decode with Pillow, which, unlike OpenCV, refuses a PNG that breaks off or whose checksums are wrong."""
    try:
        with PngImageFile(io.BytesIO(data)) as stored:
            if stored.size != (header.width, header.height):
                raise PhotoError("damaged")
            stored.load()
            mode = "RGBA" if "A" in stored.mode or "transparency" in stored.info else "RGB"
            picture = stored if stored.mode == mode else stored.convert(mode)
            rgb = np.asarray(picture.reduce(reduction))
    except PhotoError:
        raise
    except Exception as fault:  # damaged bytes make Pillow raise nearly anything
        raise PhotoError("damaged") from fault
    return _on_white(np.dstack([rgb[:, :, 2::-1], rgb[:, :, 3:]]))


def _opened_heic(data: bytes, finer: int) -> tuple[Header, Picture]:
    """Open a HEIC file; its turns are part of the picture, so that its EXIF orientation must not be applied again."""
    try:
        said, pixels = decoded_heic(data, MOST_PIXELS, finer)
    except HeicError as fault:
        raise PhotoError("damaged") from fault
    camera = read_exif(bytes.fromhex(said["exif"]).removeprefix(b"Exif\0\0"))[1]
    colours: Colours = "rgb" if said["mode"].startswith("BGR") else "grey"
    width, height = said["size"]
    profile = bytes.fromhex(said["profile"]) or None
    header = Header("HEIC", width, height, colours, camera=camera, profile=profile, primaries=said["primaries"])
    _admit(header)
    return header, _on_white(np.frombuffer(pixels, np.uint8).reshape(said["shape"]))


def _shrunk(image: Picture, reduction: int) -> Picture:
    """Average blocks of pixels; what does not fill a block at the far edges is left out, so that the scale is exact."""
    if reduction == 1:
        return image
    height, width = (side // reduction for side in image.shape[:2])
    whole = image[: height * reduction, : width * reduction]
    return cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA)  # type: ignore[return-value]


def _on_white(image: Picture) -> Picture:
    """Lay a see-through picture on white, as every viewer shows it."""
    if image.shape[2] == 3:
        return image
    alpha = image[:, :, 3:].astype(np.uint16)
    return ((image[:, :, :3] * alpha + 255 * (255 - alpha) + 127) // 255).astype(np.uint8)


def _upright(image: Picture, orientation: int) -> Picture:
    """Undo the eight ways in which a camera can store a picture."""
    if orientation >= 5:
        image = image.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        image = image[:, ::-1]
    if orientation in (3, 4, 7, 8):
        image = image[::-1]
    return image


def _is_colourless(image: Picture) -> bool:
    """Tell a black-and-white photo stored in colour; a blank picture is none, and the grid will not be found in it."""
    few = image[::16, ::16].astype(np.int16)
    hue = np.ptp(few, axis=2)
    return bool(np.percentile(hue, 99) <= 4 and few.std() > 12)


def _profile_of(primaries: int | None) -> bytes | None:
    return display_p3() if primaries == DISPLAY_P3 else None


@lru_cache(maxsize=1)
def display_p3() -> bytes:
    """Return a Display P3 profile: the curve of sRGB with wider primaries, adapted to D50 as profiles want them."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    primaries = {
        b"rXYZ": (0.51512, 0.24120, -0.00105),
        b"gXYZ": (0.29198, 0.69225, 0.04189),
        b"bXYZ": (0.15710, 0.06657, 0.78407),
    }
    for i in range(int.from_bytes(profile[128:132])):
        entry = 132 + 12 * i
        if (xyz := primaries.get(bytes(profile[entry : entry + 4]))) is not None:
            at = int.from_bytes(profile[entry + 4 : entry + 8]) + 8
            profile[at : at + 12] = np.round(np.array(xyz) * 65536).astype(">i4").tobytes()
    return bytes(profile)


@lru_cache(maxsize=8)
def _to_srgb(profile: bytes | None) -> ImageCms.ImageCmsTransform | None:
    """Return the way from a profile to sRGB; None where there is nothing to do: no, a broken, or an sRGB profile."""
    if not profile:
        return None
    try:
        opened = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if opened.profile.xcolor_space.strip() != "RGB":
            return None
        transform = ImageCms.buildTransform(opened, ImageCms.createProfile("sRGB"), "RGB", "RGB")
        steps = np.array([0, 64, 128, 192, 255], np.uint8)
        swatches = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(25, 5, 3)
        shown = np.asarray(ImageCms.applyTransform(Image.fromarray(swatches), transform)).astype(int)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return None
    # Two levels are the rounding of profiles that are sRGB in other words.
    return transform if np.abs(shown - swatches).max() > 2 else None
