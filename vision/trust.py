"""How far a claim about a tile is to be trusted: a tiny network weighs all that speaks for it.

`tests.training.confidence` makes it, from claims that came true and claims that did not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.position import COVERED, EMPTY, UNKNOWN, Face
from vision.faces import HIDDEN, SERENDIP
from vision.kinds import KINDS
from vision.likeness import Likeness

Array = NDArray[np.float64]

NO_TILE, BACK = KINDS.index(EMPTY), KINDS.index(COVERED)
MOST = 300.0
"""Squared distance beyond which it makes no difference how far a tile is from a kind."""
ASKEW = 0.05
"""How much better a Serendip must fit the others as judged than turned; with less it contradicts them."""
COLOURS = 4
"""From how many colours of flowers a contradiction to the ring of the Serendips is believed."""
DOUBTED = 0.85
"""The most a Serendip is trusted that contradicts the others or the flowers: so seldom was one seen in training."""
COUNTED = 0.97
"""The chance from which a tile counts as an example of its kind."""
ALMOST = 1 - 1e-7


@dataclass(frozen=True)
class Claim:
    """The face that a cell is said to show, its kind, and what was thought of it.

    `share` is that of the face by both opinions, `network` the network's chance of the kind, `rival` the kind of the
    runner-up ("" if there is none); `bound` says that there would be too many of its kind.
    """

    face: Face
    share: float
    kind: int
    network: float
    runner_up: Face
    rival: int
    ring_chance: float
    bound: bool


def trusted(claims: Sequence[Claim], like: Likeness) -> Array:
    """Return the chances (91,) that the claims are right."""
    network = _network()
    network.setInput(evidence(claims, like))
    odds = np.clip(network.forward().astype(np.float64)[:, 0], -20, 20)
    chances = np.minimum(1 / (1 + np.exp(-odds)), ALMOST)
    contradicted = like.colours >= COLOURS and like.hues < 0
    for i, claim in enumerate(claims):
        if claim.face == UNKNOWN:
            chances[i] = 0.0
        elif claim.kind == SERENDIP and (contradicted or like.facing[i] < ASKEW):
            chances[i] = min(chances[i], DOUBTED)
    return np.asarray(chances)


@lru_cache(maxsize=1)
def _network() -> "cv2.dnn.Net":
    return cv2.dnn.readNetFromONNX(str(Path(__file__).with_name("trust.onnx")))


def evidence(claims: Sequence[Claim], like: Likeness) -> NDArray[np.float32]:
    """Return what speaks for each claim (91, 24): odds, how the tile fits its kind and others, the ring, the rival."""
    kinds, rivals = np.array([claim.kind for claim in claims]), np.array([claim.rival for claim in claims])
    network, rows = np.array([claim.network for claim in claims]), np.arange(len(claims))
    own, usual = _far(like.away[rows, kinds]), _far(like.usual)[kinds]
    lone = np.isnan(own) | np.isnan(usual)
    others = np.where(np.arange(len(KINDS)) == kinds[:, None], np.nan, like.away)
    nearest = _far(np.where(np.isnan(others), np.inf, others).min(1))
    alone = np.isnan(others).all(1)
    own = np.where(lone, 0.0, own)
    counts = np.log1p(np.bincount(kinds[network > COUNTED], minlength=len(KINDS)))
    serendip = kinds == SERENDIP
    ring = np.minimum(_odds(np.array([claim.ring_chance for claim in claims])), 15)
    return np.stack(
        [
            _odds(np.array([claim.share for claim in claims])),
            _odds(network),
            own,
            lone,
            np.where(lone, 0.0, own - usual),
            np.where(alone, 0.0, nearest - own),
            alone,
            like.odds[kinds],
            serendip,
            serendip * ring,
            serendip * min(like.hues, 0.6),
            serendip * like.colours / 6,
            serendip * np.clip(np.nan_to_num(like.facing), -0.5, 0.5),
            serendip & np.isnan(like.facing),
            serendip * np.log1p(serendip.sum()),
            counts[kinds],
            counts[rivals],
            kinds == BACK,
            kinds == NO_TILE,
            rivals == BACK,
            rivals == NO_TILE,
            rivals == HIDDEN,
            rivals == SERENDIP,
            [claim.bound for claim in claims],
        ],
        axis=1,
        dtype=np.float32,
        casting="unsafe",
    )


def _far(square: Array) -> Array:
    return np.asarray(np.log(np.minimum(square, MOST) + 2))


def _odds(chance: Array) -> Array:
    chance = np.clip(chance, 1e-8, 1 - 1e-8)
    return np.asarray(np.clip(np.log(chance / (1 - chance)), -10, 20))
