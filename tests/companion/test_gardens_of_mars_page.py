"""Gardens of Mars on the same pages: sitting down, drawn flowers, dice, taps, points, undo, and wrong input."""

import csv
import html
import io
import json
import random
import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app import create_app
from companion.cli import main
from companion.history import Game, History, fold, open_history
from companion.languages import LANGUAGES
from companion.play import WAYS
from engine import GAMES
from engine import gardens_of_mars as mars
from engine.gardens_of_mars.garden import BOARD
from tests.table import KnowingReader

OWN = {"Origin": "http://localhost"}
MARS = GAMES["gardens-of-mars"]
GAME_WAY = WAYS[MARS.name]
SEATS = {"game": MARS.name, "name-0": "Ada", "martian-0": "horned", "name-1": "Bo", "martian-1": "round"}


@pytest.fixture
def app(local_history: History) -> Flask:
    return create_app(history=local_history, reader=KnowingReader())


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def begin(client: FlaskClient, **form: object) -> str:
    answer = client.post("/games", data={**SEATS, **form}, headers=OWN)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["Location"])


def state_of(history: History, address: str) -> Game:
    game = address.rsplit("/", 1)[1]
    return fold(game, *history.log(game))


def offered(page: str) -> list[str]:
    """Return the turns that one more tap would enter."""
    found = re.findall(r'action="[^"]+/turns".*?name="steps" value="([^"]*)"', page, re.S)
    return [html.unescape(steps) for steps in found]


def lit(page: str) -> dict[str, str]:
    """Return the hexes that light up, each with what is written on it."""
    cells = re.findall(r'<g class="cell[^"]* lit[^"]*" data-cell="(\w+)".*?</g></a>', page, re.S)
    worth = dict(re.findall(r'data-cell="(\w+)"(?:(?!data-cell).)*?<text[^>]*>([+−]?\d+)</text>', page, re.S))
    return {cell: worth.get(cell, "") for cell in cells}


def follow(client: FlaskClient, page: str, *parts: str) -> str:
    """Follow the link whose words are all of these, as a finger would."""
    for link in map(html.unescape, re.findall(r'href="([^"]+)"', page)):
        if all(part in link.partition("?")[2].split("&") for part in parts):
            return client.get(link).text
    raise AssertionError(f"no link with {parts}")


def enter(client: FlaskClient, address: str, steps: str, **more: str) -> int:
    return client.post(f"{address}/turns", data={"steps": steps, **more}, headers=OWN).status_code


ASKED: list[str] = []
"""Pages that asked which of two gardeners goes."""


def tap_turn(client: FlaskClient, address: str, chance: random.Random) -> str:
    """Enter any turn by taps alone, and return it."""
    page = client.get(address).text
    if "die-buttons" in page:
        count = page.count('class="die-gap"')
        # The first die is tapped; the others as six taps would leave them in the address.
        link = html.unescape(chance.choice(re.findall(r'href="([^"]+)" aria-label="A die shows', page)))
        page = client.get(link + "".join(f"&die={chance.randint(1, 6)}" for _ in range(count - 1))).text
    if not offered(page):
        cells = lit(page)
        page = follow(client, page, f"tap={chance.choice(sorted(cells))}")
        if "Which gardener goes" in page:
            ASKED.append(page)
            page = follow(client, page, chance.choice(re.findall(r"gardener=\w+", page)))
    steps = chance.choice(offered(page))
    assert enter(client, address, steps) == 303, steps
    return steps


def test_a_whole_game_is_played_by_taps(client: FlaskClient, local_history: History) -> None:
    address, chance = begin(client), random.Random(7)
    game = state_of(local_history, address)
    state = MARS.at(game.table, game.first)
    for _ in range(400):
        before = state
        state = MARS.play(state, tap_turn(client, address, chance))
        game = state_of(local_history, address)
        assert (game.position, game.turns[-1].player) == (str(state.position), before.seat)
        if state.over:
            break
        state = MARS.next_turn(state)
        assert game.on_turn == state.seat
    assert game.ended
    page = client.get(address).text
    standing = MARS.score(state)
    for player, score in standing.scores:
        assert f"{score.points} point" in page
        assert sum(line.points for line in score.lines) == score.points
        assert player.name in page
    for line in standing.scores[0][1].lines:
        assert html.escape(MARS.rulebook[line.rule], quote=False).replace("'", "&#39;") in page
    assert client.get(address).text.count("<li") > len(game.turns)


def test_two_gardeners_are_moved_by_taps(client: FlaskClient, local_history: History) -> None:
    address, chance = begin(client, preset="two-gardeners", centre="no-cross", group_score="adjacent"), random.Random(5)
    for _ in range(40):
        tap_turn(client, address, chance)
    game = state_of(local_history, address)
    assert len(game.turns) == 40
    assert all(len(cells) == 2 for cells in MARS.parse(game.position).gardeners)
    assert ASKED
    assert game.table.rules == mars.Rules(centre="no-cross", group_score="adjacent", two_gardeners="on")


def test_only_legal_targets_light_up_each_with_its_points(client: FlaskClient, local_history: History) -> None:
    address, chance = begin(client), random.Random(2)
    for _ in range(24):
        tap_turn(client, address, chance)
    game = state_of(local_history, address)
    while not MARS.parse(game.position).dice:
        tap_turn(client, address, chance)
        game = state_of(local_history, address)
    best: dict[str, int] = {}
    for move, points in mars.worth(MARS.parse(game.position), game.table.rules):
        name = BOARD.names[move.target]
        best[name] = max(points, best.get(name, -9))
    page = client.get(address).text
    assert lit(page) == {name: f"+{n}" if n > 0 else f"−{-n}" if n else "0" for name, n in best.items()}
    for name in best:
        steps = offered(follow(client, page, f"tap={name}"))
        moves = [str(move) for move, _ in mars.worth(MARS.parse(game.position), game.table.rules)]
        assert sorted(steps) == sorted(move for move in moves if f" {name}" in move.partition("move ")[2][2:])


@pytest.mark.parametrize(
    ("claim", "sentence", "rule"),
    [
        ("use 7, move D4 D9, plant red", "No die shows 7: a die shows 1 to 6.", "die"),
        ("use 3, move D4 D7, plant red", "Another gardener stands on D6: it can be neither entered", "no-cross"),
        ("use 3, move D4 D1, plant pink", "Ada has no pink flower.", "own-flowers"),
        ("roll 1 2 3 4 5 6", "Dice are rolled again only when all have been used", "roll-once"),
        ("use 3, fly D4 D7", "This turn cannot be read", None),
    ],
)
def test_wrong_input_is_one_sentence_with_its_rule(
    client: FlaskClient, local_history: History, claim: str, sentence: str, rule: str | None
) -> None:
    hands = {f"hand-0-{x}": n for x, n in zip("gbyorp", (10, 5, 5, 5, 5, 0), strict=True)}
    hands |= {f"hand-1-{x}": n for x, n in zip("gbyorp", (0, 5, 5, 5, 5, 10), strict=True)}
    address = begin(client, draw="hands", **hands)
    for steps in (
        "place D4",
        "place D6",
        "roll 1 3 3 3 3 3; use 3, move D4 A1, plant red",
        "use 3, move D6 D9, plant pink",
        "use 3, move A1 D4, plant blue",
        "use 3, move D9 D6, plant blue",
    ):
        assert enter(client, address, steps) == 303
    before = state_of(local_history, address)
    answer = client.post(f"{address}/turns", data={"steps": claim}, headers=OWN)
    assert answer.status_code == 422
    assert sentence in html.unescape(answer.text)
    if rule:
        assert MARS.rulebook[rule] in html.unescape(answer.text)
    assert state_of(local_history, address).last_number == before.last_number


def test_a_tap_that_is_not_legal_says_why(client: FlaskClient) -> None:
    address = begin(client)
    page = follow(client, client.get(address).text, "tap=F6")
    assert "A gardener is not placed on the centre." in page
    assert enter(client, address, "place D4") == enter(client, address, "place D6") == 303
    page = client.get(f"{address}?die=3&die=3&die=3&die=3&die=3&die=3").text
    assert "Another gardener stands on D6" in follow(client, page, "tap=D7", "die=3")
    assert "does not lie in a straight line" in follow(client, page, "tap=E9", "die=3")
    assert "No 1 lies on the table" in follow(client, page, "tap=D5", "die=3")


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"name-1": ""}, "Two to five play Gardens of Mars, not 1."),
        ({"martian-1": "horned"}, "Two players have the same martians: horned head."),
        ({"name-1": "Ada"}, "Two players are called Ada."),
        ({"name-2": "Cleo", "martian-2": "square", "preset": "two-gardeners"}, "is for two players, not 3."),
        ({"draw": "hands", "hand-0-g": "9"}, "Each draws 30 flowers, but Ada has 9."),
        ({"seed": "seven"}, "The number of a draw has up to nine digits."),
        (
            {"draw": "hands", **{f"hand-{i}-{x}": 6 - (x == "g") * 6 for i in (0, 1) for x in "gbyorp"}},
            "There are 10 blue flowers, but 12 were drawn.",
        ),
    ],
)
def test_a_wrong_form_says_why_and_loses_nothing(client: FlaskClient, form: dict[str, object], sentence: str) -> None:
    answer = client.post("/games", data={**SEATS, **form}, headers=OWN)
    assert answer.status_code == 422
    assert sentence in html.unescape(answer.text)
    assert 'value="Ada"' in answer.text
    for name, value in form.items():
        if name.startswith("hand-"):
            assert re.search(f'name="{name}" value="{value}"', answer.text)


def test_undo_correct_and_play_again(client: FlaskClient, local_history: History) -> None:
    address = begin(client, starter="1", set="white-grey")
    game = state_of(local_history, address)
    assert (game.on_turn, game.players[1].name) == (1, "Bo")
    assert "set=white-grey" in game.first
    assert enter(client, address, "place D4") == 303
    assert enter(client, address, "place H4") == 303
    client.post(f"{address}/undo", headers=OWN)
    assert state_of(local_history, address).on_turn == 0
    assert enter(client, address, "place H5") == 303
    entry = state_of(local_history, address).turns[-1].entry
    assert enter(client, address, "place A1", replaces=str(entry)) == 303
    game = state_of(local_history, address)
    assert [turn.steps for turn in game.turns] == ["place D4", "place A1"]
    client.post(f"{address}/end", headers=OWN)
    again = client.post(f"{address}/rematch", headers=OWN).headers["Location"]
    rematch = state_of(local_history, again)
    assert rematch.players == game.players
    assert rematch.first != game.first
    assert "set=white-grey" in rematch.first
    drawn = begin(client, draw="hands", **{f"hand-{i}-{x}": 5 for i in (0, 1) for x in "gbyorp"})
    assert "flowers=5g5b5y5o5r5p,5g5b5y5o5r5p" in state_of(local_history, drawn).first
    assert client.post(f"{drawn}/rematch", headers=OWN).headers["Location"] == "/games/new?game=gardens-of-mars"
    page = client.get("/games/new?game=gardens-of-mars").text
    assert 'value="Ada"' in page


def test_a_name_is_kept_as_it_can_be_read_again(client: FlaskClient, local_history: History) -> None:
    game = state_of(local_history, begin(client, **{"name-0": "\x00 A\x07da \n\u202eL. ", "name-1": "B" * 60}))
    assert [player.name for player in game.players] == ["Ada L.", "B" * 40]


def test_a_draw_can_be_repeated_by_its_number(client: FlaskClient, local_history: History) -> None:
    first, again = (state_of(local_history, begin(client, seed="41")).first for _ in range(2))
    assert first == again == str(MARS.new(MARS.table("Ada,Bo"), "seed=41").position)
    assert state_of(local_history, begin(client)).first != first


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_told_in_every_language(client: FlaskClient, local_history: History, language: str) -> None:
    asked = {"Accept-Language": language}
    address = begin(client, set="white-grey", preset="special-actions")
    for steps in ("place D4", "place D6"):
        assert enter(client, address, steps) == 303
    dice = "&".join(["die=3"] * 6)
    for words in ("", f"?{dice}", f"?{dice}&tap=D1", f"?{dice}&tap=D7"):
        answer = client.get(address + words, headers=asked)
        assert answer.status_code == 200
        assert f'<html lang="{language}">' in answer.text
    wrong = client.post(f"{address}/turns", data={"steps": "use 7, stuck"}, headers={**OWN, **asked})
    assert wrong.status_code == 422
    if language != "en":
        assert "No die shows" not in wrong.text
    assert client.get("/games/new?game=gardens-of-mars", headers=asked).status_code == 200


def test_an_address_can_say_anything(client: FlaskClient) -> None:
    address = begin(client)
    enter(client, address, "place D4")
    for words in ("tap=Z9&die=9&die=x", "die=1&die=2&rolled=1", "gardener=A1&tap=D4", "tap=&die="):
        assert client.get(f"{address}?{words}").status_code == 200
    enter(client, address, "place H4")
    for words in ("die=1&die=2&rolled=1&tap=D5", "die=1" * 9, "&".join(["die=6"] * 9) + "&tap=K1&gardener=K1"):
        assert client.get(f"{address}?{words}").status_code == 200
    assert enter(client, address, "") == 422
    assert enter(client, address, "roll 1 2 3 4 5 6") == 422


def ask_referee(client: FlaskClient, address: str) -> tuple[str, str]:
    game = address.rsplit("/", 1)[1]
    assert "Tap the move" in client.get(f"/referee?game={game}").text
    assert "Photo of the table now" not in client.get(f"/referee?game={game}").text
    dispute = client.post("/referee", data={"game": game}, headers=OWN).headers["Location"]
    return dispute, client.get(dispute).text


def claim(client: FlaskClient, page: str, part: str) -> str:
    steps = next(steps for steps in offered(page.replace("/claim", "/turns")) if part in steps)
    action = re.search(r'action="([^"]+/claim)"', page)
    assert action
    answer = client.post(action[1], data={"steps": steps}, headers=OWN)
    assert answer.status_code == 303
    return html.unescape(client.get(answer.headers["Location"]).text)


def test_the_referee_judges_a_claimed_move(client: FlaskClient, local_history: History) -> None:
    address = begin(client)
    dispute, page = ask_referee(client, address)
    said = claim(client, follow(client, page, "tap=F6"), "place F6")
    assert "No, this is not allowed" in said
    assert "A gardener is not placed on the centre." in said
    assert MARS.rulebook["place"] in said
    said = claim(client, follow(client, follow(client, said, "again=1"), "tap=D4"), "place D4")
    assert "Yes, this is allowed" in said
    assert enter(client, address, "place D4") == enter(client, address, "place D6") == 303
    numbers = state_of(local_history, address).last_number
    dispute, page = ask_referee(client, address)
    page = client.get(f"{dispute}?die=3&die=3&rolled=1").text
    page = follow(client, follow(client, page, "tap=D7"), "use=3")
    said = claim(client, page, "plant red")
    assert "so many dice are rolled, not 2." in said
    page = client.get(f"{dispute}?again=1&" + "&".join(["die=3"] * 6)).text
    said = claim(client, follow(client, follow(client, page, "tap=D7"), "use=3"), "plant red")
    assert "Another gardener stands on D6" in said
    assert MARS.rulebook["no-cross"] in said
    page = client.get(f"{dispute}?again=1&" + "&".join(["die=2"] * 6)).text
    said = claim(client, follow(client, follow(client, page, "tap=F6"), "use=2"), "plant")
    assert "No gardener ends its move on the centre." in said
    assert state_of(local_history, address).last_number == numbers, "the game itself goes on as it was"
    assert client.post(f"{dispute}/claim", data={"steps": "fly"}, headers=OWN).status_code == 400


def played_game(client: FlaskClient, history: History) -> tuple[str, Game]:
    """Play a whole game with everyone's first choice; what the page is not asked for costs no time."""
    address = begin(client, **{"name-2": "Cleo", "martian-2": "crowned"})
    game = state_of(history, address)
    state, chance = MARS.at(game.table, game.first), random.Random(3)
    while True:
        steps = []
        while not state.ended_by:
            step = mars.practice_step(state.position, game.table.rules, chance)
            steps.append(str(step))
            state = state.play(step)
        entry = {"player": state.seat, "steps": "; ".join(steps), "position": str(state.position), "verdict": "legal"}
        history.append(game.id, "turn", {**entry, "next": state.position.player, "over": state.over})
        if state.over:
            return address, state_of(history, address)
        state = MARS.next_turn(state)


def test_a_finished_game_is_replayed_counted_and_taken_along(
    client: FlaskClient, local_history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address, game = played_game(client, local_history)
    points = [score.points for _, score in MARS.score(MARS.at(game.table, game.position)).scores]
    best = max(points)
    assert f"{best} point" in client.get(address).text
    listed = client.get("/history").text
    assert "Gardens of Mars" in listed
    assert "Cleo" in listed
    assert client.get(f"/history/{game.id}").status_code == 200
    for at in (0, 1, 5, len(game.turns)):
        page = html.unescape(client.get(f"/history/{game.id}?at={at}").text)
        assert 'class="board garden"' in page
        if at:
            assert GAME_WAY.tell(game, game.turns[at - 1], veiled=False) in page
    people = client.get("/players?game=gardens-of-mars").text
    for name, own in zip(("Ada", "Bo", "Cleo"), points, strict=True):
        assert name in people
        assert f"Best game: {own} point" in people
    assert client.get(f"/history/{game.id}/picture.png").data[:4] == b"\x89PNG"
    assert client.get(f"/history/{game.id}/picture.svg").status_code == 200
    play = json.loads(client.get(f"/history/{game.id}/play.bgsplay").data)
    assert play["game"]["name"] == "Gardens of Mars"
    assert [int(player["score"]) for player in play["players"]] == points
    rows = list(csv.DictReader(io.StringIO(client.get("/history/export.csv").text)))
    assert [(row["plays"], row["player"], int(row["points"])) for row in rows] == [
        ("gardens-of-mars", name, own) for name, own in zip(("Ada", "Bo", "Cleo"), points, strict=True)
    ]
    exported = client.get(f"/history/{game.id}/export.json").data
    local_history.append(game.id, "delete", {})
    other = open_history(tmp_path / "other")
    fresh = create_app(history=other, reader=KnowingReader()).test_client()
    answer = fresh.post("/history/import", data={"file": (io.BytesIO(exported), "game.json")}, headers=OWN)
    assert answer.status_code == 303, answer.text
    assert fold(game.id, *other.log(game.id)).turns == game.turns
    assert main(["history", "--data", str(tmp_path / "other")]) == 0
    assert main(["history", game.id, "--data", str(tmp_path / "other")]) == 0
    assert f"Ada: {game.turns[0].steps}" in capsys.readouterr().out
    other.close()
