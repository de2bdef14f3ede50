"""The options in which the rule documents differ, as one value.

A preset holds what the main text of one document says; the variant with ownerless flowers is chosen on top of it,
as in `german,ownerless=open-after-10`.
"""

from dataclasses import dataclass, fields, replace

OPTIONS = {
    "ownerless": ("cover", "open-after-10", "open"),
    "moved_serendip": ("as-revealed", "may-turn"),
    "carpet_choice": ("most-valuable", "largest"),
    "chains": ("join", "single"),
    "bridges": ("any-face", "matching-face", "none"),
    "several_colours": ("linked", "best-colour", "sum"),
    "complete_colour": ("owned", "any"),
}
"""Every option with its values, the default first."""


@dataclass(frozen=True)
class Rules:
    """How one table plays, chosen before play.

    >>> str(Rules.parse("russian,bridges=none"))
    'carpet_choice=largest,bridges=none'
    """

    ownerless: str = "cover"
    moved_serendip: str = "as-revealed"
    carpet_choice: str = "most-valuable"
    chains: str = "join"
    bridges: str = "any-face"
    several_colours: str = "linked"
    complete_colour: str = "owned"

    def __post_init__(self) -> None:
        """Refuse a value that the option does not have."""
        for option, value in self.chosen.items():
            if value not in OPTIONS[option]:
                raise ValueError(f"the option {option} is one of {', '.join(OPTIONS[option])}, not {value!r}")

    @classmethod
    def parse(cls, text: str) -> "Rules":
        """Read `name=value,...`; a preset's name may come first."""
        if len(text) > 1000:
            raise ValueError(f"rules are written in at most 1000 characters, not {len(text)}")
        rules, named = cls(), set()
        for i, part in enumerate(item.strip() for item in text.split(",") if item.strip()):
            option, equals, value = (word.strip() for word in part.partition("="))
            if not equals and i == 0 and part in PRESETS:
                rules = PRESETS[part]
            elif not equals:
                raise ValueError(f"rules are written name=value, or begin with {', '.join(PRESETS)}; not {part!r}")
            elif option not in OPTIONS:
                raise ValueError(f"there is no option {option!r}; the options are {', '.join(OPTIONS)}")
            elif option in named:
                raise ValueError(f"the option {option} is given twice")
            else:
                named.add(option)
                rules = replace(rules, **{option: value})
        return rules

    def __str__(self) -> str:
        """Print the options that differ from the defaults; nothing where none does."""
        return ",".join(f"{name}={value}" for name, value in self.chosen.items() if value != OPTIONS[name][0])

    @property
    def chosen(self) -> dict[str, str]:
        """Every option with its chosen value."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def others(self) -> "tuple[tuple[str, str, Rules], ...]":
        """Return each (option, value, rules) that differs from these in one option."""
        return tuple(
            (option, value, replace(self, **{option: value}))
            for option, values in OPTIONS.items()
            for value in values
            if value != getattr(self, option)
        )


DEFAULT = Rules()

PRESETS = {
    "german": DEFAULT,
    "five-language": Rules(carpet_choice="largest"),
    "hungarian": Rules(several_colours="linked", moved_serendip="as-revealed"),
    "russian": Rules(carpet_choice="largest"),
}
"""What the main text of each rule document says; four of the five languages of the box say largest."""
