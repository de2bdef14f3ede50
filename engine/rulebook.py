"""Every rule in one sentence of our own, and every sentence the engine says to a player.

What the engine says is a `Reason`: a key with parameters, so that a page can say it in any language;
`str()` says it in English. Parameters that are colours, faces or names of cells are plain words.
"""

from dataclasses import dataclass

Value = str | int | tuple[str, ...]

RULEBOOK = {
    "players": "Two to six play, with one colour each; two players may take up to three colours, three up to two; "
    "no colour has two owners.",
    "start": "All 91 tiles lie face down in a hexagon of edge six at the start: 13 of each colour and 13 Serendips.",
    "reveal": "A turn begins by turning up one covered tile for all to see.",
    "foreign": "A flower that is not yours is covered again where it lay, and your turn ends.",
    "own-stay": "Your own flower may stay open where it lies, and you may turn up another tile.",
    "own-swap": "Or you swap your own flower with a covered tile that nobody looks at, and your turn ends.",
    "serendip-stay": "A Serendip may stay and be turned; then you may swap two other tiles, and your turn ends.",
    "serendip-move": "Or you swap the Serendip with any other tile and turn up another one.",
    "serendip-fixed": "A Serendip that has been placed is never swapped or turned again.",
    "faces-kept": "In a swap a covered tile stays covered and an open one open; only Serendips are turned.",
    "one-at-a-time": "There is nothing else to do in a turn: no passing, no second tile after a foreign one, "
    "no open flower turned back.",
    "end": "The game ends once all Serendips are open and someone has every flower of a colour open.",
    "carpet": "A carpet is a connected group of your open flowers; open Serendips connect groups.",
    "carpet-best": "Only your best carpet counts.",
    "point-flower": "One point for each flower of the carpet.",
    "point-serendip": "Two points for each Serendip that touches the carpet.",
    "point-match": "Two more where a Serendip's petal faces a flower of its own colour in the carpet.",
    "shared-serendip": "A Serendip may score for several players.",
    "winner": "The most points win; equal points share the win.",
}

MESSAGES = {
    # A position as text.
    "text-rows": "a position has {rows} rows joined by '/', not {count}",
    "text-row": "row {row} has {count} cells, not {cells}",
    "text-tile": "row {row}, cell {cell}: '{text}' is no tile",
    # What cannot be on a table.
    "too-many-flowers": "{count} {colour} flowers lie open, but there are only {copies}",
    "too-many-serendips": "{count} Serendips lie open, but there are only {copies}",
    "petals": "a Serendip shows each of the six colours once",
    "ring": "all Serendips are printed alike, but these are not in the order {ring}",
    "missing": "places without a tile: {count}",
    "unknown": "tiles that are not known: {count}",
    # Who plays.
    "players-count": "two to six can play, not {count}",
    "players-twice": "{colour} has two owners: {first} and {second}",
    "players-many": "{name} has {count} colours, but with {players} players each may have at most {most}",
    "players-none": "{name} has no colour",
    "players-name": "two players are called {name}",
    # The end.
    "over": "All {copies} Serendips are open, and so are all {copies} {colour} flowers: the game is over.",
    "missing-serendips": "Still covered before the game is over – Serendips: {serendips}.",
    "missing-flowers": "Still covered before the game is over – {colour} flowers: {flowers}.",
    "missing-both": "Still covered before the game is over – Serendips: {serendips}, {colour} flowers: {flowers}.",
    # A claimed turn.
    "turn-legal": "Every step keeps the rules.",
    "no-step": "A turn begins by turning up a tile; nothing was turned up.",
    "game-over": "The game is over; no more tiles are turned up.",
    "not-revealed": "This step turns up no tile; a turn begins by turning up a covered one.",
    "passed": "Nobody may pass.",
    "not-covered": "{cell} is not covered, so it cannot be turned up.",
    "cell-unknown": "Nobody knows what lies at {cell}: was it covered?",
    "turn-ended": "The turn had ended already: {step}.",
    "none-left": "All {copies} tiles of that kind are open already, so {cell} cannot be another one.",
    "foreign-kept": "The {colour} flower at {cell} is not the player's own: it must be covered again.",
    "too-much": "Only one thing is done with the tile at {cell}.",
    "own-covered": "The player's own flower at {cell} stays open; it is not covered again.",
    "own-swap-open": "The own flower at {cell} is swapped with a covered tile only, and {other} is not one.",
    "own-swap-count": "The own flower at {cell} changes places with exactly one covered tile.",
    "flower-turned": "The flower at {cell} is not a Serendip; only Serendips are turned.",
    "face-changed": "The tile from {cell} was open, so it stays open.",
    "serendip-covered": "A Serendip is not covered again; the one at {cell} stays or moves.",
    "serendip-turn": "Turning the Serendip at {cell} cannot make it show {petals}.",
    "moved-turned": "The Serendip at {cell} moved, so it keeps facing the way it was turned up.",
    "move-and-swap": "The Serendip at {cell} moved, so no other two tiles are swapped.",
    "move-nowhere": "The Serendip at {cell} changes places with exactly one other tile, and {other} is not one.",
    "swap-two": "After a Serendip has stayed at {cell}, exactly two other tiles may be swapped.",
    "fixed": "The Serendip at {other} has been placed; it never moves again.",
    # Two positions.
    "explained": "A legal turn explains every change.",
    "no-trace": "Nothing changed, as when a foreign flower is shown and covered again.",
    "broken-start": "A tile came or went at {cells}; all tiles stay on the table.",
    "broken-copies": "There are only {copies} of each kind of tile, but more lie open at {cells}.",
    "broken-reveal": "Tiles changed places at {cells}, but no newly opened tile allows it.",
    "broken-foreign": "A flower that is not the player's own was left open: {cells}.",
    "broken-own-stay": "Only own flowers can have been turned up, and none was left open.",
    "broken-own-swap": "An own flower changed places with an open tile: {cells}.",
    "broken-serendip-stay": "More was swapped after the Serendip than two other tiles: {cells}.",
    "broken-serendip-move": "A Serendip moved, and other tiles were swapped as well: {cells}.",
    "broken-serendip-fixed": "A Serendip that had been placed was moved or turned: {cells}.",
    "broken-faces-kept": "A tile does not show the face it had: {cells}.",
    "broken-one-at-a-time": "Something was done that no turn allows: {cells}.",
    "broken-end": "The game was over; no more tiles are turned up.",
    "broken-end-later": "The game was over in the middle of the turn, yet more tiles were turned up: {cells}.",
    "unknown-before": "It depends on what lay at {cell} before the turn: with {face} it would be legal. Was it so?",
    "unknown-after": "It depends on what lies at {cell} after the turn: with {face} it would be legal. Is it so?",
    "unknown-too-many": "Too many tiles are not known to tell: {cells}.",
    "too-much-changed": "Too much changed to tell what was played: {count} tiles. "
    "Are photos missing, or is one of another table?",
}


@dataclass(frozen=True)
class Reason:
    """A sentence for players: its key in MESSAGES and its parameters.

    >>> str(Reason.of("not-covered", cell="D4")), Reason.of("passed").key
    ('D4 is not covered, so it cannot be turned up.', 'passed')
    """

    key: str
    params: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, key: str, **params: Value) -> "Reason":
        """Make a reason from its key and its parameters by name."""
        return cls(key, tuple(params.items()))

    @property
    def sentence(self) -> str:
        """The English sentence with places for the parameters; catalogues translate it."""
        return MESSAGES[self.key]

    def __str__(self) -> str:
        """Say it in English."""
        words = {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in self.params}
        return self.sentence.format(**words)


class Mistake(ValueError):  # noqa: N818 - what happened, not an error
    """A mistake in what a person wrote, with a reason that a page can say in any language."""

    def __init__(self, reason: Reason) -> None:
        """Say it in English where nobody asks for more."""
        super().__init__(str(reason))
        self.reason = reason
