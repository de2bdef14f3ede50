"""Train the network that looks at a board drawn flat, and write it as ONNX.

usage: python -m tests.training.flat_net FOLDER OUT.onnx [--start NETWORK.onnx] [--steps 2500]
FOLDER has folders that `tests.training.tables`, `copies` and `traced` have filled. The network sees boards through
lattices that are off and says of each place how likely a tile of a board lies there and how far beside, in tiles.
"""

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from tests.training.loop import Random, Table, block, moved, train
from vision.flat import CORNER, EDGE, HEIGHT, STRIDE, TILE, WIDTH, flat_view
from vision.glance import Levels, glance, whole_of
from vision.grid import lattices_in
from vision.lattice import Lattice, places

CENTRES = places(EDGE)
NEAR = 0.45
"""How far beside a place, in tiles, a tile may lie and still be the one that is asked for."""


class FlatNet(nn.Module):
    """Three halvings and widening looks see a third of the board; one doubling finds each tile again."""

    def __init__(self) -> None:
        super().__init__()
        self.fine = nn.Sequential(block(3, 16, 2), block(16, 24, 2), block(24, 32))
        self.wide = nn.Sequential(block(32, 48, 2), block(48, 48), block(48, 48, dilation=2), block(48, 48, dilation=4))
        self.back = nn.Conv2d(48, 32, 1)
        self.last = nn.Sequential(block(32, 32), nn.Conv2d(32, 3, 1))

    def forward(self, x: Tensor) -> Tensor:
        """Return maps (batch, 3, 46, 52): logit of a tile, and how far it lies to the right and below."""
        fine = self.fine(x)
        return self.last(nn.functional.interpolate(self.back(self.wide(fine)), scale_factor=2.0, mode="nearest") + fine)


def seen(table: Table, random: Random) -> tuple[np.ndarray, np.ndarray]:
    """Return a flat view through a lattice that is off, and its targets (127, 5): tile, beside x y, two weights."""
    image = table.image()
    lattice = _lattice(table, random, image.shape)
    view = flat_view(Levels(image), lattice, float(np.median(lattice.tile_size(CENTRES[::9]))))
    # Back from the photo to the board as this lattice has it: the places where tiles truly lie.
    flat = np.linalg.inv(lattice.homography)
    said = np.zeros((len(CENTRES), 5), np.float32)
    x, y = lattice.project(CENTRES).T
    shown = (x >= 0) & (y >= 0) & (x < image.shape[1]) & (y < image.shape[0])
    said[:, 3] = shown
    if len(table.centres):
        there = moved(flat, table.centres)
        gaps = np.linalg.norm(CENTRES[:, None] - there[None], axis=2)
        near, far = gaps.argmin(1), gaps.min(1)
        said[:, 0] = (far < NEAR) & table.present[near]
        said[:, 1:3] = there[near] - CENTRES
        said[:, 4] = said[:, 0] * shown
        said[(far > 0.4) & (far < 0.6), 3] = 0
        # What a hand hides is not asked for: a network that guesses it sees tiles in the middle of a ring as well.
        said[np.isin(near, table.hidden) & (far < NEAR), 3:] = 0
    if len(table.loose):
        gaps = np.linalg.norm(CENTRES[:, None] - moved(flat, table.loose)[None], axis=2).min(1)
        said[(gaps < 0.6) & (said[:, 0] == 0), 3] = 0
    return view, said


def _lattice(table: Table, random: Random, shape: tuple[int, ...]) -> Lattice:
    """Choose a lattice: one that the search finds, or the true one, turned, perhaps a step aside, and a little off."""
    ideal = places(table.edge)
    tiles = table.centres if len(table.centres) else table.ground
    if random.random() < (0.45 if len(tiles) else 0.7) and (found := _found(table)):
        return found[random.integers(len(found))]
    if len(tiles):
        turn = np.pi / 3 * random.integers(6)
        mirror = np.diag([random.choice([-1.0, 1.0]), 1.0])
        there = ideal @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) @ mirror
        if random.random() < 0.25:
            there = there + CENTRES[random.integers(len(CENTRES))] * random.choice([0.18, 0.34])
            there = there - (there[0] - _nearest(there[0]))
        spread = abs(random.normal(0, 0.18))
        wobble = _wobble(random, there, spread)
        homography, _ = cv2.findHomography(there + wobble, tiles, 0)
    else:
        size, tilt, turn = random.uniform(12, 45), random.uniform(0.4, 1), random.uniform(0, 2 * np.pi)
        c, s = np.cos(turn), np.sin(turn)
        steps = np.diag([1, tilt]) @ np.array([[c, -s], [s, c]]) * size
        homography = np.eye(3)
        homography[:2, :2], homography[:2, 2] = steps, np.array(shape[1::-1]) * random.uniform(0.3, 0.7, 2)
        if len(table.loose) > 8 and random.random() < 0.7:
            homography[:2, 2] = table.loose[random.integers(len(table.loose))]
    return Lattice(homography, 0.0, (0.0, 0.0), 1.0)


def _found(table: Table) -> list[Lattice]:
    """Return where the search sees boards, right or wrong: what the network will have to judge."""
    if table not in _FOUND:
        levels = Levels(table.image())
        found = list(lattices_in(levels, glance(levels, whole_of(levels)), 6))
        sound = [np.abs(lattice.project(CENTRES)).max() < 1e4 for lattice in found]
        _FOUND[table] = [lattice for lattice, good in zip(found, sound, strict=True) if good]
    return _FOUND[table]


_FOUND: dict[Table, list[Lattice]] = {}


def _nearest(point: np.ndarray) -> np.ndarray:
    wide = places(13)
    return wide[((wide - point) ** 2).sum(1).argmin()]


def _wobble(random: Random, points: np.ndarray, spread: float) -> np.ndarray:
    """Return a smooth displacement of board points: a shift, a shear and a little perspective."""
    x, y = points.T / 5
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], 1)
    scale = np.array([1, 0.6, 0.6, 0.25, 0.25, 0.25]) * spread
    return terms @ (random.normal(0, 1, (6, 2)) * scale[:, None])


SPOTS = (CENTRES - CORNER) * TILE / STRIDE
SPOTS = torch.from_numpy((SPOTS / [WIDTH // STRIDE - 1, HEIGHT // STRIDE - 1] * 2 - 1).astype(np.float32))


def loss_of(maps: Tensor, said: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss, how far off the answers are in tiles, and how often a tile is seen amiss."""
    spots = SPOTS[None, :, None].expand(len(maps), -1, -1, -1)
    answer = nn.functional.grid_sample(maps, spots, align_corners=True)[..., 0].permute(0, 2, 1)
    tile = nn.functional.binary_cross_entropy_with_logits(answer[..., 0], said[..., 0], reduction="none")
    off = torch.linalg.vector_norm(answer[..., 1:] - said[..., 1:3] + 1e-6, dim=2)
    beside = (torch.sqrt(off * off + 0.03**2) - 0.03) * said[..., 4]
    asked = said[..., 3].sum() + 1
    wrong = (((answer[..., 0] > 0) != (said[..., 0] > 0.5)) * said[..., 3]).sum() / asked
    mean = (off * said[..., 4]).sum() / (said[..., 4].sum() + 1)
    return (tile * said[..., 3]).sum() / asked + 6 * beside.sum() / asked, mean.detach(), wrong


if __name__ == "__main__":
    train(__doc__, FlatNet(), (HEIGHT, WIDTH), seen, loss_of)
