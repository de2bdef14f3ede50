"""Recognise the tiles of one's own copy: weigh what was judged with how well each tile agrees with the copy's faces.

How much each counts, and how often the outcome is right, was fitted by `tests.training.recognition` on drawn prints
that no network was trained on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from operator import mul

import numpy as np
from numpy.typing import NDArray

from engine.position import EMPTY, UNKNOWN, Face
from vision.faces import Judgement, bound_kinds, kind_of
from vision.kinds import KINDS
from vision.resemblance import SERENDIP, Resemblance, column_of, resemble

Array = NDArray[np.float64]

FADED = 1e-7
"""The chance a face is given that was left out as too unlikely."""
LEAST_SEEN = 0.6
"""The share of a tile that must be in the picture for it to be recognised."""
MOST_TINT = 1e4
VOUCHED, OVERRULED = 0.99, 0.9
"""The chance from which a face was vouched for without the copy, and the most that another is trusted instead."""
BEYOND = 0.9999
"""The chance from which a face that also resembles itself most is not weighed again: it would only cost time."""
CLASHES = 4
"""So many faces that were vouched for, and that the copy sees otherwise, show that it is not this copy."""
ALMOST = 1 - 1e-7


@dataclass(frozen=True)
class Shares:
    """What counts how much: the chance that was judged, the tint, and the drawing altogether, in brightness, in colour.

    `no_tile` and `hidden` stand in for the agreement of places without a tile and of those that are not to be seen.
    """

    judged: float
    tint: float
    drawing: float
    brightness: float
    colour: float
    no_tile: float
    hidden: float


SHARES = Shares(0.683, 0.292, 1.585, 3.305, 1.015, -0.735, -2.645)
TRUST: Mapping[str, tuple[float, ...]] = {
    "flower": (0.48, 1.2, 0.0, 0.618, 0.0, 0.079, 0.415, 0.0),
    "none": (0.065, 1.2, 0.0),
    "serendip": (-0.284, 1.2, 0.486, 0.743, 0.467, 0.0, 0.113, 0.0, 0.046),
}
"""How the odds that a face is right follow from what `evidence` says of it: of flowers and backs, of Serendips, and of
places without a tile."""


def recognised(
    patches: NDArray[np.uint8], judged: Sequence[Judgement], copies: Sequence[NDArray[np.uint8]]
) -> list[Judgement] | None:
    """Return the judgements after a comparison with the copy's tiles, each from one photo of the copy.

    None where too little is sure for the light to be known.
    """
    faces, chances = [each.face for each in judged], [each.chance for each in judged]
    like = joined([resemble(patches, faces, chances, copy) for copy in copies])
    if like is None:
        return None
    said = agreement(like, SHARES)
    nearest = np.nan_to_num(like.alike[..., 0], nan=-9.0).argmax(1)
    after = [
        each if each.chance > BEYOND and nearest[i] == column_of(each.face) else _recognised(each, like, said[i], i)
        for i, each in enumerate(judged)
    ]
    kinds = np.zeros((len(after), len(KINDS)))
    for i, each in enumerate(after):
        for face, chance in each.chances.items():
            kinds[i, kind_of(face)] += chance
    held = bound_kinds(kinds)
    return [replace(each, bound=bool(held[i] != kinds[i].argmax())) for i, each in enumerate(after)]


def contradicts(judged: Sequence[Judgement], own: Sequence[Judgement]) -> bool:
    """Say whether the copy sees too much otherwise that the photo shows surely."""
    return sum(a.chance > VOUCHED and a.face != b.face for a, b in zip(judged, own, strict=True)) >= CLASHES


def joined(likes: Sequence[Resemblance | None]) -> Resemblance | None:
    """Return what several photos of the copy say together: their mean, of each face that any of them shows."""
    known = [like for like in likes if like is not None]
    if len(known) < 2:
        return known[0] if known else None
    tint, alike = (_mean(np.stack([getattr(like, name) for like in known])) for name in ("tint", "alike"))
    return Resemblance(tint, alike, _mean(np.stack([like.usual for like in known])), known[0].seen)


def _mean(values: Array) -> Array:
    """Return the mean of what is there along the first axis; nan where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(0)
    return np.asarray(np.where(count, np.where(there, values, 0).sum(0) / np.maximum(count, 1), np.nan))


def agreement(like: Resemblance, shares: Shares) -> Array:
    """Return what the copy says of every cell and face, as logarithms; a face it lacks agrees as most others do."""
    said = agreements(like) @ np.array([shares.tint, shares.drawing, shares.brightness, shares.colour])
    lacking = np.isnan(said)
    if lacking.any():
        middle = np.nanmedian(np.where(lacking.all(1, keepdims=True), 0.0, said), axis=1, keepdims=True)
        said = np.where(lacking, middle, said)
    return np.asarray(said)


def agreements(like: Resemblance) -> Array:
    """Return the parts of the agreement (cells, faces, 4): tint, then drawing altogether, in brightness, in colour."""
    tint = -np.log1p(np.minimum(like.tint, MOST_TINT)).sum(-1, keepdims=True)
    return np.concatenate([tint, like.alike], -1)


def evidence(face: Face, share: float, like: Resemblance, i: int) -> tuple[str, list[float]]:
    """Return which of `TRUST` a face belongs to, and what speaks for it.

    For a tile: the odds, how far it falls short of what is usual in each way, its tint, how much better it fits than
    any other kind, and how much of it is to be seen; for a Serendip also how much better than in any other turn.
    """
    share = min(max(share, 1e-6), ALMOST)
    odds, column = log(share / (1 - share)), column_of(face)
    alike = like.alike[i, :, 0]
    if column < 0 or np.isnan(alike[column]):
        known = alike[~np.isnan(alike)]
        return "none", [1.0, odds, -float(known.max()) if column < 0 else 0.0]
    short = -np.maximum(like.usual - like.alike[i, column], 0)
    tint = -float(np.log1p(np.minimum(like.tint[i, column], MOST_TINT)).sum())
    others = np.arange(len(alike)) >= SERENDIP if column >= SERENDIP else np.arange(len(alike)) == column
    ahead = _ahead(alike[column], alike[~others])
    said = [1.0, odds, *(float(value) for value in short), tint, ahead, float(like.seen[i]) - 1]
    if column < SERENDIP:
        return "flower", said
    turns = [alike[k] for k in range(SERENDIP, len(alike)) if k != column]
    return "serendip", [*said, _ahead(alike[column], np.array(turns))]


def _ahead(own: float, others: Array) -> float:
    known = others[~np.isnan(others)]
    return min(float(own - known.max()), 1.0) if len(known) else 0.0


def _recognised(judgement: Judgement, like: Resemblance, said: Array, i: int) -> Judgement:
    if not judgement.chances or like.seen[i] < LEAST_SEEN:
        return judgement
    odds = shares_of(judgement, said)
    ranked = sorted(odds, key=lambda face: -odds[face])
    face = ranked[0]
    chance = 0.0 if face == UNKNOWN else trusted(face, odds[face], like, i)
    if face != judgement.face and judgement.chance > VOUCHED:
        chance = min(chance, OVERRULED)
    rest = (1 - chance) / max(1 - odds[face], 1e-12)
    chances = {**{other: each * rest for other, each in odds.items()}, face: chance}
    return replace(judgement, face=face, chance=chance, runner_up=ranked[1], chances=chances)


def shares_of(judgement: Judgement, said: Array) -> dict[Face, float]:
    """Return the share of each face in what was judged and what the copy says together."""
    faces = dict.fromkeys((*judgement.chances, *KINDS.replace("S", "")))
    known = {face: max(judgement.chances.get(face, 0.0), FADED) for face in faces}
    logs = {face: SHARES.judged * log(chance) + _said(face, said) for face, chance in known.items()}
    top = max(logs.values())
    odds = {face: exp(value - top) for face, value in logs.items()}
    total = sum(odds.values())
    return {face: each / total for face, each in odds.items()}


def _said(face: Face, said: Array) -> float:
    column = column_of(face)
    if column >= 0:
        return float(said[column])
    return SHARES.no_tile if face == EMPTY else SHARES.hidden


def trusted(face: Face, share: float, like: Resemblance, i: int) -> float:
    """Return the chance that a face is right that has this share of what was judged and of what the copy says."""
    which, said = evidence(face, share, like, i)
    odds = exp(min(max(sum(map(mul, said, TRUST[which])), -20.0), 20.0))
    return min(odds / (1 + odds), ALMOST)
