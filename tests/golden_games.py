"""Whole games of Serendipity by the seeded players, as text: position, steps, position, ..., score.

usage: python -m tests.golden_games
Writes tests/games/serendipity_*.txt again; a difference shows that rules or players changed.
"""

from pathlib import Path
from typing import NamedTuple

from engine import Position, Rules, Table, standing
from engine.play import Choice, at_random, greedily, play_game

FOLDER = Path(__file__).parent / "games"


class GoldenGame(NamedTuple):
    """Who plays how."""

    name: str
    players: str
    rules: str
    choose: Choice
    seed: int


GAMES = (
    GoldenGame("serendipity_2_random", "Ada=blue+red+green,Ben=violet+orange+yellow", "", at_random, 1),
    GoldenGame("serendipity_3_greedy", "Ada=blue,Ben=red,Cleo=green", "russian,chains=single", greedily, 2),
    GoldenGame(
        "serendipity_2_open", "Ada=yellow,Ben=orange", "ownerless=open-after-10,complete_colour=any", at_random, 3
    ),
    GoldenGame("serendipity_4_turning", "Ada=b,Ben=v,Cleo=r,Dan=y", "hungarian,moved_serendip=may-turn", at_random, 4),
)


def told(game: GoldenGame) -> str:
    """Play a game and write it down; a turn that leaves no trace has no position after it."""
    table = Table.parse(game.players, Rules.parse(game.rules))
    lines = [
        "Serendipity",
        f"players {table}",
        f"rules {table.rules}".strip(),
        f"played {game.choose.__name__}, seed {game.seed}",
        str(Position.covered()),
    ]
    position = Position.covered()
    for turn in play_game(table, game.seed, game.choose):
        lines.append(str(turn))
        if turn.after.position != position:
            position = turn.after.position
            lines.append(str(position))
    result = standing(position, table)
    lines += [f"{player.name} {points.points}{points.told}" for player, points in result.scores]
    lines += [str(result.ending), f"winners {', '.join(result.winners)}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the files."""
    for game in GAMES:
        (FOLDER / f"{game.name}.txt").write_text(told(game))


if __name__ == "__main__":
    main()
