"""The optimiser finds what helps, claims nothing where nothing does, keeps to its budget."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import BudgetExceeded, CallerMistake, InvalidArgument
from reasonloom.evals.core.budget import Budget
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.log import EvalLog
from reasonloom.evals.optimization.optimise import verdict
from reasonloom.evals.optimization.split import split
from reasonloom.evals.scorers.text import contains
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.clients.processes import PATIENCE, environment
from tests.support.evals.optimisation import (
    HELPS,
    IDLE,
    WORD,
    Lucky,
    Pupil,
    Thinker,
    Tutor,
    add,
    files,
    optimised,
    tutored,
)
from tests.support.evals.suites import with_prompts

HELPING, IDLING = add(HELPS), add(IDLE)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return with_prompts(tmp_path / "prompts", "Say it back in capitals.\n")


def requested_items(logs: list[Path]) -> set[str]:
    return {record.item for path in logs for record in EvalLog(path).records}


async def test_a_text_that_helps_is_found_and_shown_on_items_that_the_search_never_saw(
    tmp_path: Path, settings: Settings
) -> None:
    pupil, tutor = Pupil(), Tutor([IDLING, HELPING])
    found = await optimised(tmp_path / "run", settings, pupil, tutor)
    assert WORD in found["winner"]["text"]
    assert found["winner"]["text"].startswith("---\nname: own/answer\nversion: 1000")
    assert found["winner"]["validation"] == 1.0
    test = found["test"]
    assert test["score"] == 1.0 > test["base_score"]
    assert test["interval"][0] > 0
    assert found["verdict"].startswith("better on the test items")
    parts = split(tutored(), 0)
    untouched = {item.id for item in parts.test}
    searched = requested_items(list((tmp_path / "run" / "logs").glob("*.jsonl")))
    assert searched <= {item.id for item in (*parts.train, *parts.validation)}
    judged = requested_items(list((tmp_path / "run").glob("test-*.jsonl")))
    assert judged == untouched
    assert not any(
        f">\n{item.input}\n<" in str(ask.messages[-1].content)
        for item in parts.test
        for ask in tutor.asked
    )
    assert settings.prompts is not None
    assert [path.name for path in settings.prompts.rglob("*.md")] == ["answer.v1.md"]


async def test_where_nothing_helps_no_difference_is_shown(
    tmp_path: Path, settings: Settings
) -> None:
    pupil, tutor = Pupil(word="nothing that is ever said"), Tutor([IDLING])
    found = await optimised(tmp_path / "run", settings, pupil, tutor)
    assert (found["winner"], found["test"]) == (None, None)
    assert "better" not in found["verdict"].replace("did better", "")
    assert len({each["score"] for each in found["validation"]}) == 1


async def test_luck_on_the_validation_items_is_not_called_better(
    tmp_path: Path, settings: Settings
) -> None:
    tutor = Tutor([add(f"Mind the letter {letter}.") for letter in "abcdefghij"])
    found = await optimised(tmp_path / "run", settings, Lucky(), tutor, rounds=10)
    assert found["winner"], "no text was lucky: draw others"
    low, high = found["test"]["interval"]
    assert low <= 0 <= high
    assert found["verdict"].startswith("no difference shown on the test items")


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ([0.001, 0.2], "better on the test items"),
        ([0.0, 0.2], "no difference shown"),
        ([-0.01, 0.3], "no difference shown"),
        ([-0.3, 0.01], "no difference shown"),
        ([-0.2, 0.0], "no difference shown"),
        ([-0.2, -0.001], "worse on the test items"),
    ],
)
def test_better_is_said_only_where_the_interval_leaves_0_out(
    interval: list[float], said: str
) -> None:
    test = {"interval": interval, "difference": sum(interval) / 2, "p": 0.05}
    assert verdict({}, test).startswith(said)
    assert ("better" in verdict({}, test)) == (interval[0] > 0)


@pytest.mark.parametrize("interval", [[0.001, 0.2], [-0.2, -0.001]])
def test_nothing_is_said_where_the_test_does_not_agree(interval: list[float]) -> None:
    told = verdict({}, {"interval": interval, "p": 0.0501})
    assert told.startswith("no difference shown on the test items: the interval excludes 0, but")
    assert told.endswith("0.0501")


BREAKS = [
    (lambda text: text.replace("{{ question }}", "{{ answer }}"), "uses the variable answer"),
    (lambda text: text.replace("{{ question }}", "it"), "no longer uses the variable question"),
    (lambda text: text.replace("{% endblock %}", "", 1), "line "),
    (lambda text: text.replace("block system", "block sytem"), "lacks the block system"),
    (lambda text: "Answer well.", "lacks the block system and user"),
]


@pytest.mark.parametrize(("breaks", "why"), BREAKS)
async def test_a_proposal_that_breaks_the_prompt_is_refused_and_the_reason_told(
    tmp_path: Path, settings: Settings, breaks: Any, why: str
) -> None:
    tutor = Tutor([breaks, HELPING])
    found = await optimised(tmp_path / "run", settings, Pupil(), tutor, rounds=1)
    assert [why in each["why"] for each in found["refused"]] == [True]
    first, second = (str(ask.messages[-1].content) for ask in tutor.asked)
    assert "<rejected>" not in first
    assert why in second
    assert WORD in found["winner"]["text"]


async def test_a_text_that_cannot_be_rendered_scores_nothing_and_the_reason_is_told(
    tmp_path: Path, settings: Settings
) -> None:
    faulty = add("{{ question + 1 }}")
    tutor = Tutor([faulty, HELPING])
    found = await optimised(tmp_path / "run", settings, Pupil(), tutor, rounds=3)
    assert "cannot be rendered" in found["refused"][0]["why"]
    assert "cannot be rendered" in str(tutor.asked[1].messages[-1].content)
    assert WORD in found["winner"]["text"]


async def test_one_that_only_breaks_is_given_up(tmp_path: Path, settings: Settings) -> None:
    tutor = Tutor([lambda text: "Answer well."])
    found = await optimised(tmp_path / "run", settings, Pupil(), tutor, rounds=2)
    assert (found["proposals"], found["winner"], len(tutor.asked)) == (0, None, 6)


async def test_a_run_that_was_killed_goes_on_and_pays_nothing_twice(
    tmp_path: Path, settings: Settings
) -> None:
    prompts = str(settings.prompts)

    def process(folder: Path, at: int) -> tuple[int, str]:
        book = folder.parent / "book"
        folder.parent.mkdir(exist_ok=True)
        arguments = [str(folder), prompts, str(book), str(at)]
        done = subprocess.run(
            [sys.executable, "-m", "tests.support.evals.optimisation", *arguments],
            env=environment(tmp_path / "home"),
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE,
            check=False,
        )
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode, book.read_text()

    status, paid = process(tmp_path / "whole" / "run", 0)
    assert status == 0
    for at in (30, 60):  # in the search, in the judgement
        folder = tmp_path / f"killed {at}" / "run"
        assert process(folder, at)[0] == -signal.SIGKILL
        status, again = process(folder, 0)
        assert (status, sorted(again.splitlines())) == (0, sorted(paid.splitlines()))
        assert files(folder) == files(tmp_path / "whole" / "run")


@pytest.mark.parametrize(
    ("budget", "name"),
    [(Budget(calls=160), "calls"), (Budget(tokens=8_000), "tokens"), (Budget(usd=0.4), "usd")],
)
async def test_the_budget_holds_over_all_and_the_judgement_has_its_share(
    tmp_path: Path, settings: Settings, budget: Budget, name: str
) -> None:
    settings = settings.model_copy(update={"output_tokens": 100})
    pupil, tutor = Pupil(learns=2), Tutor([add(f"{HELPS} {n}") for n in range(500)])
    found = await optimised(
        tmp_path / "run", settings, pupil, tutor, rounds=500, budget=budget, at_once=1
    )
    limit = getattr(budget, name)
    assert found["spent"][name] <= limit + (0.01 if name == "usd" else 0)
    assert found["spent"]["calls"] == len(pupil.asked) + len(tutor.asked)
    assert found["winner"]
    assert found["test"], found["notes"]
    assert "the search stopped: the budget of" in found["notes"][0]
    third = Pupil(learns=2)
    tutor = Tutor([IDLING])
    again = await optimised(
        tmp_path / "run", settings, third, tutor, rounds=500, budget=budget, at_once=1
    )
    assert (third.asked, tutor.asked) == ([], [])
    assert {**again, "notes": []} == {**found, "notes": []}


async def test_a_budget_that_cannot_do_is_refused_before_anything_is_asked(
    tmp_path: Path, settings: Settings
) -> None:
    pupil = Pupil()
    with pytest.raises(InvalidArgument, match=r"calls: 60 cannot do: .* take 66 or more"):
        await optimised(tmp_path / "run", settings, pupil, Tutor([IDLING]), budget=Budget(calls=60))
    assert pupil.asked == []
    with pytest.raises(BudgetExceeded, match="leaves nothing to search with"):
        await optimised(tmp_path / "r", settings, pupil, Tutor([IDLING]), budget=Budget(calls=70))
    assert len(pupil.asked) == 18


async def test_a_run_that_goes_further_tells_that_the_test_items_were_used_before(
    tmp_path: Path, settings: Settings
) -> None:
    tutor = Tutor([*(add(f"{HELPS} {n}") for n in range(6)), add("Answer thrice.")])
    pupil = Pupil(learns=2)
    first = await optimised(tmp_path / "run", settings, pupil, tutor, rounds=6)
    assert (first["rounds"], first["notes"]) == (6, [])
    pupil.word, pupil.learns = "thrice", 3
    further = await optimised(tmp_path / "run", settings, pupil, tutor, rounds=20)
    assert "thrice" in further["winner"]["text"]
    told = f"the test items judged another text before: v{first['winner']['version']}"
    assert further["notes"] == [told]


async def test_the_prompt_of_a_tool_is_optimised_by_running_the_tool(
    tmp_path: Path, settings: Settings, access: Access, embedder: Embedder
) -> None:
    items = [Item(f"q{n}", {"content": f"Is {n} it?"}, "yes") for n in range(15)]
    suite = Suite("tool", items, (contains(),), Tool("reasoning_linear"))
    found = await optimised(
        tmp_path / "run", settings, Thinker(), Tutor([HELPING]), suite,
        prompt="linear/continue", rounds=3, access=access, embedder=embedder,
    )  # fmt: skip
    assert found["winner"]["text"].startswith("---\nname: linear/continue\nversion: 10001\n")
    assert found["test"]["score"] == 1.0
    (log,) = (tmp_path / "run").glob("test-v10001.jsonl")
    assert all(record.run for record in EvalLog(log).records)


async def test_another_run_is_not_gone_on_with(tmp_path: Path, settings: Settings) -> None:
    await optimised(tmp_path / "run", settings, Pupil(), Tutor([IDLING]), rounds=1)
    for suite, more, what in (
        (tutored(59), {}, "items_sha256, split"),
        (None, {"seed": 1}, "seed"),
        (None, {"epochs": 2}, "epochs"),
    ):
        with pytest.raises(CallerMistake, match=f"the run to resume had another {what}"):
            await optimised(tmp_path / "run", settings, Pupil(), Tutor([IDLING]), suite, **more)


async def test_one_that_is_no_language_model_cannot_propose(
    tmp_path: Path, settings: Settings
) -> None:
    pupil = Pupil()
    with pytest.raises(InvalidArgument, match="reflect-llm: needs a language model"):
        await optimised(tmp_path / "run", settings, pupil, Tutor([IDLING], offline=True))
    assert pupil.asked == []
