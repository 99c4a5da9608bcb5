"""Which words of the questions are asked, from the option to the log and the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from reasonloom.cli.app import app
from reasonloom.errors import ReasonloomError
from reasonloom.evals.log import EvalLog
from reasonloom.evals.suites.history.history_data import HistorySet, history
from reasonloom.evals.suites.history.queries import store
from reasonloom.evals.suites.history.records import WORDINGS, Wording
from reasonloom.evals.suites.history.suite import ask, items, scored
from reasonloom.graphs.runs.engine import Engine


def told_apart() -> HistorySet:
    """Return a world whose `question` has no word at all, and `plain` words of the solution."""
    world = history().worlds[0]
    said = {turn.id: turn.text for turn in world.turns}
    chains = tuple(
        chain.model_copy(update={"question": "qzx vwk", "plain": said[chain.chain[-1]]})
        for chain in world.chains
    )
    return HistorySet((replace(world, chains=chains, moments=()),), {})


async def test_the_wording_that_is_chosen_is_asked(engine: Engine) -> None:
    chosen = told_apart()
    turns = chosen.worlds[0].turns
    await store(engine, chosen.worlds[0], noise=False)
    found: dict[Wording, list[float]] = {}
    for wording in WORDINGS:
        answers = [await ask(engine, item, turns) for item in items(chosen, "plain", wording)]
        found[wording] = [
            scored(chain, answer.output)["solution"]
            for chain, answer in zip(chosen.chains, answers, strict=True)
        ]
    assert found == {"other": [0.0, 0.0], "plain": [1.0, 1.0]}


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
