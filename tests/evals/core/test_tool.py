"""A tool's graph under an eval: nothing of the run's own limits is taken for the tool's answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, LlmRefused, UnknownName
from reasonloom.evals.core.budget import Budget
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import RunResult, run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import Purse, System
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.scorers.text import contains
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.support.evals.killed_process import thinking_suite
from tests.support.evals.suites import Echo

CALLS = 5
"""What two branches with their ballots take, an item."""


async def thought(
    log: Path,
    access: Access,
    embedder: Embedder,
    llm: Echo,
    purse: Purse | None = None,
    **more: Any,
) -> RunResult:
    return await run(
        thinking_suite(), System(llm=llm), log=log, access=access, embedder=embedder, purse=purse,
        **more,
    )  # fmt: skip


async def test_items_at_once_are_each_billed_for_their_own(
    tmp_path: Path, access: Access, embedder: Embedder
) -> None:
    llm = Echo(seconds=0.005)
    ran = await thought(tmp_path / "log", access, embedder, llm, at_once=2)
    assert [record.usage["calls"] for record in ran.log.records] == [CALLS] * 2
    for record in ran.log.records:
        question = next(i.input for i in thinking_suite().items if i.id == record.item)
        assert all(question in call["asked"][1]["content"] for call in record.calls)
        assert record.run


async def test_a_budget_breaks_a_tree_off_and_its_items_are_gone_on_with(
    tmp_path: Path, access: Access, embedder: Embedder
) -> None:
    llm, log = Echo(seconds=0.005), tmp_path / "log"
    purse = Purse(Budget(calls=CALLS + 3))
    ran = await thought(log, access, embedder, llm, purse, at_once=1)
    assert "calls" in ran.stopped
    assert (len(ran.log.records), len(llm.asked)) == (1, CALLS + 3)
    again = await thought(log, access, embedder, llm)
    assert [record.usage["calls"] for record in again.log.records] == [CALLS] * 2
    assert len(llm.asked) <= 2 * CALLS + 1, "but for calls in flight nothing is paid again"


async def test_a_refusal_is_no_failed_branch(
    tmp_path: Path, access: Access, embedder: Embedder
) -> None:
    llm = Echo(refuses="Cook at home instead.")
    with pytest.raises(LlmRefused, match="echo: no"):
        await thought(tmp_path / "log", access, embedder, llm, at_once=1)
    counted = await thought(
        tmp_path / "other", access, embedder, llm, Purse(count_errors=True), at_once=1
    )
    assert len(counted.log.records) == 2, "there it is the tool's to make do with what is left"


async def test_no_item_knows_of_another(tmp_path: Path, access: Access, embedder: Embedder) -> None:
    llm = Echo()
    await thought(tmp_path / "log", access, embedder, llm)
    texts = [str(message.content) for ask in llm.asked for message in ask.messages]
    assert not any("été" in text and "Куда" in text for text in texts)


async def test_a_file_made_anew_is_another_run(
    tmp_path: Path, access: Access, embedder: Embedder
) -> None:
    llm, log = Echo(), tmp_path / "log"
    await thought(log, access, embedder, llm)
    log.unlink()
    await thought(log, access, embedder, llm)
    assert len(llm.asked) == 4 * CALLS


async def test_what_the_tools_door_refuses_is_refused_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    suite = replace(thinking_suite(), way=Tool("reasoning_tree", {"max_branches": 99}))
    with pytest.raises(InvalidArgument, match=r"ways: item 1: max_branches"):
        await run(suite, log=tmp_path / "log")
    pairs = Suite("s", [Item("a", {"contents": "x"}, "y")], (contains(),), Tool("reasoning_linear"))
    with pytest.raises(InvalidArgument, match=r"item 1: .*contents: unknown field"):
        await run(pairs, log=tmp_path / "log")
    with pytest.raises(UnknownName, match="no version 9"):
        await run(suite, System(prompts={"tree/propose": 9}), log=tmp_path / "log")
    assert not (tmp_path / "log").exists()
    assert load_settings().auto_memory, "an eval changes its own settings only"
