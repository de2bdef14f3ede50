"""Fit how far the network's and the photo's own opinion count and are to be trusted, and show what vouching would cost.

usage: python -m tests.training.confidence FOLDER [--boards 900] [--copy]
FOLDER is filled by `tests.training.copies` with prints that were not trained on. One half of them serves to fit the
constants of `vision.vouching`, which are printed; on the other half the table shows, for thresholds, the share of cells
asked about and the silent errors. `--copy` shows a rosette too.
"""

import argparse
from dataclasses import astuple, dataclass
from pathlib import Path

import cv2
import numpy as np
from scipy.optimize import minimize

from engine.position import UNKNOWN
from tests.training.boards import IGNORED, Board, seen_board
from vision import vouching
from vision.faces import Judgement, judge_faces, kind_of, look
from vision.kinds import KINDS
from vision.likeness import Likeness, compare
from vision.vouching import Weights, evidence, has_sure_ring, second_opinion, shared_logs, weighed


@dataclass(frozen=True)
class Seen:
    """A board as it was judged, with how much its tiles look like each other."""

    board: Board
    judged: list[Judgement]
    like: Likeness


def boards_of(copies: list[Path], boards: int, copy: bool) -> list[Seen]:
    """Let the network look at boards of some copies, each as often as it is asked to."""
    random = np.random.default_rng(1)
    out: list[Seen] = []
    while len(out) < boards:
        board = seen_board(copies, random)
        if copy and board.fits != 1:
            continue
        patches = board.patches[:91]
        judged, _ = judge_faces(look(patches, board.patches[91:] if copy else None))
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


def fitted_trust(seen: list[Seen], weights: Weights) -> dict[str, tuple[float, ...]]:
    """Return the logistic weights with which the chances of what was judged come true."""
    groups: dict[str, list[tuple[list[float], bool]]] = {}
    for each in seen:
        opinions = second_opinion(each.like.away, weights)
        for i, judgement in enumerate(each.judged):
            kind = each.board.kinds[i]
            if kind == IGNORED or not 0 < judgement.chance < 1:
                continue
            logs = shared_logs(judgement, opinions[i], weights, has_sure_ring(judgement, each.like))
            face = max(logs, key=lambda other: logs[other])
            if face == UNKNOWN:
                continue
            share = float(np.exp(logs[face] - np.logaddexp.reduce(list(logs.values()))))
            which, said = evidence(face, share, each.like, i)
            if which == "serendip" and not (
                has_sure_ring(judgement, each.like) and each.like.facing[i] > vouching.ASKEW
            ):
                continue
            right = KINDS[kind] != "?" and face == each.board.faces[i]
            groups.setdefault(which, []).append((said, right))
    return {which: _logistic(rows) for which, rows in sorted(groups.items())}


def _logistic(rows: list[tuple[list[float], bool]]) -> tuple[float, ...]:
    said, right = np.array([row[0] for row in rows]), np.array([1.0 if row[1] else -1.0 for row in rows])
    print(f"{len(rows)} tiles, {int((right < 0).sum())} of them wrong")

    start = np.zeros(said.shape[1])
    start[1] = 1.0
    # Where hardly any tile was wrong, the odds that the opinions give are believed.
    hold = np.full(len(start), 0.5)
    hold[0] = 0.2

    def surprise(values: np.ndarray) -> float:
        return float(np.logaddexp(0, -right * (said @ values)).sum() + (hold * (values - start) ** 2).sum())

    return tuple(round(float(value), 3) for value in minimize(surprise, start, method="L-BFGS-B").x)


def main() -> None:
    """Fit everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--boards", type=int, default=900)
    parser.add_argument("--copy", action="store_true")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    copies = sorted(args.folder.rglob("*[0-9].npz"))
    taught = boards_of(copies[::2], args.boards, args.copy)
    weights = fitted_weights(taught)
    vouching.WEIGHTS = Weights(*(round(float(value), 3) for value in astuple(weights)))
    vouching.TRUST = fitted_trust(taught, vouching.WEIGHTS)
    print(f"WEIGHTS = {vouching.WEIGHTS}")
    print(f"TRUST = {vouching.TRUST}")
    cells, plain = [], []
    for each in boards_of(copies[1::2], args.boards, args.copy):
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
    for least in (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999):
        vouched = chance >= least
        silent = int((vouched & (right == 0)).sum())
        asked = 100 * (~vouched & shown).sum() / shown.sum()
        print(f"vouching from {least}: {asked:5.2f}% asked, {silent} silent of {int(vouched.sum())}")


if __name__ == "__main__":
    main()
