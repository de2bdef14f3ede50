"""Fit how far the opinions of network and photo count, and train the tiny network that says how far to trust them.

usage: python -m tests.training.confidence FOLDER OUT.onnx [--boards 900]
FOLDER is filled by `tests.training.copies` and `traced` with prints that the face network was not trained on. One half
of them serves to fit `vision.vouching.WEIGHTS`, which are printed, and to train `vision/trust.onnx`; on the other half
the table shows, for thresholds, the share of cells asked about and the silent errors.
"""

import argparse
from dataclasses import astuple, dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from scipy.optimize import minimize
from torch import nn

from engine.position import UNKNOWN
from tests.training.boards import IGNORED, Board, seen_board
from vision import vouching
from vision.eyes import TilesSeen
from vision.faces import Judgement, judge_faces, kind_of
from vision.kinds import KINDS
from vision.likeness import Likeness, compare
from vision.trust import evidence
from vision.vouching import Weights, claimed, second_opinion, shared, weighed

THRESHOLDS = (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999)


@dataclass(frozen=True)
class Seen:
    """A board as it was judged, with how much its tiles look like each other."""

    board: Board
    judged: list[Judgement]
    like: Likeness


def boards_of(copies: list[Path], boards: int) -> list[Seen]:
    """Let the network look at boards of some copies, each as often as it is asked to."""
    random = np.random.default_rng(1)
    out: list[Seen] = []
    while len(out) < boards:
        board = seen_board(copies, random)
        patches = board.patches[:91]
        judged, _ = judge_faces(TilesSeen(patches).look_well())
        like = compare(patches, [each.face for each in judged], [each.chance for each in judged])
        out.append(Seen(board, judged, like))
    return out


def fitted_weights(seen: list[Seen]) -> Weights:
    """Return the weights under which what lies there is the least surprise."""
    network, away, wanted = [], [], []
    for each in seen:
        for i, judgement in enumerate(each.judged):
            if each.board.kinds[i] != IGNORED and judgement.chance < 1 - 1e-7:
                chances = np.full(len(KINDS), 1e-9)
                for face, chance in judgement.chances.items():
                    chances[kind_of(face)] += chance
                network.append(np.log(chances))
                away.append(each.like.away[i])
                wanted.append(each.board.kinds[i])
    logs, far, truth = np.array(network), np.array(away), np.array(wanted)

    def surprise(values: np.ndarray) -> float:
        weights = Weights(*values)
        said = weights.network * logs + second_opinion(far, weights)
        lost = np.logaddexp.reduce(said, 1) - said[np.arange(len(said)), truth]
        return float(lost.mean()) + 1e-4 * float((values**2).sum())

    start = np.array([0.8, 1.0, 0.5, -4.0, -4.0, -4.0])
    return Weights(*minimize(surprise, start, method="L-BFGS-B", bounds=[(0.1, 2), (0, 4), (0, 6), *[(-12, 0)] * 3]).x)


def claims_of(seen: list[Seen]) -> tuple[np.ndarray, np.ndarray]:
    """Return what speaks for each claim (n, 24), and whether it came true (n); none for tiles that are not seen."""
    said, right = [], []
    for each in seen:
        claims = claimed(each.judged, shared(each.judged, each.like, vouching.WEIGHTS))
        rows = evidence(claims, each.like)
        for i, claim in enumerate(claims):
            kind = each.board.kinds[i]
            if kind != IGNORED and claim.face != UNKNOWN:
                said.append(rows[i])
                right.append(KINDS[kind] != UNKNOWN and claim.face == each.board.faces[i])
    return np.array(said), np.array(right, np.float32)


def trust_network(said: np.ndarray, right: np.ndarray, rounds: int = 14) -> nn.Module:
    """Train a network to say the odds that claims come true."""
    middle, spread = said.mean(0), said.std(0) + 1e-2
    net = nn.Sequential(nn.Linear(said.shape[1], 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
    rows, wanted = torch.from_numpy((said - middle) / spread), torch.from_numpy(right)
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=0.03)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=rounds * (len(rows) // 512 + 1))
    for number in range(rounds):
        lost = 0.0
        for chosen in torch.randperm(len(rows)).split(512):
            # A little noise keeps it from learning single boards by heart.
            odds = net(rows[chosen] + 0.05 * torch.randn_like(rows[chosen]))[:, 0]
            loss = nn.functional.binary_cross_entropy_with_logits(odds, wanted[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            lost += loss.item() * len(chosen)
        print(f"round {number + 1}: surprise {lost / len(rows):.5f}")
    first = net[0]
    with torch.no_grad():
        # The first layer takes the claims as they come.
        first.weight /= torch.from_numpy(spread)
        first.bias -= first.weight @ torch.from_numpy(middle)
    return net


def print_costs(seen: list[Seen]) -> None:
    """Print what vouching from each threshold would ask and get wrong."""
    cells, plain = [], []
    for each in seen:
        after = weighed(each.board.patches[:91], each.judged)
        for i, kind in enumerate(each.board.kinds):
            if kind != IGNORED:
                face, judgement = each.board.faces[i], after[i]
                cells.append((0.0 if judgement.bound else judgement.chance, judgement.face == face, KINDS[kind] == "?"))
                plain.append(each.judged[i].face == face)
    chance, right, hidden = np.array(cells).T
    shown = hidden == 0
    print(f"{int(shown.sum())} cells to be seen, {100 * right[shown].mean():.3f}% right, ", end="")
    print(f"{100 * np.array(plain)[shown].mean():.3f}% by the network alone")
    for least in THRESHOLDS:
        vouched = chance >= least
        silent = int((vouched & (right == 0)).sum())
        asked = 100 * (~vouched & shown).sum() / shown.sum()
        true = 100 * right[vouched & shown].mean()
        print(f"vouching from {least}: {asked:5.2f}% asked, {silent} silent of {int(vouched.sum())}, {true:.3f}% right")


def main() -> None:
    """Fit and train everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--boards", type=int, default=900)
    args = parser.parse_args()
    cv2.setNumThreads(1)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    copies = sorted(args.folder.rglob("*[0-9].npz"))
    taught = boards_of(copies[::2], args.boards)
    vouching.WEIGHTS = Weights(*(round(float(value), 3) for value in astuple(fitted_weights(taught))))
    print(f"WEIGHTS = {vouching.WEIGHTS}")
    said, right = claims_of(taught)
    print(f"{len(said)} claims, {int((right == 0).sum())} of them wrong")
    net = trust_network(said, right)
    example = torch.from_numpy(said[:91])
    torch.onnx.export(net, (example,), str(args.out), input_names=["evidence"], output_names=["odds"], dynamo=False)
    print_costs(boards_of(copies[1::2], args.boards))


if __name__ == "__main__":
    main()
