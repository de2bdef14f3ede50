"""Several turns between two positions: a forgotten photo."""

import random
import time

import pytest

from engine import Position, Rules, Table, parse_steps, referee, referee_turns
from engine.play import at_random, greedily, play_game

TABLES = ["A=blue,B=red", "A=blue+red+green,B=violet+orange", "A=y,B=o,C=g", "A=b,B=v,C=r,D=y,E=o,F=g"]


def busily(state, steps, chance):
    """Move as many open tiles as may be."""

    def moved(step):
        words = [word for act in step.acts if act.verb in ("swap", "move") for word in act.words]
        return sum(state.position[word] != "." for word in words)

    most = max(map(moved, steps))
    return chance.choice([step for step in steps if moved(step) == most])


def leads(before, turns):
    """Play the stories in their order; each must be legal, and end where it says."""
    state = before
    for turn in turns:
        assert turn.player == state.player
        for step in parse_steps("; ".join(turn.story), state.position.board):
            state = state.play(step)
        assert state.position == turn.after
        state = state.next_turn()
    return state.position


@pytest.mark.parametrize("choose", [at_random, greedily, busily])
@pytest.mark.parametrize("players", TABLES)
@pytest.mark.parametrize("rules", ["", "ownerless=open,moved_serendip=may-turn"])
def test_one_to_three_turns_are_explained_by_at_most_as_many(choose, players, rules):
    table = Table.parse(players, Rules.parse(rules))
    turns = list(play_game(table, len(players), choose))
    for number in (1, 2, 3):
        for first in range(number, len(turns) - number + 1, 7):
            before, after = turns[first].before, turns[first + number - 1].after.position
            found = referee_turns(before.position, after, before.player.name, table, most=number)
            assert found is not None
            assert 1 <= len(found) <= number
            assert leads(before, found) == after
            one = referee(before.position, after, before.player.name, table).verdict == "legal"
            assert (len(found) == 1) == one


def test_fewest_turns_and_whose():
    table = Table.parse("Ada=blue,Ben=red,Cleo=green")
    before = Position.covered()
    after = before.with_faces({0: "g"})
    found = referee_turns(before, after, "Ada", table)
    assert [(turn.player.name, len(turn.story)) for turn in found] == [("Ada", 1), ("Ben", 1), ("Cleo", 1)]
    assert found[0].after == found[1].after == before, "what Ada and Ben turned up was covered again"
    assert found[2].story == ("reveal A1 green, stay",)
    assert len(referee_turns(before, after, "Cleo", table)) == 1
    assert referee_turns(before, after, "Ada", table, most=2) is None
    assert referee_turns(before, before.with_faces({0: "v"}), "Ada", table, most=6) is None, "nobody owns violet"


def test_what_no_turns_explain_takes_no_time():
    chance = random.Random(4)
    table = Table.parse(TABLES[1])
    turns = list(play_game(table, 3, busily))
    explained = 0
    for _ in range(60):
        first = chance.randrange(len(turns) - 3)
        faces = list(turns[first + 2].after.position.faces)
        for _ in range(chance.randint(1, 3)):
            a, b = chance.sample(range(91), 2)
            faces[a], faces[b] = faces[b], faces[a]
        before, start = turns[first].before, time.process_time()
        found = referee_turns(before.position, Position(tuple(faces)), before.player.name, table)
        assert time.process_time() - start < 2
        if found is not None:
            explained += 1
            assert leads(before, found).faces == tuple(faces)
    assert explained < 60
