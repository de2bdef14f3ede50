"""The options that a table agrees on before play, as one value."""

from dataclasses import dataclass, fields, replace

OPTIONS = {
    "centre": ("no-stop", "no-cross"),
    "group_score": ("connected", "adjacent"),
    "last_of_colour_extra_turn": ("off", "on"),
    "track_hop_extra_turn": ("off", "on"),
    "two_gardeners": ("off", "on"),
}
"""Every option with its values, the default first."""


@dataclass(frozen=True)
class Rules:
    """How one table plays.

    >>> str(Rules.parse("special-actions,centre=no-cross"))
    'centre=no-cross,last_of_colour_extra_turn=on,track_hop_extra_turn=on'
    """

    centre: str = "no-stop"
    group_score: str = "connected"
    last_of_colour_extra_turn: str = "off"
    track_hop_extra_turn: str = "off"
    two_gardeners: str = "off"

    def __post_init__(self) -> None:
        """Refuse a value that the option does not have."""
        for option, value in self.chosen.items():
            if value not in OPTIONS[option]:
                raise ValueError(f"the option {option} is one of {', '.join(OPTIONS[option])}, not {value!r}")

    @classmethod
    def parse(cls, text: str) -> "Rules":
        """Read `name=value,...`; a preset's name may come first."""
        first, *rest = (part.strip() for part in text.split(","))
        preset = PRESETS.get(first)
        chosen: dict[str, str] = {}
        for part in filter(None, rest if preset else (first, *rest)):
            option, equals, value = (word.strip() for word in part.partition("="))
            if not equals:
                raise ValueError(f"rules are written name=value, or begin with {', '.join(PRESETS)}; not {part!r}")
            if option not in OPTIONS:
                raise ValueError(f"there is no option {option!r}; the options are {', '.join(OPTIONS)}")
            if option in chosen:
                raise ValueError(f"the option {option} is given twice")
            chosen[option] = value
        return replace(preset or cls(), **chosen)

    def __str__(self) -> str:
        """Print the options that differ from the defaults; nothing where none does."""
        return ",".join(f"{name}={value}" for name, value in self.chosen.items() if value != OPTIONS[name][0])

    @property
    def chosen(self) -> dict[str, str]:
        """Every option with its chosen value."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def gardeners(self) -> int:
        """How many gardeners each player has."""
        return 2 if self.two_gardeners == "on" else 1

    def others(self) -> "tuple[tuple[str, str, Rules], ...]":
        """Return each (option, value, rules) that differs from these in one option."""
        return tuple(
            (option, value, replace(self, **{option: value}))
            for option, values in OPTIONS.items()
            for value in values
            if value != self.chosen[option]
        )


DEFAULT = Rules()

PRESETS = {
    "leaflet": DEFAULT,
    "special-actions": Rules(last_of_colour_extra_turn="on", track_hop_extra_turn="on"),
    "two-gardeners": Rules(two_gardeners="on"),
    "closed-centre": Rules(centre="no-cross"),
}
"""What tables usually agree on; an option may be chosen on top, as in `two-gardeners,centre=no-cross`."""
