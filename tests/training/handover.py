"""Hand a trained face network over to a smaller eye: what the old eye saw in a patch, the new one learns to see.

usage: python -m tests.training.handover OLD.onnx FOLDER OUT.pt [--minutes 8] [--start WEIGHTS.pt]
The glances and the judge are taken over as they are; only the eye is taught, patch by patch, which is much quicker than
teaching the whole. `tests.training.face_net --start OUT.pt` then goes on with everything together.
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
from tests.training.face_net import DEPTH, FITS, FaceNet, varied
from vision.patches import PATCH


def old_weights(path: Path) -> dict[str, Tensor]:
    """Return the constants of an ONNX file by name; convolutions with folded normalisation are conv0, conv1, ..."""
    graph = onnx.load(path).graph
    by_name = {each.name: torch.from_numpy(numpy_helper.to_array(each).copy()) for each in graph.initializer}
    for k, node in enumerate(node for node in graph.node if node.op_type == "Conv"):
        by_name[f"conv{k}.weight"], by_name[f"conv{k}.bias"] = by_name[node.input[1]], by_name[node.input[2]]
    return by_name


def old_eye(weights: dict[str, Tensor], patches: Tensor) -> Tensor:
    """See patches as the old eye did; its first layer has 5 x 5 pixels, and every second layer halves."""
    x, k = patches, 0
    while f"conv{k}.weight" in weights:
        weight = weights[f"conv{k}.weight"]
        x = nn.functional.conv2d(x, weight, weights[f"conv{k}.bias"], 2 - k % 2, weight.shape[2] // 2).relu()
        k += 1
    return nn.functional.linear(x.flatten(1), weights["eye.6.weight"], weights["eye.6.bias"])


def taken_over(net: FaceNet, weights: dict[str, Tensor]) -> None:
    """Copy the glances, the places of the cells and the judge; what the old network had not stays as it is."""
    own = net.state_dict()
    for name, value in weights.items():
        if name.startswith("glances."):
            own[name] = value
    own["judge.0.weight"], own["judge.0.bias"] = weights["judge.0.weight"], weights["judge.0.bias"]
    own["place"] = torch.cat([weights["place"], 0.02 * torch.randn(len(own["place"]) - CELLS, DEPTH)])
    own["judge.1.weight"] = torch.cat([weights["judge.1.weight"], torch.zeros(1, DEPTH)])
    own["judge.1.bias"] = torch.cat([weights["judge.1.bias"], torch.zeros(1)])
    assert len(own["judge.1.bias"]) == FITS + 1
    net.load_state_dict(own)


def main() -> None:
    """Teach the new eye for so many minutes and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--start", type=Path, help="weights (.pt) whose eye is a good beginning")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    random = np.random.default_rng(5)
    net = FaceNet()
    if args.start:
        net.load_state_dict(torch.load(args.start))
    weights = old_weights(args.old)
    taken_over(net, weights)
    optimiser = torch.optim.AdamW(net.eye.parameters(), 2e-3, weight_decay=1e-4)
    copies = sorted(args.folder.glob("*[0-9].npz"))
    start = said = time.monotonic()
    net.train()
    misses: list[float] = []
    while (gone := (time.monotonic() - start) / 60 / args.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = 2e-3 * min(1.0, gone / 0.05 + 0.05) * (0.5 + 0.5 * np.cos(np.pi * gone))
        seen = np.stack([seen_board(copies, random).patches for _ in range(4)])
        patches = varied(random, torch.from_numpy(seen).permute(0, 1, 4, 2, 3).float() / 255)[:, :CELLS]
        patches = patches.reshape(-1, 3, PATCH, PATCH)
        with torch.no_grad():
            wanted = old_eye(weights, patches)
        miss = ((net.eye(patches) - wanted) ** 2).mean() / wanted.var(0).mean()
        optimiser.zero_grad()
        miss.backward()
        optimiser.step()
        misses.append(miss.item())
        if time.monotonic() - said > 60:
            print(
                f"{(time.monotonic() - start) / 60:.0f} min: {np.mean(misses):.4f} of the variance missed", flush=True
            )
            said, misses = time.monotonic(), []
            torch.save(net.state_dict(), args.out)
    torch.save(net.state_dict(), args.out)


if __name__ == "__main__":
    main()
