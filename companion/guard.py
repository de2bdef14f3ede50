"""Who may look and who may change: hosts, origins, the secret of the table, and what a page may load."""

import hashlib
import hmac
import time
from collections import deque
from collections.abc import Callable
from threading import Lock

from flask import Flask, Response, abort, current_app, request
from werkzeug.wrappers import Response as AnyResponse

from companion.history import History

COOKIE = "table"
KEY = "table"
PUBLIC = {"static", "joining.join", "pages.language"}
SAFE = {"GET", "HEAD", "OPTIONS"}
POLICY = (
    "default-src 'none'; img-src 'self' blob: data:; script-src 'self'; style-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Knocks:
    """Counts wrong secrets, so that nobody can try many: `most` in `seconds` from one address, tenfold in all."""

    def __init__(self, most: int = 10, seconds: float = 60, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with nobody at the door."""
        self.most, self.seconds, self.clock = most, seconds, clock
        self._wrong: deque[tuple[float, str]] = deque()
        self._lock = Lock()

    def is_too_many(self, address: str) -> bool:
        """Tell whether this address has to wait."""
        with self._lock:
            self._drop_old()
            own = sum(1 for _, other in self._wrong if other == address)
            return own >= self.most or len(self._wrong) >= 10 * self.most

    def add_wrong(self, address: str) -> None:
        """Remember a wrong secret."""
        with self._lock:
            self._drop_old()
            self._wrong.append((self.clock(), address))

    def _drop_old(self) -> None:
        while self._wrong and self._wrong[0][0] < self.clock() - self.seconds:
            self._wrong.popleft()


def token(secret: str) -> str:
    """Return what a phone that knows the secret keeps in its cookie."""
    return hmac.new(secret.encode(), b"a phone at this table", hashlib.sha256).hexdigest()


def is_right(offered: str, expected: str) -> bool:
    """Compare without telling by the time it takes how much was right."""
    return hmac.compare_digest(offered.encode(), expected.encode())


def protect(app: Flask, history: History, *, needs_secret: bool) -> None:
    """Put the guards before every request and the policy on every answer."""

    @app.before_request
    def check_origin() -> None:
        # Browsers send Origin with every POST; one that lacks it or names another site is not from our pages.
        if request.method not in SAFE and request.headers.get("Origin") != request.host_url.rstrip("/"):
            abort(403, "foreign-origin")

    @app.before_request
    def check_secret() -> None:
        if needs_secret and request.endpoint not in PUBLIC and not is_at_the_table(history):
            abort(403, "no-secret")

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static":
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def is_at_the_table(history: History) -> bool:
    """Tell whether this phone has shown the secret before."""
    return is_right(request.cookies.get(COOKIE, ""), token(history.key(KEY)))


def let_in(response: AnyResponse, secret: str) -> AnyResponse:
    """Give a phone its cookie."""
    response.set_cookie(
        COOKIE, token(secret), max_age=30 * 24 * 3600, httponly=True, samesite="Lax", secure=request.is_secure
    )
    return response


def knocks() -> Knocks:
    """Return the counter of this application."""
    counter = current_app.extensions["knocks"]
    assert isinstance(counter, Knocks)
    return counter
