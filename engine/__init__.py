"""The rules of the table: boards, positions, turns, points and verdicts. Needs only the standard library."""

from engine.between import TurnBetween, referee_turns
from engine.board import Board, Cell, board_of
from engine.game import Game, Look
from engine.games import GAMES
from engine.position import COLOURS, Position, Problem, problems
from engine.referee import referee
from engine.rulebook import RULEBOOK, Reason
from engine.rules import OPTIONS, PRESETS, Rules
from engine.scoring import Line, Score, score
from engine.standing import Dispute, Standing, standing
from engine.steps import Step, parse_steps
from engine.table import Player, Table
from engine.turns import State, check, legal_steps
from engine.verdict import Verdict

__all__ = [
    "COLOURS",
    "GAMES",
    "OPTIONS",
    "PRESETS",
    "RULEBOOK",
    "Board",
    "Cell",
    "Dispute",
    "Game",
    "Line",
    "Look",
    "Player",
    "Position",
    "Problem",
    "Reason",
    "Rules",
    "Score",
    "Standing",
    "State",
    "Step",
    "Table",
    "TurnBetween",
    "Verdict",
    "board_of",
    "check",
    "legal_steps",
    "parse_steps",
    "problems",
    "referee",
    "referee_turns",
    "score",
    "standing",
]
