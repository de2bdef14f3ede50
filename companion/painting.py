"""Pictures to share: the drawings of `companion.drawing` as PNG files.

Only what those drawings use of SVG is understood, and anything else is refused, so that a new shape cannot be left out
unnoticed: groups with rotate and translate, symbols, circles, ellipses, rectangles, polygons, paths of straight lines
and curves, and text.
"""

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, radians, sin
from xml.etree import ElementTree

from PIL import Image, ImageDraw, ImageFont

SHARPNESS = 2
"""Shapes are drawn so many times larger and then shrunk, which smooths their edges."""
INHERITED = ("fill", "stroke", "stroke-width", "opacity", "font-size", "text-anchor", "font-weight")
FONTS = ("DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "Arial Bold.ttf", "arialbd.ttf", "LiberationSans-Bold.ttf")
CURVE_STEPS = 14

Point = tuple[float, float]
Styles = Mapping[str, str]


@dataclass(frozen=True)
class Placing:
    """Where a shape's own coordinates lie on the picture: turned, scaled and moved."""

    a: float = 1.0
    b: float = 0.0
    x: float = 0.0
    y: float = 0.0

    def __call__(self, point: Point) -> Point:
        """Return where a point lies."""
        px, py = point
        return self.a * px - self.b * py + self.x, self.b * px + self.a * py + self.y

    @property
    def scale(self) -> float:
        """How much longer a line becomes."""
        return float((self.a**2 + self.b**2) ** 0.5)

    def moved(self, x: float, y: float) -> "Placing":
        """Return this placing with the origin moved."""
        at = self((x, y))
        return Placing(self.a, self.b, *at)

    def turned(self, degrees: float) -> "Placing":
        """Return this placing turned clockwise."""
        c, s = cos(radians(degrees)), sin(radians(degrees))
        return Placing(self.a * c - self.b * s, self.b * c + self.a * s, self.x, self.y)

    def scaled(self, by: float) -> "Placing":
        """Return this placing enlarged."""
        return Placing(self.a * by, self.b * by, self.x, self.y)


def paint(svg: str, width: int) -> bytes:
    """Turn a drawing into a PNG so many pixels wide."""
    root = ElementTree.fromstring(svg)
    left, top, wide, high = (float(n) for n in root.attrib["viewBox"].split())
    painter = _Painter(root, width * SHARPNESS, round(width * SHARPNESS * high / wide))
    scale = width * SHARPNESS / wide
    painter.children(root, Placing(scale, 0, -left * scale, -top * scale), {})
    picture = painter.picture.resize((width, round(width * high / wide)), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    picture.convert("RGB").save(out, "PNG", optimize=True)
    return out.getvalue()


def is_paintable(text: str) -> bool:
    """Tell whether the fonts at hand have every letter of a text."""
    font = _font(24)
    nothing = bytes(font.getmask("\uffff"))
    return all(character.isspace() or bytes(font.getmask(character)) != nothing for character in text)


class _Painter:
    """Walks through a drawing and paints its shapes one over the other."""

    def __init__(self, root: ElementTree.Element, width: int, height: int) -> None:
        self.picture = Image.new("RGBA", (width, height), "#f6efe2")
        self.named = {e.attrib["id"]: e for e in root.iter() if "id" in e.attrib}

    def children(self, parent: ElementTree.Element, placing: Placing, styles: Styles) -> None:
        for element in parent:
            self.element(element, placing, styles)

    def element(self, element: ElementTree.Element, placing: Placing, styles: Styles) -> None:
        tag = _tag(element)
        if tag in ("defs", "symbol", "title"):
            return
        styles = {**styles, **{name: value for name in INHERITED if (value := element.get(name)) is not None}}
        placing = _placed(element, placing)
        if tag in ("g", "a"):
            self.children(element, placing, styles)
        elif tag == "svg":
            self.children(element, _framed(element, placing), styles)
        elif tag == "use":
            named = self.named[element.attrib["href"].removeprefix("#")]
            placing = _boxed(element, placing)
            if _tag(named) == "symbol":
                self.children(named, _framed(named, placing, element), styles)
            else:
                self.element(named, placing, styles)
        elif tag == "text":
            self.write(element, placing, styles)
        else:
            self.shape(_outlines(element), placing, styles)

    def shape(self, outlines: Iterable[tuple[list[Point], bool]], placing: Placing, styles: Styles) -> None:
        opacity = float(styles.get("opacity", 1))
        for points, is_closed in outlines:
            placed = [placing(point) for point in points]
            if opacity == 1:
                self._trace(ImageDraw.Draw(self.picture), placed, is_closed, placing.scale, styles)
                continue
            left, top = (int(min(at[i] for at in placed)) for i in (0, 1))
            size = tuple(int(max(at[i] for at in placed)) - (left, top)[i] + 2 for i in (0, 1))
            layer = Image.new("RGBA", (size[0], size[1]))
            here = [(x - left, y - top) for x, y in placed]
            self._trace(ImageDraw.Draw(layer), here, is_closed, placing.scale, styles)
            layer.putalpha(layer.getchannel("A").point([round(alpha * opacity) for alpha in range(256)]))
            self.picture.alpha_composite(layer, (max(0, left), max(0, top)))

    def _trace(
        self, pen: ImageDraw.ImageDraw, points: list[Point], is_closed: bool, scale: float, styles: Styles
    ) -> None:
        fill, stroke = styles.get("fill", "#000"), styles.get("stroke", "none")
        if fill not in ("none", "transparent") and len(points) > 2:
            pen.polygon(points, fill=fill)
        if stroke not in ("none", "transparent"):
            width = max(1, round(float(styles.get("stroke-width", 1)) * scale))
            pen.line([*points, *points[: 2 if is_closed else 0]], fill=stroke, width=width, joint="curve")
            for x, y in points if not is_closed else ():
                pen.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=stroke)

    def write(self, element: ElementTree.Element, placing: Placing, styles: Styles) -> None:
        text = "".join(element.itertext())
        if not text.strip():
            return
        font = _font(round(float(styles.get("font-size", "34").removesuffix("px")) * placing.scale))
        at = placing((float(element.get("x", 0)), float(element.get("y", 0))))
        anchor = {"middle": "m", "end": "r"}.get(styles.get("text-anchor", ""), "l")
        ImageDraw.Draw(self.picture).text(at, text, fill=styles.get("fill", "#000"), font=font, anchor=f"{anchor}s")


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _placed(element: ElementTree.Element, placing: Placing) -> Placing:
    for name, words in re.findall(r"(\w+)\(([^)]*)\)", element.get("transform", "")):
        numbers = [float(word) for word in re.split(r"[ ,]+", words.strip())]
        if name == "translate":
            placing = placing.moved(*numbers)
        elif name == "rotate" and len(numbers) == 1:
            placing = placing.turned(*numbers)
        elif name == "scale" and len(numbers) == 1:
            placing = placing.scaled(*numbers)
        else:
            raise ValueError(f"a drawing is placed by {name}({words}), which cannot be painted")
    return placing


def _boxed(element: ElementTree.Element, placing: Placing) -> Placing:
    return placing.moved(float(element.get("x", 0)), float(element.get("y", 0)))


def _framed(element: ElementTree.Element, placing: Placing, box: ElementTree.Element | None = None) -> Placing:
    """Fit what an inner drawing shows into its place."""
    if box is None:
        placing, box = _boxed(element, placing), element
    if "viewBox" not in element.attrib:
        return placing
    left, top, wide, high = (float(n) for n in element.attrib["viewBox"].split())
    width, height = float(box.get("width", wide)), float(box.get("height", high))
    scale = min(width / wide, height / high)
    middle = placing.moved((width - wide * scale) / 2, (height - high * scale) / 2).scaled(scale)
    return middle.moved(-left, -top)


def _outlines(element: ElementTree.Element) -> Iterator[tuple[list[Point], bool]]:
    """Yield the lines of a shape, and whether each is closed."""
    tag = _tag(element)

    def number(name: str, default: float = 0.0) -> float:
        return float(element.get(name, default))

    if tag in ("circle", "ellipse"):
        rx = number("rx", number("r"))
        ry = number("ry", number("r"))
        around = [2 * pi * i / 48 for i in range(48)]
        yield [(number("cx") + rx * cos(t), number("cy") + ry * sin(t)) for t in around], True
    elif tag == "polygon":
        numbers = [float(n) for n in re.split(r"[ ,]+", element.attrib["points"].strip())]
        yield list(zip(numbers[::2], numbers[1::2], strict=True)), True
    elif tag == "rect":
        x, y = number("x"), number("y")
        w, h = (5000.0 if element.get(side) == "100%" else number(side) for side in ("width", "height"))
        yield [(x, y), (x + w, y), (x + w, y + h), (x, y + h)], True
    elif tag == "line":
        yield [(number("x1"), number("y1")), (number("x2"), number("y2"))], False
    elif tag == "path":
        yield from _path(element.attrib["d"])
    else:
        raise ValueError(f"a drawing has a <{tag}>, which cannot be painted")


def _path(text: str) -> Iterator[tuple[list[Point], bool]]:
    points: list[Point] = []
    for command, words in re.findall(r"([A-Za-z])([^A-Za-z]*)", text):
        if command not in "MLQCZz":
            raise ValueError(f"a path has the command {command}, which cannot be painted")
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", words)]
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "M":
            if len(points) > 1:
                yield points, False
            points = pairs
        elif command == "L":
            points += pairs
        elif command in "QC":
            reach = 2 if command == "Q" else 3
            for i in range(0, len(pairs), reach):
                points += _curve(points[-1], *pairs[i : i + reach])
        else:
            yield points, True
            points = points[:1]
    if len(points) > 1:
        yield points, False


def _curve(*points: Point) -> list[Point]:
    """Follow a Bézier curve from its first point to its last."""
    found = []
    for step in range(1, CURVE_STEPS + 1):
        t, row = step / CURVE_STEPS, list(points)
        while len(row) > 1:
            row = [((1 - t) * ax + t * bx, (1 - t) * ay + t * by) for (ax, ay), (bx, by) in pairwise(row)]
        found.append(row[0])
    return found


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the first font at hand; the one that comes with Pillow knows the Latin letters only."""
    for name in FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
