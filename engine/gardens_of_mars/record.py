"""A whole game as a value: every table it went through, and a text that can be replayed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engine.gardens_of_mars.garden import Garden
from engine.gardens_of_mars.legality import dice_due, ending, fault, is_placing, legal_steps
from engine.gardens_of_mars.material import TITLE
from engine.gardens_of_mars.playing import Line, Played, play, winners
from engine.gardens_of_mars.referee import require_fit
from engine.gardens_of_mars.rules import Rules
from engine.gardens_of_mars.setting_up import roll_dice
from engine.gardens_of_mars.steps import Step, parse_step
from engine.standing import Dispute


@dataclass(frozen=True)
class Record:
    """A game from its start; playing a step gives a longer record, undoing one a shorter."""

    rules: Rules
    start: Garden
    steps: tuple[Step, ...] = ()
    played: tuple[Played, ...] = ()

    @property
    def garden(self) -> Garden:
        """The table as it is now."""
        return self.played[-1].garden if self.played else self.start

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The log: every point of every player, with its reason."""
        return tuple(line for played in self.played for line in played.lines)

    @property
    def winners(self) -> tuple[int, ...]:
        """Who has won; nobody while the game goes on."""
        return winners(self.garden) if ending(self.garden, self.rules) else ()

    def disputes(self, names: Sequence[str]) -> tuple[Dispute, ...]:
        """Return the options that would have changed the points or the winner, had the same steps been taken."""
        found = []
        for option, value, other in self.rules.others():
            # With other gardeners or other turns the same steps would not have come about.
            if option in ("centre", "group_score") and (points := _points_under(other, self.start, self.steps)):
                others = winners(replace(self.garden, points=points))
                if others != winners(self.garden):
                    found.append(Dispute(option, value, "winner", tuple(names[i] for i in others)))
                elif points != self.garden.points:
                    found.append(Dispute(option, value, "points", tuple(names[i] for i in others)))
        return tuple(found)

    def play(self, step: Step) -> "Record":
        """Take a step."""
        played = play(self.garden, step, self.rules)
        return Record(self.rules, self.start, (*self.steps, step), (*self.played, played))

    def undone(self) -> "Record":
        """Take the last step back."""
        if not self.steps:
            raise ValueError("there is no step to take back")
        return Record(self.rules, self.start, self.steps[:-1], self.played[:-1])

    @classmethod
    def parse(cls, text: str) -> "Record":
        """Replay the text form; what it says about points and the end has to come out again."""
        lines = [line.strip() for line in text.strip().splitlines()]
        if len(lines) < 3 or lines[0] != TITLE or not lines[1].startswith("rules ") or lines[2][:6] != "start ":
            raise ValueError(f"a game starts with the lines '{TITLE}', 'rules ...' and 'start ...'")
        record = cls(Rules.parse(lines[1][6:]), Garden.parse(lines[2][6:]))
        require_fit(record.start, record.rules)
        for line in lines[3:]:
            if line.startswith("player "):
                record = record.play(parse_step(line.partition(": ")[2].partition(" | ")[0]))
        true = str(record).splitlines()
        for i, said in enumerate(lines):
            if i >= len(true) or said != true[i]:
                meant = repr(true[i]) if i < len(true) else "over before that"
                raise ValueError(f"line {i + 1} says {said!r}, but played by the rules it is {meant}")
        return record

    def __str__(self) -> str:
        """Print the game, one step a line with its points."""
        rules = ",".join(f"{option}={value}" for option, value in self.rules.chosen.items())
        text = [TITLE, f"rules {rules}", f"start {self.start}"]
        player = self.start.player
        for step, played in zip(self.steps, self.played, strict=True):
            gains = ", ".join(f"{line.rule} {line.points:+d}" for line in played.lines if line.points)
            extra = [line.rule for line in played.lines if line.rule in ("last-of-colour", "hop-turn")]
            notes = ", ".join(filter(None, (gains, *extra)))
            text.append(f"player {player + 1}: {step}" + (f" | {notes}" if notes else ""))
            player = played.garden.player
        text.append(f"now {self.garden}")
        if why := ending(self.garden, self.rules):
            text.append(f"end {why} Won by {' and '.join(f'Player {player + 1}' for player in self.winners)}.")
        return "\n".join(text) + "\n"


def _points_under(rules: Rules, garden: Garden, steps: tuple[Step, ...]) -> tuple[int, ...] | None:
    for step in steps:
        if fault(garden, step, rules):
            return None
        garden = play(garden, step, rules).garden
    return garden.points


def practice_step(garden: Garden, rules: Rules, chance: random.Random) -> Step:
    """Take any legal step by chance, with dice that fall like real ones."""
    if not is_placing(garden, rules) and not garden.dice and (due := dice_due(garden, garden.player)):
        return roll_dice(chance.choice(due), chance)
    return chance.choice(legal_steps(garden, rules))


def practice_game(start: Garden, rules: Rules, seed: int) -> Record:
    """Play a whole game by chance, the same one for the same seed."""
    chance = random.Random(seed)
    garden = start
    steps: list[Step] = []
    played: list[Played] = []
    while ending(garden, rules) is None:
        steps.append(practice_step(garden, rules, chance))
        played.append(play(garden, steps[-1], rules))
        garden = played[-1].garden
    return Record(rules, start, tuple(steps), tuple(played))
