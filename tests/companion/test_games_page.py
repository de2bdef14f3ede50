"""Games on the page: sitting down, turns entered tap by tap, undo, two phones, and what must stay hidden."""

import html
import random
import re
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app import create_app
from companion.history import Game, History, fold
from engine import Position, play
from engine.position import COLOUR_OF, LETTERS, is_serendip
from engine.rules import Rules
from engine.standing import standing
from engine.steps import Step
from engine.table import Table
from engine.turns import legal_steps
from tests.table import KnowingReader

OWN = {"Origin": "http://localhost"}
ADA_AND_BO = {"name-0": "Ada", "colours-0": ["b", "v"], "name-1": "Bo", "colours-1": "r", "starter": "1"}


@pytest.fixture
def app(local_history: History) -> Flask:
    return create_app(history=local_history, reader=KnowingReader())


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def begin(client: FlaskClient, **form: object) -> str:
    answer = client.post("/games", data={**ADA_AND_BO, **form}, headers=OWN)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["Location"])


def state_of(history: History, address: str) -> Game:
    game = address.rsplit("/", 1)[1]
    return fold(game, *history.log(game))


def links(page: str) -> list[str]:
    return [html.unescape(link) for link in re.findall(r'href="([^"]+)"', page)]


def follow(client: FlaskClient, page: str, *parts: str) -> str:
    """Follow the link whose words are all of these, as a finger would."""
    for link in links(page):
        words = link.partition("?")[2].replace("+", " ").replace("%20", " ").replace("%3B", ";").replace("%2C", ",")
        if words and all(part in words.split("&") for part in parts):
            answer = client.get(link)
            assert answer.status_code == 200
            return answer.text
    raise AssertionError(f"no link with {parts}")


def forms(page: str) -> Iterator[dict[str, str]]:
    for form in re.findall(r'<form method="post" action="[^"]+/turns".*?</form>', page, re.S):
        yield {
            html.unescape(name): html.unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form)
        }


def tap_step(client: FlaskClient, page: str, step: Step) -> str:
    """Enter one step by taps, up to where the turn can be ended or go on."""
    page = follow(client, page, f"cell={step.cell}")
    if is_serendip(step.face) and f"face={step.face}" not in page:
        page = client.get(
            next(link for link in links(page) if f"cell={step.cell}" in link and "face" not in link)
            + "".join(f"&petal={letter}" for letter in step.face)
        ).text
    else:
        page = follow(client, page, f"cell={step.cell}", f"face={step.face}")
    for act in step.acts:
        if act.verb == "turn":
            page = follow(client, page, f"petals={act.words[0]}", f"face={step.face}")
        if act.verb in ("swap", "move"):
            plan = "pair" if len(act.words) == 2 else act.verb
            page = follow(client, page, f"plan={plan}")
            for number in range(len(act.words)):
                page = follow(client, page, *(f"tap={word}" for word in act.words[: number + 1]))
    return page


def tap_turn(client: FlaskClient, address: str, steps: tuple[Step, ...]) -> None:
    """Enter a whole turn by taps alone; every link and form used is one the page offered."""
    page = client.get(address).text
    done = "; ".join(map(str, steps))
    for i, step in enumerate(steps):
        page = tap_step(client, page, step)
        if i + 1 < len(steps):
            page = follow(client, page, f"done={'; '.join(map(str, steps[: i + 1]))}")
    form = next(form for form in forms(page) if form["steps"] == done)
    answer = client.post(f"{address}/turns", data=form, headers=OWN)
    assert answer.status_code == 303, answer.text


def some_game(seed: int, turns: int, table: Table) -> Iterator[play.Turn]:
    for number, turn in enumerate(play.play_game(table, seed)):
        if number == turns:
            return
        yield turn


def test_the_form_is_filled_and_the_game_begins(client: FlaskClient, local_history: History) -> None:
    page = client.get("/games/new").text
    assert "Who sits at the table?" in page
    address = begin(client, carpet_choice="largest", preset="russian", ownerless="open")
    state = state_of(local_history, address)
    assert [(p.name, p.letters) for p in state.players] == [("Ada", "bv"), ("Bo", "r")]
    assert (state.starter, state.on_turn, state.plays) == (1, 1, "serendipity")
    assert state.table.rules == Rules(ownerless="open", carpet_choice="largest")
    assert "Bo is on turn" in client.get(address).text


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"name-1": "", "colours-1": []}, "Two to six can play, not 1"),
        ({"colours-1": []}, "Bo has no colour"),
        ({"colours-1": ["b"]}, "Blue has two owners"),
        ({"name-1": "Ada"}, "Two players are called Ada"),
        ({"colours-0": list("bvyo")}, "Ada has 4 colours"),
        ({"name-2": "Cy", "colours-2": "g", "colours-0": list("bvy")}, "Ada has 3 colours"),
    ],
)
def test_a_wrong_form_says_why_and_loses_nothing(client: FlaskClient, form: dict[str, object], sentence: str) -> None:
    entered = {**ADA_AND_BO, "chains": "single", "preset": "hungarian", **form}
    answer = client.post("/games", data=entered, headers=OWN)
    assert answer.status_code == 422
    assert sentence in answer.text
    if entered["name-0"]:
        assert 'value="Ada"' in answer.text
    assert '<option value="single" selected>' in answer.text
    assert '<option value="hungarian" selected>' in answer.text
    for letter in entered["colours-0"]:
        assert f'name="colours-0" value="{letter}" checked' in answer.text


def test_nonsense_is_refused(client: FlaskClient) -> None:
    assert client.post("/games", data={**ADA_AND_BO, "chains": "sideways"}, headers=OWN).status_code == 400
    assert client.post("/games", data={**ADA_AND_BO, "game": "chess"}, headers=OWN).status_code == 404
    assert client.post("/games", data={**ADA_AND_BO, "starter": "x"}, headers=OWN).status_code == 303
    assert client.post("/games", data={"starter": "x"}, headers=OWN).status_code == 422
    assert client.get("/games/0000000000000000").status_code == 404


def test_players_are_remembered_and_a_rematch_is_one_tap(client: FlaskClient, local_history: History) -> None:
    first = begin(client, bridges="none")
    page = client.get("/games/new").text
    assert 'value="Ada"' in page
    assert '<option value="none" selected>' in page
    client.post(f"{first}/end", data={}, headers=OWN)
    assert f"{first}/rematch" in client.get("/").text
    again = str(client.post(f"{first}/rematch", data={}, headers=OWN).headers["Location"])
    old, new = state_of(local_history, first), state_of(local_history, again)
    assert (new.players, new.rules, new.starter, new.plays) == (old.players, old.rules, old.starter, old.plays)
    assert new.ended is None
    assert again in client.get("/").text


@pytest.mark.parametrize("seed", range(3))
def test_a_game_entered_by_taps_ends_as_the_engine_says(client: FlaskClient, local_history: History, seed: int) -> None:
    rules = random.Random(seed).choice([{}, {"ownerless": "open"}, {"moved_serendip": "may-turn"}])
    table = Table.parse("Ada=blue+violet,Bo=red", Rules(**rules))
    address = begin(client, starter="0", **rules)
    after = None
    for turn in some_game(seed, 10, table):
        assert state_of(local_history, address).on_turn == turn.before.seat
        tap_turn(client, address, turn.steps)
        after = turn.after
    assert after is not None
    state = state_of(local_history, address)
    assert state.position == str(after.position)
    assert state.on_turn == after.next_turn().seat


def test_only_legal_choices_are_offered(client: FlaskClient) -> None:
    """Whatever the page offers to enter is legal, and what it lights up is all that is."""
    table = Table.parse("Ada=blue+violet,Bo=red")
    address = begin(client, starter="0")
    game = list(some_game(5, 16, table))
    for turn in game[:-1]:
        client.post(f"{address}/turns", data={"steps": "; ".join(map(str, turn.steps))}, headers=OWN)
    before = game[-1].before
    covered = next(n for n in before.position.board.names if before.position[n] == ".")
    serendip = next(before.position.faces[i] for i in before.position.serendips)
    own = before.player.letters[0]
    for face, plan in ((own, "swap"), (serendip, "move")):
        page = client.get(f"{address}?cell={covered}&face={face}&plan={plan}").text
        lit = set(re.findall(r'class="cell[^"]* lit" data-cell="(\w+)"', page))
        legal = {
            step.acts[-1].words[0]
            for step in legal_steps(before, covered, face)
            if step.acts[-1].verb == plan and len(step.acts) == 1
        }
        assert lit == legal
    open_cell = next(n for n in before.position.board.names if before.position[n] in LETTERS)
    page = client.get(f"{address}?cell={open_cell}").text
    assert "is not covered, so it cannot be turned up" in page
    assert "A turn begins by turning up one covered tile" in page
    placed = before.position.named(before.position.serendips)[0]
    page = client.get(f"{address}?cell={covered}&face={serendip}&plan=move&tap={placed}").text
    assert "it never moves again" in page


def test_an_illegal_turn_is_refused_with_its_rule(client: FlaskClient, local_history: History) -> None:
    address = begin(client, starter="0")
    for steps, sentence in [
        ("reveal A1 red, stay", "must be covered again"),
        ("reveal A1 red, cover; reveal A2 blue, stay", "The turn had ended"),
        ("reveal A1 blue, swap A1", "swapped with a covered tile only"),
        ("pass", "Nobody may pass"),
        ("", "Tap the tile that was turned up first"),
        ("dance", "cannot be read"),
    ]:
        answer = client.post(f"{address}/turns", data={"steps": steps}, headers=OWN)
        assert answer.status_code == 422, steps
        assert sentence in html.unescape(answer.text)
    assert state_of(local_history, address).turns == ()


def test_any_address_shows_a_page(client: FlaskClient) -> None:
    """A draft in an address can say anything; the page leaves out what makes no sense."""
    address = begin(client, starter="0")
    for words in [
        "done=nonsense",
        "done=reveal A1 red, stay",
        "cell=Z9",
        "cell=A1&face=x",
        "cell=A1&face=b&plan=move&tap=A2",
        "cell=A1&face=b&plan=pair&tap=A2&tap=A3",
        "cell=A1&face=r&plan=swap&tap=A2",
        "cell=A1&face=bvroyg&petals=gggggg&plan=pair&tap=A2&tap=A2",
        "cell=A1&petal=b&petal=b&petal=b&petal=b&petal=b&petal=b",
        "player=99&mark=Q1,A1",
        "replaces=77",
    ]:
        assert client.get(f"{address}?{words}").status_code == 200, words


def test_undo_and_correction_are_new_entries(client: FlaskClient, local_history: History) -> None:
    address = begin(client, starter="0")
    for steps in ("reveal A1 blue, stay", "reveal A2 red, stay"):
        assert client.post(f"{address}/turns", data={"steps": steps}, headers=OWN).status_code == 303
    client.post(f"{address}/undo", data={}, headers=OWN)
    state = state_of(local_history, address)
    assert [turn.steps for turn in state.turns] == ["reveal A1 blue, stay"]
    assert [(e.kind, e.replaces) for e in state.log[-1:]] == [("undo", 3)]
    page = client.get(f"{address}?replaces=2").text
    assert "You are correcting the last turn" in page
    assert 'name="replaces" value="2"' in follow(client, follow(client, page, "cell=B1"), "face=v", "replaces=2")
    form = {"steps": "reveal B1 violet, stay", "replaces": "2", "seen": "4"}
    assert client.post(f"{address}/turns", data=form, headers=OWN).status_code == 303
    state = state_of(local_history, address)
    assert [turn.steps for turn in state.turns] == ["reveal B1 violet, stay"]
    assert (state.log[-1].replaces, state.on_turn) == (2, 1)
    client.post(f"{address}/undo", data={}, headers=OWN)
    assert [turn.steps for turn in state_of(local_history, address).turns] == ["reveal A1 blue, stay"]
    assert len(state_of(local_history, address).log) == 6


def test_two_phones_at_once(app: Flask, local_history: History) -> None:
    one, other = app.test_client(), app.test_client()
    address = begin(one, starter="0")
    seen = local_history.last_number(address.rsplit("/", 1)[1])
    assert one.get(f"{address}/number").text == str(seen)
    fast = {"steps": "reveal A1 blue, stay", "seen": str(seen)}
    assert one.post(f"{address}/turns", data=fast, headers=OWN).status_code == 303
    same = other.post(f"{address}/turns", data=fast, headers=OWN)
    assert same.status_code == 409
    assert "Another phone has entered this turn already." in same.text
    late = other.post(f"{address}/turns", data={"steps": "reveal A2 red, stay", "seen": str(seen)}, headers=OWN)
    assert late.status_code == 409
    assert "Another phone was faster" in late.text
    assert 'value="reveal A2 red, stay"' in late.text, "what was entered is kept"
    assert [turn.steps for turn in state_of(local_history, address).turns] == ["reveal A1 blue, stay"]
    again = next(form for form in forms(late.text) if form["steps"] == "reveal A2 red, stay")
    assert other.post(f"{address}/turns", data=again, headers=OWN).status_code == 303
    gone = other.post(f"{address}/turns", data={"steps": "reveal A1 blue, stay", "seen": "1"}, headers=OWN)
    assert gone.status_code == 409
    assert one.get(f"{address}/number").text == str(seen + 2)
    assert one.post(f"{address}/undo", data={"seen": "1"}, headers=OWN).status_code == 409


def test_the_end_is_recognised_and_explained(client: FlaskClient, local_history: History) -> None:
    table = Table.parse("Ada=blue+violet,Bo=red")
    *_, shown, last = play.play_game(table, 2)
    settings = {"players": [{"name": p.name, "colours": list(p.colours)} for p in table.players]}
    settings["starter"] = shown.before.seat
    lying = ("position", {"position": str(shown.before.position)})
    address = f"/games/{local_history.begin('game', [('settings', settings), lying])}"
    hidden = f"reveal {'; '.join(shown.before.position.named(shown.before.position.where('.'))[:1])} green, cover"
    for steps in (hidden, "; ".join(map(str, last.steps))):
        answer = client.post(f"{address}/turns", data={"steps": steps}, headers=OWN)
        assert answer.status_code == 303, answer.text
    state = state_of(local_history, address)
    assert state.ended is not None
    page = client.get(address).text
    result = standing(Position.parse(state.position), table)
    assert result.over
    assert f"wins, {max(score.points for _, score in result.scores)} points" in page
    assert "the game is over" in page
    assert "What another reading of the rules would change" in page or not result.disputes
    assert f"turns up {hidden.split()[1]}, green flower, and covers it again" in page
    more = client.post(f"{address}/turns", data={"steps": "reveal A1 blue, stay"}, headers=OWN)
    assert more.status_code == 409
    client.post(f"{address}/undo", data={}, headers=OWN)
    assert state_of(local_history, address).ended is None
    assert "is on turn" in client.get(address).text


def test_points_can_be_hidden_and_shown(client: FlaskClient) -> None:
    address = begin(client, starter="0")
    client.post(f"{address}/turns", data={"steps": "reveal A1 blue, stay"}, headers=OWN)
    assert "1 point<" in client.get(address).text
    client.post(f"{address}/standings", data={}, headers=OWN)
    page = client.get(address).text
    assert "1 point<" not in page
    assert "hidden until the end" in page
    client.post(f"{address}/end", data={}, headers=OWN)
    assert "1 point<" in client.get(address).text
    late = client.post(f"{address}/turns", data={"steps": "reveal A2 red, stay"}, headers=OWN)
    assert late.status_code == 409, "nothing is played after the end"
    assert client.get(f"{address}/number").text == "4"


def test_what_is_covered_is_never_shown_while_the_game_runs(
    app: Flask, client: FlaskClient, local_history: History
) -> None:
    """Every page that names the game is opened: nothing that was shown and covered again may be on it."""
    address = begin(client, starter="0")
    game = address.rsplit("/", 1)[1]
    table = Table.parse("Ada=blue+violet,Bo=red")
    secrets = []
    for turn in some_game(11, 30, table):
        client.post(f"{address}/turns", data={"steps": "; ".join(map(str, turn.steps))}, headers=OWN)
        secrets += [step for step in turn.steps if step.acts[0].verb == "cover"]
    assert len(secrets) > 5
    position = Position.parse(state_of(local_history, address).position)
    for text in every_answer(app, client, game):
        for step in secrets:
            assert str(step) not in text
            assert f"{step.cell}, {COLOUR_OF[step.face]} flower, and covers" not in text
            if position[step.cell] == ".":
                assert f"{step.cell}: {COLOUR_OF[step.face]}" not in text
    client.post(f"{address}/end", data={}, headers=OWN)
    assert f"{secrets[0].cell}, {COLOUR_OF[secrets[0].face]} flower" in client.get(address).text


def every_answer(app: Flask, client: FlaskClient, game: str) -> Iterator[str]:
    """Open every address that takes a game, and every one that takes nothing; not the backup, which is for keeping."""
    for rule in app.url_map.iter_rules():
        if "GET" in rule.methods and ("game" in rule.arguments or not rule.arguments) and "backup" not in rule.rule:
            values = {argument: game if argument == "game" else 1 for argument in rule.arguments}
            with client.get(app.url_map.bind("localhost").build(rule.endpoint, values)) as answer:
                if answer.status_code < 400:
                    yield answer.get_data().decode("utf-8", "replace")


def test_turns_told_while_running_name_no_hidden_tile(client: FlaskClient) -> None:
    address = begin(client, starter="0")
    client.post(f"{address}/turns", data={"steps": "reveal D4 green, cover"}, headers=OWN)
    page = client.get(address).text
    assert "Ada shows a flower of another colour and covers it again." in page
    assert "D4, " not in page


def test_names_are_only_names(client: FlaskClient) -> None:
    address = begin(client, **{"name-0": "<script>alert(1)</script>", "name-1": "Bo =,;{x} %s"})
    page = client.get(address).text
    assert "<script>alert" not in page
    assert client.post(f"{address}/turns", data={"steps": "reveal A1 red, stay"}, headers=OWN).status_code == 303
    assert client.get(address).status_code == 200
    assert client.get("/").status_code == 200
    assert client.get("/games/new").status_code == 200


def test_the_last_player_of_a_round_is_followed_by_the_first(client: FlaskClient, local_history: History) -> None:
    address = begin(client, starter="1")
    for player, steps in ((1, "reveal A1 red, stay"), (0, "reveal A2 blue, stay"), (1, "reveal A3 red, stay")):
        assert state_of(local_history, address).on_turn == player
        client.post(f"{address}/turns", data={"steps": steps}, headers=OWN)
    turns = state_of(local_history, address).turns
    assert [turn.player for turn in turns] == [1, 0, 1]
