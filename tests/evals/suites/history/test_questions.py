"""Which words of the questions are asked, from the option to the log and the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from reasonloom.cli.app import app
from reasonloom.cli.evals.memory_tables import draw_history
from reasonloom.errors import ReasonloomError
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.suites.history.data import HistorySet, load_history
from reasonloom.evals.suites.history.records import WORDINGS, Wording
from reasonloom.evals.suites.history.suite import (
    TURN_MARKS,
    ask_history,
    history_items,
    history_summary,
    score_answer,
    store_world,
    turns_in,
)
from reasonloom.graphs.runs.engine import Engine


def test_a_piece_holds_the_turns_of_its_project_that_it_shows() -> None:
    shown = {"h01-s1-t01": "Где ключ 🔑? [User] fragte", "h02-s1-t01": "Где ключ 🔑?"}
    projects = {"h01-s1-t01": "/home/ana/api", "h02-s1-t01": "/home/ana/shop"}
    piece = {"project": "api", "content": "[User] Где\nключ 🔑? \\[User] fragte er"}
    assert turns_in(piece, shown, projects) == {"h01-s1-t01"}
    assert turns_in({"project": "api", "content": "Где ключ"}, shown, projects) == set()
    assert TURN_MARKS > 0


def _record(form: str, item: str, group: str, **scores: float) -> Record:
    return Record(f"{form}/{item}", 0, group, scores, 10.0)


def test_forms_are_summed_up_apart(capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        _record("plain", "h01-c1", "file", right=1.0, share=0.5),
        _record("plain", "h01-c2", "name", right=0.0, share=1.0),
        _record("noise", "h01-c1", "file", right=0.0, share=0.0),
        _record("plain", "h01-m1", "moment", foretold=0.25),
        _record("noise", "h01-m1", "moment", foretold=1.0),
    ]
    plain, noise = (history_summary(records, form) for form in ("plain", "noise"))
    assert (plain["all"]["n"], plain["all"]["right"], plain["all"]["share"]) == (2, 0.5, 0.75)
    assert plain["all"]["interval"] == pytest.approx([0.0945, 0.9055], abs=1e-3)
    assert plain["kinds"]["file"]["right"] == 1.0
    assert (plain["moments"]["foretold"], noise["moments"]["foretold"]) == (0.25, 1.0)
    assert noise["all"]["right"] == 0.0
    told = {"eval": "history", "half": "dev", "asked": "plain", "embedder": "x", "note": "note"}
    draw_history({**told, "forms": {"plain": plain, "noise": noise}})
    out = capsys.readouterr().out
    assert "foretold 25 %" in out
    assert "9 to 91" in out
    assert "asked: plain, as someone who half remembers it" in out
    draw_history({**told, "asked": "other", "forms": {"plain": plain}})
    assert "asked: other, in entirely different words" in capsys.readouterr().out


def wordless_question_set() -> HistorySet:
    """Return a world whose `question` has no word at all, and `plain` words of the solution."""
    world = load_history().worlds[0]
    said = {turn.id: turn.text for turn in world.turns}
    chains = tuple(
        chain.model_copy(update={"question": "qzx vwk", "plain": said[chain.chain[-1]]})
        for chain in world.chains
    )
    return HistorySet((replace(world, chains=chains, moments=()),), {})


async def test_the_wording_that_is_chosen_is_asked(engine: Engine) -> None:
    chosen = wordless_question_set()
    turns = chosen.worlds[0].turns
    await store_world(engine, chosen.worlds[0], noise=False)
    found: dict[Wording, list[float]] = {}
    for wording in WORDINGS:
        answers = [
            await ask_history(engine, item, turns)
            for item in history_items(chosen, "plain", wording)
        ]
        found[wording] = [
            score_answer(chain, answer.output)["solution"]
            for chain, answer in zip(chosen.chains, answers, strict=True)
        ]
    assert found["plain"] == [1.0, 1.0]
    assert found["other"] != found["plain"]


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["eval", "run", "history", *arguments])


def refused(*arguments: str) -> str:
    """Return what is said of a command that is refused."""
    result = typed(*arguments)
    assert isinstance(result.exception, ReasonloomError), result.output
    return result.exception.message


def test_an_unknown_wording_is_refused_by_its_option() -> None:
    assert refused("--asked", "plainly") == "asked: must be one of other, plain"


@pytest.mark.parametrize(("option", "other"), [([], "plain"), (["--asked", "plain"], "other")])
def test_a_run_is_resumed_in_its_own_wording_only(
    option: list[str], other: str, tmp_path: Path
) -> None:
    EvalLog(tmp_path / "home" / "evals" / "log").begin({"asked": other})
    assert "the run to resume had another asked, " in refused(*option, "--resume", "log")
