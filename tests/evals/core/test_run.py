"""A run of a suite: everything once, resumed, within its budget, and refused before it is paid."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import (
    BudgetExceeded,
    Conflict,
    InvalidArgument,
    LlmRefused,
    LlmUnavailable,
    SettingMistake,
)
from reasonloom.evals.core.budget import Budget
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.llm_calls import Limits, provider_of
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.core.way import Function
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.scorers.judge import Judge
from reasonloom.evals.scorers.text import exact, numeric
from reasonloom.settings import Settings
from tests.support.evals.suites import Echo, asking, shouting, suite, with_prompts


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "evals" / "run.jsonl"


def keys(path: Path) -> list[tuple[str, int]]:
    return [(record.item, record.epoch) for record in EvalLog(path).records]


async def test_every_item_is_answered_in_every_epoch_and_a_second_run_asks_nothing(
    log: Path,
) -> None:
    asked: list[tuple[str, int]] = []

    def answer(item: Item, epoch: int) -> str:
        asked.append((item.id, epoch))
        return str(item.input).upper() if epoch else "?"

    told: list[tuple[int, int]] = []
    chosen = suite(4, Function(answer))
    ran = await run(chosen, log=log, epochs=3, tell=lambda what, done, of: told.append((done, of)))
    assert sorted(keys(log)) == sorted((str(n), epoch) for n in range(4) for epoch in range(3))
    assert [record.scores["exact"] for record in ran.log.records] == [0.0] * 4 + [1.0] * 8
    assert told[-1] == (12, 12)
    assert ran.log.records[5].output == "WÖRT 1"
    asked.clear()
    await run(chosen, log=log, epochs=3)
    assert asked == []


async def test_the_head_holds_each_prompt_by_its_hash_and_what_is_asked(
    tmp_path: Path, log: Path
) -> None:
    settings = with_prompts(tmp_path / "prompts", "Say it.", "Say it better. 日本 🙂")
    ran = await run(
        suite(1, asking()), System(prompts={"own/answer": 2}, llm=Echo()), log=log,
        settings=settings,
    )  # fmt: skip
    head = ran.log.head
    told = head["prompts"]["own/answer"]
    assert told["version"] == 2
    assert "日本 🙂" in head["texts"][told["hash"]]
    assert head["system"]["llm"] == "echo"
    (record,) = ran.log.records
    assert record.usage == {"calls": 1, "tokens_in": 10, "tokens_out": 5, "usd": 0.01}
    assert record.calls[0]["said"] == "WÖRT 0"
    assert record.calls[0]["asked"][0] == {"role": "system", "content": "Say it better. 日本 🙂"}


async def test_each_epoch_asks_for_samples_of_its_own_and_systems_for_the_same(
    tmp_path: Path,
) -> None:
    settings = with_prompts(tmp_path / "prompts", "One.", "Two.")
    asked: list[set[tuple[int, int | None]]] = []
    for version in (1, 2):
        llm = Echo()
        system = System(prompts={"own/answer": version}, llm=llm)
        await run(
            suite(1, asking()), system, log=tmp_path / f"{version}", epochs=3, seed=5,
            settings=settings,
        )  # fmt: skip
        asked.append({(ask.sample, ask.seed) for ask in llm.asked})
    assert asked[0] == asked[1]
    assert len(asked[0]) == 3


async def test_another_prompt_or_suite_is_not_gone_on_with(tmp_path: Path, log: Path) -> None:
    settings = with_prompts(tmp_path / "prompts", "One.", "Two.")
    one, two = (System(prompts={"own/answer": each}, llm=Echo()) for each in (1, 2))
    await run(suite(2, asking()), one, log=log, settings=settings)
    with pytest.raises(InvalidArgument, match=r"had another prompts \(own/answer\), texts"):
        await run(suite(2, asking()), two, log=log, settings=settings)
    with pytest.raises(InvalidArgument, match="had another items, items_sha256"):
        await run(suite(3, asking()), one, log=log, settings=settings)


@pytest.mark.parametrize(
    ("budget", "limit"),
    [(Budget(calls=3), "calls"), (Budget(tokens=1_000), "tokens"), (Budget(usd=0.0321), "usd")],
)
async def test_a_budget_stops_a_run_before_it_is_passed_and_what_is_done_stays(
    tmp_path: Path, log: Path, budget: Budget, limit: str
) -> None:
    settings = with_prompts(tmp_path / "prompts").model_copy(update={"output_tokens": 500})
    llm = Echo(seconds=0.01)
    purse = Purse(budget, Limits(2))
    ran = await run(
        suite(40, asking()), System(llm=llm), log=log, purse=purse, settings=settings, at_once=4
    )
    spent = purse.spending
    assert f"{limit} has" in ran.stopped
    assert 0 < len(ran.log.records) == len(llm.asked) < 40
    assert budget.calls is None or spent.calls <= budget.calls
    assert budget.tokens is None or spent.tokens <= budget.tokens
    assert budget.usd is None or spent.usd <= budget.usd
    again = await run(suite(40, asking()), System(llm=llm), log=log, settings=settings)
    assert again.stopped == ""
    assert len(llm.asked) == 40
    assert Counter(keys(log)).most_common(1)[0][1] == 1


async def test_known_prices_are_held_before_a_call(tmp_path: Path, log: Path) -> None:
    settings = with_prompts(tmp_path / "prompts").model_copy(update={"output_tokens": 100})
    llm = Echo(price=(0.0, 0.001), usd=0.1)
    purse = Purse(Budget(usd=0.25))
    ran = await run(suite(9, asking()), System(llm=llm), log=log, purse=purse, settings=settings)
    assert (len(llm.asked), purse.spending.usd) == (2, 0.2)
    assert "usd has 0.05 left, and a call may take 0.1" in ran.stopped


async def test_a_budget_in_usd_needs_a_price(tmp_path: Path, log: Path) -> None:
    settings = with_prompts(tmp_path / "prompts")
    llm = Echo(usd=None)
    ran = await run(
        suite(9, asking()), System(llm=llm), log=log, purse=Purse(Budget(usd=1)), settings=settings
    )
    assert "the price of this language model is unknown" in ran.stopped
    assert len(llm.asked) == 1


async def test_two_systems_share_a_purse(tmp_path: Path) -> None:
    settings, llm = with_prompts(tmp_path / "prompts"), Echo()
    purse = Purse(Budget(calls=5))
    for name in ("a", "b"):
        ran = await run(
            suite(4, asking()), System(llm=llm), log=tmp_path / name, purse=purse, settings=settings
        )
    assert (len(llm.asked), len(ran.log.records)) == (5, 1)


@pytest.mark.parametrize("limit", [1, 3])
async def test_a_provider_is_asked_so_often_at_once(tmp_path: Path, log: Path, limit: int) -> None:
    settings = with_prompts(tmp_path / "prompts")
    llm = Echo(seconds=0.01, name="litellm:openai/gpt-5")
    purse = Purse(limits=Limits(9, {"openai": limit}))
    await run(suite(12, asking()), System(llm=llm), log=log, purse=purse, settings=settings)
    assert llm.most == limit


def test_a_provider_is_known_by_its_llm() -> None:
    names = ["litellm:openai/gpt-5", "litellm:gpt-5", "langbase", "simulated:sorting"]
    assert [provider_of(name) for name in names] == ["openai", "litellm", "langbase", "simulated"]
    assert provider_of("record:tape.jsonl:litellm:openai/gpt-5") == "openai"


async def test_a_refusal_stops_the_run_and_counts_as_wrong_only_if_wished(
    tmp_path: Path, log: Path
) -> None:
    settings = with_prompts(tmp_path / "prompts")
    system = System(llm=Echo(refuses="wört 2"))
    with pytest.raises(LlmRefused, match="echo: no"):
        await run(suite(4, asking()), system, log=log, settings=settings, at_once=1)
    assert keys(log) == [("0", 0), ("1", 0)]
    ran = await run(
        suite(4, asking()), system, log=log, settings=settings, purse=Purse(count_errors=True)
    )
    assert [(r.scores["exact"], r.error) for r in ran.log.records] == [
        (1.0, ""), (1.0, ""), (0.0, "echo: no"), (1.0, ""),
    ]  # fmt: skip


async def test_an_item_that_nobody_could_answer_is_left_for_later(log: Path) -> None:
    away = {"2"}

    def answer(item: Item, epoch: int) -> str:
        if item.id in away:
            raise LlmUnavailable("gone")
        if item.id == "3":
            raise BudgetExceeded("the item's own budget", limit="calls")
        return str(item.input).upper()

    ran = await run(suite(4, Function(answer)), log=log)
    assert ran.failed == ["2: gone"]
    assert {r.item: r.scores["exact"] for r in ran.log.records} == {"0": 1, "1": 1, "3": 0}
    away.clear()
    assert (await run(suite(4, Function(answer)), log=log)).failed == []
    assert sorted(keys(log)) == [(str(n), 0) for n in range(4)]


async def test_a_run_gives_up_where_nothing_comes(log: Path) -> None:
    asked: list[str] = []

    def answer(item: Item, epoch: int) -> str:
        asked.append(item.id)
        raise LlmUnavailable("gone")

    with pytest.raises(LlmUnavailable):
        await run(suite(100, Function(answer)), log=log)
    assert len(asked) == 10


async def test_a_fault_of_the_function_is_told_as_it_is(log: Path) -> None:
    def answer(item: Item, epoch: int) -> str:
        return str(1 // (int(item.id) - 2))

    with pytest.raises(ZeroDivisionError):
        await run(suite(4, Function(answer)), log=log)
    assert keys(log) == [("0", 0), ("1", 0)]


async def test_two_processes_do_not_write_one_log(log: Path) -> None:
    async def slow(item: Item, epoch: int) -> str:
        await asyncio.sleep(0.2)
        return "x"

    first = asyncio.create_task(run(suite(2, Function(slow)), log=log))
    await asyncio.sleep(0.1)
    with pytest.raises(Conflict, match=r"run\.jsonl is at work in another process"):
        await run(suite(2, Function(slow)), log=log)
    await first
    assert len(keys(log)) == 2


async def test_what_another_process_did_before_the_lock_is_not_done_again(log: Path) -> None:
    early = EvalLog(log)
    await run(suite(2, Function(lambda item, epoch: "x")), log=log)
    with early.held():
        assert early.done() == {("0", 0), ("1", 0)}
        assert early.head["items"] == 2


async def test_what_only_the_older_head_has_is_named(log: Path) -> None:
    older = replace(suite(1, Function(lambda item, epoch: "x")), about={"stored": "abc"})
    await run(older, log=log)
    with pytest.raises(InvalidArgument, match="had another stored; begin a new one"):
        await run(replace(older, about={}), log=log)


async def test_a_score_that_is_no_number_is_refused(log: Path) -> None:
    scorer = Measure("odd", lambda item, output: math.nan)
    items = [Item("a", "x")]
    with pytest.raises(InvalidArgument, match="odd: gave a no finite number"):
        await run(Suite("s", items, (scorer,), Function(lambda item, epoch: "x")), log=log)
    assert keys(log) == []


async def test_a_judge_that_nobody_is_asked_for_is_refused_before_an_answer_is_paid(
    tmp_path: Path, log: Path
) -> None:
    llm, settings = Echo(), with_prompts(tmp_path / "prompts", "One.")
    judged = replace(suite(2, asking()), scorers=(Judge(),))
    with pytest.raises(InvalidArgument, match="judge: needs a language model"):
        await run(judged, System(llm=llm), log=log, judge="offline", settings=settings)
    assert llm.asked == []


NOT_RIGHT: list[tuple[Any, str]] = [
    ([], "has no items"),
    ([Item("a", "x", "1"), Item("a", "z", "2")], "item 2: id 'a' is that of item 1"),
    ([Item("a", "x", "1"), Item("b", "x")], "item 2: target is empty, and the scorer numeric"),
    ([Item("a", "x", "no number")], "numeric: target 'no number' has no number"),
    ([Item("a", "  ", "4")], "item 1: input is empty"),
    ([Item("", "x", "4")], "item 1: id must be text"),
    ([Item("a", "x", "4", cluster=3)], "item 1: id and cluster must be text"),  # type: ignore[arg-type]
    ([Item("a\0", "x", "4")], "item 1: id and cluster must be text without NUL"),
]


@pytest.mark.parametrize(("items", "said"), NOT_RIGHT)
async def test_a_suite_that_is_not_right_is_refused_before_anything_is_asked(
    log: Path, items: list[Item], said: str
) -> None:
    asked: list[str] = []
    way = Function(lambda item, epoch: asked.append(item.id))
    with pytest.raises(InvalidArgument, match=said):
        await run(Suite("s", items, (numeric(),), way), log=log)
    assert asked == []
    assert not log.exists()


async def test_a_maker_of_scorers_is_no_scorer(log: Path) -> None:
    made = Suite("s", [Item("a", "x", "4")], (numeric,), Function(str))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"numeric makes a scorer; write numeric\(\)"):
        await run(made, log=log)


async def test_what_a_system_lacks_is_named(tmp_path: Path, log: Path) -> None:
    settings = with_prompts(tmp_path / "prompts")
    with pytest.raises(InvalidArgument, match="says not who is to answer"):
        await run(suite(), log=log)
    with pytest.raises(InvalidArgument, match="asks no prompt tree/propose"):
        await run(suite(1, shouting()), System(prompts={"tree/propose": 1}), log=log)
    pair = Suite("p", [Item("a", {"wrong": 1}, "x")], (exact(),), asking())
    with pytest.raises(InvalidArgument, match=r"item 1: .*lacks the variable question"):
        await run(pair, System(llm=Echo()), log=log, settings=settings)
    assert not log.exists()


async def test_what_was_cut_short_is_done_again_and_the_rest_is_kept(log: Path) -> None:
    await run(suite(3, shouting()), log=log)
    whole = log.read_text(encoding="utf-8")
    for length in range(len(whole) - 200, len(whole), 7):
        log.write_bytes(whole.encode()[:length])
        await run(suite(3, shouting()), log=log)
        assert sorted(keys(log)) == [("0", 0), ("1", 0), ("2", 0)]
    for line in whole.splitlines():
        json.loads(line)


async def test_an_eval_has_no_caller_to_ask() -> None:
    with pytest.raises(SettingMistake, match="nobody calls an eval"):
        async with Purse().llm("caller", Settings()):
            pass
