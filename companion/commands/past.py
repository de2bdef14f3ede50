"""Commands for what was played: `history`, `export`, `import`, `backup` and `restore`."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from companion.history import History
    from companion.records import Record

FORMS = ("json", "csv", "bgstats", "png", "svg")
MOST_IMPORT_BYTES = 1 << 30


def add_commands(subparsers: Any) -> None:
    """Describe the commands of this room."""
    listed = _command(
        subparsers,
        "history",
        list_games,
        "list the games that were played",
        "List the games and snapshots of the history, newest first; with a game's id, its turns.",
        "serendipity history --search 'Ada 2026-11'",
    )
    listed.add_argument("game", nargs="?", help="show the turns of this game")
    listed.add_argument("--search", default="", metavar="WORDS", help="only games with all these words")
    listed.add_argument("--deleted", action="store_true", help="only deleted games, which can be restored for 30 days")
    listed.add_argument("--json", action="store_true", help="one line of JSON for each game")

    exported = _command(
        subparsers,
        "export",
        export_games,
        "write games to a file",
        "Write games as JSON (complete, `import` takes it in again), as CSV, as a play for BG Stats, or the final "
        "board as a picture. Without a game, JSON and CSV hold all games.",
        "serendipity export --format json --photos --out games.json",
    )
    exported.add_argument("games", nargs="*", metavar="GAME", help="the id of a game, as `history` shows it")
    exported.add_argument("--format", choices=FORMS, default="json", help="what to write (default %(default)s)")
    exported.add_argument("--photos", action="store_true", help="with JSON, put the photos into the file")
    exported.add_argument("--out", type=Path, metavar="FILE", help="the file to write (default standard output)")

    imported = _command(
        subparsers,
        "import",
        import_games,
        "take in exported games",
        "Take in games from an export (JSON) or a backup. Games that are here already stay as they are.",
        "serendipity import games.json",
    )
    imported.add_argument("files", nargs="+", type=Path, metavar="FILE", help="an export or a backup")

    saved = _command(
        subparsers,
        "backup",
        back_up,
        "save everything in one file",
        "Save the whole history with its photos in one file, while the page may be in use.",
        "serendipity backup serendipity-backup.zip",
    )
    saved.add_argument("file", type=Path, metavar="FILE", help="the file to write; an existing one is not replaced")

    restored = _command(
        subparsers,
        "restore",
        bring_back,
        "bring a backup back",
        "Bring a backup back into an empty data folder; what is there already is never overwritten.",
        "serendipity restore serendipity-backup.zip --data new-folder",
    )
    restored.add_argument("file", type=Path, metavar="FILE", help="a file that `backup` wrote")


def _command(
    subparsers: Any, name: str, run: Callable[[argparse.Namespace], int], help: str, about: str, example: str
) -> Any:
    parser = subparsers.add_parser(name, help=help, description=about, epilog=f"example: {example}")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the history and its photos")
    parser.set_defaults(run=run)
    return parser


def list_games(args: argparse.Namespace) -> int:
    """Print the games, or the turns of one."""
    from companion.records import Records, matching

    with _opened(args.data) as history:
        if args.game:
            return _print_game(history, args.game, as_json=args.json)
        records = [record for record in Records(history).all() if (record.deleted is not None) == args.deleted]
        for record in matching(records, args.search, lambda _record: ""):
            print(json.dumps(_told(record), ensure_ascii=False) if args.json else _line(record))
        if not records:
            print("No games yet." if not args.deleted else "No deleted games.", file=sys.stderr)
    return 0


def export_games(args: argparse.Namespace) -> int:
    """Write what was asked for."""
    from companion.history.exchange import export
    from companion.records import Records, record_of
    from companion.sharing import as_bgstats, as_csv

    if args.photos and args.format != "json":
        raise ValueError("photos go into an export as JSON only")
    if args.format in ("bgstats", "png", "svg") and len(args.games) != 1:
        raise ValueError(f"name one game to export as {args.format}; `serendipity history` lists them")
    with _opened(args.data) as history:
        logs = [_log(history, game) for game in args.games] or history.logs()
        if args.format in ("png", "svg"):
            from companion.pictures import picture_of

            return _write_bytes(args.out, picture_of(_game(history, args.games[0]), args.format))
        if args.format == "json":
            return _write(args.out, export(history, logs, with_photos=args.photos))
        if args.format == "bgstats":
            play = as_bgstats(record_of(_game(history, args.games[0])))
            return _write(args.out, [json.dumps(play, ensure_ascii=False, indent=2), "\n"])
        wanted = set(args.games)
        records = [r for r in Records(history).all() if (r.id in wanted if wanted else r.deleted is None)]
        return _write(args.out, [as_csv(records)])


def import_games(args: argparse.Namespace) -> int:
    """Take in every file, or say what is wrong with one before anything is written."""
    from companion.history.exchange import take_in
    from companion.reading import Reader
    from companion.taking_in import look_with, opened_import

    counts: Counter[str] = Counter()
    with _opened(args.data) as history, _closing(Reader(children=1)) as reader:
        for file in args.files:
            with _naming_mistakes(), opened_import(file, MOST_IMPORT_BYTES) as found:
                counts += take_in(history, found, look_with(reader), _progress("taking in"))
    print(
        f"{counts['new']} new games, {counts['grown']} that went on, {counts['known']} that were here already;"
        f" {counts['photos']} photos"
    )
    if counts["different"]:
        print(f"{counts['different']} games went on differently here and stayed as they are.")
    return 0


def back_up(args: argparse.Namespace) -> int:
    """Save everything."""
    from companion.history.backup import save_backup

    with _opened(args.data) as history, _naming_mistakes():
        games, photos = save_backup(history, args.file, _progress("saving photos"))
    print(f"{args.file}: {games} games and {photos} photos")
    return 0


def bring_back(args: argparse.Namespace) -> int:
    """Restore everything into a clean folder."""
    from companion.history.backup import restore

    with _naming_mistakes():
        counts = restore(args.file, args.data, progress=_progress("restoring"))
    print(f"{counts['new'] + counts['known']} games and {counts['photos']} photos are back")
    return 0


@contextmanager
def _opened(folder: Path | None) -> Iterator["History"]:
    from companion.history import open_history

    with _naming_mistakes():
        history = open_history(folder)
        try:
            yield history
        finally:
            history.close()


@contextmanager
def _naming_mistakes() -> Iterator[None]:
    """Turn what is wrong with a file or a disk into one line."""
    from companion import phrases
    from companion.history import DataTrouble
    from companion.history.checking import BadImport

    try:
        yield
    except BadImport as mistake:
        raise ValueError(phrases.say_import(mistake)) from mistake
    except DataTrouble as trouble:
        raise ValueError(phrases.TROUBLES[trouble.reason]) from trouble


@contextmanager
def _closing(reader: Any) -> Iterator[Any]:
    try:
        yield reader
    finally:
        reader.close()


def _log(history: "History", game: str) -> Any:
    try:
        return (game, *history.log(game))
    except KeyError:
        raise ValueError(f"there is no game {game!r}; `serendipity history` lists them") from None


def _game(history: "History", game: str) -> Any:
    from companion.history import fold

    return fold(*_log(history, game))


def _print_game(history: "History", game: str, *, as_json: bool) -> int:
    from companion.records import frames_of, record_of

    state = _game(history, game)
    names = [player.name for player in state.table.players]
    if as_json:
        frames = [
            {"at": frame.at.isoformat(), "position": frame.position, "photo": frame.photo}
            | {"points": dict(zip(names, frame.points, strict=True))}
            for frame in frames_of(state)
        ]
        print(json.dumps({**_told(record_of(state)), "frames": frames}, ensure_ascii=False))
        return 0
    print(_line(record_of(state)))
    veiled = state.ended is None and state.kind == "game"
    for frame in frames_of(state):
        said = f"{frame.at:%H:%M}  "
        if frame.turn is not None:
            turn = state.turns[frame.turn]
            # While a game runs nobody is told what was shown and covered again.
            steps = [step for step in turn.steps.split("; ") if not (veiled and step.endswith(", cover"))]
            said += f"{names[turn.player]}: {'; '.join(steps) or 'a flower shown and covered again'}"
        if not (state.hidden and veiled):
            said += "  " + " ".join(f"{name} {n}" for name, n in zip(names, frame.points, strict=True))
        print(said)
    for note in state.notes:
        print(f"note: {' '.join(note.text.split())}")
    return 0


def _told(record: "Record") -> dict[str, Any]:
    players = [{"name": r.name, "colours": list(r.colours), "points": r.points, "won": r.won} for r in record.results]
    told = {"id": record.id, "kind": record.kind, "plays": record.plays, "begun": record.begun.isoformat()}
    return {**told, "over": record.over, "turns": record.turns, "players": players, "notes": list(record.notes)}


def _line(record: "Record") -> str:
    shown = [r for r in record.results if r.points or record.is_named]
    best = " ".join(
        f"{r.name} {'' if record.hidden else r.points}{'*' if r.won and record.over else ''}" for r in shown
    )
    return f"{record.id}  {record.begun:%Y-%m-%d %H:%M}  {record.kind:8}  {best or 'no open flower'}"


def _write(out: Path | None, pieces: Iterable[str]) -> int:
    if out is None:
        for piece in pieces:
            sys.stdout.write(piece)
        return 0
    with _new_file(out) as file:
        bar = _progress("writing")
        for n, piece in enumerate(pieces, 1):
            file.write(piece)
            bar(n, 0)
    return 0


def _write_bytes(out: Path | None, data: bytes) -> int:
    if out is None:
        sys.stdout.buffer.write(data)
        return 0
    with _new_file(out) as file:
        file.buffer.write(data)
    return 0


@contextmanager
def _new_file(out: Path) -> Iterator[TextIO]:
    """Open a file to write; an existing one is not replaced."""
    try:
        with out.open("x", encoding="utf-8", newline="") as file:
            yield file
    except FileExistsError as fault:
        raise ValueError(f"{out} is there already; choose another name") from fault
    except OSError as fault:
        raise ValueError(f"cannot write {out}: {(fault.strerror or 'unknown reason').lower()}") from fault


def _progress(words: str) -> Callable[[int, int], None]:
    """Return what shows how far a long work is, where a person looks on."""

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty():
            of = f"/{total}" if total else ""
            sys.stderr.write(f"\r{words} {done}{of}" + ("\n" if total and done == total else ""))
            sys.stderr.flush()

    return show
