"""What is drawn over photos: carpets and questions, one tile cut out, and the marks on corner tiles."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import cos, radians, sin, sqrt

from markupsafe import Markup

from companion.drawing import Carpet, woven
from engine.board import Board, board_of


def overlay(
    address: str,
    size: tuple[int, int],
    centres: Mapping[str, tuple[float, float]],
    *,
    title: str,
    carpets: Sequence[Carpet] = (),
    unsure: Iterable[str] = (),
) -> Markup:
    """Draw what was read over the part of the photo where the board lies: carpets with a rim, questions as rings."""
    width, height = size
    bead = _spacing(centres) * 0.3
    parts = [
        Markup(
            '<svg class="photo" viewBox="{} {} {} {}" role="img" aria-label="{}">'
            '<image href="{}" width="{}" height="{}"/>'
        ).format(*_part(size, centres), title, address, width, height)
    ]
    shape = board_of(6)
    for carpet in carpets:
        seen = replace(carpet, cells=frozenset(carpet.cells & centres.keys()))
        rings = {name: centres[name] for name in carpet.serendips if name in centres}
        parts.append(woven(shape, seen, partial(_photo_corner, shape, centres), bead * 0.26, rings))
    for name in sorted(set(unsure) & set(centres)):
        x, y = centres[name]
        # Dashes on a light ring: seen on every table, on dark wood as on white cards.
        for kind, wide, dashes in (("asked under", 0.55, ""), ("asked", 0.35, f"{bead:.0f} {bead / 2:.0f}")):
            ring = f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="{bead * 1.7:.0f}"'
            parts.append(Markup(f'{ring} stroke-width="{bead * wide:.1f}" stroke-dasharray="{dashes or "none"}"/>'))
    return Markup("").join([*parts, Markup("</svg>")])


def _part(size: tuple[int, int], centres: Mapping[str, tuple[float, float]]) -> tuple[int, int, int, int]:
    """Return left, top, width and height of the part of a photo that shows the board, with a rim of a tile and a half.

    A board photographed from far away is drawn as large as any other.
    """
    if not centres:
        return 0, 0, *size
    rim = 1.5 * _spacing(centres)
    spans = []
    for places, end in zip(zip(*centres.values(), strict=True), size, strict=True):
        first, last = max(0, round(min(places) - rim)), min(end, round(max(places) + rim))
        spans.append((first, last - first) if last > first else (0, end))
    (left, width), (top, height) = spans
    return left, top, width, height


def _photo_corner(shape: Board, centres: Mapping[str, tuple[float, float]], name: str, i: int) -> tuple[float, float]:
    """Return where a corner of a tile lies on the photo: between three centres, a little inside."""
    x, y = centres[name]
    near = shape.neighbours[shape.indices[name]]

    def step(direction: int) -> tuple[float, float]:
        # Past the edge of the board the step is the opposite one, turned round.
        for d, sign in ((direction, 1), (direction + 3, -1)):
            other = near[d % 6]
            if other is not None and shape.names[other] in centres:
                ox, oy = centres[shape.names[other]]
                return sign * (ox - x), sign * (oy - y)
        return 0.0, 0.0

    (x1, y1), (x2, y2) = step((1 - i) % 6), step((2 - i) % 6)
    return x + 0.93 * (x1 + x2) / 3, y + 0.93 * (y1 + y2) / 3


def _spacing(centres: Mapping[str, tuple[float, float]]) -> float:
    """Return the usual distance between neighbours, in pixels."""
    if "F6" not in centres or "F7" not in centres:
        return 100.0
    (x1, y1), (x2, y2) = centres["F6"], centres["F7"]
    return float(sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2))


def first_corners(size: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """Return where the marks for the six corner tiles lie before anybody has moved them."""
    width, height = size
    reach = 0.38 * min(width, height)
    angles = (radians(degrees) for degrees in (-120, -60, 0, 60, 120, 180))
    return tuple((width / 2 + reach * cos(a), height / 2 + reach * sin(a)) for a in angles)


TAPPED_WIDTH = 320
"""Pixels of the screen across the photo whose corners are tapped where marks cannot be dragged."""


def corner_handles(address: str, size: tuple[int, int], corners: Sequence[tuple[float, float]], title: str) -> Markup:
    """Draw six handles over a photo; a script moves them and keeps the fields of the form in step."""
    width, height = size
    reach = min(width, height) * 0.055
    points = Markup(" ").join(Markup("{:.0f},{:.0f}").format(x, y) for x, y in corners)
    handles = [
        Markup(
            '<g class="handle" data-corner="{}" tabindex="0" role="slider" aria-label="{}" aria-valuemin="0"'
            ' aria-valuemax="{}" aria-valuenow="{:.0f}" aria-valuetext="{:.0f}, {:.0f}"'
            ' transform="translate({:.0f} {:.0f})">'
            '<circle class="grip" r="{:.0f}"/><circle class="ring" r="{:.0f}" stroke-width="{:.1f}"/>'
            '<circle class="dot" r="{:.1f}"/></g>'
        ).format(
            i, f"{title} {i + 1}", width, x, x, y, x, y, reach * 1.6, reach, max(2.0, reach / 6), max(2.0, reach / 9)
        )
        for i, (x, y) in enumerate(corners)
    ]
    return Markup(
        '<svg class="photo corners" data-corners viewBox="0 0 {} {}"><image href="{}" width="{}" height="{}"/>'
        '<polygon class="hull" points="{}" stroke-width="{:.1f}"/>{}</svg>'
    ).format(width, height, address, width, height, points, max(2.0, reach / 7), Markup("").join(handles))


def cutout(
    address: str, size: tuple[int, int], centres: Mapping[str, tuple[float, float]], name: str, title: str
) -> Markup:
    """Show the part of the photo round one tile."""
    x, y = centres[name]
    reach = _spacing(centres) * 0.85
    return Markup(
        '<svg class="cutout" viewBox="{:.0f} {:.0f} {:.0f} {:.0f}" role="img" aria-label="{}">'
        '<image href="{}" width="{}" height="{}"/></svg>'
    ).format(x - reach, y - reach, 2 * reach, 2 * reach, title, address, *size)
