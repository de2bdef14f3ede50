"""What people touch: the page, the command line and the history."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask


def create_app(*args: Any, **options: Any) -> "Flask":
    """Make the web application; see `companion.app.create_app`."""
    # Imported only when asked for: the command line should not wait for a web framework to score a position.
    from companion.app import create_app as create

    return create(*args, **options)
