"""`watch`: a live table, from a camera, a film or a folder of arriving photos."""

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.commands.photos import Task, load_profile, read_one
from companion.history import DataTrouble, fold, open_history
from companion.history.games import GAME
from engine import Rules, Table

if TYPE_CHECKING:
    from companion.watching import LiveTable
    from vision import Profile


def add_commands(subparsers: Any) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "watch",
        help="follows a live table",
        description="Watch a table: once hands are gone and it lies still, work out the turn and add it to the game.",
        epilog='example: serendipity watch 0 --players "Ann=blue,Ben=red+violet"',
    )
    parser.add_argument("source", metavar="SOURCE", help="a camera's number, a film, or a folder where photos arrive")
    parser.add_argument("--players", help='who plays, in order, as in "A=blue,B=red+violet"; not with --game')
    parser.add_argument("--rules", default="", help="options as name=value,...; a preset may come first")
    parser.add_argument("--starts", metavar="PLAYER", help="who plays first (default: the first named)")
    parser.add_argument("--game", metavar="ID", help="go on with a game of the history")
    parser.add_argument("--data", type=Path, default=None, help="folder of the history and its photos")
    parser.add_argument("--profile", metavar="FILE", help="the profile of your copy of the game, from `calibrate`")
    parser.add_argument("--idle", type=float, metavar="SECONDS", help="end when no photo has arrived for so long")
    parser.set_defaults(run=watch)


def watch(args: argparse.Namespace) -> int:
    """Watch until the pictures end or someone interrupts."""
    from companion.watching import LiveTable

    profile = load_profile(args.profile)
    folder = Path(args.source)
    if not (args.source.isdigit() or folder.exists()):
        raise ValueError(f"{args.source} is no camera's number, and there is no such film or folder")
    try:
        history = open_history(args.data)
        try:
            table, starter = _seats(args, history)
            live = LiveTable(history, table, starter, args.game, _say, profile)
            try:
                _follow(args, live, profile)
            except KeyboardInterrupt:
                print("No longer watching; the game is in the history.", file=sys.stderr)
            live.finish()
        finally:
            history.close()
    except DataTrouble as trouble:
        from companion.phrases import TROUBLES

        raise ValueError(TROUBLES[trouble.reason]) from trouble
    return 0


def _follow(args: argparse.Namespace, live: "LiveTable", profile: "Profile | None") -> None:
    """Let the live table see what comes, until nothing more does."""
    from companion.watching import arriving_photos, film_frames

    folder = Path(args.source)
    if not folder.is_dir():
        print(f"Watching {args.source}.", file=sys.stderr, flush=True)
        for frame in film_frames(args.source):
            with _undisturbed():
                live.see(frame)
        return
    print(f"Watching the folder {folder} for photos.", file=sys.stderr, flush=True)
    for path in arriving_photos(folder, args.idle):
        with _undisturbed():
            reading = read_one(Task(str(path), profile=profile))
            try:
                data = path.read_bytes()
            except OSError:
                continue  # taken away again
            live.see_photo(data, reading, time.monotonic())


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Finish what is being written down before an interruption counts."""
    interrupted = []
    before = signal.signal(signal.SIGINT, lambda *_: interrupted.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted:
        raise KeyboardInterrupt


def _seats(args: argparse.Namespace, history: Any) -> tuple[Table, int]:
    """Return who plays and who begins: as named, or as in the game that goes on."""
    if args.game:
        if args.players or args.starts or args.rules:
            raise ValueError("a game that goes on has its players and rules already: leave them out")
        try:
            game = fold(args.game, *history.log(args.game))
        except KeyError:
            raise ValueError(f"there is no game {args.game} in the history") from None
        if game.kind != GAME or game.plays != "serendipity" or game.ended or game.deleted:
            raise ValueError(f"the game {args.game} is not a running game of Serendipity")
        return game.table, game.starter
    if not args.players:
        raise ValueError('say who plays, as in --players "Ann=blue,Ben=red"')
    table = Table.parse(args.players, Rules.parse(args.rules))
    return table, table.players.index(table.player(args.starts)) if args.starts else 0


def _say(sentence: str) -> None:
    """Say something to the people at the table; a broken rule also rings the bell of the terminal."""
    bell = "\a" if "ILLEGAL" in sentence and sys.stdout.isatty() else ""
    print(f"{time.strftime('%H:%M:%S')} {sentence}{bell}", flush=True)
