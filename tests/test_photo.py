"""The door for photos: formats, orientations, colours, refusals, bombs and bounds."""

import io
import random
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageDraw

from vision.header import read_exif, read_header
from vision.photo import MOST_PIXELS, Photo, PhotoError, display_p3, open_photo

PHOTOS = Path(__file__).parent / "photos"
CORNERS = {
    (0.25, 0.25): (200, 40, 40),
    (0.75, 0.25): (40, 160, 60),
    (0.25, 0.75): (40, 70, 190),
    (0.75, 0.75): (230, 200, 60),
}
STORED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""How a camera stores a scene under each EXIF orientation."""


def scene(width: int = 160, height: int = 120) -> Image.Image:
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    for (x, y), colour in CORNERS.items():
        left, top = (x > 0.5) * width // 2, (y > 0.5) * height // 2
        draw.rectangle((left, top, left + width // 2, top + height // 2), fill=colour)
    return image


def stored(image: Image.Image, format: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def exif_block(orientation: int, camera: str = "Table Camera 1") -> bytes:
    exif = Image.Exif()
    exif[0x0112], exif[0x0110] = orientation, camera
    return exif.tobytes()


def colour_at(photo: Photo, x: float, y: float) -> tuple[int, int, int]:
    height, width = photo.image.shape[:2]
    blue, green, red = photo.image[int(y * height), int(x * width)]
    return int(red), int(green), int(blue)


def assert_shows_scene(photo: Photo, within: int = 6) -> None:
    for (x, y), colour in CORNERS.items():
        assert np.abs(np.subtract(colour_at(photo, x, y), colour)).max() <= within, (x, y, colour_at(photo, x, y))


def reason_for(data: bytes) -> str:
    with pytest.raises(PhotoError) as caught:
        open_photo(data)
    return caught.value.reason.key


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "HEIC"])
@pytest.mark.parametrize("size", [(160, 120), (2400, 1801)])
def test_every_format_comes_out_upright(format: str, orientation: int, size: tuple[int, int]) -> None:
    if format == "HEIC":
        size = (160, 120)
        data = (PHOTOS / f"orientation_{orientation}.heic").read_bytes()
    else:
        image = scene(*size)
        if orientation in STORED:
            image = image.transpose(STORED[orientation])
        data = stored(image, format, exif=exif_block(orientation))
    photo = open_photo(data)
    assert (photo.width, photo.height) == size
    assert photo.format.upper() == format
    assert photo.camera == "Table Camera 1"
    assert photo.scale == (1 if size[0] == 160 else 2)
    assert photo.image.flags.c_contiguous
    assert_shows_scene(photo)


def test_heic_pixels_stay_after_the_file_is_gone() -> None:
    photos = [open_photo((PHOTOS / "orientation_1.heic").read_bytes()) for _ in range(3)]
    for photo in photos:
        assert_shows_scene(photo)


def test_the_name_of_the_format_is_never_asked() -> None:
    for format in ("JPEG", "PNG", "WEBP"):
        assert open_photo(stored(scene(), format)).format.upper() == format


@pytest.mark.parametrize(
    ("size", "working", "scale"),
    [
        ((1600, 1200), (1600, 1200), 1),
        ((1999, 1500), (1999, 1500), 1),
        ((2000, 1500), (1000, 750), 2),
        ((3024, 4032), (756, 1008), 4),
        ((6048, 8064), (756, 1008), 8),
        ((20000, 1000), (1250, 62), 16),
    ],
)
def test_working_size(size: tuple[int, int], working: tuple[int, int], scale: int) -> None:
    photo = open_photo(stored(scene(*size), "JPEG", quality=60))
    assert photo.image.shape[1::-1] == working
    assert photo.scale == scale
    assert (photo.width, photo.height) == size
    assert_shows_scene(photo)


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_points_go_back_to_full_size(format: str) -> None:
    image = scene(4032, 3024)
    ImageDraw.Draw(image).rectangle((1600, 1000, 1631, 1031), fill=(255, 0, 255))
    photo = open_photo(stored(image, format))
    pink = np.argwhere((photo.image[:, :, 0] > 230) & (photo.image[:, :, 2] > 230) & (photo.image[:, :, 1] < 60))
    y, x = pink.mean(axis=0)
    ((full_x, full_y),) = photo.full_size([(x, y)])
    assert abs(full_x - 1615.5) < 0.6
    assert abs(full_y - 1015.5) < 0.6


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_display_p3_becomes_srgb(format: str) -> None:
    image = scene()
    image.paste((202, 54, 51), (0, 0, 80, 60))
    lossless = {"JPEG": {"quality": 95}, "PNG": {}, "WEBP": {"lossless": True}}[format]
    photo = open_photo(stored(image, format, icc_profile=display_p3(), **lossless))
    assert np.abs(np.subtract(colour_at(photo, 0.25, 0.25), (220, 30, 40))).max() <= 3


def test_display_p3_named_by_number_becomes_srgb() -> None:
    photo = open_photo((PHOTOS / "display_p3_nclx.heic").read_bytes())
    assert np.abs(np.subtract(colour_at(photo, 0.75, 0.5), (220, 30, 40))).max() <= 3
    image = Image.new("RGB", (160, 120), (202, 54, 51))
    data = stored(image, "PNG")
    chunk = b"cICP" + bytes([12, 13, 0, 1])
    data = data[:33] + struct.pack(">I", 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[33:]
    assert np.abs(np.subtract(colour_at(open_photo(data), 0.5, 0.5), (220, 30, 40))).max() <= 2


@pytest.mark.parametrize(
    "profile",
    [ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(), b"no profile at all", display_p3()[:300]],
    ids=["srgb", "nonsense", "cut"],
)
def test_other_profiles_leave_the_colours_alone(profile: bytes) -> None:
    photo = open_photo(stored(scene(), "PNG", icc_profile=profile))
    assert_shows_scene(photo, within=0)


def test_sixteen_bits_are_read() -> None:
    deep = np.asarray(scene()).astype(np.uint16)[:, :, ::-1] * 257
    written, png = cv2.imencode(".png", deep)
    assert written
    assert_shows_scene(open_photo(png.tobytes()), within=1)


@pytest.mark.parametrize("size", [(160, 120), (2400, 1800)])
@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_a_see_through_picture_lies_on_white(format: str, size: tuple[int, int]) -> None:
    image = scene(*size).convert("RGBA")
    image.putalpha(128)
    photo = open_photo(stored(image, format, **({"lossless": True} if format == "WEBP" else {})))
    assert np.abs(np.subtract(colour_at(photo, 0.25, 0.25), (227, 147, 147))).max() <= 1


def test_see_through_heic_and_palettes() -> None:
    heic = open_photo((PHOTOS / "half_transparent.heic").read_bytes())
    assert np.abs(np.subtract(colour_at(heic, 0.25, 0.25), (227, 147, 147))).max() <= 2
    assert_shows_scene(open_photo(stored(scene().quantize(16), "PNG")), within=1)
    see_through = open_photo(stored(scene().quantize(16), "PNG", transparency=bytes([0] * 16)))
    assert colour_at(see_through, 0.25, 0.25) == (255, 255, 255)


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_of_an_animation_the_first_picture_counts(format: str) -> None:
    others = [Image.new("RGB", (160, 120), colour) for colour in ("black", "white")]
    options = {"lossless": True} if format == "WEBP" else {}
    photo = open_photo(stored(scene(), format, save_all=True, append_images=others, duration=50, **options))
    assert_shows_scene(photo, within=1)


def test_of_several_pictures_in_a_jpeg_the_first_counts() -> None:
    data = stored(scene(), "MPO", save_all=True, append_images=[Image.new("RGB", (160, 120), "black")])
    assert_shows_scene(open_photo(data))


REFUSED = {
    "empty": (b"", "empty-file"),
    "text": (b"A1 is blue, I promise", "not-a-photo"),
    "zeros": (bytes(5000), "not-a-photo"),
    "gif": (stored(scene(), "GIF"), "other-format"),
    "bmp": (stored(scene(), "BMP"), "other-format"),
    "tiff": (stored(scene(), "TIFF"), "other-format"),
    "avif": (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf" + bytes(100), "other-format"),
    "grey jpeg": (stored(scene().convert("L"), "JPEG"), "no-colour"),
    "grey png": (stored(scene().convert("L"), "PNG"), "no-colour"),
    "grey png with alpha": (stored(scene().convert("LA"), "PNG"), "no-colour"),
    "grey heic": ((PHOTOS / "grey.heic").read_bytes(), "no-colour"),
    "black and white in colour": (stored(scene().convert("L").convert("RGB"), "JPEG"), "no-colour"),
    "grey webp": (stored(scene().convert("L"), "WEBP"), "no-colour"),
    "cmyk": (stored(scene().convert("CMYK"), "JPEG"), "print-colours"),
    "preview": (stored(scene(96, 72), "JPEG"), "too-small"),
    "one pixel": (stored(scene(1, 1), "PNG"), "too-small"),
}


@pytest.mark.parametrize(("data", "key"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_and_why(data: bytes, key: str) -> None:
    assert reason_for(data) == key


def test_a_blank_photo_is_no_black_and_white_photo() -> None:
    assert open_photo(stored(Image.new("RGB", (160, 120), (90, 90, 90)), "JPEG")).width == 160


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "HEIC"])
def test_a_file_that_breaks_off_is_refused(format: str) -> None:
    noise = np.random.default_rng(5).integers(0, 255, (120, 160, 3), np.uint8)
    heic = (PHOTOS / "orientation_1.heic").read_bytes()
    data = heic if format == "HEIC" else stored(Image.fromarray(noise), format)
    for kept in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97):
        assert reason_for(data[: int(len(data) * kept)]) in ("damaged", "not-a-photo"), kept


def test_a_heic_file_that_crashes_its_decoder_is_only_refused() -> None:
    assert reason_for((PHOTOS / "crash.heic").read_bytes()) == "damaged"


def test_a_jpeg_whose_preview_is_whole_but_itself_is_not() -> None:
    preview = stored(scene(), "JPEG")
    exif = Image.Exif()
    exif[0x0110] = "x"
    block = exif.tobytes() + preview
    whole = stored(Image.effect_noise((400, 300), 90).convert("RGB"), "JPEG", exif=block)
    assert reason_for(whole[: len(whole) // 2]) == "damaged"


def png_claiming(width: int, height: int, packed: bytes = b"") -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    start = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + start + chunk(b"IDAT", packed or zlib.compress(b"")) + chunk(b"IEND", b"")


def bombs() -> dict[str, bytes]:
    packer = zlib.compressobj(9)
    row = bytes(1 + 3 * 14200)
    packed = b"".join(packer.compress(row) for _ in range(14200)) + packer.flush()
    jpeg = bytearray(stored(scene(), "JPEG"))
    size = jpeg.index(b"\xff\xc0") + 5
    jpeg[size : size + 4] = struct.pack(">HH", 20000, 20000)
    webp = bytearray(stored(scene(), "WEBP", exif=exif_block(1)))
    canvas = webp.index(b"VP8X") + 12
    webp[canvas : canvas + 6] = (16382).to_bytes(3, "little") * 2
    heic = bytearray((PHOTOS / "orientation_1.heic").read_bytes())
    extent = heic.index(b"ispe") + 8
    heic[extent : extent + 8] = struct.pack(">II", 20000, 20000)
    return {
        "PNG of 600 MB": png_claiming(14200, 14200, packed),
        "PNG 20000x20000": png_claiming(20000, 20000),
        "PNG of the largest size": png_claiming(2**31 - 1, 2**31 - 1),
        "JPEG": bytes(jpeg),
        "WebP": bytes(webp),
        "HEIC": bytes(heic),
    }


def test_bombs_are_refused_by_their_header_alone(tmp_path: Path) -> None:
    for name, data in bombs().items():
        assert len(data) < 1_000_000
        assert reason_for(data) == "too-large", name
        assert peak_megabytes(data, tmp_path) < 120, name


MEASURE = """
import pathlib, re, sys
from vision import PhotoError, open_photo
try:
    open_photo(pathlib.Path(sys.argv[1]).read_bytes())
except PhotoError:
    pass
print(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


def peak_megabytes(data: bytes, folder: Path) -> int:
    """Open a photo in a fresh process and return the most memory that process ever held."""
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell how much memory a process held")
    file = folder / "photo"
    file.write_bytes(data)
    command, root = [sys.executable, "-c", MEASURE, str(file)], Path(__file__).parent.parent
    run = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    return int(run.stdout) // 1024


def test_the_limit_is_sixty_megapixels() -> None:
    assert reason_for(png_claiming(10_000, 6_001)) == "too-large"
    assert reason_for(png_claiming(10_000, 6_000)) == "damaged"
    with pytest.raises(PhotoError, match="401 megapixels, and up to 60"):
        open_photo(png_claiming(20_000, 20_001))
    assert MOST_PIXELS == 60_000_000


def test_a_small_header_before_a_large_one_opens_no_door() -> None:
    small, large = png_claiming(200, 200), png_claiming(20_000, 20_000)
    assert reason_for(small[:33] + large[8:]) == "damaged"
    profile_bomb = zlib.compress(bytes(50_000_000))
    body = b"iCCPx\0\0" + profile_bomb
    png = stored(scene(), "PNG")
    png = png[:33] + struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)) + png[33:]
    header = read_header(png)
    assert header.profile is not None
    assert len(header.profile) <= 4 << 20


@pytest.mark.parametrize(
    ("size", "format", "most"),
    [((4032, 3024), "JPEG", 150), ((4032, 3024), "PNG", 250), ((8944, 6708), "PNG", 700), ((8944, 6708), "WEBP", 700)],
)
def test_memory_stays_small(size: tuple[int, int], format: str, most: int, tmp_path: Path) -> None:
    options = {"JPEG": {}, "PNG": {"compress_level": 1}, "WEBP": {"quality": 30, "method": 0}}[format]
    assert peak_megabytes(stored(scene(*size), format, **options), tmp_path) < most


def test_a_large_jpeg_costs_much_less_than_its_full_decode() -> None:
    patches = np.random.default_rng(1).integers(0, 256, (63, 84, 3), np.uint8)
    data = stored(Image.fromarray(patches).resize((4032, 3024)), "JPEG", quality=85)
    full, reduced = [], []
    for _ in range(7):
        start = time.process_time()
        cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        middle = time.process_time()
        open_photo(data)
        full.append(middle - start)
        reduced.append(time.process_time() - middle)
    # Decoding in full and shrinking afterwards would give more than 1; the bound leaves room for a busy machine.
    assert min(reduced) < 0.6 * min(full)


WHOLE = [
    stored(scene(), "JPEG", exif=exif_block(6), icc_profile=display_p3()),
    stored(scene(), "JPEG", progressive=True),
    stored(scene(), "PNG", exif=exif_block(3), icc_profile=display_p3()),
    stored(scene().convert("RGBA"), "PNG"),
    stored(scene(), "WEBP", exif=exif_block(8), icc_profile=display_p3()),
    stored(scene(), "WEBP", lossless=True),
]
STARTS = [data[:16] for data in WHOLE] + [b""]


def opens_or_refuses(data: bytes) -> None:
    try:
        photo = open_photo(data)
    except PhotoError:
        return
    assert photo.image.dtype == np.uint8
    assert photo.image.ndim == 3
    assert photo.image.shape[2] == 3


@given(start=st.sampled_from(STARTS), rest=st.binary(max_size=600))
@settings(deadline=None, max_examples=300)
def test_any_bytes_are_opened_or_refused(start: bytes, rest: bytes) -> None:
    opens_or_refuses(start + rest)


@given(exif=st.binary(max_size=200), order=st.sampled_from([b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08"]))
@settings(deadline=None, max_examples=300)
def test_any_exif_block_gives_an_orientation(exif: bytes, order: bytes) -> None:
    orientation, camera = read_exif(order + exif)
    assert orientation in range(1, 9)
    assert camera is None or camera.isprintable()


@pytest.mark.parametrize(("kind", "times"), [("HEIC", 20), ("others", 1500)])
def test_damaged_photos_are_opened_or_refused(kind: str, times: int) -> None:
    chance = random.Random(20)
    whole = WHOLE if kind == "others" else [path.read_bytes() for path in sorted(PHOTOS.glob("orientation_*"))]
    for _ in range(times):
        data = bytearray(chance.choice(whole))
        for _ in range(chance.choice([1, 1, 2, 5, 20])):
            # Most damage goes into the headers, where it matters.
            at = chance.randrange(min(len(data), chance.choice([40, 400, 4000])))
            kind = chance.randrange(4)
            if kind == 0:
                data[at] = chance.randrange(256)
            elif kind == 1:
                data[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
            elif kind == 2:
                del data[at : at + chance.randrange(1, 9)]
            else:
                data[at:at] = chance.randbytes(chance.randrange(1, 9))
        opens_or_refuses(bytes(data))
