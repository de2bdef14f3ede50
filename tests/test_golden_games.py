"""The golden games of Serendipity, replayed from their files."""

import pytest

from engine import Position, Rules, State, Table, check, parse_steps, referee, standing
from tests.golden_games import FOLDER, GAMES, told


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_players_still_play_the_same_game(game):
    assert told(game) == (FOLDER / f"{game.name}.txt").read_text()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("serendipity_*.txt")), ids=lambda path: path.stem)
def test_a_written_game_is_legal_and_ends_with_its_score(path):
    _, players, rules, _, first, *lines = path.read_text().splitlines()
    table = Table.parse(players.removeprefix("players "), Rules.parse(rules.removeprefix("rules").strip()))
    state = State(Position.parse(first), table)
    turns = 0
    while ": " in lines[0] and "reveal" in lines[0]:
        name, _, steps = lines.pop(0).partition(": ")
        before = state
        assert state.player.name == name
        assert not state.over
        for step in parse_steps(steps, state.position.board):
            state = state.play(step)
        if state.position != before.position:
            assert str(state.position) == lines.pop(0)
        if turns % 10 == 0:
            assert check(before.position, steps, name, table).verdict == "legal"
            assert referee(before.position, state.position, name, table).verdict == "legal"
        turns += 1
        state = state.next_turn()
    assert turns > 50
    assert state.over
    result = standing(state.position, table)
    expected = [f"{player.name} {points.points}{points.told}" for player, points in result.scores]
    assert lines == [*expected, str(result.ending), f"winners {', '.join(result.winners)}"]
