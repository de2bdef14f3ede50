"""What the networks of the grid share in training: drawn tables, changing light, and the loop itself."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from engine.position import EMPTY
from vision.lattice import places

Random = np.random.Generator


@dataclass(frozen=True, eq=False)
class Table:
    """A drawn or traced photo, kept in memory, with where its tiles lie."""

    jpeg: bytes
    centres: np.ndarray
    present: np.ndarray
    hidden: np.ndarray
    """Cells that a hand, glare or the frame hides."""
    loose: np.ndarray
    ground: np.ndarray
    """Where a board's tiles would lie, for tiles that have its rows but another outline; none else."""
    edge: int

    def image(self) -> np.ndarray:
        """Return the photo."""
        return np.asarray(cv2.imdecode(np.frombuffer(self.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def tables_in(folder: Path) -> list[Table]:
    """Return the photos of a folder, whether `tests.training.tables`, `copies` or `traced` has filled it."""
    out = []
    for path in sorted(folder.rglob("*[0-9].npz")):
        with np.load(path) as kept:
            if "edge" in kept:
                parts = (kept[part] for part in ("centres", "present", "hidden", "loose", "ground"))
                out.append(Table(path.with_suffix(".jpg").read_bytes(), *parts, int(kept["edge"])))
            for k in range(sum(name.startswith("jpeg") for name in kept.files)):
                faces = kept[f"faces{k}"]
                edge = next(edge for edge in range(2, 9) if len(places(edge)) == len(faces))
                none = np.zeros((0, 2))
                seen = (kept[f"centres{k}"], faces != EMPTY, kept[f"hidden{k}"], none, none)
                out.append(Table(kept[f"jpeg{k}"].tobytes(), *seen, edge))
    return out


def moved(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Carry points (n, 2) over by a homography."""
    x, y, w = matrix @ np.vstack([points.T, np.ones(len(points))])
    w = np.where(np.abs(w) < 1e-9, 1e-9, w)
    return np.stack([x / w, y / w], 1)


def relit(random: Random, image: np.ndarray) -> np.ndarray:
    """Expose a view anew: tinted, too dark, burnt out, behind a veil of light from one side, blurred or noisy."""
    if random.random() < 0.25:
        image = cv2.GaussianBlur(image, (0, 0), random.uniform(0.4, 1.3))
    out = image.astype(np.float32) / 255
    gain = random.uniform(0.85, 1.15, 3) * (2.0 ** random.normal(0, 0.35))
    out = np.clip(out * gain.astype(np.float32), 0, 1) ** np.float32(2.0 ** random.normal(0, 0.3))
    if random.random() < 0.2:
        across = np.linspace(-1, 1, image.shape[1], dtype=np.float32) * np.float32(random.normal(0, 0.5))
        down = np.linspace(-1, 1, image.shape[0], dtype=np.float32)[:, None] * np.float32(random.normal(0, 0.5))
        out = out + (1 - out) * np.clip(across + down + np.float32(random.uniform(0, 0.4)), 0, 0.9)[..., None]
    if random.random() < 0.3:
        out = out + random.standard_normal(out.shape, np.float32) * np.float32(random.uniform(0, 0.06))
    return np.clip(out, 0, 1)


def block(into: int, out: int, stride: int = 1, dilation: int = 1) -> nn.Sequential:
    """Return a convolution that starts out keeping the size of what it is given; there is no normalisation."""
    convolution = nn.Conv2d(into, out, 3, stride, dilation, dilation)
    nn.init.kaiming_normal_(convolution.weight, nonlinearity="relu")
    nn.init.zeros_(convolution.bias)
    return nn.Sequential(convolution, nn.ReLU())


def train(
    about: str,
    net: nn.Module,
    size: tuple[int, int],
    seen: Callable[[Table, Random], tuple[np.ndarray, np.ndarray]],
    loss_of: Callable[[Tensor, Tensor], tuple[Tensor, ...]],
) -> None:
    """Train a network on views (height, width) of tables by the options given, and write it as ONNX now and then."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--start", type=Path, help="a network written by this script, to be trained further")
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=2e-3)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    random = np.random.default_rng(0)
    tables = tables_in(args.folder)
    random.shuffle(tables)
    checked, taught = tables[:64], tables[64:]
    if args.start:
        stored = {value.name: numpy_helper.to_array(value).copy() for value in onnx.load(args.start).graph.initializer}
        net.load_state_dict({name: torch.from_numpy(stored[name]) for name in net.state_dict()})
    net = net.to(memory_format=torch.channels_last)

    def losses(chosen: list[Table], random: Random) -> tuple[Tensor, ...]:
        views = [seen(table, random) for table in chosen]
        images = torch.from_numpy(np.stack([relit(random, image) for image, _ in views])).permute(0, 3, 1, 2)
        targets = torch.from_numpy(np.stack([target for _, target in views]))
        return loss_of(net(images.contiguous(memory_format=torch.channels_last)), targets)

    optimiser = torch.optim.AdamW(net.parameters(), args.rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, args.rate, args.steps, pct_start=0.1)
    start, total = time.monotonic(), []
    for step in range(1, args.steps + 1):
        loss = losses([taught[int(i)] for i in random.integers(0, len(taught), args.batch)], random)[0]
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        total.append(loss.item())
        if step % 100 == 0 or step == args.steps:
            with torch.no_grad():
                same = np.random.default_rng(1)
                groups = [checked[i : i + 8] for i in range(0, len(checked), 8)]
                check = np.mean([[value.item() for value in losses(group, same)] for group in groups], axis=0)
            seconds = time.monotonic() - start
            print(f"step {step}: loss {np.mean(total[-100:]):.4f} checked {check.round(4)} {seconds:.0f} s", flush=True)
            torch.onnx.export(net, (torch.zeros(1, 3, *size),), str(args.out), input_names=["photo"], dynamo=False)
