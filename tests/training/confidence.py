"""Fit how far the face network's chances are to be trusted, and show what vouching at a chance would cost.

usage: python -m tests.training.confidence FOLDER [--copy]
FOLDER is filled by `tests.training.copies` with prints that were not trained on. Prints the two heats for
`vision.faces`, and for thresholds the share of cells asked about and the silent errors; `--copy` shows a rosette too.
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
from scipy.optimize import minimize_scalar

from tests.training.boards import IGNORED, Board, seen_board
from vision import faces
from vision.faces import Look, judge_faces, look
from vision.kinds import KINDS
from vision.vouching import weighed


def looks_at(folder: Path, boards: int, copy: bool) -> list[tuple[Board, Look]]:
    """Let the network look at boards of the folder, as often as it is asked to."""
    random = np.random.default_rng(1)
    copies = sorted(folder.glob("*[0-9].npz"))
    out = []
    while len(out) < boards:
        board = seen_board(copies, random)
        if copy and board.fits != 1:
            continue
        out.append((board, look(board.patches[:91], board.patches[91:] if copy else None)))
    return out


def surprise(logits: np.ndarray, wanted: np.ndarray, heat: float) -> float:
    """Return the mean surprise about wanted classes when logits (n, k) are divided by a heat."""
    cooled = logits / heat
    logs = cooled - np.logaddexp.reduce(cooled, 1, keepdims=True)
    return float(-logs[np.arange(len(wanted)), wanted].mean())


def fitted(logits: np.ndarray, wanted: np.ndarray) -> float:
    """Return the heat with the least surprise."""
    return float(minimize_scalar(lambda heat: surprise(logits, wanted, heat), (0.3, 5.0), method="brent").x)


def main() -> None:
    """Fit the heats and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--boards", type=int, default=300)
    parser.add_argument("--copy", action="store_true")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    seen = looks_at(args.folder, args.boards, args.copy)
    kinds = np.concatenate([view.kinds for _, view in seen]) * faces.KIND_HEAT
    wanted = np.concatenate([board.kinds for board, _ in seen])
    kinds, wanted = kinds[wanted != IGNORED], wanted[wanted != IGNORED]
    petals = np.concatenate([view.petals.reshape(-1, 6) for _, view in seen]) * faces.PETAL_HEAT
    colours = np.concatenate([board.petals.reshape(-1) for board, _ in seen])
    print(
        f"KIND_HEAT {fitted(kinds, wanted):.2f}, PETAL_HEAT {fitted(petals[colours >= 0], colours[colours >= 0]):.2f}"
    )
    cells = []
    for board, view in seen:
        judged = weighed(board.patches[:91], judge_faces(view)[0])
        cells += [
            (each.chance if not each.bound else 0.0, each.face == face, KINDS[kind] == "?")
            for each, face, kind in zip(judged, board.faces, board.kinds, strict=True)
            if kind != IGNORED
        ]
    chance, right, hidden = np.array(cells).T
    shown = hidden == 0
    print(f"{int(shown.sum())} cells to be seen, {100 * right[shown].mean():.3f}% right")
    for least in (0.5, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999):
        vouched = chance >= least
        silent = int((vouched & (right == 0)).sum())
        asked = 100 * (~vouched & shown).sum() / shown.sum()
        print(f"vouching from {least}: {asked:5.2f}% asked, {silent} silent of {int(vouched.sum())}")


if __name__ == "__main__":
    main()
