"""Compare the tiles of a photo with those of one's own copy, in the light of this photo.

How the copy's tiles look on this table follows from the tiles that were judged surely: one smooth change of light and
exposure takes the copy's photo to this one. Then every tile is laid over every face of the copy, in all six turns. What
is compared are colours at spots round a tile's centre, and only spots that the photo shows: a tile that the frame cuts
off is judged by the rest of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.position import Face, is_serendip
from vision.kinds import SHOWN
from vision.lattice import places
from vision.likeness import RADII, SPOKES, rings_of, shades_of

Array = NDArray[np.float64]
Shades = NDArray[np.float32]

SERENDIP = SHOWN.index("S")
TURNS = 6
COLUMNS = SERENDIP + TURNS
SPOTS = len(RADII) * SPOKES
SURE = 0.97
"""The chance from which a tile tells how the light has changed."""
FEWEST_TILES = 8
"""Sure tiles that it takes to know the change of light; they may all be covered."""
FEWEST_FACES = 3
"""Kinds of flowers and backs that must be seen for one to tell whether a print is this copy."""
STIFF = 3.0
"""How strongly the light is held to be the same all over the board, and the colours to keep their places."""
NEAR, HOLD = 1.0, 1.0
"""Tiles over which a patch of light or glare reaches, and how many sure tiles it takes to believe half of it."""
LEAST = 0.02
"""The least that a tile usually differs in tint from its own face; printing and noise are never better."""
GREATEST = 0.99
"""A correlation that is not told from a better one."""


@dataclass(frozen=True)
class Resemblance:
    """How well each tile agrees with each face of the copy; nan where the copy does not show the face.

    Faces are the columns of `column_of`. `tint` (cells, faces, 2) are squared differences of the two colours, in what
    is usual for a tile and its own face; `alike` (cells, faces, 3) tells how well the drawings correlate (as Fisher's
    z): altogether, in brightness, in colour, and `usual` (3) how well those of sure tiles do. `seen` (cells) is the
    share of a tile that is in the picture.
    """

    tint: Array
    alike: Array
    usual: Array
    seen: Array


def column_of(face: Face) -> int:
    """Return where a face stands: as in `SHOWN`, a Serendip by its blue petal; -1 for no tile and a hidden one.

    >>> column_of("b"), column_of("."), column_of("gbvroy"), column_of("_")
    (0, 6, 8, -1)
    """
    return SERENDIP + face.index("b") if is_serendip(face) else SHOWN.find(face)


def resemble(
    patches: NDArray[np.uint8], faces: Sequence[Face], chances: Sequence[float], copy: NDArray[np.uint8]
) -> Resemblance | None:
    """Compare patches (91, PATCH, PATCH, 3), judged to show faces with chances, with the copy's eight tiles.

    None where too few tiles are sure for the change of light to be known.
    """
    rings = rings_of(patches)
    shown = (rings > 0).any(-1).reshape(len(patches), SPOTS)
    here, there = shades_of(rings), shades_of(rings_of(copy))
    columns = np.array([column_of(face) for face in faces])
    present = np.array([bool(tile.any()) for tile in copy])
    has_face = np.append(present[:SERENDIP], np.repeat(present[SERENDIP], TURNS))
    sure = (np.array(chances) > SURE) & (columns >= 0) & shown.all(1)
    sure[sure] = has_face[columns[sure]]
    if sure.sum() < FEWEST_TILES:
        return None
    kinds = np.minimum(columns, SERENDIP)
    lit, shift = _relit(here, there, kinds, sure)
    even = here - shift[:, None, None]
    even = even - _nearby(even, lit, kinds, sure)[:, None, None]
    return _laid_over(even, lit, shown, columns, sure, has_face)


def kinship(
    patches: NDArray[np.uint8], faces: Sequence[Face], chances: Sequence[float], copy: NDArray[np.uint8]
) -> float:
    """Tell how well the tiles of each kind usually resemble the copy's (as Fisher's z); 0 where too little is seen.

    Every kind counts the same, so that many backs, which are much alike in all prints, do not outvote the flowers.
    """
    like = resemble(patches, faces, chances, copy)
    if like is None:
        return 0.0
    columns, sure = np.array([column_of(face) for face in faces]), np.array(chances) > SURE
    own = [like.alike[sure & (columns == k), k, 0] for k in range(SERENDIP)]
    middles = [float(np.median(each)) for each in own if len(each) and not np.isnan(each).any()]
    return float(np.mean(middles)) if len(middles) >= FEWEST_FACES else 0.0


def _relit(here: Shades, there: Shades, kinds: NDArray[np.int64], sure: NDArray[np.bool_]) -> tuple[Shades, Shades]:
    """Return the copy's tiles in this photo's light, and how the light differs from cell to cell (cells, shades)."""
    x, y = (places(6) / 5).T
    bend = np.stack([x, y, x * x, x * y, y * y], 1)
    seen, own = here[sure].mean(2), there[kinds[sure]].mean(2)
    rings, middle = seen.shape[1], own.mean((0, 1))
    colour = (own - middle).reshape(-1, 3)
    known = np.concatenate([colour, np.ones((len(colour), 1)), np.repeat(bend[sure], rings, axis=0)], 1)
    wanted = seen.reshape(-1, 3) - colour
    hold = np.diag([STIFF] * 3 + [1e-3] + [STIFF] * bend.shape[1])
    weight = np.ones(len(known))
    for _ in range(3):
        # A tile in glare, or judged wrongly, must not bend the light of all others.
        weighed = known * weight[:, None]
        change = np.linalg.solve(weighed.T @ known + hold, weighed.T @ wanted)
        missed = np.abs(wanted - known @ change).sum(1).reshape(-1, rings).mean(1)
        weight = np.repeat(1 / (1 + (missed / (2 * np.median(missed) + 1e-3)) ** 2), rings)
    flat = there - middle
    return (flat + flat @ change[:3] + change[3]).astype(np.float32), (bend @ change[4:]).astype(np.float32)


def _nearby(even: Shades, lit: Shades, kinds: NDArray[np.int64], sure: NDArray[np.bool_]) -> Shades:
    """Return what the sure tiles round each cell say of the light there (cells, shades); none speaks of itself."""
    off = (even[sure] - lit[kinds[sure]]).mean((1, 2))
    apart = ((places(6)[:, None] - places(6)[sure][None]) ** 2).sum(2)
    near = np.exp(-apart / (2 * NEAR**2)) * (apart > 0.01)
    return np.asarray((near @ off) / (near.sum(1, keepdims=True) + HOLD), np.float32)


def _laid_over(
    here: Shades,
    lit: Shades,
    shown: NDArray[np.bool_],
    columns: NDArray[np.int64],
    sure: NDArray[np.bool_],
    has_face: NDArray[np.bool_],
) -> Resemblance:
    """Lay every tile over every face in all turns; of a flower or a back, the turn that fits best counts."""
    turned = np.stack([np.roll(lit, k * SPOKES // TURNS, axis=2) for k in range(TURNS)], 1)
    faces, tiles = turned.reshape(len(lit) * TURNS, SPOTS, 3), here.reshape(len(here), SPOTS, 3)
    mask = shown.astype(np.float32)
    count = np.maximum(mask.sum(1, keepdims=True), 1.0)
    tints, parts = [], []
    for shade in range(3):
        tile, face = tiles[..., shade] * mask, np.ascontiguousarray(faces[..., shade])
        # OpenCV's products stay on one core; NumPy's would wake a second for what takes a millisecond.
        both, sums, squares = (_product(a, b) / count for a, b in ((tile, face), (mask, face), (mask, face * face)))
        mean = tile.sum(1, keepdims=True) / count
        own = (tile * tile).sum(1, keepdims=True) / count - mean * mean
        tints.append((mean - sums) ** 2)
        parts.append((both - mean * sums, own + 0 * sums, np.maximum(squares - sums * sums, 0)))
    drawings = np.stack([_correlation(parts), _correlation(parts[:1]), _correlation(parts[1:])], -1)
    looks = np.concatenate([drawings, np.stack(tints[1:], -1)], -1).reshape(len(here), len(lit), TURNS, 5)
    best = looks[:, :SERENDIP, :, 0].argmax(2)[:, :, None, None]
    lying = np.take_along_axis(looks[:, :SERENDIP], best, 2)[:, :, 0]
    each = np.concatenate([lying, looks[:, SERENDIP]], 1).astype(np.float64)
    each[:, ~has_face] = np.nan
    alike, tint = np.arctanh(np.clip(each[..., :3], -GREATEST, GREATEST)), each[..., 3:]
    tint = tint / (np.median(tint[sure, columns[sure]], axis=0) + LEAST**2)
    return Resemblance(tint, alike, np.median(alike[sure, columns[sure]], axis=0), mask.mean(1).astype(np.float64))


def _correlation(shades: Sequence[tuple[Shades, Shades, Shades]]) -> Shades:
    together, own, theirs = (sum(parts) for parts in zip(*shades, strict=True))
    return np.asarray(together / np.sqrt(own * theirs + 1e-6))


def _product(one: Shades, other: Shades) -> Shades:
    return np.asarray(cv2.gemm(one, other, 1, np.empty(0), 0, flags=cv2.GEMM_2_T), np.float32)
