"""The command line: parses, calls and prints."""

import argparse
import sys
from collections.abc import Sequence

from companion import commands

DONE, WRONG_USE, NEEDS_AN_EYE, UNREADABLE = 0, 2, 3, 4


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(WRONG_USE, f"serendipity: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """Describe every command and its options."""
    parser = _Parser(prog="serendipity", description="Read, score and referee a table of Serendipity.")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for room in commands.ROOMS:
        room.add_commands(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 2 wrong use, 3 needs a person's eye, 4 unreadable photo."""
    args = build_parser().parse_args(argv)
    try:
        return int(args.run(args))
    except ValueError as mistake:
        print(f"serendipity: {mistake}", file=sys.stderr)
        return WRONG_USE
    except BrokenPipeError:
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        return 130
