"""Train the network that marks where tiles of a board lie, and write it as ONNX.

usage: python -m tests.training.grid_net FOLDER OUT.onnx [--start NETWORK.onnx] [--steps 2500]
FOLDER is one that `tests.training.tables` has filled. The network sees a landscape photo of 384 x 288 and says, at half
that size, how likely each pixel is the centre of a board's tile, and how likely it is part of the board.
"""

import cv2
import numpy as np
from torch import Tensor, nn

from engine import board_of
from tests.training.loop import Random, Table, block, moved, train
from vision.glance import HEIGHT, WIDTH
from vision.lattice import places


class GridNet(nn.Module):
    """A thin hourglass: five halvings see the whole board, four doublings find each tile again."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList(
            [
                block(3, 16, 2),
                nn.Sequential(block(16, 24, 2), block(24, 24)),
                nn.Sequential(block(24, 40, 2), block(40, 40)),
                nn.Sequential(block(40, 64, 2), block(64, 64), block(64, 64, dilation=2)),
                nn.Sequential(block(64, 96, 2), block(96, 96)),
            ]
        )
        self.up = nn.ModuleList([nn.Conv2d(96, 64, 1), nn.Conv2d(64, 40, 1), block(40, 24), block(24, 16)])
        self.last = nn.Sequential(block(16, 12), nn.Conv2d(12, 2, 1))

    def forward(self, x: Tensor) -> Tensor:
        """Return logits (batch, 2, 144, 192): centre, board."""
        kept = []
        for step in self.down:
            x = step(x)
            kept.append(x)
        for step, skip in zip(self.up, kept[-2::-1], strict=True):
            x = nn.functional.interpolate(step(x), scale_factor=2.0, mode="nearest") + skip
        return self.last(x)


def seen(table: Table, random: Random) -> tuple[np.ndarray, np.ndarray]:
    """Return a view of a table, turned, mirrored and zoomed, with its targets: heat, board, weight (3, 144, 192)."""
    image = table.image()
    matrix, zoom = _view(table, random, image.shape[1], image.shape[0])
    if zoom < 0.8:
        image = cv2.GaussianBlur(image, (0, 0), 0.4 / zoom)
    border = tuple(int(v) for v in random.integers(0, 256, 3)) if random.random() < 0.5 else (0, 0, 0)
    view = cv2.warpPerspective(image, matrix, (WIDTH, HEIGHT), borderMode=cv2.BORDER_CONSTANT, borderValue=border)
    halved = np.array([[0.5, 0, -0.25], [0, 0.5, -0.25], [0, 0, 1]])
    return view, _targets(table, halved @ matrix)


def _view(table: Table, random: Random, width: int, height: int) -> tuple[np.ndarray, float]:
    """Choose how the photo is looked at; most views show it whole, some only the board's surroundings."""
    quarter = random.integers(0, 4) if random.random() < 0.3 else (1 if height > width else 0) + random.choice([0, 2])
    angle = np.pi / 2 * quarter + random.normal(0, 0.06)
    fit = min(WIDTH / max(width, height), HEIGHT / min(width, height))
    zoom = fit * random.choice([1.0, random.uniform(0.7, 1.0), random.uniform(1.0, 1.9)], p=[0.4, 0.25, 0.35])
    aim = np.array([width, height]) / 2
    if zoom > fit and len(table.centres):
        aim = aim + (table.centres.mean(0) - aim) * random.uniform(0.5, 1.1)
    c, s = np.cos(angle) * zoom, np.sin(angle) * zoom
    mirror = random.choice([-1, 1])
    turn = np.array([[c * mirror, -s * mirror], [s, c]])
    shift = np.array([WIDTH, HEIGHT]) / 2 + random.normal(0, 8, 2) - turn @ aim
    matrix = np.eye(3)
    matrix[:2, :2], matrix[:2, 2] = turn, shift
    matrix[2, :2] = random.normal(0, 1e-4, 2)
    return matrix, zoom


def _targets(table: Table, matrix: np.ndarray) -> np.ndarray:
    target = np.zeros((3, HEIGHT // 2, WIDTH // 2), np.uint8)
    target[2] = 255
    if len(table.centres):
        centres = moved(matrix, table.centres)
        flat, _ = cv2.findHomography(places(table.edge), centres, 0)
        angles = np.radians(60 * np.arange(6))
        outline = moved(flat, np.stack([np.cos(angles), np.sin(angles)], 1) * (table.edge - 0.5))
        cv2.fillConvexPoly(target[1], (np.clip(outline, -900, 900) * 16).round().astype(np.int32), 255, shift=4)
        for i, (x, y) in enumerate(centres):
            near = [j for j in board_of(table.edge).neighbours[i] if j is not None]
            sides = centres[near] - centres[i]
            covariance = sides.T @ sides / len(sides) * 2 * 0.028 + np.eye(2) * 0.3
            if table.present[i]:
                _stamp(target[0], x, y, np.linalg.inv(covariance))
    for x, y in moved(matrix, table.loose):
        cv2.circle(target[2], (int(x), int(y)), 9, 0, -1)
    return target


def _stamp(heat: np.ndarray, x: float, y: float, inverse: np.ndarray) -> None:
    x0, x1, y0, y1 = int(x) - 12, int(x) + 13, int(y) - 12, int(y) + 13
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, heat.shape[1]), min(y1, heat.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    dx, dy = np.arange(x0, x1) - x, (np.arange(y0, y1) - y)[:, None]
    bump = np.exp(-0.5 * (inverse[0, 0] * dx * dx + 2 * inverse[0, 1] * dx * dy + inverse[1, 1] * dy * dy))
    part = heat[y0:y1, x0:x1]
    np.maximum(part, (bump * 255).astype(np.uint8), out=part)


def loss_of(logits: Tensor, targets: Tensor) -> tuple[Tensor, ...]:
    """Weigh the few pixels near centres up; round loose tiles nothing is asked."""
    targets = targets.float() / 255
    heat, mask, weight = targets[:, 0], targets[:, 1], targets[:, 2]
    spot = nn.functional.binary_cross_entropy_with_logits(logits[:, 0], heat, reduction="none")
    area = nn.functional.binary_cross_entropy_with_logits(logits[:, 1], mask, reduction="none")
    spots, areas = (spot * weight * (1 + 4 * heat)).mean() * 4, (area * weight).mean()
    return spots + areas, spots, areas


if __name__ == "__main__":
    train(__doc__, GridNet(), (HEIGHT, WIDTH), seen, loss_of)
