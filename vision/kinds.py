"""What a tile can show, as the face network names it."""

KINDS = ".bvryogS_?"
"""Covered, the six flowers, a Serendip, no tile, hidden or unreadable: one letter a kind, in the network's order."""

SHOWN = "bvryog.S"
"""The tiles of one's own copy that the network may be shown beside a photo, in this order."""
