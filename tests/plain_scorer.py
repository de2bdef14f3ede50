"""The points of a player computed another way, word for word from the rules page, with networkx."""

from collections.abc import Iterable

import networkx as nx

from engine import Position, Rules

Figures = tuple[int, int, int, int]


def plain_score(position: Position, colours: Iterable[str], rules: Rules) -> Figures:
    """Return points, flowers, Serendips and matches."""
    letters = [colour[0] for colour in colours]
    if rules.several_colours == "linked":
        return _best(position, letters, rules)
    apiece = [_best(position, [letter], rules) for letter in letters]
    if rules.several_colours == "best-colour":
        return max(apiece)
    points, flowers, serendips, matches = (sum(figures[i] for figures in apiece) for i in range(4))
    return points, flowers, serendips, matches


def _best(position: Position, letters: list[str], rules: Rules) -> Figures:
    faces, neighbours = position.faces, position.board.neighbours
    serendips = {i for i, face in enumerate(faces) if len(face) == 6}
    flowers = {i for i, face in enumerate(faces) if face in letters}
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(flowers | serendips)
    for i in flowers | serendips:
        for direction, j in enumerate(neighbours[i]):
            if j is None:
                continue
            if i in flowers and j in flowers:
                linked = faces[i] == faces[j]
            elif i in serendips and j in serendips:
                linked = rules.chains == "join" and rules.bridges != "none"
            elif i in serendips and j in flowers:
                matching = faces[i][direction] == faces[j]
                linked = rules.bridges == "any-face" or (rules.bridges == "matching-face" and matching)
            else:
                linked = False
            if linked:
                graph.add_edge(i, j)
    found = []
    for group in nx.connected_components(graph):
        carpet = group & flowers
        touching = {j for i in carpet for j in neighbours[i] if j in serendips}
        matches = sum(j in carpet and faces[i][d] == faces[j] for i in touching for d, j in enumerate(neighbours[i]))
        if carpet:
            value = len(carpet) + 2 * len(touching) + 2 * matches
            found.append((value, len(carpet), len(touching), matches))
    if rules.carpet_choice == "largest":
        return max(found, key=lambda f: (f[1], f[0], f[2], f[3]), default=(0, 0, 0, 0))
    return max(found, default=(0, 0, 0, 0))
