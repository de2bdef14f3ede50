"""Gardens of Mars (Nestor Romeral Andres 2009): gardeners plant flowers on the 91 hexes of Serendipity."""

from engine.gardens_of_mars.change import judge_change
from engine.gardens_of_mars.garden import Garden, parse_hand, problems
from engine.gardens_of_mars.legality import Fault, dice_due, ending, fault, is_placing, legal_steps
from engine.gardens_of_mars.material import DEFAULT_SET, HAND_SIZES, MARTIANS, NAME, SETS, TITLE, FlowerSet
from engine.gardens_of_mars.playing import Line, Played, connected, play, winners, worth
from engine.gardens_of_mars.record import Record, practice_game, practice_step
from engine.gardens_of_mars.referee import Verdict, check
from engine.gardens_of_mars.rulebook import MESSAGES, RULEBOOK, Reason
from engine.gardens_of_mars.rules import OPTIONS, PRESETS, Rules
from engine.gardens_of_mars.setting_up import draw, drawn_fault, roll_dice, set_up
from engine.gardens_of_mars.steps import Move, Pass, Place, Roll, Stay, Step, parse_step, parse_steps

__all__ = [
    "DEFAULT_SET",
    "HAND_SIZES",
    "MARTIANS",
    "MESSAGES",
    "NAME",
    "OPTIONS",
    "PRESETS",
    "RULEBOOK",
    "SETS",
    "TITLE",
    "Fault",
    "FlowerSet",
    "Garden",
    "Line",
    "Move",
    "Pass",
    "Place",
    "Played",
    "Reason",
    "Record",
    "Roll",
    "Rules",
    "Stay",
    "Step",
    "Verdict",
    "check",
    "connected",
    "dice_due",
    "draw",
    "drawn_fault",
    "ending",
    "fault",
    "is_placing",
    "judge_change",
    "legal_steps",
    "parse_hand",
    "parse_step",
    "parse_steps",
    "play",
    "practice_game",
    "practice_step",
    "problems",
    "roll_dice",
    "set_up",
    "winners",
    "worth",
]
