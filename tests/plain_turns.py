"""Every legal turn by plain search, written from the rules page alone: the measure of the referee."""

from collections import Counter
from functools import cache
from itertools import combinations

from engine import Table

Faces = tuple[str, ...]


class PlainTurns:
    """All turns of one player; Serendips come with the petals of `ring`, in every facing."""

    def __init__(self, own: str, table: Table, ring: str) -> None:
        self.own, self.table = own, table
        self.facings = sorted({ring[k:] + ring[:k] for k in range(6)})
        self.turns_from = cache(self.turns_from)  # type: ignore[method-assign]

    def over(self, faces: Faces) -> bool:
        copies, any_colour = self.table.copies, self.table.rules.complete_colour == "any"
        colours = "bvryog" if any_colour else "".join(player.letters for player in self.table.players)
        return sum(len(face) == 6 for face in faces) >= copies and any(faces.count(x) >= copies for x in colours)

    def turns_from(self, faces: Faces) -> Counter[Faces]:
        """Count, for each position a turn can lead to, the sequences of steps that do."""
        found: Counter[Faces] = Counter()
        if self.over(faces):
            return found
        copies, rules = self.table.copies, self.table.rules
        serendips = sum(len(face) == 6 for face in faces)
        for at in (i for i, face in enumerate(faces) if face == "."):
            for colour in (x for x in "bvryog" if faces.count(x) < copies):
                if colour in self.own:
                    stayed = put(faces, {at: colour})
                    found[stayed] += 1
                    found += self.turns_from(stayed)
                    for to in (i for i, face in enumerate(faces) if face == "." and i != at):
                        found[put(faces, {to: colour})] += 1
                else:
                    found[faces] += 1
                    owned = any(colour in player.letters for player in self.table.players)
                    late = rules.ownerless == "open-after-10" and serendips >= 10
                    if not owned and (rules.ownerless == "open" or late):
                        found[put(faces, {at: colour})] += 1
            if serendips >= copies:
                continue
            tiles = [i for i, face in enumerate(faces) if face != "_" and len(face) != 6 and i != at]
            for shown in self.facings:
                for petals in self.facings:
                    stayed = put(faces, {at: petals})
                    found[stayed] += 1
                    for a, b in combinations(tiles, 2):
                        found[put(stayed, {a: faces[b], b: faces[a]})] += 1
                    if petals == shown or rules.moved_serendip == "may-turn":
                        for to in tiles:
                            moved = put(faces, {at: faces[to], to: petals})
                            found[moved] += 1
                            found += self.turns_from(moved)
        return found


def put(faces: Faces, changes: dict[int, str]) -> Faces:
    return tuple(changes.get(i, face) for i, face in enumerate(faces))
