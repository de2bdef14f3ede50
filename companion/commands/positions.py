"""Commands that score and judge positions: `score`, `check` and `referee`."""

import argparse
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from companion.commands import playing
from engine import GAMES, Game, Verdict

DONE, WRONG_USE, NEEDS_AN_EYE = 0, 2, 3
COVERED_TABLE = "/".join("." * n for n in (6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6))
SAMPLE = COVERED_TABLE.replace("......", "bb....", 1)
"""Positions for the examples in the help."""


def add_commands(subparsers: Any) -> None:
    """Describe the commands of this room."""
    example = f"example: serendipity score {SAMPLE} --players A=blue,B=red+violet"
    score = subparsers.add_parser("score", help="points of each player, every point explained", epilog=example)
    score.add_argument("position", metavar="PHOTO_OR_POSITION", help="a photo or a position; '-' reads one a line")
    score.add_argument("--profile", metavar="FILE", help="for a photo, the profile of your copy, from `calibrate`")
    _add_table(score)
    score.set_defaults(run=_score)

    example = f"example: serendipity check {COVERED_TABLE} 'reveal D4 blue, stay; reveal E6 red, cover' --player blue"
    checked = subparsers.add_parser("check", help="judges a claimed turn, step by step", epilog=example)
    checked.add_argument("position", metavar="POSITION", help="'-' reads one position a line")
    checked.add_argument("steps", metavar="STEPS", help="as in 'reveal D4 blue, stay; reveal E6 red, cover'")
    checked.add_argument("--player", required=True, help="who played, by name or colour")
    _add_table(checked)
    checked.set_defaults(run=_check)

    example = f"example: serendipity referee {COVERED_TABLE} {SAMPLE} --player blue"
    about = "judges a whole turn from what lay there before and after"
    judged = subparsers.add_parser("referee", help=about, epilog=example)
    judged.add_argument(
        "before", metavar="BEFORE", help="a photo or a position; '-' takes it from each line of standard input"
    )
    judged.add_argument("after", metavar="AFTER", help="a photo or a position")
    judged.add_argument("--player", required=True, help="who played, by name or colour")
    judged.add_argument("--profile", metavar="FILE", help="for photos, the profile of your copy, from `calibrate`")
    _add_table(judged)
    judged.set_defaults(run=_referee)


def state_of(game: Game, table: Any, argument: str, player: str | None = None) -> Any:
    """Turn what was written on the command line into a state."""
    try:
        state = game.at(table, argument)
    except ValueError:
        if _is_file(argument):
            raise ValueError(f"{argument} is a file; give a position as text") from None
        raise
    if player is None:
        return state
    return game.at(table, argument, state.table.players.index(state.table.player(player)))


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except OSError:  # a position is often longer than a file name may be
        return False


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", choices=GAMES, default="serendipity", help="which game it is (default %(default)s)")
    parser.add_argument("--players", help='who plays, as in "A=blue,B=red+violet"; else each colour is a player')
    parser.add_argument("--rules", default="", help="options as name=value,...; a preset may come first")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each answer")


def _shows_serendipity(argument: str, args: argparse.Namespace) -> bool:
    return bool(args.game == "serendipity" and playing.is_photo(argument))


def _seated(args: argparse.Namespace) -> tuple[Game, Any]:
    game = GAMES[args.game]
    return game, game.table(args.players, args.rules)


def _answer_each(arguments: tuple[str, ...], args: argparse.Namespace, answer: Callable[..., int]) -> int:
    """Answer every input and return the highest exit status.

    Where some arguments are `-`, each line of standard input fills them in; a bad line is named and the rest goes on.
    """
    blanks = arguments.count("-")
    if not blanks:
        return answer(*arguments)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")  # bytes that are no text spoil their own line only
    status = DONE
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            status = max(status, answer(*_filled_in(arguments, blanks, line.strip())))
        except ValueError as mistake:
            status = max(status, WRONG_USE)
            print(f"serendipity: line {number} of standard input: {mistake}", file=sys.stderr)
            if args.json:
                print(json.dumps({"line": number, "error": str(mistake)}))
        sys.stdout.flush()
    return status


def _filled_in(arguments: tuple[str, ...], blanks: int, line: str) -> Iterator[str]:
    # Tables of Gardens of Mars are written with spaces, so a tab can stand between two of them.
    words = [line] if blanks == 1 else line.split("\t" if "\t" in line else None)
    if len(words) != blanks:
        raise ValueError(f"{blanks} positions are expected, not {len(words)}")
    given = iter(words)
    return (next(given) if argument == "-" else argument for argument in arguments)


def _score(args: argparse.Namespace) -> int:
    game, table = _seated(args)

    def answer(position: str) -> int:
        if _shows_serendipity(position, args):
            return playing.score_photo(position, args)
        result = game.score(state_of(game, table, position))
        print(json.dumps(result.as_json()) if args.json else told(result))
        return NEEDS_AN_EYE if result.unsure else DONE

    return _answer_each((args.position,), args, answer)


def _check(args: argparse.Namespace) -> int:
    game, table = _seated(args)

    def answer(position: str) -> int:
        return _say(game.check(state_of(game, table, position, args.player), args.steps), args)

    return _answer_each((args.position,), args, answer)


def _referee(args: argparse.Namespace) -> int:
    game, table = _seated(args)

    def answer(before: str, after: str) -> int:
        if _shows_serendipity(before, args) or _shows_serendipity(after, args):
            return playing.referee_photos(before, after, args)
        states = state_of(game, table, before, args.player), state_of(game, table, after)
        return _say(game.referee(*states), args)

    return _answer_each((args.before, args.after), args, answer)


def _say(verdict: Verdict, args: argparse.Namespace) -> int:
    print(json.dumps(verdict.as_json()) if args.json else judged(verdict, GAMES[args.game]))
    return NEEDS_AN_EYE if verdict.verdict == "undecided" else DONE


def judged(verdict: Verdict, game: Game) -> str:
    """Tell a verdict to people."""
    rule = f" ({verdict.rule})" if verdict.rule else ""
    lines = [f"{verdict.verdict.capitalize()}{rule}: {verdict.told()}"]
    if verdict.rule:
        lines.append(f"The rule: {game.rulebook[verdict.rule]}")
    if verdict.story:
        others = "" if verdict.stories == 1 else f" (one of {verdict.stories} turns that would explain it)"
        lines.append(f"{'; '.join(verdict.story)}{others}")
    for dispute in verdict.disputes:
        changed = (
            f"it would be {dispute.verdict}" if dispute.changes == "verdict" else f"the {dispute.changes} would change"
        )
        lines.append(f"Disputed: with {dispute.option}={dispute.value} {changed}.")
    return "\n".join(lines)


def told(result: Any) -> str:
    """Tell a standing to people, every point with its cells."""
    lines = []
    for player, points in result.scores:
        name = player.name if player.colours == (player.name,) else f"{player.name} ({'+'.join(player.colours)})"
        lines.append(f"{name}: {points.points} points{points.told}")
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
