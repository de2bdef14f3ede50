"""Look at a board with the help of a profile, and notice when the profile is of another print."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.position import ring_of
from vision.eyes import Look, TilesSeen
from vision.faces import Judgement, judge_faces, ring_chance
from vision.kinds import KINDS, SHOWN
from vision.likeness import rings_of, shades_of
from vision.profile import Profile, Sitting, light_of
from vision.resemblance import kinship

SURE = 0.95
"""The chance from which a tile is compared with the profile's."""
ALIKE = 0.7
"""How well tiles must correlate with the profile's: of drawn tables 97% do with their own and 3% with another's."""
KIN = 1.05
"""How well drawings must resemble the profile's (as Fisher's z) for odd colours not to matter, as under a lamp.

Of drawn tables seven in ten do so with their own profile, and one in a hundred with another's."""
CLASHES = 4
"""So many cells judged surely, but differently, without and with the profile, show that it is of another print."""
OTHER_RING = 0.01
"""The chance of the profile's ring below which the table has another: one's own has more than 0.9 nearly always."""
LOOKS = 2
"""The profile's photos that are consulted: those in the light most like the table's; each costs a pass."""


@dataclass(frozen=True)
class Consulted:
    """What the network says with and without the profile together; `ring` is the profile's, "" if it was left aside."""

    seen: Look
    ring: str
    fits: bool
    copies: tuple[NDArray[np.uint8], ...] = ()
    """The profile's tiles, those in the light most like the table's first; none without a profile that fits."""


def consult(seen: TilesSeen, profile: Profile | None) -> Consulted:
    """Look at the tiles of a board, beside tiles of the profile where there is one that fits."""
    plain = seen.look_well()
    if profile is None:
        return Consulted(plain, "", True)
    light = light_of(seen.patches)
    nearest = sorted(profile.sittings, key=lambda sitting: float(np.linalg.norm(light_of(sitting.tiles) - light)))
    helped = [seen.look(sitting.tiles) for sitting in nearest[:LOOKS]]
    alone, _ = judge_faces(plain)
    unlike = _is_unlike(seen.patches, plain, nearest[:LOOKS]) and not _is_kin(seen.patches, alone, nearest[:LOOKS])
    if unlike or _clash(plain, helped[0], profile.ring):
        return Consulted(plain, "", False)
    every = [plain, *helped]
    kinds, petals = (
        np.asarray(np.mean([getattr(each, name) for each in every], axis=0)) for name in ("kinds", "petals")
    )
    return Consulted(Look(kinds, petals), ring_of(profile.ring), True, tuple(each.tiles for each in nearest[:LOOKS]))


def _is_unlike(patches: NDArray[np.uint8], plain: Look, sittings: list[Sitting]) -> bool:
    """Say whether the tiles on the table look unlike those of every one of these photos, whatever the light."""
    shares = _shares(plain)
    best, sure = shares.argmax(1), shares.max(1) > SURE
    table = shades_of(rings_of(patches)).mean(2)
    for sitting in sittings:
        own = shades_of(rings_of(sitting.tiles)).mean(2)
        shared = [
            (k, sure & (best == KINDS.index(kind)))
            for k, kind in enumerate(SHOWN)
            if kind in sitting.shown and (sure & (best == KINDS.index(kind))).any()
        ]
        if len(shared) < 3:
            return False  # too little to compare
        here = np.stack([np.median(table[cells], axis=0) for _, cells in shared])
        there = own[[k for k, _ in shared]]
        if min(_correlation(here[..., shade], there[..., shade]) for shade in range(3)) > ALIKE:
            return False
    return True


def _correlation(one: NDArray[np.floating], other: NDArray[np.floating]) -> float:
    """Compare two tables of logs: another light adds to all of them, and another exposure stretches them."""
    one, other = one - one.mean(), other - other.mean()
    return float((one * other).sum() / np.sqrt((one**2).sum() * (other**2).sum() + 1e-12))


def _is_kin(patches: NDArray[np.uint8], alone: list[Judgement], sittings: list[Sitting]) -> bool:
    """Say whether the drawings on the table are those of one of these photos, however different their colours look."""
    faces, chances = [each.face for each in alone], [each.chance for each in alone]
    return any(kinship(patches, faces, chances, sitting.tiles) > KIN for sitting in sittings)


def _clash(plain: Look, helped: Look, ring: str) -> bool:
    """Say whether the profile contradicts what the photo shows by itself."""
    if ring_chance(plain, ring) < OTHER_RING:
        return True
    shares = _shares(plain), _shares(helped)
    sure = (shares[0].max(1) > 0.99) & (shares[1].max(1) > 0.99)
    return int((sure & (shares[0].argmax(1) != shares[1].argmax(1))).sum()) >= CLASHES


def _shares(seen: Look) -> NDArray[np.float64]:
    return np.asarray(np.exp(seen.kinds - np.logaddexp.reduce(seen.kinds, 1, keepdims=True)))
