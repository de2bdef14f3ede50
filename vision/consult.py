"""Look at a board with the help of a profile, and notice when the profile is of another print."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.position import UNKNOWN, ring_of
from vision.faces import Look, judge_faces, look
from vision.kinds import KINDS
from vision.profile import Profile, light_of

OTHER_COPY = 0.5
"""Chance that the profile fits below which it is left aside."""
SURE = 0.99
CLASHES = 4
"""So many cells judged surely, but differently, without and with the profile, show that it is of another print."""
LOOKS = 2
"""The profile's photos that are consulted: those in the light most like the table's; each costs a pass."""


@dataclass(frozen=True)
class Consulted:
    """What the network says with and without the profile together; `ring` is the profile's, "" if it was left aside."""

    seen: Look
    ring: str
    fits: bool


def consult(patches: NDArray[np.uint8], profile: Profile | None) -> Consulted:
    """Look at the patches of a board, beside tiles of the profile where there is one that fits."""
    plain = look(patches)
    if profile is None:
        return Consulted(plain, "", True)
    light = light_of(patches)
    nearest = sorted(profile.sittings, key=lambda sitting: float(np.linalg.norm(light_of(sitting.tiles) - light)))
    helped = [look(patches, sitting.tiles) for sitting in nearest[:LOOKS]]
    if float(np.mean([seen.fits for seen in helped])) < OTHER_COPY or _clash(plain, helped[0], profile.ring):
        return Consulted(plain, "", False)
    every = [plain, *helped]
    seen = Look(
        np.asarray(np.mean([each.kinds for each in every], axis=0)),
        np.asarray(np.mean([each.petals for each in every], axis=0)),
        helped[0].fits,
    )
    return Consulted(seen, ring_of(profile.ring), True)


def _clash(plain: Look, helped: Look, ring: str) -> bool:
    """Say whether the profile contradicts what the photo shows by itself."""
    free, own_ring = judge_faces(plain)
    if own_ring and own_ring != ring_of(ring) and sum(j.chance > SURE for j in free if len(j.face) == 6) >= 2:
        return True
    shares = [np.exp(seen.kinds - np.logaddexp.reduce(seen.kinds, 1, keepdims=True)) for seen in (plain, helped)]
    best = [share.argmax(1) for share in shares]
    sure = (shares[0].max(1) > SURE) & (shares[1].max(1) > SURE) & (best[0] != KINDS.index(UNKNOWN))
    return int((sure & (best[0] != best[1])).sum()) >= CLASHES
