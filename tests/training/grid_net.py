"""Train the network that marks where tiles of a board lie, and write it as ONNX.

usage: python -m tests.training.grid_net FOLDER OUT.onnx [--epochs 8]
It sees a landscape photo of 512 x 384 and answers at half that size: how likely each pixel is the centre of a board's
tile, and how likely it is part of the board.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from engine import board_of

WIDTH, HEIGHT = 512, 384


def block(into: int, out: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    """Return a convolution with its normalisation."""
    convolution = nn.Conv2d(into, out, 3, stride, dilation, dilation, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(out), nn.ReLU())


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
        """Return logits (batch, 2, 192, 256): centre, board."""
        kept = []
        for step in self.down:
            x = step(x)
            kept.append(x)
        for step, skip in zip(self.up, kept[-2::-1], strict=True):
            x = nn.functional.interpolate(step(x), scale_factor=2.0, mode="nearest") + skip
        return self.last(x)


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the picture as the network sees it and its targets: heat, mask and weight, uint8 (3, 192, 256)."""
    image = cv2.imread(str(path))
    truth = np.load(path.with_suffix(".npz"))
    centres = truth["centres"] if truth["board"] else np.zeros((0, 2))
    present = np.array([face != "_" for face in truth["faces"]])[: len(centres)]
    loose = truth["loose"]
    height, width = image.shape[:2]
    if height > width:
        image = cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE)
        centres, loose = (np.stack([height - 1 - p[:, 1], p[:, 0]], 1) for p in (centres, loose))
    scale = WIDTH / image.shape[1]
    image = cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA)
    target = np.zeros((3, HEIGHT // 2, WIDTH // 2), np.uint8)
    target[2] = 255
    centres, loose = centres * scale / 2, loose * scale / 2
    edge = int(truth["edge"])
    if len(centres):
        rim = [i for i, around in enumerate(board_of(edge).neighbours) if None in around]
        middle = centres.mean(0)
        outline = cv2.convexHull(((centres[rim] - middle) * (1 + 0.5 / (edge - 1)) + middle).astype(np.float32))
        cv2.fillConvexPoly(target[1], outline.round().astype(np.int32), 255)
    for i, (x, y) in enumerate(centres):
        near = [j for j in board_of(edge).neighbours[i] if j is not None]
        sides = centres[near] - centres[i]
        covariance = sides.T @ sides / len(sides) * 2 * 0.028 + np.eye(2) * 0.35
        if present[i]:
            _stamp(target[0], x, y, np.linalg.inv(covariance))
    for x, y in loose:
        cv2.circle(target[2], (int(x), int(y)), 12, 0, -1)
    return image, target


def _stamp(heat: np.ndarray, x: float, y: float, inverse: np.ndarray) -> None:
    x0, x1, y0, y1 = int(x) - 12, int(x) + 13, int(y) - 12, int(y) + 13
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, heat.shape[1]), min(y1, heat.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    ys, xs = np.mgrid[y0:y1, x0:x1]
    dx, dy = xs - x, ys - y
    bump = np.exp(-0.5 * (inverse[0, 0] * dx * dx + 2 * inverse[0, 1] * dx * dy + inverse[1, 1] * dy * dy))
    part = heat[y0:y1, x0:x1]
    np.maximum(part, (bump * 255).astype(np.uint8), out=part)


def varied(random: np.random.Generator, images: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Mirror, tint and dim a batch."""
    axes = [axis for axis in (2, 3) if random.random() < 0.5]
    images, targets = images.flip(axes), targets.flip(axes)
    gain = torch.from_numpy(random.uniform(0.75, 1.25, (len(images), 3, 1, 1)).astype(np.float32))
    power = torch.from_numpy(random.uniform(0.75, 1.35, (len(images), 1, 1, 1)).astype(np.float32))
    return (images * gain).clamp(0, 1) ** power, targets


def loss_of(logits: Tensor, targets: Tensor) -> Tensor:
    """Weigh the few pixels near centres up."""
    heat, mask, weight = targets[:, 0], targets[:, 1], targets[:, 2]
    spot = nn.functional.binary_cross_entropy_with_logits(logits[:, 0], heat, reduction="none")
    area = nn.functional.binary_cross_entropy_with_logits(logits[:, 1], mask, reduction="none")
    return (spot * weight * (1 + 4 * heat)).mean() * 4 + area.mean()


def main() -> None:
    """Train and write the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    random = np.random.default_rng(0)
    paths = sorted(args.folder.glob("*.npz"))
    loaded = [load(path.with_suffix(".jpg")) for path in paths]
    pictures = np.stack([image for image, _ in loaded])
    truths = np.stack([target for _, target in loaded])
    checked = min(100, len(paths) // 10)
    net = GridNet().to(memory_format=torch.channels_last)
    steps = args.epochs * ((len(paths) - checked) // args.batch)
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, steps)
    start = time.monotonic()

    def batch_of(chosen: np.ndarray) -> tuple[Tensor, Tensor]:
        images = torch.from_numpy(pictures[chosen]).permute(0, 3, 1, 2).float() / 255
        return images, torch.from_numpy(truths[chosen]).float() / 255

    for epoch in range(args.epochs):
        order = checked + random.permutation(len(paths) - checked)
        net.train()
        total = 0.0
        for k in range(len(order) // args.batch):
            images, targets = varied(random, *batch_of(np.sort(order[k * args.batch : (k + 1) * args.batch])))
            loss = loss_of(net(images), targets)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            images, targets = batch_of(np.arange(checked))
            check = np.mean([loss_of(net(images[i : i + 8]), targets[i : i + 8]).item() for i in range(0, checked, 8)])
        seconds = time.monotonic() - start
        print(
            f"epoch {epoch}: loss {total / (len(order) // args.batch):.4f} checked {check:.4f} {seconds:.0f} s",
            flush=True,
        )
        save(net, args.out)


def save(net: nn.Module, out: Path) -> None:
    """Write the network as ONNX."""
    net.eval()
    example = torch.zeros(1, 3, HEIGHT, WIDTH)
    torch.onnx.export(net, (example,), str(out), input_names=["photo"], output_names=["tiles"], dynamo=False)


if __name__ == "__main__":
    main()
