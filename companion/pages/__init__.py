"""The pages, one module for each thing people come for."""

from companion.pages.corners import corners
from companion.pages.disputes import disputes
from companion.pages.game_photos import game_photos
from companion.pages.games import games
from companion.pages.joining import joining
from companion.pages.leaving import leaving
from companion.pages.past import past
from companion.pages.rules import rules
from companion.pages.scoring import scoring
from companion.pages.shared import pages
from companion.pages.teaching import teaching

BLUEPRINTS = (pages, scoring, games, game_photos, disputes, corners, past, leaving, rules, teaching, joining)
