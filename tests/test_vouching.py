"""The second opinion: tiles that look like their kind are trusted sooner, and a wrong name is noticed."""

import numpy as np
import pytest

from engine.position import LETTERS, is_serendip
from tests.drawer import Wish, draw_photo
from vision.eyes import TilesSeen
from vision.faces import Judgement
from vision.lattice import fit_lattice, places
from vision.patches import PATCH, cut_patches
from vision.reader import VOUCH
from vision.vouching import weighed

PLAIN = Wish(harsh=0.0, tilt=12.0, cut=False, hand=False, fill=0.85)


def board(seed: int) -> tuple[np.ndarray, list[str]]:
    drawing = draw_photo(seed, PLAIN)
    lattice = fit_lattice(places(6), drawing.centres, drawing.image.shape)
    return cut_patches(drawing.image, lattice, 6), list(drawing.position.faces)


def judged(faces: list[str], chance: float = 0.98) -> list[Judgement]:
    return [Judgement(face, chance, "?", {face: chance, "?": 1 - chance}) for face in faces]


@pytest.fixture(scope="module", params=[405, 407, 414])
def seen(request: pytest.FixtureRequest) -> tuple[np.ndarray, list[str]]:
    return board(request.param)


def test_what_looks_like_its_kind_is_trusted_sooner(seen: tuple[np.ndarray, list[str]]) -> None:
    patches, faces = seen
    many = [i for i, face in enumerate(faces) if faces.count(face) >= 4 and not is_serendip(face)]
    kinds = sorted({faces[i] for i in many})
    own, other = [], []
    for i in many[::4]:
        for name, chances in ((faces[i], own), (kinds[kinds.index(faces[i]) - 1], other)):
            claims = judged([*faces[:i], name, *faces[i + 1 :]], 0.99995)
            claims[i] = judged([name], 0.9)[0]
            chances.append(weighed(patches, claims)[i].chances[name])
    assert len(own) >= 5
    assert len(kinds) >= 2
    assert np.median(own) > 0.9
    # A tile here and there looks like another kind too; it is not vouched for as that, see below.
    assert (np.array(own) > other).mean() >= 0.9


def test_both_networks_tell_of_the_same_cells(seen: tuple[np.ndarray, list[str]]) -> None:
    patches, faces = seen
    plain, mirrored = TilesSeen(patches).look(), TilesSeen(patches).look(mirrored=True)
    assert (plain.kinds.argmax(1) == mirrored.kinds.argmax(1)).mean() > 0.95
    serendips = [i for i, face in enumerate(faces) if is_serendip(face)]
    petals = [["bvryog".index(petal) for petal in faces[i]] for i in serendips]
    for each in (plain, mirrored):
        assert (each.petals[serendips].argmax(2) == petals).mean() > 0.9


@pytest.mark.parametrize("faces", [["."] * 91, ["bvroyg", *["."] * 90], ["_"] * 91, ["b", "v", *["."] * 89]])
def test_claims_without_anything_to_compare_are_answered(faces: list[str]) -> None:
    patches = np.random.default_rng(0).integers(0, 255, (91, PATCH, PATCH, 3)).astype(np.uint8)
    for chance in (0.5, 1 - 1e-9):
        after = weighed(patches, judged(faces, chance))
        assert all(0 <= each.chance <= 1 for each in after)


def test_a_tile_under_a_wrong_name_is_noticed(seen: tuple[np.ndarray, list[str]]) -> None:
    patches, faces = seen
    counts = {kind: faces.count(kind) for kind in (".", *LETTERS)}
    common = [kind for kind, count in counts.items() if count >= 4]
    vouched = tried = 0
    for kind in common:
        for other in common:
            if other != kind:
                cell = faces.index(kind)
                wrong = judged([*faces[:cell], other, *faces[cell + 1 :]])
                vouched += weighed(patches, wrong)[cell].chance >= VOUCH
                tried += 1
    assert tried
    assert vouched == 0


def test_a_serendip_that_is_said_to_lie_otherwise_is_noticed(seen: tuple[np.ndarray, list[str]]) -> None:
    patches, faces = seen
    cells = [i for i, face in enumerate(faces) if is_serendip(face)]
    assert len(cells) >= 3
    for edges in range(1, 6):
        cell = cells[edges % len(cells)]
        turned = faces[cell][edges:] + faces[cell][:edges]
        after = weighed(patches, judged([*faces[:cell], turned, *faces[cell + 1 :]]))
        assert after[cell].chance < VOUCH


def test_a_ring_with_two_colours_exchanged_is_noticed(seen: tuple[np.ndarray, list[str]]) -> None:
    patches, faces = seen
    assert {*LETTERS} < {*faces}
    for one, other in [("b", "r"), ("y", "v"), ("g", "r"), ("o", "b")]:
        swap = str.maketrans({one: other, other: one})
        wrong = [face.translate(swap) if is_serendip(face) else face for face in faces]
        after = weighed(patches, judged(wrong))
        assert all(after[i].chance < VOUCH for i, face in enumerate(wrong) if is_serendip(face))


def test_chances_stay_chances(seen: tuple[np.ndarray, list[str]]) -> None:
    patches, faces = seen
    for after in weighed(patches, judged(faces, 0.7)):
        assert 0 <= after.chance <= 1
        assert sum(after.chances.values()) == pytest.approx(1, abs=1e-6)
        assert after.chances[after.face] == after.chance
