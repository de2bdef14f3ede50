"""Train one of the two networks that look at the 91 faces of a photo together, and write its halves as ONNX.

usage: python -m tests.training.face_net FOLDER OUT NUMBER [--minutes 60] [--start OLD]
The halves are eye_NUMBER.onnx and table_NUMBER.onnx in the folder OUT; those in OLD are trained further.
It sees all patches of a board at once, and with them up to eight patches of the player's own copy: the six flowers, a
back and a Serendip with its blue petal to the east, photographed on another day. Each patch is condensed by itself,
then all look at each other (what is red depends on what the other tiles look like), then each is judged: ten kinds, for
a Serendip the colour towards each edge, and whether the copy shown is the one on the table. FOLDER is filled by
`tests.training.copies`, and may go on filling up while the training runs.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from tests.training.boards import CELLS, seen_board
from vision.kinds import KINDS, SHOWN
from vision.lattice import places
from vision.patches import PATCH, SPAN

DEPTH, HEADS = 96, 4
TOKENS = CELLS + len(SHOWN)
PETALS = slice(len(KINDS), len(KINDS) + 36)
FITS = len(KINDS) + 36
TRACED = 3
"""How often a path-traced copy is shown for each time a drawn one is."""


def block(into: int, out: int, stride: int = 1, size: int = 3) -> nn.Sequential:
    """Return a convolution that starts out keeping the size of what it is given; there is no normalisation."""
    convolution = nn.Conv2d(into, out, size, stride, size // 2)
    nn.init.kaiming_normal_(convolution.weight, nonlinearity="relu")
    nn.init.zeros_(convolution.bias)
    return nn.Sequential(convolution, nn.ReLU())


class Glance(nn.Module):
    """Let every tile look at every other tile of the photo."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(DEPTH), nn.LayerNorm(DEPTH)
        self.query, self.key, self.value = (nn.Linear(DEPTH, DEPTH) for _ in range(3))
        self.mix = nn.Linear(DEPTH, DEPTH)
        self.think = nn.Sequential(nn.Linear(DEPTH, 2 * DEPTH), nn.ReLU(), nn.Linear(2 * DEPTH, DEPTH))

    def forward(self, x: Tensor) -> Tensor:
        """Return tokens (boards * TOKENS, DEPTH) that know of each other."""
        n = self.before(x)
        q, k, v = (
            layer(n).reshape(-1, TOKENS, HEADS, DEPTH // HEADS).permute(0, 2, 1, 3)
            for layer in (self.query, self.key, self.value)
        )
        share = torch.softmax(q @ k.transpose(2, 3) * (DEPTH // HEADS) ** -0.5, 3)
        x = x + self.mix((share @ v).permute(0, 2, 1, 3).reshape(-1, DEPTH))
        return x + self.think(self.after(x))


class Table(nn.Module):
    """Three glances round the table, at what an eye made of each tile."""

    def __init__(self) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.zeros(TOKENS, DEPTH))
        self.glances = nn.Sequential(Glance(), Glance(), Glance())
        self.judge = nn.Sequential(nn.LayerNorm(DEPTH), nn.Linear(DEPTH, FITS + 1))

    def forward(self, marks: Tensor) -> Tensor:
        """Return logits (boards * TOKENS, 10 + 36 + 1): kinds, colours by direction, whether the copy fits."""
        x = marks.reshape(-1, TOKENS, DEPTH) + self.place
        return self.judge(self.glances(x.reshape(-1, DEPTH)))


class FaceNet(nn.Module):
    """A small eye for each tile, and a table round which they are compared."""

    def __init__(self) -> None:
        super().__init__()
        self.eye = nn.Sequential(
            block(3, 16, 2, 5),
            block(16, 32, 2),
            block(32, 48),
            block(48, 64, 2),
            block(64, 96),
            nn.Flatten(),
            nn.Linear(96 * 16, DEPTH),
        )
        self.table = Table()

    def forward(self, patches: Tensor) -> Tensor:
        """Return what the table says of patches (boards * TOKENS, 3, PATCH, PATCH)."""
        return self.table(self.eye(patches))


def varied(random: np.random.Generator, patches: Tensor) -> Tensor:
    """Tint, burn out and roughen the board and the copy of each pass (boards, TOKENS, 3, 32, 32), each by itself."""
    boards = len(patches)
    there = (patches.amax((2, 3, 4), keepdim=True) > 0).float()

    def drawn(low: float, high: float, colours: int) -> Tensor:
        two = random.uniform(low, high, (boards, 2, colours, 1, 1)).astype(np.float32)
        return torch.from_numpy(np.repeat(two, [CELLS, len(SHOWN)], axis=1))

    lit = patches.clone()
    for board in range(boards):
        if random.random() < 0.3:
            lit[board, :CELLS] = lamp_over(random, lit[board, :CELLS])
    gain, power, noise = drawn(0.75, 1.25, 3), drawn(0.75, 1.35, 1), drawn(0, 0.025, 1)
    return ((lit * gain).clamp(0, 1) ** power + noise * torch.randn_like(patches)).clamp(0, 1) * there


def _spots() -> Tensor:
    """Return where each pixel of each patch lies on the board (CELLS, 2, PATCH, PATCH), in tiles."""
    steps = ((np.arange(PATCH) + 0.5) / PATCH - 0.5) * SPAN
    inside = np.stack(np.meshgrid(steps, steps))
    return torch.from_numpy((places(6)[:, :, None, None] + inside).astype(np.float32))


SPOTS = _spots()


def lamp_over(random: np.random.Generator, patches: Tensor) -> Tensor:
    """Hang a lamp close over one place of the board (CELLS, 3, 32, 32): colours burn out or a reflection hides them."""
    x, y = (SPOTS[:, axis] - float(random.normal(0, 3.5)) for axis in (0, 1))
    turn, long, short = random.uniform(0, np.pi), random.uniform(0.6, 4.5), random.uniform(0.5, 3.0)
    along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    fall = torch.exp(-((along / long) ** 2) - (across / short) ** 2)[:, None]
    tint = torch.from_numpy(np.array([random.uniform(0.25, 1), 0.85, 1.0], np.float32))[:, None, None]
    linear = patches**2.2
    if random.random() < 0.6:
        linear = linear * (1 + random.uniform(0.5, 6) * fall * tint)
    else:
        linear = linear + random.uniform(0.05, 0.8) * fall * tint
    if random.random() < 0.5:
        linear = linear / (1 + 0.3 * linear)  # a phone saves the lights where it can
    return linear.clamp(0, 1) ** (1 / 2.2)


def loss_of(logits: Tensor, kinds: Tensor, petals: Tensor, fits: Tensor) -> Tensor:
    """Add the surprise about kinds, on Serendips about petals, and about whether the copy fits."""
    by_board = logits.reshape(-1, TOKENS, FITS + 1)
    cells = by_board[:, :CELLS].reshape(-1, FITS + 1)
    loss = nn.functional.cross_entropy(cells[:, : len(KINDS)], kinds.reshape(-1))
    seen = petals.reshape(-1) >= 0
    if seen.any():
        loss = loss + 0.5 * nn.functional.cross_entropy(cells[:, PETALS].reshape(-1, 6)[seen], petals.reshape(-1)[seen])
    told = fits >= 0
    if told.any():
        fit = by_board[told][:, CELLS:, FITS].mean(1)
        loss = loss + 0.1 * nn.functional.binary_cross_entropy_with_logits(fit, fits[told].float())
    return loss


def copies_in(folder: Path) -> list[Path]:
    """Return the copies that are there by now; a traced one counts for several, because its light is true."""
    traced = sorted(folder.rglob("traced/*[0-9].npz"))
    return sorted(folder.rglob("*[0-9].npz")) + traced * (TRACED - 1)


def main() -> None:
    """Train for so many minutes and write the network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("number", type=int, choices=(1, 2))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--batch", type=int, default=6)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--start", type=Path, help="a folder with halves written by this script, to be trained further")
    args = parser.parse_args()
    torch.manual_seed(args.number)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    random = np.random.default_rng(args.number)
    net = FaceNet()
    if args.start:
        for half, path in zip((net.eye, net.table), halves(args.start, args.number), strict=True):
            half.load_state_dict(written(path, half))
    optimiser = torch.optim.AdamW(net.parameters(), args.rate, weight_decay=1e-3)
    start = said = time.monotonic()
    net.train()
    losses: list[float] = []
    right = count = passes = 0
    copies = copies_in(args.folder)
    while (gone := (time.monotonic() - start) / 60 / args.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1.0, gone / 0.05 + 0.02) * (0.5 + 0.5 * np.cos(np.pi * gone))
        boards = [seen_board(copies, random) for _ in range(args.batch)]
        patches = torch.from_numpy(np.stack([board.patches for board in boards])).permute(0, 1, 4, 2, 3).float() / 255
        kinds, petals = (torch.from_numpy(np.stack([getattr(b, key) for b in boards])) for key in ("kinds", "petals"))
        logits = net(varied(random, patches).reshape(-1, 3, PATCH, PATCH))
        loss = loss_of(logits, kinds, petals, torch.tensor([board.fits for board in boards]))
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        guess = logits.reshape(-1, TOKENS, FITS + 1)[:, :CELLS, : len(KINDS)].argmax(2)
        right, count, passes = right + int((guess == kinds).sum()), count + int((kinds >= 0).sum()), passes + args.batch
        if time.monotonic() - said > 120:
            minutes = (time.monotonic() - start) / 60
            print(f"{minutes:.0f} min: {passes} boards of {len(copies)} copies, ", end="")
            print(f"loss {np.mean(losses):.4f}, right {right / count:.5f}", flush=True)
            said, losses, right, count = time.monotonic(), [], 0, 0
            copies = copies_in(args.folder)
            save(net, args.out, args.number)
    save(net, args.out, args.number)


def written(path: Path, net: nn.Module) -> dict[str, Tensor]:
    """Return the weights of a network that was written as ONNX."""
    graph = onnx.load(path).graph
    stored = {each.name: torch.from_numpy(numpy_helper.to_array(each).copy()) for each in graph.initializer}
    convolutions = [name.removesuffix(".weight") for name in net.state_dict() if name.endswith(".0.weight")]
    for name, node in zip(convolutions, (node for node in graph.node if node.op_type == "Conv"), strict=False):
        stored[f"{name}.weight"], stored[f"{name}.bias"] = stored[node.input[1]], stored[node.input[2]]
    return {name: stored[name] for name in net.state_dict()}


def halves(folder: Path, number: int) -> tuple[Path, Path]:
    """Return where the halves of a network lie."""
    return folder / f"eye_{number}.onnx", folder / f"table_{number}.onnx"


def save(net: FaceNet, folder: Path, number: int) -> None:
    """Write both halves as ONNX."""
    examples = torch.zeros(TOKENS, 3, PATCH, PATCH), torch.zeros(TOKENS, DEPTH)
    for half, example, path in zip((net.eye, net.table), examples, halves(folder, number), strict=True):
        torch.onnx.export(half, (example,), str(path), input_names=["tiles"], dynamo=False, opset_version=17)


if __name__ == "__main__":
    main()
