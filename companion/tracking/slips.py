"""How far a photo is to be trusted, by what it says of tiles that lie there as they did before.

A turn changes few open tiles, and hands hardly ever turn one back. Where a photo shows several of them as something
else, the eye errs about a kind of tile, or in the glare, and every such error makes the others less telling.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from companion.tracking.known import Known, Sight
from engine.position import COVERED, EMPTY, UNKNOWN, Face, is_serendip

EARLIER = 10
"""As many tiles as the eye is taken to have seen rightly before the photo: one error among few says little."""


def sobered(last: Known, sights: Sequence[Sight]) -> tuple[Sight, ...]:
    """Trust the photo less where the eye contradicts what was known of other tiles, of a kind or hard to see."""
    was = last.position.faces
    odd = [i for i, sight in enumerate(sights) if i not in last.doubts and _is_odd(was[i], sight)]
    kinds = Counter(map(_kind, was))
    confused = Counter((_kind(was[i]), _kind(sights[i].face)) for i in odd)
    asked = [i for i, sight in enumerate(sights) if not (sight.vouched or sight.is_hidden)]
    errors = set(odd).intersection(asked)
    found = list(sights)
    for i in odd:
        sight = sights[i]
        pair = _kind(was[i]), _kind(sight.face)
        share = (confused[pair] - 1) / (kinds[pair[0]] + EARLIER)
        if i in errors:
            share = max(share, (len(errors) - 1) / (len(asked) + EARLIER))
        found[i] = replace(sight, slips={was[i]: share * sight.chance(sight.face)})
    return tuple(found)


def _is_odd(was: Face, sight: Sight) -> bool:
    """Tell whether a tile seems to have become what hands hardly make of it; a Serendip may take a flower's place."""
    if sight.is_hidden or was == UNKNOWN or sight.face == was:
        return False
    if was == COVERED:
        return sight.face == EMPTY
    return is_serendip(was) or not is_serendip(sight.face)


def _kind(face: Face) -> str:
    return "S" if is_serendip(face) else face
