"""Commands that score and judge positions: `score`, `check` and `referee`."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine import RULEBOOK, Position, Rules, Standing, Table, Verdict, check, referee, standing

DONE, NEEDS_AN_EYE = 0, 3


def add_commands(subparsers: Any) -> None:
    """Describe the commands of this room."""
    score = subparsers.add_parser("score", help="points of each player, every point explained")
    score.add_argument("position", metavar="PHOTO_OR_POSITION", help="'-' reads one position a line")
    _add_table(score)
    score.set_defaults(run=_score)

    checked = subparsers.add_parser("check", help="judges a claimed turn, step by step")
    checked.add_argument("position", metavar="POSITION", help="'-' reads one position a line")
    checked.add_argument("steps", metavar="STEPS", help="as in 'reveal D4 blue, stay; reveal E6 red, cover'")
    checked.add_argument("--player", required=True, help="who played, by name or colour")
    _add_table(checked)
    checked.set_defaults(run=_check)

    judged = subparsers.add_parser("referee", help="judges a whole turn from what lay there before and after")
    judged.add_argument("before", metavar="BEFORE", help="'-' takes it from each line of standard input")
    judged.add_argument("after", metavar="AFTER")
    judged.add_argument("--player", required=True, help="who played, by name or colour")
    _add_table(judged)
    judged.set_defaults(run=_referee)


def position_of(argument: str) -> Position:
    """Turn what was written on the command line into a position: the one door where photos come in."""
    try:
        return Position.parse(argument, edge=6)
    except ValueError:
        if _is_file(argument):
            raise ValueError(f"{argument} is a file; give a position as text") from None
        raise


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except OSError:  # a position is often longer than a file name may be
        return False


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--players", help='who plays, as in "A=blue,B=red+violet"; else each colour is a player')
    parser.add_argument("--rules", default="", help="options as name=value,...; a preset may come first")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each answer")


def _table(args: argparse.Namespace) -> Table:
    return Table.parse(args.players, Rules.parse(args.rules))


def _inputs(*arguments: str) -> Iterator[tuple[str, ...]]:
    """Yield the arguments; where some are `-`, once for each line of standard input, which fills them in."""
    blanks = arguments.count("-")
    if not blanks:
        yield arguments
        return
    for number, line in enumerate(sys.stdin, 1):
        words = line.split()
        if not words:
            continue
        if len(words) != blanks:
            raise ValueError(f"line {number} of standard input: {blanks} positions are expected, not {len(words)}")
        given = iter(words)
        yield tuple(next(given) if argument == "-" else argument for argument in arguments)


def _answer_each(arguments: tuple[str, ...], answer: Callable[..., int]) -> int:
    """Answer every input and return the highest exit status; a bad line is named by its number."""
    status = DONE
    for number, texts in enumerate(_inputs(*arguments), 1):
        try:
            status = max(status, answer(*map(position_of, texts)))
        except ValueError as mistake:
            raise ValueError(f"position {number}: {mistake}" if "-" in arguments else str(mistake)) from None
    return status


def _score(args: argparse.Namespace) -> int:
    table = _table(args)

    def answer(position: Position) -> int:
        result = standing(position, table)
        print(json.dumps(result.as_json()) if args.json else _told(result))
        return NEEDS_AN_EYE if result.unsure else DONE

    return _answer_each((args.position,), answer)


def _check(args: argparse.Namespace) -> int:
    table = _table(args)
    table.player(args.player)

    def answer(position: Position) -> int:
        return _say(check(position, args.steps, args.player, table), args)

    return _answer_each((args.position,), answer)


def _referee(args: argparse.Namespace) -> int:
    table = _table(args)
    table.player(args.player)

    def answer(before: Position, after: Position) -> int:
        return _say(referee(before, after, args.player, table), args)

    return _answer_each((args.before, args.after), answer)


def _say(verdict: Verdict, args: argparse.Namespace) -> int:
    print(json.dumps(verdict.as_json()) if args.json else _judged(verdict))
    return NEEDS_AN_EYE if verdict.verdict == "undecided" else DONE


def _judged(verdict: Verdict) -> str:
    """Tell a verdict to people."""
    rule = f" ({verdict.rule})" if verdict.rule else ""
    lines = [f"{verdict.verdict.capitalize()}{rule}: {verdict.told()}"]
    if verdict.rule:
        lines.append(f"The rule: {RULEBOOK[verdict.rule]}")
    if verdict.story:
        others = "" if verdict.stories == 1 else f" (one of {verdict.stories} turns that would explain it)"
        lines.append(f"{'; '.join(verdict.story)}{others}")
    for dispute in verdict.disputes:
        lines.append(f"Disputed: with {dispute.option}={dispute.value} it would be {dispute.verdict}.")
    return "\n".join(lines)


def _told(result: Standing) -> str:
    """Tell a standing to people, every point with its cells."""
    lines = []
    for player, points in result.scores:
        name = player.name if player.colours == (player.name,) else f"{player.name} ({'+'.join(player.colours)})"
        lines.append(
            f"{name}: {points.points} points"
            f" = {points.flowers} flowers + 2 × {points.serendips} Serendips + 2 × {points.matches} matches"
        )
        lines += [f"  {line.points:3}  {line.rule:14}  {' '.join(line.cells)}" for line in points.lines]
        if points.apart:
            lines.append(f"    0  {'carpet-best':14}  {' '.join(points.apart)}")
    lines.append(str(result.ending))
    lines.append(f"{'Winner' if result.over else 'Leading'}: {', '.join(result.winners)}")
    if rules := str(result.table.rules):
        lines.append(f"Rules: {rules}")
    for dispute in result.disputes:
        changed = f"{', '.join(dispute.winners)} would win" if dispute.changes == "winner" else "points would change"
        lines.append(f"Disputed: with {dispute.option}={dispute.value}, {changed}.")
    if result.unsure:
        lines.append(f"Not known, please look: {' '.join(result.unsure)}")
    return "\n".join(lines)
