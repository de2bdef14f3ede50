"""Fit how much one's own copy counts and how far what it says is to be trusted, and show what vouching would cost.

usage: python -m tests.training.recognition [--copies 300] [--boards 3] [--first 9600000] [--workers 2]
Copies of art that the networks were not trained on are drawn: of each a rosette, and boards on other tables, in other
light. One half of the copies serves to fit the constants of `vision.recognition`, which are printed; on the other half
the table shows, for thresholds, the cells asked about and the silent errors, without the copy and with it. To be run
again after any change of the network.
"""

import argparse
from dataclasses import astuple, dataclass
from functools import partial
from multiprocessing import get_context

import cv2
import numpy as np
from scipy.optimize import minimize

from engine import Position, board_of
from engine.position import EMPTY, UNKNOWN
from tests.drawer import Wish, draw_photo
from tests.drawer.prints import make_print
from tests.profile_results import SIZE, jpeg, rosette_of
from vision import PhotoError, Profile, recognition
from vision.consult import consult
from vision.eyes import TilesSeen
from vision.faces import Judgement, judge_faces
from vision.patches import cut_patches
from vision.photo import open_photo
from vision.reader import find_board
from vision.recognition import FADED, Shares, agreements, evidence, recognised
from vision.resemblance import COLUMNS, Resemblance, column_of, resemble
from vision.vouching import weighed

THRESHOLDS = (0.9, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995)
NO_TILE, HIDDEN = COLUMNS, COLUMNS + 1
DOUBTLESS = 0.9999
"""Cells that are this sure, and right, teach little: of them every tenth is used."""


@dataclass(frozen=True)
class Seen:
    """A board as it was judged beside its copy, and without it; `faces` has ? where nothing is to be seen."""

    patches: np.ndarray
    copy: np.ndarray
    faces: list[str]
    judged: list[Judgement]
    plain: list[Judgement]


def boards_of(seed: int, boards: int) -> list[Seen]:
    """Draw a copy's rosette and boards, and judge them as they would be read."""
    cv2.setNumThreads(1)
    printing = make_print(np.random.default_rng(seed))
    profile = rosette_of(printing, seed * 20 + 18, held=False)
    out = []
    for k in range(boards if profile else 0):
        drawing = draw_photo(seed * 20 + k, Wish(printing=printing, size=SIZE))
        try:
            photo = open_photo(jpeg(drawing))
            patches = cut_patches(photo.image, find_board(photo).lattice, 6)
        except PhotoError:
            continue
        out.append(seen(patches, drawing.position.faces, drawing.hidden, profile))
    return [each for each in out if each]


def seen(patches: np.ndarray, faces: tuple[str, ...], hidden: frozenset[int], profile: Profile) -> Seen | None:
    """Judge a board with and without its copy, in the naming it was found in; None where the copy is left aside."""
    both = consult(TilesSeen(patches), profile)
    if not both.copies:
        return None
    alone = consult(TilesSeen(patches), None)
    judged, plain = (judge_faces(each.seen, each.ring)[0] for each in (both, alone))
    there = board_of(6).turns

    def turned(turns: int) -> list[str]:
        lying = [UNKNOWN if i in hidden else face for i, face in enumerate(faces)]
        return list(Position(tuple(lying)).turned(turns).faces)

    ways = [turned(turns) for turns in range(len(there))]
    best = max(ways, key=lambda way: sum(a == b.face for a, b in zip(way, judged, strict=True)))
    return Seen(patches, both.copies[0], best, weighed(patches, judged, both.copies[0]), weighed(patches, plain))


def place_of(face: str) -> int:
    """Return the column of a face, with places for no tile and for a hidden one behind those of the tiles."""
    return {EMPTY: NO_TILE, UNKNOWN: HIDDEN}.get(face, column_of(face))


def compared(board: Seen, judged: list[Judgement]) -> Resemblance | None:
    """Compare a board's tiles with those of the copy beside it."""
    return resemble(board.patches, [each.face for each in judged], [each.chance for each in judged], board.copy)


def parts_of(judged: list[Judgement], like: Resemblance) -> np.ndarray:
    """Return what speaks for each face of each cell (cells, columns and two, 7), in the order of `Shares`."""
    out = np.zeros((len(judged), COLUMNS + 2, 7))
    logs = np.full((len(judged), COLUMNS + 2), np.log(FADED))
    for i, judgement in enumerate(judged):
        for face, chance in judgement.chances.items():
            logs[i, place_of(face)] = np.log(max(chance, FADED))
    out[..., 0] = logs
    out[:, :COLUMNS, 1:5] = np.nan_to_num(agreements(like))
    out[:, NO_TILE, 5] = out[:, HIDDEN, 6] = 1
    return out


def fitted_shares(rows: list[tuple[np.ndarray, int]]) -> Shares:
    """Return the shares under which what lies there is the least surprise."""
    parts, wanted = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    cells = np.arange(len(rows))

    def surprise(values: np.ndarray) -> tuple[float, np.ndarray]:
        said = parts @ values
        total = np.logaddexp.reduce(said, 1)
        slope = np.einsum("ij,ijk->k", np.exp(said - total[:, None]), parts) - parts[cells, wanted].sum(0)
        lost = float((total - said[cells, wanted]).mean())
        return lost + 1e-4 * float((values**2).sum()), slope / len(rows) + 2e-4 * values

    bounds = [(0.1, 2), *[(0, None)] * 4, (None, None), (None, None)]
    found = minimize(surprise, np.array([1.0, *[0.0] * 6]), jac=True, method="L-BFGS-B", bounds=bounds).x
    return Shares(*(round(float(value), 3) for value in found))


def fitted_trust(rows: list[tuple[list[float], bool]]) -> tuple[float, ...]:
    """Return the weights with which chances come true; more of any evidence never speaks against a face."""
    said, right = np.array([row[0] for row in rows]), np.array([1.0 if row[1] else -1.0 for row in rows])
    print(f"{len(rows)} tiles, {int((right < 0).sum())} of them wrong")
    start = np.zeros(said.shape[1])
    start[1] = 1.0

    def surprise(values: np.ndarray) -> tuple[float, np.ndarray]:
        sure = right * (said @ values)
        slope = -(said * (right / (1 + np.exp(np.clip(sure, -50, 50))))[:, None]).sum(0)
        away = 0.2 * (values - start)
        return float(np.logaddexp(0, -sure).sum() + (away * (values - start)).sum()), slope + 2 * away

    bounds = [(None, 0.5), (0.2, 1.2), *[(0, None)] * (len(start) - 2)]
    found = minimize(surprise, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return tuple(round(float(value), 3) for value in found)


def fit(taught: list[Seen]) -> None:
    """Fit the constants on these boards and put them in place.

    Boards count twice: as judged beside the copy, and without it, which shows more errors to learn from.
    """
    likes = [(each, judged, compared(each, judged)) for each in taught for judged in (each.judged, each.plain)]
    known = [(each, judged, like) for each, judged, like in likes if like is not None]
    rows = []
    for each, judged, like in known:
        parts = parts_of(judged, like)
        for i, (face, judgement) in enumerate(zip(each.faces, judged, strict=True)):
            if face != UNKNOWN and (i % 10 == 0 or judgement.face != face or judgement.chance < DOUBTLESS):
                rows.append((parts[i], place_of(face)))
    recognition.SHARES = fitted_shares(rows)
    groups: dict[str, list[tuple[list[float], bool]]] = {}
    for each, judged, like in known:
        said = recognition.agreement(like, recognition.SHARES)
        for i, wanted in enumerate(each.faces):
            if wanted == UNKNOWN or like.seen[i] < recognition.LEAST_SEEN:
                continue
            shares = recognition.shares_of(judged[i], said[i])
            face = max(shares, key=lambda other: shares[other])
            if face != UNKNOWN:
                which, why = evidence(face, shares[face], like, i)
                # Without the copy whole rings are mistaken, which cannot happen where the ring is known.
                if which == "serendip" and judged is each.plain:
                    continue
                groups.setdefault(which, []).append((why, face == wanted))
    found = {which: fitted_trust(group) for which, group in sorted(groups.items())}
    recognition.TRUST = {**recognition.TRUST, **found}


def show(boards: list[Seen]) -> None:
    """Print what vouching from some thresholds would cost on these boards."""
    cells: dict[str, list[tuple[float, bool]]] = {"without": [], "with": []}
    for each in boards:
        own = recognised(each.patches, each.judged, [each.copy]) or each.judged
        for title, judged in (("without", each.plain), ("with", own)):
            for judgement, face in zip(judged, each.faces, strict=True):
                if face != UNKNOWN:
                    cells[title].append((0.0 if judgement.bound else judgement.chance, judgement.face == face))
    for title, rows in cells.items():
        chance, right = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
        print(f"{title} the copy: {len(rows)} cells to be seen, {int((~right).sum())} wrong")
        for least in THRESHOLDS:
            vouched = chance >= least
            print(f"  vouching from {least}: {int((~vouched).sum())} asked, {int((vouched & ~right).sum())} silent")


def main() -> None:
    """Fit everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=300)
    parser.add_argument("--boards", type=int, default=3)
    parser.add_argument("--first", type=int, default=9_600_000)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    with get_context("spawn").Pool(args.workers) as pool:
        seeds = range(args.first, args.first + args.copies)
        copies = pool.map(partial(boards_of, boards=args.boards), seeds, chunksize=2)
    fit([board for copy in copies[::2] for board in copy])
    print(f"SHARES = Shares{astuple(recognition.SHARES)}")
    print(f"TRUST = {recognition.TRUST}")
    show([board for copy in copies[1::2] for board in copy])


if __name__ == "__main__":
    main()
