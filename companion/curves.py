"""Points over the turns of a game, and shares of games, as SVG. Marks and dashes tell the lines, not colour alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from companion.drawing import INK

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM, TOP = 440.0, 280.0, 32.0, 116.0, 18.0, 14.0
DASHES = ("", "10 5", "3 5", "14 4 3 4", "2 3", "18 6")
MARKS = (
    '<circle r="7"/>',
    '<rect x="-6.5" y="-6.5" width="13" height="13"/>',
    '<path d="M0,-8L8,6L-8,6Z"/>',
    '<path d="M0,-9L8,0L0,9L-8,0Z"/>',
    '<path d="M-7,-3L-3,-7L7,3L3,7ZM-7,3L3,-7L7,-3L-3,7Z"/>',
    '<path d="M0,9L8,-6L-8,-6Z"/>',
)
PLAIN = ("#2b6a4d", "#b4530a", "#2a6ad8", "#8a3fc7", "#db2f48", "#5b5b5b")


@dataclass(frozen=True)
class Line:
    """One player's points after each turn; the letter of a flower gives colour and mark."""

    name: str
    letter: str
    points: tuple[int, ...]


def curve(lines: Sequence[Line], *, title: str, at: int | None = None) -> Markup:
    """Draw how the points grew; `at` marks the turn that is shown."""
    turns = max(1, max(len(line.points) for line in lines) - 1)
    most = max(5, max(max(line.points) for line in lines))
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 1000) if most / s <= 5)

    def x(turn: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * turn / turns

    def y(points: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * points / most

    parts = [
        Markup('<svg class="curve" viewBox="0 0 {:.0f} {:.0f}" role="img" aria-label="{}">').format(
            WIDTH, HEIGHT, title
        )
    ]
    for points in range(0, most + 1, step):
        parts.append(
            Markup(
                f'<path class="level" d="M{LEFT:.0f},{y(points):.1f}L{WIDTH - RIGHT:.0f},{y(points):.1f}"/>'
                f'<text x="{LEFT - 8:.0f}" y="{y(points) + 5:.1f}" text-anchor="end">{points}</text>'
            )
        )
    if at is not None:
        parts.append(
            Markup(
                f'<path class="now" data-at="{at}" data-step="{x(1) - x(0):.4f}"'
                f' d="M{x(at):.1f},{TOP - 6:.0f}L{x(at):.1f},{HEIGHT - BOTTOM + 6:.0f}"/>'
            )
        )
    ends = _spread([y(line.points[-1]) for line in lines])
    for i, (line, end) in enumerate(zip(lines, ends, strict=True)):
        ink = INK.get(line.letter, PLAIN[i % len(PLAIN)])
        path = "L".join(f"{x(turn):.1f},{y(points):.1f}" for turn, points in enumerate(line.points))
        dash = DASHES[i % len(DASHES)]
        parts.append(
            Markup('<g class="line" stroke="{}"><path d="M{}" stroke-dasharray="{}"/>').format(ink, path, dash)
            + Markup('<g fill="{}" transform="translate({:.1f} {:.1f})">{}</g></g>').format(
                ink, x(len(line.points) - 1), y(line.points[-1]), _mark(line.letter, i)
            )
            + Markup('<text class="who" x="{:.0f}" y="{:.1f}">{} {}</text>').format(
                WIDTH - RIGHT + 18, end + 5, _short(line.name), line.points[-1]
            )
        )
    return Markup("").join([*parts, Markup("</svg>")])


def _mark(letter: str, place: int) -> Markup:
    if letter in INK:
        return Markup(f'<use href="#flower-{letter}" x="-14" y="-14" width="28" height="28"/>')
    return Markup(MARKS[place % len(MARKS)])


def _short(name: str) -> str:
    return name if len(name) <= 9 else name[:8] + "…"


def _spread(heights: Sequence[float], apart: float = 19.0) -> list[float]:
    """Move labels that would cover each other apart, keeping their order."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed: dict[int, float] = {}
    lowest = TOP
    for i in order:
        placed[i] = max(heights[i], lowest)
        lowest = placed[i] + apart
    over = max(0.0, lowest - apart - (HEIGHT - BOTTOM + 8))
    return [placed[i] - over for i in range(len(heights))]


def balance(ahead: int, level: int, behind: int, letters: tuple[str, str], *, title: str) -> Markup:
    """Draw two players' games against each other as a bar: theirs, shared, and the other's."""
    total = max(1, ahead + level + behind)
    width = 300.0
    first, shared = width * ahead / total, width * level / total
    inks = [INK.get(letter, PLAIN[i]) for i, letter in enumerate(letters)]
    parts = [
        Markup('<svg class="balance" viewBox="0 0 300 34" role="img" aria-label="{}">').format(title),
        Markup(
            f'<rect class="share" x="0" y="3" width="{first:.1f}" height="28" fill="{inks[0]}"/>'
            f'<rect class="even" x="{first:.1f}" y="3" width="{shared:.1f}" height="28"/>'
            f'<rect class="share" x="{first + shared:.1f}" y="3" width="{width - first - shared:.1f}" height="28"'
            f' fill="{inks[1]}"/><path class="middle" d="M150,0L150,34"/></svg>'
        ),
    ]
    return Markup("").join(parts)


def dots(wins: Sequence[bool], *, title: str) -> Markup:
    """Draw the last games as a row: a tick in a disc for one that was won, a ring for one that was not."""
    size = 26
    won, lost = '<circle class="won" r="10"/><path class="tick" d="M-5,0L-1,5L6,-5"/>', '<circle class="lost" r="8"/>'
    marks = "".join(
        f'<g transform="translate({size * (i + 0.5):.0f} 13)">{won if has_won else lost}</g>'
        for i, has_won in enumerate(wins)
    )
    wide = size * max(1, len(wins))
    frame = Markup('<svg class="dots" viewBox="0 0 {} 26" width="{}" height="26" role="img" aria-label="{}">{}</svg>')
    return frame.format(wide, wide, title, Markup(marks))
