"""Learn from play: a photo that a player confirmed or corrected shows the copy in the light of another evening."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.files import MOST_SITTINGS
from calibration.remarks import Remark
from calibration.rosette import cut_tile, photo_id, typical
from engine import Position
from engine.position import EMPTY, UNKNOWN, Face, is_serendip, ring_of
from vision.consult import consult
from vision.eyes import TilesSeen
from vision.faces import judge_faces
from vision.grid import find_grid
from vision.kinds import SHOWN
from vision.lattice import Lattice, places
from vision.patches import PATCH, cut_patches
from vision.photo import Photo, open_photo
from vision.profile import Profile, Sitting, light_of

FEWEST_FACES = 5
"""A photo that shows fewer of the eight faces says too little about its light."""
SURE = 0.98
MOST_CLASHES = 3
"""Confirmed faces that the eye is sure are others: up to here they are left out, beyond nothing is learned."""


@dataclass(frozen=True)
class Lesson:
    """What a photo taught: the profile after it (None while there is none) and one sentence about it."""

    profile: Profile | None
    remark: Remark
    learned: bool


def learn_photo(profile: Profile | None, data: bytes, confirmed: Position) -> Lesson:
    """Add what a confirmed photo shows to a profile, or begin one with it; raises PhotoError where there is no board.

    One wrong confirmation does no harm: a face that the eye surely sees otherwise is left out, and of each face the
    most typical tile of the photo is kept.
    """
    name = photo_id(data)
    if profile and any(sitting.photo == name for sitting in profile.sittings):
        return Lesson(profile, Remark("known-photo"), False)
    photo = open_photo(data)
    grid = find_grid(photo.image, k1=profile.lenses.get(photo.camera or "", 0.0) if profile else 0.0)
    patches = cut_patches(photo.image, grid.lattice, 6)
    consulted = consult(TilesSeen(patches), profile)
    if not consulted.fits:
        return Lesson(profile, Remark("other-copy"), False)
    judged, _ = judge_faces(consulted.seen, consulted.ring)
    faces = _named(confirmed, [judgement.face for judgement in judged])
    clashes = [
        i for i, (face, seen) in enumerate(zip(faces, judged, strict=True)) if face != seen.face and seen.chance > SURE
    ]
    if len(clashes) > MOST_CLASHES:
        return Lesson(profile, Remark("contradicted", {"count": len(clashes)}), False)
    seen = {i for i, judgement in enumerate(judged) if judgement.face != UNKNOWN} - set(clashes)
    by_kind = {kind: [i for i in sorted(seen) if _kind(faces[i]) == kind] for kind in SHOWN}
    tiles = np.zeros((len(SHOWN), PATCH, PATCH, 3), np.uint8)
    for k, kind in enumerate(SHOWN):
        if not by_kind[kind]:
            continue
        turned = patches if kind != "S" else _upright(photo, grid.lattice, faces, by_kind[kind], patches)
        tiles[k] = turned[typical(turned, by_kind[kind])]
    rings = {ring_of(faces[i]) for i in by_kind["S"]}
    if sum(tile.any() for tile in tiles) < FEWEST_FACES or (profile is None and len(rings) != 1):
        return Lesson(profile, Remark("nothing-new"), False)
    sitting = Sitting(name, tiles.tobytes())
    lenses = {photo.camera: grid.lattice.k1} if photo.camera else {}
    remark = Remark("taught", {"count": len(sitting.shown)})
    if profile is None:
        return Lesson(Profile(rings.pop(), (sitting,), lenses), remark, True)
    kept = _bounded((*profile.sittings, sitting))
    blended = {
        camera: k1 if camera not in profile.lenses else 0.7 * profile.lenses[camera] + 0.3 * k1
        for camera, k1 in lenses.items()
    }
    return Lesson(replace(profile, sittings=kept, lenses={**profile.lenses, **blended}), remark, True)


def forget_photo(profile: Profile, name: str) -> Profile | None:
    """Take back what a photo taught; None when it was all there was."""
    kept = tuple(sitting for sitting in profile.sittings if sitting.photo != name)
    return replace(profile, sittings=kept) if kept else None


def _bounded(sittings: tuple[Sitting, ...]) -> tuple[Sitting, ...]:
    """Keep a profile small: the first photo stays, and of the two in the most similar light the older one goes."""
    while len(sittings) > MOST_SITTINGS:
        lights = [light_of(sitting.tiles) for sitting in sittings]
        pairs = [(i, j) for i in range(1, len(sittings)) for j in range(i + 1, len(sittings))]
        gone = min(pairs, key=lambda pair: float(np.linalg.norm(lights[pair[0]] - lights[pair[1]])))[0]
        sittings = sittings[:gone] + sittings[gone + 1 :]
    return sittings


def _kind(face: Face) -> str:
    return "S" if is_serendip(face) else face if face not in (EMPTY, UNKNOWN) else ""


def _named(confirmed: Position, seen: list[Face]) -> tuple[Face, ...]:
    """Return the confirmed faces in the naming in which the photo was found: the one of six that agrees best."""
    ways = [confirmed.turned(turns).faces for turns in range(6)]
    return max(ways, key=lambda faces: sum(a == b for a, b in zip(faces, seen, strict=True)))


def _upright(
    photo: Photo, lattice: Lattice, faces: tuple[Face, ...], cells: list[int], patches: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Return the patches with the Serendips among them turned so that blue points east."""
    out = patches.copy()
    for i in cells:
        out[i] = cut_tile(photo, lattice, places(6)[i], faces[i])
    return out
