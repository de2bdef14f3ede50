"""Train the network that judges the 91 faces of one photo together, and write it as ONNX.

usage: python -m tests.training.face_net FOLDER OUT.onnx [--epochs 8]
It sees all patches of a board at once: each is condensed by itself, then all look at each other (what is red depends on
what the other tiles look like), then each is judged: ten kinds, and for a Serendip the colour towards each edge.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from engine.position import LETTERS, is_serendip
from vision.kinds import KINDS
from vision.lattice import fit_lattice, places
from vision.patches import PATCH, cut_at

CELLS, DEPTH, HEADS = 91, 96, 4


def block(into: int, out: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    """Return a convolution with its normalisation."""
    convolution = nn.Conv2d(into, out, size, stride, size // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(out), nn.ReLU())


class Glance(nn.Module):
    """Let every tile look at every other tile of the photo."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(DEPTH), nn.LayerNorm(DEPTH)
        self.query, self.key, self.value = (nn.Linear(DEPTH, DEPTH) for _ in range(3))
        self.mix = nn.Linear(DEPTH, DEPTH)
        self.think = nn.Sequential(nn.Linear(DEPTH, 2 * DEPTH), nn.ReLU(), nn.Linear(2 * DEPTH, DEPTH))

    def forward(self, x: Tensor) -> Tensor:
        """Return tokens (boards * cells, DEPTH) that know of each other."""
        n = self.before(x)
        q, k, v = (
            layer(n).reshape(-1, CELLS, HEADS, DEPTH // HEADS).permute(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        )
        share = torch.softmax(q @ k.transpose(2, 3) * (DEPTH // HEADS) ** -0.5, 3)
        x = x + self.mix((share @ v).permute(0, 2, 1, 3).reshape(-1, DEPTH))
        return x + self.think(self.after(x))


class FaceNet(nn.Module):
    """A small eye for each tile, and three glances round the table."""

    def __init__(self) -> None:
        super().__init__()
        self.eye = nn.Sequential(
            block(3, 24, 2, 5),
            block(24, 32),
            block(32, 48, 2),
            block(48, 64),
            block(64, 96, 2),
            nn.Flatten(),
            nn.Linear(96 * 16, DEPTH),
        )
        self.place = nn.Parameter(torch.zeros(CELLS, DEPTH))
        self.glances = nn.Sequential(Glance(), Glance(), Glance())
        self.judge = nn.Sequential(nn.LayerNorm(DEPTH), nn.Linear(DEPTH, len(KINDS) + 36))

    def forward(self, patches: Tensor) -> Tensor:
        """Return logits (boards * cells, 10 + 36): kinds, then colours by direction."""
        x = self.eye(patches).reshape(-1, CELLS, DEPTH) + self.place
        return self.judge(self.glances(x.reshape(-1, DEPTH)))


def load(path: Path, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return patches (91, 32, 32, 3), kinds (91,) and petal colours (91, 6) of a drawn board, or None for no board."""
    truth = np.load(path)
    if int(truth["edge"]) != 6 or not truth["board"]:
        return None
    image = cv2.imread(str(path.with_suffix(".jpg")))
    lattice = fit_lattice(places(6), truth["centres"], image.shape)
    turn = int(random.integers(6))
    lattice = lattice.turned(turn)
    order = np.array([np.argmin(((places(6) @ _turn(turn) - p) ** 2).sum(1)) for p in places(6)])
    # The finder is a few per cent off now and then: the judge must not mind.
    wobble = places(6) * random.uniform(0.985, 1.015) + random.normal(0, 0.025, 2) + random.normal(0, 0.01, (CELLS, 2))
    patches = cut_at(image, lattice, wobble)
    kinds, petals = np.zeros(CELLS, np.int64), np.full((CELLS, 6), -1, np.int64)
    hidden = set(truth["hidden"].tolist())
    for i, j in enumerate(order):
        face = str(truth["faces"][j])
        if is_serendip(face):
            kinds[i] = KINDS.index("S")
            petals[i] = [LETTERS.index(face[(d - turn) % 6]) for d in range(6)]
        else:
            kinds[i] = KINDS.index(face)
        if j in hidden:
            kinds[i], petals[i] = KINDS.index("?"), -1
    return patches, kinds, petals


def _turn(turns: int) -> np.ndarray:
    c, s = np.cos(np.radians(60 * turns)), np.sin(np.radians(60 * turns))
    return np.array([[c, -s], [s, c]])


def varied(random: np.random.Generator, patches: Tensor) -> Tensor:
    """Tint, dim and roughen each board of a batch (boards, cells, 3, 32, 32)."""
    boards = len(patches)
    gain = torch.from_numpy(random.uniform(0.8, 1.2, (boards, 1, 3, 1, 1)).astype(np.float32))
    power = torch.from_numpy(random.uniform(0.8, 1.3, (boards, 1, 1, 1, 1)).astype(np.float32))
    noise = torch.from_numpy(random.uniform(0, 0.02, (boards, 1, 1, 1, 1)).astype(np.float32))
    return ((patches * gain).clamp(0, 1) ** power + noise * torch.randn_like(patches)).clamp(0, 1)


def loss_of(logits: Tensor, kinds: Tensor, petals: Tensor) -> Tensor:
    """Add the surprise about kinds and, on Serendips, about petals."""
    surprise = nn.functional.cross_entropy(logits[:, : len(KINDS)], kinds.reshape(-1))
    seen = petals.reshape(-1) >= 0
    if not seen.any():
        return surprise
    colours = logits[:, len(KINDS) :].reshape(-1, 6)[seen]
    return surprise + 0.5 * nn.functional.cross_entropy(colours, petals.reshape(-1)[seen])


def main() -> None:
    """Train and write the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--start", type=Path, help="weights (.pt) to go on from")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    random = np.random.default_rng(0)
    loaded = [found for path in sorted(args.folder.glob("*.npz")) if (found := load(path, random)) is not None]
    patches = np.stack([board[0] for board in loaded]).transpose(0, 1, 4, 2, 3).copy()
    kinds, petals = (torch.from_numpy(np.stack([board[k] for board in loaded])) for k in (1, 2))
    checked = min(100, len(loaded) // 10)
    net = FaceNet()
    if args.start:
        net.load_state_dict(torch.load(args.start))
    steps = args.epochs * ((len(loaded) - checked) // args.batch)
    optimiser = torch.optim.AdamW(net.parameters(), args.rate, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, args.rate, steps, pct_start=0.15)
    start = time.monotonic()
    for epoch in range(args.epochs):
        order = checked + random.permutation(len(loaded) - checked)
        net.train()
        total = 0.0
        for k in range(len(order) // args.batch):
            chosen = order[k * args.batch : (k + 1) * args.batch]
            batch = varied(random, torch.from_numpy(patches[chosen]).float() / 255)
            loss = loss_of(net(batch.reshape(-1, 3, PATCH, PATCH)), kinds[chosen], petals[chosen])
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
        net.eval()
        right = count = 0
        with torch.no_grad():
            for i in range(checked):
                logits = net(torch.from_numpy(patches[i]).float() / 255)
                right += int((logits[:, : len(KINDS)].argmax(1) == kinds[i]).sum())
                count += CELLS
        seconds = time.monotonic() - start
        share = f"{right / count:.5f}"
        print(f"epoch {epoch}: loss {total / (len(order) // args.batch):.4f} right {share} {seconds:.0f} s", flush=True)
        torch.save(net.state_dict(), args.out.with_suffix(".pt"))
        save(net, args.out)


def save(net: nn.Module, out: Path) -> None:
    """Write the network as ONNX."""
    net.eval()
    example = torch.zeros(CELLS, 3, PATCH, PATCH)
    torch.onnx.export(
        net, (example,), str(out), input_names=["patches"], output_names=["faces"], dynamo=False, opset_version=17
    )


if __name__ == "__main__":
    main()
