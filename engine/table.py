"""Who plays, with which colours, by which rules."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.position import COLOUR_OF, COLOURS, COPIES, LETTER_OF, LETTERS
from engine.rulebook import Reason
from engine.rules import DEFAULT, Rules

MOST_COLOURS = {2: 3, 3: 2}
"""How many colours each may have, by number of players; one where it is not said."""


LETTERS_OF = {**LETTER_OF, **dict(zip(LETTERS, LETTERS, strict=True))}
"""From a colour as a word or as a letter to its letter."""


def letters_of(colours: str | Iterable[str]) -> str:
    """Return the letters of some colours, given as words, letters or `red+violet`.

    >>> letters_of("red+violet"), letters_of(["blue", "g"]), letters_of("yo")
    ('rv', 'bg', 'yo')
    """
    if isinstance(colours, str):
        if colours in LETTERS_OF:
            return LETTERS_OF[colours]
        colours = colours if set(colours) <= set(LETTERS) else colours.split("+")
    letters = "".join([LETTERS_OF.get(word) or _letter(word) for word in colours])
    return "".join(dict.fromkeys(letters))


def _letter(word: str) -> str:
    word = word.strip().lower()
    if word not in LETTERS_OF:
        raise ValueError(f"there is no colour {word!r}; the colours are {', '.join(COLOURS)}")
    return LETTERS_OF[word]


@dataclass(frozen=True)
class Player:
    """Someone at the table, with the letters of their colours."""

    name: str
    letters: str

    @property
    def colours(self) -> tuple[str, ...]:
        """The player's colours as words."""
        return tuple(COLOUR_OF[letter] for letter in self.letters)


ALONE = tuple(Player(colour, letter) for letter, colour in COLOUR_OF.items())
"""Six players, each colour a player of its own."""


@dataclass(frozen=True)
class Table:
    """The players in their order, their rules, and how many copies of each tile the box holds."""

    players: tuple[Player, ...] = ALONE
    rules: Rules = DEFAULT
    copies: int = COPIES

    @classmethod
    def parse(cls, players: str | None, rules: Rules | None = None) -> "Table":
        """Read `A=blue,B=red+violet`; without players, each colour is a player of its own."""
        table = cls(ALONE if players is None else tuple(_players(players)), rules or DEFAULT)
        if fault := table.fault:
            raise ValueError(str(fault))
        return table

    def __str__(self) -> str:
        """Print the players as they are written."""
        return ",".join(f"{player.name}={'+'.join(player.colours)}" for player in self.players)

    @cached_property
    def fault(self) -> Reason | None:
        """Say how the players break the rule `players`, if they do."""
        count = len(self.players)
        if not 2 <= count <= 6:
            return Reason.of("players-count", count=count)
        owners: dict[str, str] = {}
        names: set[str] = set()
        for player in self.players:
            if player.name in names:
                return Reason.of("players-name", name=player.name)
            names.add(player.name)
            if not player.letters:
                return Reason.of("players-none", name=player.name)
            for letter in player.letters:
                if letter in owners:
                    colour = COLOUR_OF[letter]
                    return Reason.of("players-twice", colour=colour, first=owners[letter], second=player.name)
                owners[letter] = player.name
            if len(player.letters) > (most := MOST_COLOURS.get(count, 1)):
                many = len(player.letters)
                return Reason.of("players-many", name=player.name, count=many, players=count, most=most)
        return None

    @cached_property
    def owned(self) -> str:
        """The letters of all colours that have an owner."""
        return "".join(player.letters for player in self.players)

    @cached_property
    def ownerless(self) -> str:
        """The letters of all colours that nobody owns."""
        return "".join(letter for letter in LETTERS if letter not in self.owned)

    def player(self, word: str) -> Player:
        """Find a player by name, or else by one of their colours."""
        for player in self.players:
            if player.name == word:
                return player
        letter = LETTER_OF.get(word.lower(), word.lower())
        for player in self.players:
            if letter in player.letters:
                return player
        names = ", ".join(player.name for player in self.players)
        raise ValueError(f"there is no player {word!r} at this table; the players are {names}")


def _players(text: str) -> Iterable[Player]:
    if len(text) > 1000:
        raise ValueError(f"players are written in at most 1000 characters, not {len(text)}")
    for part in text.split(","):
        name, equals, colours = (word.strip() for word in part.partition("="))
        if not (name and equals and colours):
            raise ValueError(f"players are written name=colour, as in A=blue,B=red+violet; not {part.strip()!r}")
        if not name.isprintable():
            raise ValueError(f"a player's name is one line of plain characters, not {name!r}")
        if len(letters := letters_of(colours)) < len(colours.split("+")):
            raise ValueError(f"{name} has a colour twice: {colours}")
        yield Player(name, letters)
