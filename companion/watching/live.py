"""Follow a live table: decide what a new picture of it means, and write the turns into the history."""

from collections.abc import Callable
from dataclasses import dataclass

import cv2

from companion.history import Entry, Game, History, fold
from companion.history.games import GAME
from companion.history.photos import JPEG
from companion.play.way import Played
from companion.tracking import Followed, Known, first_known, follow
from companion.watching.sources import Frame
from companion.watching.stillness import Stillness
from engine import Position, Table, check, referee
from engine.position import COLOUR_OF, COVERED, UNKNOWN
from engine.turns import State
from vision import CellReading, PhotoError, Profile, Reading, open_photo
from vision.still import Glimpse, first_glimpse, glimpse_again

STILL = 0.6
"""Seconds without a movement before the table is read."""
SETTLED = 1.6
"""Seconds before something is called illegal or undecided: a player may be in the middle of a turn."""
GOES_ON = 20.0
"""Seconds within which a player may go on with a turn that was taken for finished."""


@dataclass(frozen=True)
class Last:
    """What this table wrote last: the number of the entry, what was known before it, and when."""

    number: int
    before: Known
    after: Known
    seat: int
    at: float


class LiveTable:
    """One table that is being watched; what it sees goes into the game, and `say` tells it to the people there."""

    def __init__(
        self,
        history: History,
        table: Table,
        starter: int = 0,
        game: str | None = None,
        say: Callable[[str], None] = print,
        profile: Profile | None = None,
    ) -> None:
        """Watch for a new game of these players, or go on with one."""
        self.history, self.table, self.starter, self.game, self.say = history, table, starter, game, say
        self.profile = profile
        self._stillness = Stillness()
        self._glimpse: Glimpse | None = None
        self._turned: int | None = None
        self._last: Last | None = None
        self._looked = 0
        self._waiting: Frame | None = None
        self._asking = False
        self._shown = ""
        self._complaint = ""
        self._photo = b""
        self._strange: Known | None = None

    def see(self, frame: Frame) -> None:
        """Take the next frame of a camera that stays where it is."""
        still = self._stillness.see(frame)
        if still < STILL:
            if self._waiting is not None and self._asking:
                # A doubt of the eye is not cleared up by waiting, and the next turn begins.
                self._look(self._waiting, settled=True)
            self._looked, self._waiting, self._asking = 0, None, False
            return
        self._waiting = frame
        wanted = 2 if still >= SETTLED else 1
        if self._looked < wanted:
            self._looked = wanted
            self._look(frame, settled=wanted == 2)

    def see_photo(self, data: bytes, reading: Reading, at: float) -> None:
        """Take a photo that arrived, as read."""
        if data == self._photo:
            self._complain("The same photo again; no turn lies between.")
        elif not reading.cells:
            self._complain(str(reading.message))
        elif sum(_is_hidden(reading, name) for name in reading.cells) > 1 and self.game:
            self._complain("A hand is in the picture; waiting for the next photo.")
        else:
            turned = self._decide(reading, data, at, None, settled=True, visited=True)
            self._turned = self._turned if turned is None else turned
        self._photo = data

    def finish(self) -> None:
        """Look once more when the pictures end, without waiting for what cannot come."""
        if self._waiting is not None and self._looked < 2:
            self._look(self._waiting, settled=True)
        if self.game is None:
            self.say("No board was seen.")

    def _look(self, frame: Frame, settled: bool) -> None:
        """Read a still frame, unless nothing changed or a hand lies there."""
        try:
            if self._glimpse is None:
                seen = first_glimpse(frame.image, self.profile)
            else:
                seen = glimpse_again(self._glimpse, frame.image)
        except PhotoError as refusal:
            self._complain(str(refusal.reason))
            return
        visited = self._stillness.visited
        if self._glimpse is not None and not seen.changed:
            if visited and self.game:
                self._note_visit(self._fold(), frame.at)
            self._stillness.rest(frame)
            return
        if any(_is_hidden(seen.reading, name) for name in seen.changed) and self._glimpse is not None:
            return
        turned, reading = None, seen.reading
        if self._glimpse is not None and seen.grid is self._glimpse.grid and self._turned is not None:
            turned = self._turned
            reading = _only_changed(seen, self._known(self._fold()).position.turned(-turned))
        data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        turned = self._decide(reading, data, frame.at, turned, settled, visited)
        if turned is not None:
            self._glimpse, self._turned, self._shown, self._complaint = seen, turned, "", ""
            self._stillness.rest(frame)

    def _is_strange_again(self, game: Game, found: Followed, reading: Reading) -> bool:
        """Leave a table that cannot be this one aside, until a second picture shows it: then turns are missing."""
        strange, self._strange = self._strange, found.known
        if strange is not None and self._follow(game, strange, reading, None).verdict.verdict == "legal":
            return True
        self._complain(found.verdict.told())
        return False

    def _note_visit(self, game: Game, at: float) -> None:
        """Take a hand that came and went and changed nothing for a foreign flower that was shown and covered again."""
        position, player = Position.parse(game.position), game.players[game.on_turn].name
        if referee(position, position, player, game.table).verdict == "legal":
            seen = bool(self._shown) and check(position, self._shown, player, game.table).verdict == "legal"
            steps = self._shown if seen else ""
            self._write(game, position, "legal", steps, at, Known(position), {"quiet": not seen})
            self.say(f"{player}: {steps or 'a flower was shown and covered again'}.")
        self._shown = ""

    def _decide(
        self, reading: Reading, data: bytes, at: float, turned: int | None, settled: bool, visited: bool
    ) -> int | None:
        """Work out the turn that led to a reading and write it down; None while it is better to wait."""
        if self.game is None:
            return self._begin(reading, data, at)
        game = self._fold()
        known = self._known(game)
        found = accused = self._follow(game, known, reading, turned)
        if found.position == known.position and not found.unsure:
            if visited:
                self._note_visit(game, at)
            return found.turned
        if found.is_a_gap and not self._is_strange_again(game, found, reading):
            return None
        self._strange = None
        replaced: Entry | None = None
        if found.verdict.verdict != "legal":
            game, found, replaced = self._other_explanation(game, found, reading, turned, at)
        if (found.verdict.verdict != "legal" or replaced) and not settled:
            self._shown = _shown_foreign(accused)
            self._asking = found.verdict.verdict == "undecided"
            return None
        if replaced:
            self.history.append(game.id, "undo", {}, replaces=replaced.number)
            self.say(f"Taken back: {replaced.said['steps'] or 'a turn that changed nothing'}.")
            if accused.verdict.rule:
                self.say(f"If it was {accused.player} instead, it breaks a rule ({accused.verdict.rule}).")
        story = "; ".join(found.verdict.story or ()) if found.seen or found.inferred or found.unsure else ""
        more = {"photo": self._keep(data), "turned": found.turned, "notes": found.noted}
        if replaced and accused.verdict.rule:
            more["notes"] = [*found.noted, ["one-turn", []]]
        if found.verdict.verdict == "illegal":
            reason = found.verdict.reason
            more |= {"reason": [reason.key, dict(reason.params)], "rule": found.verdict.rule}
        known = self._known(game)
        judged = "gap" if found.is_a_gap else found.verdict.verdict
        self._write(game, found.position, judged, story, at, known, more, found.known)
        self._tell(found)
        return found.turned

    def _begin(self, reading: Reading, data: bytes, at: float) -> int:
        """Begin a game with the first board that is seen."""
        players = [{"name": player.name, "colours": list(player.colours)} for player in self.table.players]
        settings = {"game": "serendipity", "players": players, "starter": self.starter}
        settings |= {"rules": dict(self.table.rules.chosen)}
        seen = reading.position
        position = seen.with_faces(dict.fromkeys(seen.where(UNKNOWN), COVERED))
        self._keep(data)
        self.game = self.history.begin(GAME, [("settings", settings), ("position", {"position": str(position)})])
        known = Known(position, first_known(reading).doubts)
        self._last = Last(2, known, known, -1, at)
        self.say(f"The game {self.game} begins; {self.table.players[self.starter].name} plays first.")
        if reading.unsure:
            self.say(f"Not sure, please look: {' '.join(reading.unsure)}.")
        return 0

    def _fold(self) -> Game:
        assert self.game is not None
        return fold(self.game, *self.history.log(self.game))

    def _known(self, game: Game) -> Known:
        """Return what is known: from the last picture, unless someone has changed the game on the page since."""
        last = self._last
        return last.after if last and last.number == game.last_number else Known(Position.parse(game.position))

    def _follow(self, game: Game, known: Known, reading: Reading, turned: int | None) -> Followed:
        player = game.players[game.on_turn].name
        return follow(known, reading, player, game.table, hint=self._turned, turned=turned)

    def _other_explanation(
        self, game: Game, found: Followed, reading: Reading, turned: int | None, at: float
    ) -> tuple[Game, Followed, Entry | None]:
        """Look whether the turn is legal for the player before: a visit that was no turn, or a turn that went on.

        One visit that was none is likelier than a cheat; of several in a row, most were turns.
        """
        if not game.turns:
            return game, found, None
        entry = next(entry for entry in game.log if entry.number == game.turns[-1].entry)
        went_on, last = not entry.said.get("quiet"), self._last
        if went_on and (last is None or last.number != entry.number or at - last.at > GOES_ON):
            return game, found, None
        earlier = game.without(entry.number)
        known = last.before if went_on and last else Known(Position.parse(earlier.position))
        other = self._follow(earlier, known, reading, turned)
        return (earlier, other, entry) if other.verdict.verdict == "legal" else (game, found, None)

    def _write(
        self,
        game: Game,
        position: Position,
        verdict: str,
        steps: str,
        at: float,
        before: Known,
        more: dict[str, object],
        after: Known | None = None,
    ) -> None:
        seat = game.on_turn
        over = State(position, game.table, seat).over
        played = Played(seat, steps, str(position), (seat + 1) % len(game.players), over, verdict)
        entry = self.history.append(game.id, "turn", played.said(by="camera", **more))
        self._last = Last(entry.number, before, after or Known(position), seat, at)

    def _keep(self, data: bytes) -> str:
        photo = open_photo(data)
        return self.history.keep_photo(data, JPEG, photo.width, photo.height).sha256

    def _tell(self, found: Followed) -> None:
        verdict = found.verdict
        if verdict.verdict == "legal":
            self.say(f"{found.player}: {'; '.join(verdict.story or ()) or 'nothing changed'}.")
        else:
            rule = f" ({verdict.rule})" if verdict.rule else ""
            self.say(f"{found.player}: {verdict.verdict.upper()}{rule}. {verdict.told()}")
            if found.several:
                turns = " Then ".join(f"{turn.player.name}: {'; '.join(turn.story)}." for turn in found.several)
                self.say(f"If turns went unseen, it may have been: {turns}")
        if found.unsure:
            self.say(f"Not sure, please look: {' '.join(found.unsure)}.")

    def _complain(self, sentence: str) -> None:
        """Say what is in the way, once."""
        if sentence != self._complaint:
            self.say(sentence)
        self._complaint = sentence


def _only_changed(seen: Glimpse, known: Position) -> Reading:
    """Return the reading of what changed; all other cells look as before, so they are what they were known to be."""
    reading = seen.reading
    kept = {name: CellReading(known[name], 1.0) for name in reading.cells if name not in seen.changed}
    unsure = [name for name in reading.unsure if name in seen.changed]
    return Reading.of({**reading.cells, **kept}, unsure, reading.centres, reading.ring, reading.ms)


def _is_hidden(reading: Reading, name: str) -> bool:
    cell = reading.cells[name]
    return cell.face == UNKNOWN or cell.chances.get(UNKNOWN, 0.0) > 0.5


def _shown_foreign(found: Followed) -> str:
    """Return the step that would make a flower that lies open for a moment legal: it is covered again."""
    if found.verdict.rule != "foreign" or len(found.seen) != 1:
        return ""
    face = found.position[found.seen[0]]
    return f"reveal {found.seen[0]} {COLOUR_OF[face]}, cover" if face in COLOUR_OF else ""
