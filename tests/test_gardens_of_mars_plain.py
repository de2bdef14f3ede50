"""The engine of Gardens of Mars against the rules written out plainly, and whole games from start to end."""

import itertools
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.gardens_of_mars import (
    OPTIONS,
    PRESETS,
    SETS,
    Garden,
    Move,
    Record,
    Roll,
    Rules,
    Stay,
    ending,
    fault,
    is_placing,
    legal_steps,
    parse_step,
    play,
    practice_game,
    practice_step,
    problems,
    set_up,
)
from engine.gardens_of_mars.garden import BOARD, CENTRE, FREE

GAMES = Path(__file__).parent / "games"
ALL_RULES = [Rules(**dict(zip(OPTIONS, values, strict=True))) for values in itertools.product(*OPTIONS.values())]
COLOURS = {"g": "green", "b": "blue", "y": "yellow", "o": "orange", "r": "red", "p": "pink", "w": "white", "e": "grey"}
ROW_LENGTHS = [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6]


class PlainGarden:
    """The text form of a table taken apart without the engine: cells are (row, diagonal) pairs."""

    def __init__(self, text: str, rules: Rules) -> None:
        rows, *fields = text.split()
        beside = dict(field.split("=") for field in fields)
        self.rules = rules
        self.at: dict[str, tuple[int, int]] = {}
        self.flower: dict[tuple[int, int], str] = {}
        for r, row in enumerate(rows.split("/")):
            for place, letter in enumerate(row):
                # Counted along the row from a left rim that leans to the left down to row F, then stands upright.
                cell = (r, place + max(0, 5 - r))
                self.at["ABCDEFGHIJK"[r] + str(place + 1)] = cell
                self.flower[cell] = letter
        self.name = {cell: name for name, cell in self.at.items()}
        self.gardeners = [[self.at[n] for n in part.split("+") if n != "-"] for part in beside["gardeners"].split(",")]
        self.hands = [
            {} if part == "-" else {part[i + 1]: int(part[i]) for i in range(0, len(part), 2)}
            for part in beside["flowers"].split(",")
        ]
        self.points = [int(number) for number in beside["points"].split(",")]
        self.dice = [] if beside["dice"] == "-" else [int(die) for die in beside["dice"].split("+")]
        self.player = int(beside["turn"]) - 1

    def neighbours(self, cell: tuple[int, int]) -> list[tuple[int, int]]:
        r, q = cell
        around = [(r, q + 1), (r, q - 1), (r - 1, q), (r + 1, q), (r - 1, q + 1), (r + 1, q - 1)]
        return [near for near in around if near in self.flower]

    def moves(self, player: int) -> set[tuple[int, tuple[int, int], tuple[int, int]]]:
        """Walk every gardener of a player hex by hex in all six directions with every die."""
        everyone = [cell for cells in self.gardeners for cell in cells]
        found = set()
        for die in self.dice:
            for start in self.gardeners[player]:
                for dr, dq in [(0, 1), (0, -1), (-1, 0), (1, 0), (-1, 1), (1, -1)]:
                    path = [(start[0] + dr * k, start[1] + dq * k) for k in range(1, die + 1)]
                    if any(cell not in self.flower or cell in everyone for cell in path):
                        continue
                    if self.name[path[-1]] == "F6":
                        continue
                    if self.rules.centre == "no-cross" and any(self.name[cell] == "F6" for cell in path):
                        continue
                    found.add((die, start, path[-1]))
        return found

    def bare_neighbours(self, player: int) -> set[int]:
        return {
            sum(self.flower[near] == "." for near in self.neighbours(gardener)) for gardener in self.gardeners[player]
        }

    def placing(self) -> bool:
        wanted = 2 if self.rules.two_gardeners == "on" else 1
        return any(len(cells) != wanted for cells in self.gardeners)

    def over(self) -> bool:
        if any(not hand for hand in self.hands):
            return True
        if self.placing():
            return False
        players = range(len(self.hands))
        return all(self.bare_neighbours(player) == {0} and not self.moves(player) for player in players)

    def steps(self) -> set[str]:
        if self.over():
            return set()
        if self.placing():
            taken = [cell for cells in self.gardeners for cell in cells]
            return {
                f"place {name}"
                for name, cell in self.at.items()
                if name != "F6" and cell not in taken and self.flower[cell] == "."
            }
        if not self.dice:
            if self.bare_neighbours(self.player) == {0}:
                return {"pass"}
            return {
                "roll " + " ".join(str(die) for die in dice)
                for count in self.bare_neighbours(self.player)
                if count > 0
                for dice in all_rolls(count)
            }
        found = set()
        for die, start, end in self.moves(self.player):
            move = f"use {die}, move {self.name[start]} {self.name[end]}"
            if self.flower[end] == ".":
                found |= {f"{move}, plant {COLOURS[letter]}" for letter in self.hands[self.player]}
            else:
                found.add(move)
        return found or {f"use {die}, stuck" for die in self.dice}

    def result(self, step: str) -> tuple[list[int], int]:
        """Return everyone's points and who is on turn after a legal step that uses a die."""
        words = step.replace(",", "").split()
        dice_left = len(self.dice) - 1
        hand = self.hands[self.player]
        letter = {colour: letter for letter, colour in COLOURS.items()}[words[-1]] if "plant" in words else ""
        change = self.group(self.at[words[4]], letter) if letter else -1
        others = [points for i, points in enumerate(self.points) if i != self.player]
        field = landing = max(0, self.points[self.player] + change)
        while change and field and field in others:
            field += 1 if change > 0 else -1
        points = list(self.points)
        points[self.player] = field
        last_of_colour = bool(letter) and hand[letter] == 1
        emptied = bool(letter) and sum(hand.values()) == 1
        again = (
            dice_left > 0
            and not emptied
            and (
                (last_of_colour and self.rules.last_of_colour_extra_turn == "on")
                or (field != landing and landing > 25 and self.rules.track_hop_extra_turn == "on")
            )
        )
        return points, self.player if again else (self.player + 1) % len(points)

    def group(self, cell: tuple[int, int], letter: str) -> int:
        like = [near for near in self.neighbours(cell) if self.flower[near] == letter]
        if self.rules.group_score == "adjacent":
            return len(like)
        group = {cell, *like}
        while True:
            wider = group | {n for c in group for n in self.neighbours(c) if self.flower[n] == letter}
            if wider == group:
                return len(group) - 1
            group = wider


@cache
def all_rolls(count: int) -> set[tuple[int, ...]]:
    return {tuple(sorted(dice)) for dice in itertools.product([1, 2, 3, 4, 5, 6], repeat=count)}


def random_garden(chance: random.Random, rules: Rules) -> Garden:
    """Make up any table, likely or not: bare and full gardens, crowded gardeners, few and many dice, high scores."""
    players = 2 if rules.two_gardeners == "on" else chance.randint(2, 5)
    flower_set = chance.choice(list(SETS.values()))
    palette = flower_set.letters[: chance.randint(1, 6)]
    density = chance.choice([0, 0.2, 0.5, 0.8, 0.95, 1])
    flowers = [chance.choice(palette) if chance.random() < density else FREE for _ in BOARD.cells]
    flowers[CENTRE] = FREE
    # Gardeners close together or at the rim block one another most.
    room = chance.choice([range(91), range(18), [i for i in range(91) if i % 11 < 4]])
    cells = chance.sample([i for i in room if i != CENTRE], players * rules.gardeners)
    turn = chance.randrange(players)
    gardeners = [tuple(sorted(cells[i::players])) for i in range(players)]
    if chance.random() < 0.05:
        gardeners = [own[: rules.gardeners - (i >= turn)] for i, own in enumerate(gardeners)]
    hands = [tuple(chance.choice([0, 0, 1, 1, 2, 9]) for _ in range(6)) for _ in range(players)]
    hands = [hand if any(hand) else (1, 0, 0, 0, 0, 0) for hand in hands]
    if chance.random() < 0.05:
        hands[chance.randrange(players)] = (0,) * 6
    # Scores close together, so that martians meet: at the start, about field 25, and anywhere.
    lowest = chance.choice([0, 0, 22, 24, 26, 40])
    points = chance.sample(range(lowest, lowest + players + chance.choice([0, 2, 9])), players)
    dice = sorted(chance.randint(1, 6) for _ in range(chance.choice([0, 1, 1, 2, 3, 6])))
    beside = (tuple(gardeners), tuple(hands), tuple(points), tuple(dice), turn, flower_set.name)
    return Garden(tuple(flowers), *beside)


@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_agrees_with_the_plain_rules(rules: Rules) -> None:
    chance = random.Random(str(rules))
    for _ in range(320):
        garden = random_garden(chance, rules)
        plain = PlainGarden(str(garden), rules)
        steps = legal_steps(garden, rules)
        texts = {str(step) for step in steps}
        assert len(texts) == len(steps)
        assert texts == plain.steps()
        assert (ending(garden, rules) is not None) == plain.over()
        for step in chance.sample(steps, min(len(steps), 4)):
            after = play(garden, step, rules)
            if isinstance(step, Move | Stay):
                points, player = plain.result(str(step))
                # A step may end the game for good, and then no extra turn is given.
                if ending(after.garden, rules) is None:
                    assert after.garden.player == player
                assert list(after.garden.points) == points
            gained = after.garden.points[garden.player] - garden.points[garden.player]
            assert gained == after.points


def test_the_made_up_tables_meet_every_rule() -> None:
    chance = random.Random(8)
    met = set()
    for rules in ALL_RULES * 25:
        garden = random_garden(chance, rules)
        for step in legal_steps(garden, rules)[:40]:
            met |= {line.reason.key for line in play(garden, step, rules).lines}
        if why := ending(garden, rules):
            met.add(why.key)
        for step in (Move(1, 0, CENTRE), *all_moves(garden)):
            if wrong := fault(garden, step, rules):
                met.add(wrong.reason.key)
    lines = {"placed", "rolled", "nothing-to-roll", "stuck", "on-flower", "planted", "planted-adjacent", "track-start"}
    lines |= {"track-hop-on", "track-hop-back", "last-of-colour", "hop-turn", "end-no-flowers", "end-nobody"}
    faults = {"place-first", "roll-first", "crosses-gardener", "ends-on-centre", "crosses-centre", "not-exact"}
    assert lines | faults <= met


def all_moves(garden: Garden) -> list[Move]:
    return [
        Move(die, start, end) for die in garden.dice for start in garden.gardeners[garden.player] for end in range(91)
    ]


@pytest.mark.parametrize("rules", ALL_RULES[::5], ids=str)
def test_judges_legal_exactly_what_is_legal(rules: Rules) -> None:
    chance = random.Random(f"claims {rules}")
    for _ in range(60):
        garden = random_garden(chance, rules)
        legal = {str(step) for step in legal_steps(garden, rules)}
        cells = [*garden.gardeners[garden.player], chance.randrange(91)]
        colours = [None, *SETS[garden.set_name].colours, "mauve"]
        claims = [
            Move(chance.randint(0, 7), chance.choice(cells), chance.randrange(91), chance.choice(colours))
            for _ in range(60)
        ]
        claims += [Move(die, cell, end, colour) for die in range(8) for cell in cells[:1] for end in range(91)
                   for colour in chance.sample(colours, 1)]  # fmt: skip
        others = [
            parse_step(text) for text in ("pass", "use 1, stuck", "use 6, stuck", "place A1", "place F6", "roll 7")
        ]
        others += [Roll(tuple(sorted(chance.randint(1, 6) for _ in range(count)))) for count in range(1, 8)]
        for claim in (*claims, *others):
            wrong = fault(garden, claim, rules)
            assert (wrong is None) == (str(claim) in legal), f"{claim} on {garden}: {wrong}"


@given(st.integers(0, 2**32), st.sampled_from(ALL_RULES))
@settings(deadline=None, max_examples=150)
def test_texts_round_trip(seed: int, rules: Rules) -> None:
    chance = random.Random(seed)
    garden = random_garden(chance, rules)
    assert Garden.parse(str(garden)) == garden
    assert Rules.parse(str(rules)) == rules
    for step in legal_steps(garden, rules)[:50]:
        assert parse_step(str(step)) == step


@pytest.mark.parametrize("part", range(20))
def test_a_thousand_games_end_by_the_rules(part: int) -> None:
    for seed in range(part * 50, part * 50 + 50):
        rules = ALL_RULES[seed % len(ALL_RULES)]
        players = 2 if rules.two_gardeners == "on" else 2 + seed % 4
        start = set_up(players, rules, seed=seed, set_name=list(SETS)[seed % 2])
        record = practice_game(start, rules, seed)
        assert_explained(record)


def assert_explained(record: Record) -> None:
    """Check the end, the winner, and that the log alone gives every point and every flower."""
    rules, last = record.rules, record.garden
    plain = PlainGarden(str(last), rules)
    assert plain.over()
    assert problems(last) == ()
    for player, points in enumerate(last.points):
        assert sum(line.points for line in record.lines if line.player == player) == points
    assert record.winners == tuple(i for i, points in enumerate(last.points) if points == max(last.points))
    planted = [step.colour for step in record.steps if isinstance(step, Move) and step.colour]
    assert len(planted) == 91 - last.flowers.count(FREE)
    rolled = sum(len(step.dice) for step in record.steps if isinstance(step, Roll))
    used = sum(isinstance(step, Move | Stay) for step in record.steps)
    assert rolled - used == len(last.dice)
    gardens = [record.start, *(played.garden for played in record.played)]
    for garden in gardens[:-1]:
        assert ending(garden, rules) is None
    for before, played in zip(gardens, record.played, strict=False):
        again = {line.rule for line in played.lines} & {"last-of-colour", "hop-turn", "roll"}
        over = ending(played.garden, rules) is not None
        assert over or (played.garden.player == before.player) == bool(again)


def test_undo_gives_the_old_table_back() -> None:
    rules = PRESETS["special-actions"]
    record = practice_game(set_up(3, rules, seed=5), rules, 5)
    shorter = record
    while shorter.steps:
        step, after = shorter.steps[-1], shorter
        shorter = shorter.undone()
        assert shorter.play(step) == after
    assert shorter.garden == record.start
    with pytest.raises(ValueError, match="no step to take back"):
        shorter.undone()


def eager_game(players: int, rules: Rules, seed: int, set_name: str) -> Record:
    """Play a game in which everyone takes the step with most points: the scores climb high enough to meet."""
    chance = random.Random(seed)
    record = Record(rules, set_up(players, rules, seed=seed, set_name=set_name))
    while ending(record.garden, rules) is None:
        garden = record.garden
        if garden.dice and not is_placing(garden, rules):
            steps = legal_steps(garden, rules)
            step = max(steps, key=lambda step: (play(garden, step, rules).points, chance.random()))
        else:
            step = practice_step(garden, rules, chance)
        record = record.play(step)
    return record


GOLDEN = {
    "gardens_of_mars_2": (2, PRESETS["leaflet"], 40, "pink-orange"),
    "gardens_of_mars_2_special_actions": (2, PRESETS["special-actions"], 30, "pink-orange"),
    "gardens_of_mars_2_two_gardeners": (2, PRESETS["two-gardeners"], 7, "white-grey"),
    "gardens_of_mars_3_closed_centre": (3, PRESETS["closed-centre"], 48, "pink-orange"),
    "gardens_of_mars_4_adjacent": (4, Rules(group_score="adjacent"), 5, "white-grey"),
    "gardens_of_mars_5_special_actions": (5, PRESETS["special-actions"], 16, "pink-orange"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_games(name: str) -> None:
    text = (GAMES / f"{name}.txt").read_text(encoding="utf-8")
    assert str(Record.parse(text)) == text
    record = eager_game(*GOLDEN[name])
    assert str(record) == text
    assert_explained(record)


def test_a_game_that_was_tampered_with_is_refused() -> None:
    text = (GAMES / "gardens_of_mars_2.txt").read_text(encoding="utf-8")
    for old, new in (("group +2", "group +3"), ("player 2: use", "player 1: use"), ("Won by", "Lost by")):
        assert old in text
        with pytest.raises(ValueError, match="played by the rules it is"):
            Record.parse(text.replace(old, new, 1))
    with pytest.raises(ValueError, match="over before that"):
        Record.parse(text + "end again")


if __name__ == "__main__":
    for name, golden in GOLDEN.items():
        (GAMES / f"{name}.txt").write_text(str(eager_game(*golden)), encoding="utf-8")
