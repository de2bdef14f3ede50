"""`serve`: the page, on this computer or for the phones in the room."""

import argparse
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from companion.history import DataTrouble

PORT = 5091
THREADS = 12
"""Twenty phones that look every second keep one or two of them busy; the others are for photos."""
CONNECTIONS = 600
"""So many slow or idle phones keep nobody out; fewer than the files a system lets a program open by default."""

PIECE = 1 << 18
"""Bytes taken from or given to a phone at a time: 8 KiB, as usual, are hundreds of rounds for a photo."""


def add_commands(subparsers: Any) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "serve",
        help="open the page",
        description="Serve the page on this computer; with --lan also to the phones in the home network.",
        epilog="example: serendipity serve --lan",
    )
    parser.add_argument("--host", default=None, help="address to listen on (default 127.0.0.1, with --lan all)")
    parser.add_argument("--port", type=int, default=PORT, help="port to listen on (default %(default)s)")
    parser.add_argument("--data", type=Path, default=None, help="folder of the history and its photos")
    parser.add_argument("--lan", action="store_true", help="let phones join with a QR code")
    parser.set_defaults(run=serve)


def serve(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from waitress.server import create_server

    from companion.app import MOST_BYTES, create_app
    from companion.guard import KEY
    from companion.history.sweeping import sweep_daily
    from companion.pages.joining import invitation

    listen = args.host or ("0.0.0.0" if args.lan else "127.0.0.1")
    shown = own_address() if listen in ("0.0.0.0", "::") else listen
    hosts = sorted({"localhost", "127.0.0.1", "[::1]", shown})
    try:
        app = create_app(args.data, lan=args.lan, hosts=hosts)
    except DataTrouble as trouble:
        from companion.phrases import TROUBLES

        raise ValueError(TROUBLES[trouble.reason]) from trouble
    try:
        server: Any = create_server(
            app,
            host=listen,
            port=args.port,
            threads=THREADS,
            max_request_body_size=MOST_BYTES + 1024 * 1024,
            connection_limit=CONNECTIONS,
            asyncore_use_poll=True,
            channel_timeout=60,
            recv_bytes=PIECE,
            send_bytes=PIECE,
            ident=None,
        )
    except OSError as taken:
        raise ValueError(f"port {args.port} on {listen} cannot be used: {taken.strerror or taken}") from taken
    address = app.config["ADDRESS"] = f"http://{shown}:{server.effective_port}/"
    companion = app.extensions["companion"]
    threading.Thread(target=companion.reader.warm, daemon=True).start()
    sweep_daily(companion.history)
    if args.lan:
        link = invitation(address, companion.history.key(KEY))
        import segno

        segno.make(link, error="m").terminal(out=sys.stdout, compact=True, border=2)
        print(f"Scan to join, or open {link}", flush=True)
    else:
        print(f"The companion is at {address}", flush=True)
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
        companion.desk.close()
        companion.reader.close()
        companion.history.close()
    return 0


def own_address() -> str:
    """Return this computer's numeric address in the home network, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address kept free for documentation; UDP connect sends no packet
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
