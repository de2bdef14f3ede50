"""A second opinion: compare a tile with the other tiles of this photo that were judged to be the same.

The network knows many prints, the photo knows its own. Tiles are compared by the colours on rings round their centres,
which do not depend on how a flower lies; Serendips also by turning one onto the others, and the colours of their petals
by the flowers of the same photo. The light may change evenly over the board.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.position import LETTERS, Face, is_serendip
from vision.kinds import KINDS, SHOWN
from vision.lattice import places
from vision.patches import PATCH, SPAN

Array = NDArray[np.float64]

RADII = np.array([0.06, 0.14, 0.21, 0.28, 0.35, 0.42])
"""Rings round the centre, in tiles; the outermost keeps off the neighbours of a tile that lies a little amiss."""
SPOKES = 24
"""Spots on a ring: four to each direction, so that a turn by an edge is a shift by four."""
PETALS = slice(3, None)
"""The rings on which a Serendip shows its colours in every art."""
EXEMPLAR = 0.97
"""The chance from which a tile serves as an example of its kind."""
EXAMPLE_OF_HUE = 0.9
"""The chance from which a flower shows the hue of its colour; several are averaged, and one wrong does little harm."""
DARK = 0.05
"""Added to brightness before its logarithm, so that noise in the dark counts for little."""
SHRINK = 0.35
"""How far the features' covariance is drawn towards its diagonal: a board has about as many tiles as features."""
FLOOR = 0.03
"""The least spread of a feature, as a share of brightness: printing and noise are never better."""


@dataclass(frozen=True)
class Likeness:
    """How much the tiles of a board look like others that were judged the same; arrays by cell, nan where nobody knows.

    `away` (91, kinds) are squared distances to each kind, `usual` (kinds) is what is usual for a kind's own tiles, and
    `odds` (kinds) how sure the network usually was of them, as a logarithm: its errors about a kind come in numbers;
    `facing` tells how much better a Serendip fits the others as judged than turned by some edges.
    `hues` tells, in radians, how much worse the petals would fit the flowers if any two colours of the ring were
    exchanged, and `colours` how many colours of flowers could be compared.
    """

    away: Array
    usual: Array
    odds: Array
    facing: Array
    hues: float
    colours: int


def compare(
    patches: NDArray[np.uint8],
    faces: Sequence[Face],
    chances: Sequence[float],
    copy: NDArray[np.uint8] | None = None,
) -> Likeness:
    """Compare each tile, judged to show a face with a chance, with the others; patches (91, PATCH, PATCH, 3).

    Kinds of which the photo has too few are compared with the tiles of one's own copy (8, PATCH, PATCH, 3), if known.
    """
    rings = rings_of(patches)
    shades = shades_of(rings)
    sure = np.array(chances) > EXEMPLAR
    kinds = np.array([KINDS.index("S" if is_serendip(face) else face) for face in faces])
    lacking, known = _from_copy(shades, kinds, sure, copy)
    away = _distances(
        _features(np.concatenate([shades, known])),
        np.concatenate([kinds, lacking]),
        np.concatenate([sure, np.ones(len(lacking), bool)]),
        np.concatenate([places(6), np.zeros((len(lacking), 2))]) / 5,
    )
    table, usual, odds = np.full((len(faces), len(KINDS)), np.nan), np.full(len(KINDS), np.nan), np.zeros(len(KINDS))
    sureness = np.clip(np.array(chances), 1e-6, 1 - 1e-7)
    for kind in np.unique(kinds):
        odds[kind] = np.median(np.log(sureness / (1 - sureness))[kinds == kind])
    for kind, far in away.items():
        table[:, kind] = far[: len(faces)]
        usual[kind] = np.median(far[: len(faces)][kinds == kind]) if (kinds == kind).any() else np.nan
    hues, colours = _hue_margin(rings / 255, faces, np.array(chances) > EXAMPLE_OF_HUE)
    return Likeness(table, usual, odds, _facings(shades, faces, sure), hues, colours)


def _hue_margin(rings: NDArray[np.floating], faces: Sequence[Face], sure: NDArray[np.bool_]) -> tuple[float, int]:
    serendips = [i for i, face in enumerate(faces) if is_serendip(face)]
    flowers = {c: [i for i, face in enumerate(faces) if face == c and sure[i]] for c in LETTERS}
    known = [c for c, cells in flowers.items() if cells]
    if not serendips or len(known) < 2:
        return 0.0, 0
    # Every Serendip is turned so that its blue petal lies to the east.
    east = [faces[i].index("b") for i in serendips]
    ring = faces[serendips[0]][east[0] :] + faces[serendips[0]][: east[0]]
    turned = np.mean([_turned(rings[i], d) for i, d in zip(serendips, east, strict=True)], axis=0)
    petals = _hue(np.stack([turned[PETALS][:, (np.arange(-1, 2) + d * SPOKES // 6) % SPOKES] for d in range(6)]))
    every = [i for c in known for i in flowers[c]]
    seen = dict(zip(every, _hue(rings[every]), strict=True))
    hues = np.array([np.mean([seen[i] for i in flowers[c]], axis=0) for c in known])
    apart = np.abs(np.angle(np.exp(1j * (_angle(hues)[:, None] - _angle(petals)[None]))))
    at = [ring.index(c) for c in known]
    here = apart[np.arange(len(known)), at]
    margins = [float((apart[:, d] - here).min()) for d in range(6) if d not in at]
    exchanged = apart[:, at] + apart[:, at].T - here[:, None] - here[None]
    return min([*margins, float((exchanged + 9 * np.eye(len(known))).min())]), len(known)


@lru_cache(maxsize=1)
def _spots() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    angles = np.arange(SPOKES) / SPOKES * 2 * np.pi
    x, y = RADII[:, None] * np.cos(angles), -RADII[:, None] * np.sin(angles)
    return tuple(((axis / SPAN + 0.5) * PATCH - 0.5).astype(np.float32).reshape(-1) for axis in (x, y))  # type: ignore[return-value]


def rings_of(patches: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return colours (n, rings, spokes, 3) round the centre of each patch, counter-clockwise from the east."""
    n = len(patches)
    x, y = _spots()
    rows = y[None] + (np.arange(n, dtype=np.float32) * PATCH)[:, None]
    columns = np.broadcast_to(x, rows.shape)
    seen = cv2.remap(patches.reshape(n * PATCH, PATCH, 3), np.ascontiguousarray(columns), rows, cv2.INTER_LINEAR)
    return np.asarray(seen, np.float32).reshape(n, len(RADII), SPOKES, 3)


def shades_of(rings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return brightness and two opponent colours as logarithms: another light adds a constant to each."""
    logs = np.log(rings / np.float32(255) + np.float32(DARK))
    blue, green, red = logs[..., 0], logs[..., 1], logs[..., 2]
    return np.stack([(blue + green + red) / 3, red - green, blue - green], -1)


@lru_cache(maxsize=1)
def _waves() -> NDArray[np.float32]:
    """Return cosines and sines (SPOKES, 12) of one to six waves on the way round a ring."""
    turns = 2 * np.pi * np.outer(np.arange(SPOKES), np.arange(1, 7)) / SPOKES
    return np.concatenate([np.cos(turns), np.sin(turns)], 1).astype(np.float32)


def _features(shades: NDArray[np.float32]) -> Array:
    """Describe tiles whichever way they lie: the mean of each ring, and how often it alternates on its way round."""
    # OpenCV's product stays on one core, and six waves of a short round are quicker so than by a fast transform.
    spots = np.ascontiguousarray(shades.transpose(0, 1, 3, 2)).reshape(-1, SPOKES)
    parts = np.asarray(cv2.gemm(spots, _waves(), 1, np.empty(0), 0)).reshape(len(shades), len(RADII), 3, 2, -1)
    waves = np.hypot(parts[:, :, :, 0], parts[:, :, :, 1]).transpose(0, 1, 3, 2) / SPOKES
    slow = waves[:, :, :3].mean(2, keepdims=True)
    each = [shades.mean(2)[:, :, None], 1.5 * waves[:, :, 3:], 1.5 * slow]
    return np.concatenate(each, 2).reshape(len(shades), -1).astype(np.float64)


def _from_copy(
    shades: NDArray[np.float32], kinds: NDArray[np.int64], sure: NDArray[np.bool_], copy: NDArray[np.uint8] | None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return kinds of which the photo shows fewer than two examples, and the copy's tiles of them in this light.

    Each comes twice, because a kind needs two examples. The light is that in which the kinds that both show agree best.
    """
    nothing = np.zeros(0, np.int64), shades[:0]
    if copy is None:
        return nothing
    named = [(KINDS.index(kind), k) for k, kind in enumerate(SHOWN) if copy[k].any()]
    counts = {kind: int((sure & (kinds == kind)).sum()) for kind, _ in named}
    own = shades_of(rings_of(copy))
    both = [(kind, k) for kind, k in named if counts[kind] >= 2]
    lacking = [(kind, k) for kind, k in named if counts[kind] < 2]
    if len(both) < 4 or not lacking:
        return nothing
    here = np.stack([np.median(shades[sure & (kinds == kind)].mean(2), axis=0) for kind, _ in both])
    there = own[[k for _, k in both]].mean(2)
    for shade in range(3):
        stretch, shift = np.polyfit(there[..., shade].ravel(), here[..., shade].ravel(), 1)
        own[..., shade] = own[..., shade] * stretch + shift
    twice = [each for each in lacking for _ in range(2)]
    return np.array([kind for kind, _ in twice]), own[[k for _, k in twice]]


def _distances(features: Array, kinds: NDArray[np.int64], sure: NDArray[np.bool_], where: Array) -> dict[int, Array]:
    """Return, for each kind with at least two examples, every tile's squared distance to it; none to itself."""
    judged = [kind for kind in range(KINDS.index("S") + 1) if (sure & (kinds == kind)).sum() >= 2]
    if not judged:
        return {}
    examples = {kind: np.nonzero(sure & (kinds == kind))[0] for kind in judged}
    centred = [
        (features[rows] - features[rows].mean(0), where[rows] - where[rows].mean(0)) for rows in examples.values()
    ]
    drift, moved = np.concatenate([each[0] for each in centred]), np.concatenate([each[1] for each in centred])
    slope = np.linalg.solve(moved.T @ moved + np.eye(2), moved.T @ drift)
    even = features - where @ slope
    rest = np.concatenate([even[rows] - even[rows].mean(0) for rows in examples.values()])
    spread = np.asarray(cv2.mulTransposed(rest, aTa=True)) / max(len(rest) - len(judged), 1)
    spread = (1 - SHRINK) * spread + SHRINK * np.diag(np.diag(spread)) + FLOOR**2 * np.eye(len(spread))
    precision = np.linalg.inv(spread)
    weighed = np.asarray(cv2.gemm(even, precision, 1, np.empty(0), 0))
    square = (weighed * even).sum(1)
    out = {}
    for kind, rows in examples.items():
        n = len(rows)
        mean = weighed[rows].mean(0)
        away = np.maximum(square - 2 * (even * mean).sum(1) + mean @ even[rows].mean(0), 0) / (1 + 1 / n)
        # An example is compared with the mean of the others.
        away[rows] *= (n / (n - 1)) ** 2 * (1 + 1 / n) / (1 + 1 / (n - 1))
        out[kind] = away
    return out


def _facings(shades: NDArray[np.float32], faces: Sequence[Face], sure: NDArray[np.bool_]) -> Array:
    """Tell for each Serendip how much nearer it is to the others as judged than turned by any number of edges."""
    out = np.full(len(faces), np.nan)
    cells = [i for i, face in enumerate(faces) if is_serendip(face)]
    if not sure[cells].any():
        return out
    flat = shades[cells][:, PETALS]
    flat = flat - flat.mean(2, keepdims=True)
    around = np.arange(SPOKES) + np.arange(6)[:, None] * SPOKES // 6
    east = np.array([faces[i].index("b") for i in cells])
    turned = np.stack([tile[:, np.roll(around[0], -SPOKES // 6 * d)] for tile, d in zip(flat, east, strict=True)])
    known = sure[cells]
    others = known.sum() - known
    template = (turned[known].sum(0) - turned * known[:, None, None, None]) / np.maximum(others, 1)[:, None, None, None]
    scale = (turned**2).sum((1, 2, 3)) + (template**2).sum((1, 2, 3)) + 1e-9
    fits = ((turned[:, :, around % SPOKES] - template[:, :, None]) ** 2).sum((1, 3, 4)) / scale[:, None]
    out[cells] = np.where(others > 0, fits[:, 1:].min(1) - fits[:, 0], np.nan)
    return out


def _turned(rings: NDArray[np.floating], direction: int) -> NDArray[np.floating]:
    """Return the rings of a tile turned so that what lay in a direction lies to the east."""
    return np.roll(rings, -direction * SPOKES // 6, axis=1)


def _hue(rings: NDArray[np.floating]) -> Array:
    """Return the hue of each of n tiles or petals as a vector (n, 2); strong colours count most."""
    blue, green, red = np.moveaxis(np.log(rings + 0.8 * DARK), -1, 0)
    hues = np.stack([red - green, 1.15 * (blue - (green + red) / 2)], -1)
    strength = (hues**2).sum(-1, keepdims=True)
    return np.asarray((hues * strength).sum((1, 2)) / np.maximum(strength.sum((1, 2)), 1e-6))


def _angle(hues: Array) -> Array:
    return np.arctan2(hues[..., 1], hues[..., 0])
