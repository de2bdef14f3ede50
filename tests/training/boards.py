"""See drawn boards as the network that judges faces sees them: patches, what they show, and perhaps a copy beside."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from engine.position import COVERED, LETTERS, is_serendip
from vision.kinds import KINDS, SHOWN
from vision.lattice import Lattice, fit_lattice, places
from vision.patches import PATCH, SPAN, cut_at

CELLS = 91
IGNORED = -100
"""The kind of a cell about which nothing is to be learned."""


def _hexagon() -> np.ndarray:
    """Return how much of each pixel of a patch lies inside the tile (PATCH, PATCH)."""
    angles = np.radians(30 + 60 * np.arange(6))
    corners = np.stack([np.cos(angles), np.sin(angles)], 1) * 0.96 / np.sqrt(3) / SPAN * PATCH + (PATCH - 1) / 2
    mask = np.zeros((PATCH, PATCH), np.uint8)
    cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return mask / 255


HEXAGON = _hexagon()


@dataclass(frozen=True)
class Board:
    """What one pass of the network sees and should say; `fits` is -1 where no copy is shown.

    `faces` are what lies there, whether or not it is to be seen; `kinds` have ? where it is not.
    """

    faces: list[str]
    patches: np.ndarray
    kinds: np.ndarray
    petals: np.ndarray
    fits: int


def seen_board(copies: list[Path], random: np.random.Generator) -> Board:
    """Pick a board at random, see it from a random side or in a mirror, now and then beside a copy."""
    number = int(random.integers(len(copies)))
    with np.load(copies[number]) as copy:
        boards = sum(name.startswith("jpeg") for name in copy.files) - 1
        k = int(random.integers(boards))
        image, centres, faces, hidden = _photo(copy, k, random)
        shown = _photo(copy, boards, random)
    arm = _reached_over(image, centres, random) if random.random() < 0.15 else None
    turn, mirrored = int(random.integers(6)), bool(random.random() < 0.5)
    way = _way(turn, mirrored)
    wobble = places(6) * random.uniform(0.98, 1.02) + random.normal(0, 0.03, 2) + random.normal(0, 0.012, (CELLS, 2))
    lattice = _seen(fit_lattice(places(6), centres, image.shape), way)
    patches = cut_at(image, lattice, wobble)
    order = np.array([np.argmin(((places(6) - place) ** 2).sum(1)) for place in places(6) @ way.T])
    kinds, petals = np.zeros(CELLS, np.int64), np.full((CELLS, 6), -1, np.int64)
    gone = set(hidden.tolist())
    lying = []
    for i, j in enumerate(order):
        face = str(faces[j])
        kinds[i] = KINDS.index("S" if is_serendip(face) else face)
        if is_serendip(face):
            face = "".join(face[_direction(d, turn, mirrored)] for d in range(6))
            petals[i] = [LETTERS.index(letter) for letter in face]
        lying.append(face)
        if j in gone:
            kinds[i], petals[i] = KINDS.index("?"), -1
    if arm is not None:
        covered = (cut_at(arm, lattice, wobble)[..., 0] / 255 * HEXAGON).sum((1, 2)) / HEXAGON.sum()
        hidden_now = (covered > 0.55) & (kinds != KINDS.index("?"))
        kinds[hidden_now] = KINDS.index("?")
        # Between hidden and plain to see nobody could say what the right answer is.
        kinds[(covered > 0.3) & (covered <= 0.55)] = IGNORED
        petals[covered > 0.3] = -1
    if random.random() < 0.3:
        taken = _taken_away(image, lattice, patches, random)
        taken = [i for i in taken if kinds[i] not in (KINDS.index("?"), IGNORED)]
        kinds[taken], petals[taken] = KINDS.index("_"), -1
        lying = ["_" if i in taken else face for i, face in enumerate(lying)]
    fits, copy_patches = -1, np.zeros((len(SHOWN), PATCH, PATCH, 3), np.uint8)
    if random.random() < 0.5:
        fits = int(random.random() < 0.85)
        if not fits:
            other = (number + int(random.integers(1, len(copies)))) % len(copies)
            with np.load(copies[other]) as copy:
                shown = _photo(copy, sum(name.startswith("jpeg") for name in copy.files) - 1, random)
        copy_patches = _shown(*shown[:3], mirrored, random)
    return Board(lying, np.concatenate([patches, copy_patches]), kinds, petals, fits)


def _reached_over(image: np.ndarray, centres: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Paint an arm, a sleeve or a finger across the photo; return what it covers, as a picture of 0 and 255."""
    tile = float(np.linalg.norm(centres[45] - centres[46]))
    tip = centres[int(random.integers(CELLS))]
    way = random.normal(0, 1, 2)
    way /= np.linalg.norm(way)
    across = np.array([-way[1], way[0]])
    arm = np.zeros_like(image)
    strokes = [(tip - way * tile * random.uniform(0.5, 2), tip - way * 2000, random.uniform(0.5, 1.6))]
    for finger in random.uniform(-0.9, 0.9, int(random.integers(0, 5))):
        base = tip - way * tile * 1.5 + across * tile * finger * 0.7
        strokes.append((tip + across * tile * finger * 1.4, base, random.uniform(0.18, 0.4)))
    for start, end, thick in strokes:
        a, b = (tuple(int(v) for v in np.clip(end_of, -3000, 3000)) for end_of in (start, end))
        cv2.line(arm, a, b, (255, 255, 255), max(2, int(thick * tile)), cv2.LINE_AA)
    skin = np.array([random.uniform(60, 200), random.uniform(90, 215), random.uniform(120, 245)])
    colour = skin if random.random() < 0.7 else random.uniform(20, 240, 3)
    ridge = cv2.distanceTransform((arm[..., 0] > 127).astype(np.uint8), cv2.DIST_L2, 3) / max(tile * 0.4, 1)
    paint = colour * np.clip(random.uniform(0.5, 0.9) + 0.5 * ridge, 0, 1.1)[..., None]
    share = arm / 255
    shade = 1 - random.uniform(0, 0.5) * cv2.GaussianBlur(share, (0, 0), max(tile * 0.2, 1)) * (1 - share)
    image[:] = np.clip(image * shade * (1 - share) + paint * share, 0, 255).astype(np.uint8)
    return arm


def _taken_away(image: np.ndarray, lattice: Lattice, patches: np.ndarray, random: np.random.Generator) -> list[int]:
    """Put bare table where some tiles are, in place; return which cells are empty now."""
    angles, away = random.uniform(0, 2 * np.pi, 12), random.uniform(6.1, 7.5, 12)
    table = cut_at(image, lattice, np.stack([np.cos(angles), np.sin(angles)], 1) * away[:, None])
    table = table[(table.reshape(len(table), -1, 3).max(2) > 0).mean(1) > 0.99]
    if len(table) < 3:
        return []
    # A mug or a loose tile may lie there: what looks most like the rest is the table.
    means = table.reshape(len(table), -1, 3).mean(1)
    typical = np.argsort(np.linalg.norm(means - np.median(means, 0), axis=1))[: len(table) // 2 + 1]
    cells = random.choice(CELLS, int(random.integers(1, 5)), replace=False).tolist()
    y, x = np.mgrid[0:PATCH, 0:PATCH] / PATCH - 0.5
    for i in cells:
        lean = random.normal(0, 1, 2)
        shade = 1 - np.clip(random.uniform(-0.1, 0.5) * (0.3 + lean[0] * x + lean[1] * y), 0, 0.7)
        bare = table[int(random.choice(typical))] * shade[..., None] * random.uniform(0.75, 1.05)
        share = HEXAGON[..., None]
        patches[i] = np.clip(patches[i] * (1 - share) + bare * share, 0, 255).astype(np.uint8)
    return cells


def _photo(copy: "np.lib.npyio.NpzFile", k: int, random: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return a photo of a copy, now and then from further away or compressed again, with its truth."""
    image = cv2.imdecode(copy[f"jpeg{k}"], cv2.IMREAD_COLOR)
    centres = copy[f"centres{k}"]
    if random.random() < 0.3:
        scale = random.uniform(0.5, 0.9)
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        centres = centres * scale + (scale - 1) / 2
    if random.random() < 0.3:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(random.integers(45, 85))]
        image = cv2.imdecode(cv2.imencode(".jpg", image, quality)[1], cv2.IMREAD_COLOR)
    return image, centres, copy[f"faces{k}"], copy[f"hidden{k}"]


def _way(turn: int, mirrored: bool) -> np.ndarray:
    """Return the matrix from board coordinates as seen to the board's own."""
    c, s = np.cos(np.radians(60 * turn)), np.sin(np.radians(60 * turn))
    return np.array([[c, -s], [s, c]]) @ np.diag([-1.0 if mirrored else 1.0, 1.0])


def _direction(seen: int, turn: int, mirrored: bool) -> int:
    """Return the board's own direction of one that is seen; directions run counter-clockwise, y downwards."""
    return ((3 - seen if mirrored else seen) - turn) % 6


def _seen(lattice: Lattice, way: np.ndarray) -> Lattice:
    whole = np.eye(3)
    whole[:2, :2] = way
    return Lattice(lattice.homography @ whole, lattice.k1, lattice.middle, lattice.reach)


def _shown(
    image: np.ndarray, centres: np.ndarray, faces: np.ndarray, mirrored: bool, random: np.random.Generator
) -> np.ndarray:
    """Cut the eight tiles of a rosette, the Serendip with its blue petal to the east; some may be left out."""
    lattice = fit_lattice(places(3), centres, image.shape)
    wobble = places(3) + random.normal(0, 0.02, 2) + random.normal(0, 0.01, (19, 2))
    by_face = {str(face): i for i, face in enumerate(faces)}
    serendip = next(face for face in by_face if is_serendip(face))
    backs = [i for i, face in enumerate(faces) if face == COVERED]
    lack = random.random() < 0.15
    out = []
    for kind in SHOWN:
        i = int(random.choice(backs)) if kind == COVERED else by_face[serendip if kind == "S" else kind]
        east = serendip.index("b") if kind == "S" else int(random.integers(6))
        # Seen direction 0 must be the board's own direction `east`.
        turn = (3 - east if mirrored else -east) % 6
        way = _way(turn, mirrored)
        patch = cut_at(image, _seen(lattice, way), (wobble[[i]] @ np.linalg.inv(way).T))[0]
        out.append(np.zeros_like(patch) if lack and random.random() < 0.3 else patch)
    return np.stack(out)
