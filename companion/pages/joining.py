"""Joining the table: the secret of the QR code becomes a cookie."""

from flask import Blueprint, abort, current_app, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from companion import guard
from companion.pages.shared import companion, history

joining = Blueprint("joining", __name__)


@joining.get("/join/<secret>")
def join(secret: str) -> Response:
    """Let a phone in that scanned the code."""
    address = request.remote_addr or ""
    if guard.knocks().is_too_many(address):
        abort(429, "too-many-knocks")
    expected = history().key(guard.KEY)
    if not guard.is_right(secret, expected):
        guard.knocks().add_wrong(address)
        abort(403, "wrong-secret")
    return guard.let_in(redirect(url_for("scoring.start")), expected)


@joining.get("/join")
def invite() -> str:
    """Show the code for other phones."""
    if not companion().lan:
        abort(404)
    import segno

    address = invitation(current_app.config["ADDRESS"] or request.host_url, history().key(guard.KEY))
    code = segno.make(address, error="m").svg_inline(border=2, omitsize=True, svgclass="qr", lineclass=None)
    return render_template("join.html", code=Markup(code), address=address)


@joining.post("/join/renew")
def renew() -> Response:
    """Make a new secret: everyone else has to scan again."""
    if not companion().lan:
        abort(404)
    return guard.let_in(redirect(url_for("joining.invite")), history().renew_key(guard.KEY))


def invitation(address: str, secret: str) -> str:
    """Return the link that lets a phone in."""
    return f"{address.rstrip('/')}/join/{secret}"
