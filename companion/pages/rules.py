"""The rules to look up at the table, in our own words, with what the booklets say where they differ."""

from collections.abc import Mapping

from flask import Blueprint, abort, render_template

from companion.languages import mark
from companion.play import WAYS
from engine import GAMES, Position

rules = Blueprint("rules", __name__)

Chapters = Mapping[str, tuple[str, ...]]
SETTING_UP, TURN, END = mark("Setting up"), mark("A turn"), mark("The end and the points")
CHAPTERS: Mapping[str, Chapters] = {
    "serendipity": {
        SETTING_UP: ("players", "start"),
        TURN: (
            "reveal",
            "foreign",
            "own-stay",
            "own-swap",
            "serendip-stay",
            "serendip-move",
            "serendip-fixed",
            "faces-kept",
            "one-at-a-time",
        ),
        END: (
            "end",
            "carpet",
            "carpet-best",
            "point-flower",
            "point-serendip",
            "point-match",
            "shared-serendip",
            "winner",
        ),
    },
    "gardens-of-mars": {
        SETTING_UP: ("players", "draw", "place", "two-gardeners"),
        TURN: (
            "turn-order",
            "roll",
            "die",
            "no-roll",
            "roll-once",
            "dice-used",
            "own-gardener",
            "move-straight",
            "move-exact",
            "centre",
            "no-cross",
            "stuck",
            "on-flower",
            "plant",
            "own-flowers",
            "last-of-colour",
            "hop-turn",
        ),
        END: ("group", "track", "track-hop", "track-start", "end", "winner"),
    },
}
WHY: Mapping[str, str] = {
    "ownerless": mark(
        "The variant for two to five players. The older German booklet allows it once ten Serendips lie open; the "
        "booklet in five languages and the Russian one from the start or after the tenth; the Hungarian one has none."
    ),
    "moved_serendip": mark(
        "The Hungarian rules say that a Serendip that moves is not turned; the others only speak of turning one that "
        "stays."
    ),
    "carpet_choice": mark(
        "The German and Hungarian rules count the most valuable carpet; the English, French, Dutch, Italian and "
        "Russian ones count the largest, and of equal ones the more valuable."
    ),
    "chains": mark(
        "The texts let one or more Serendips connect a carpet; some tables let each connect only by itself."
    ),
    "bridges": mark(
        "Most texts let every Serendip that touches connect, whichever way it is turned. Tables argue about this most."
    ),
    "several_colours": mark(
        "Only the Hungarian rules say how the colours of one player go together: through Serendips, never by touching. "
        "The other texts are silent."
    ),
    "complete_colour": mark(
        "The summaries speak of thirteen flowers of at least one colour. With flowers left open that nobody owns, this "
        "could be a colour without a player."
    ),
    "centre": mark(
        "The leaflet forbids to end on the centre; another version of the game forbids to cross it as well."
    ),
    "group_score": mark("The whole connected group counts, or only the flowers right beside the new one."),
    "last_of_colour_extra_turn": mark("The leaflet offers this as an addition for those who know the game."),
    "track_hop_extra_turn": mark("The leaflet offers this as an addition for those who know the game."),
    "two_gardeners": mark("For two players, who then choose in each turn which of their gardeners moves."),
}
PICTURES: Mapping[str, tuple[str, ...]] = {
    "start": ("../.../..",),
    "foreign": ("../.r./..", "../.../.."),
    "own-stay": ("../.b./..",),
    "own-swap": ("../bb./..", "../b.b/.."),
    "serendip-stay": ("../.(bvroyg)./..", "../.(ygbvro)./.."),
    "carpet": ("bb/.(gyorvb)b/..",),
    "point-flower": ("bb/.b./..",),
    "point-serendip": ("../b(gyorvb)./..",),
    "point-match": ("../.(bvroyg)b/..",),
    "shared-serendip": (".y/b(gyorvb)./..",),
}
"""Seven tiles that show what a rule means; two pictures are before and after."""


@rules.get("/rules", defaults={"game": "serendipity"})
@rules.get("/rules/<game>")
def show(game: str) -> str:
    """Show every rule of a game, each with its own address, and the options."""
    if game not in GAMES:
        abort(404)
    book = GAMES[game].rulebook
    told = {rule for chapter in CHAPTERS[game].values() for rule in chapter}
    chapters = {**CHAPTERS[game], mark("More"): tuple(rule for rule in book if rule not in told)}
    return render_template(
        "rules.html",
        plays=game,
        way=WAYS[game],
        chapters={title: [rule for rule in chapter if rule in book] for title, chapter in chapters.items()},
        options=GAMES[game].options,
        presets=GAMES[game].presets,
        why=WHY,
        pictures={rule: [Position.parse(text) for text in texts] for rule, texts in PICTURES.items()}
        if game == "serendipity"
        else {},
        GAMES=GAMES,
    )
