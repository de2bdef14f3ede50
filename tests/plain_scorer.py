"""The points of a player computed another way, word for word from the rules page, with nothing of the engine.

A board is a dictionary from (q, r) to what lies there, as the position text writes it; Serendips are their six petals.
"""

from collections.abc import Iterator, Mapping

import networkx as nx

Cells = dict[tuple[int, int], str]
Figures = tuple[int, int, int, int]
NOTHING = (0, 0, 0, 0)

DIRECTIONS = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
"""E, NE, NW, W, SW, SE."""


def plain_cells(text: str) -> Cells:
    """Read a position: A1 of a board with edge six is (0, -5), F1 is (-5, 0), K6 is (0, 5)."""
    rows = text.split("/")
    n = len(rows) // 2
    cells: Cells = {}
    for i, row in enumerate(rows):
        r, q, at = i - n, max(-n, -i), 0
        while at < len(row):
            length = 8 if row[at] == "(" else 1
            cells[q, r] = row[at : at + length].strip("()")
            q, at = q + 1, at + length
    return cells


class PlainScorer:
    """One board; its carpets are remembered, so that it can be scored under many options."""

    def __init__(self, text: str) -> None:
        self.cells = plain_cells(text)
        self.serendips = {cell for cell, face in self.cells.items() if len(face) == 6}
        self._known: dict[tuple[str, str, str], list[Figures]] = {}

    def score(self, letters: str, rules: Mapping[str, str]) -> Figures:
        """Return points, flowers, Serendips and matches."""
        if rules["several_colours"] == "linked":
            return self.best(letters, rules)
        apiece = [self.best(letter, rules) for letter in letters]
        if rules["several_colours"] == "best-colour":
            return max(apiece)
        points, flowers, serendips, matches = (sum(figures[i] for figures in apiece) for i in range(4))
        return points, flowers, serendips, matches

    def best(self, letters: str, rules: Mapping[str, str]) -> Figures:
        """Return the figures of the carpet that counts."""
        asked = letters, rules["bridges"], rules["chains"]
        if asked not in self._known:
            self._known[asked] = list(self.carpets(*asked))
        if rules["carpet_choice"] == "largest":
            return max(self._known[asked], key=lambda carpet: (carpet[1], carpet[0], *carpet[2:]), default=NOTHING)
        return max(self._known[asked], default=NOTHING)

    def carpets(self, letters: str, bridges: str, chains: str) -> Iterator[Figures]:
        """Yield the figures of every carpet."""
        cells, serendips = self.cells, self.serendips
        flowers = {cell for cell, face in cells.items() if face in [*letters]}
        graph: nx.Graph[tuple[int, int]] = nx.Graph()
        graph.add_nodes_from(flowers | serendips)
        for cell in flowers | serendips:
            for direction, other in enumerate(_around(cell)):
                if other in flowers or other in serendips:
                    if cell in flowers and other in flowers:
                        linked = cells[cell] == cells[other]
                    elif cell in serendips and other in serendips:
                        linked = chains == "join" and bridges != "none"
                    elif cell in serendips:
                        facing = cells[cell][direction] == cells[other]
                        linked = bridges == "any-face" or (bridges == "matching-face" and facing)
                    else:
                        linked = False  # the Serendip's turn to look will come
                    if linked:
                        graph.add_edge(cell, other)
        for group in nx.connected_components(graph):
            if carpet := group & flowers:
                yield self.value(carpet)

    def value(self, carpet: set[tuple[int, int]]) -> Figures:
        """Count the points of one carpet."""
        touching = {other for flower in carpet for other in _around(flower) if other in self.serendips}
        matches = 0
        for serendip in touching:
            for direction, other in enumerate(_around(serendip)):
                if other in carpet and self.cells[serendip][direction] == self.cells[other]:
                    matches += 1
        return len(carpet) + 2 * len(touching) + 2 * matches, len(carpet), len(touching), matches


def _around(cell: tuple[int, int]) -> list[tuple[int, int]]:
    q, r = cell
    return [(q + dq, r + dr) for dq, dr in DIRECTIONS]
