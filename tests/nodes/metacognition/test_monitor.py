"""Monitored calls: each is compared with the same caller's earlier ones, and with no other's."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.metacognition import DetectBias
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import BudgetExceeded, ReasonloomError
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.metacognition.answer import SHIFTED
from reasonloom.stores.access import Access
from tests.support.llms.answering import ReplyFields
from tests.support.llms.checks import bias, looking
from tests.support.reasoning.sessions import thinking
from tests.support.runs.forks import fork

ANNA = Caller("anna", client="desk")


async def watched(
    engine: Engine,
    text: str,
    caller: Caller = ANNA,
    *,
    monitor: bool = True,
    key: str | None = None,
) -> Outcome:
    request = parse_request(DetectBias, {"reasoning": text, "monitorContinuously": monitor})
    asked = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return await engine.call(Call("detect_bias", load_graph("detect_bias"), asked, caller, key))


async def changes(engine: Engine, text: str, caller: Caller = ANNA) -> dict[str, Any]:
    answer = (await watched(engine, text, caller)).answer
    assert answer["monitoringActive"] is True
    found: dict[str, Any] = answer["changes"]
    return found


def named(ask: Ask) -> ReplyFields:
    """Name the biases that the text names: `framing 90, recency 50`."""
    words = str(ask.material["text"]).replace(",", "").split()
    pairs = zip(words[::2], words[1::2], strict=True)
    return {"biases": [bias(kind, kind, int(sure) / 100) for kind, sure in pairs if kind != "none"]}


@pytest.fixture
def naming() -> Any:
    llm = looking()
    llm.answers["biases"] = named
    return llm


async def test_the_first_call_says_so_and_later_ones_tell_what_changed(
    access: Access, embedder: Embedder, naming: Any
) -> None:
    async with thinking(access, embedder, naming, judges="separate") as mind:
        first = await changes(mind, "framing 90, recency 90")
        assert (first["calls"], first["appeared"], first["gone"]) == (0, [], [])
        assert "first monitored call" in first["told"]
        assert "since" not in first
        second = await changes(mind, "framing 90, anchoring 90")
        assert second["calls"] == 1
        assert (second["appeared"], second["gone"]) == (["anchoring"], ["recency"])
        assert (second["shifted"], second["repeated"]) == ([], {"framing": 1})
        assert "new since your last call: anchoring; gone: recency" in second["told"].casefold()
        third = await changes(mind, "framing 60, anchoring 90")
        (shift,) = third["shifted"]
        assert shift["type"] == "framing"
        assert shift["before"] - shift["now"] >= SHIFTED
        assert (third["appeared"], third["gone"]) == ([], [])
        assert third["repeated"] == {"framing": 2, "anchoring": 1}
        assert "framing was in 2 of your last 2 calls" in third["told"]
        assert third["since"] == second["since"]
        none = await changes(mind, "none 0")
        assert sorted(none["gone"]) == ["anchoring", "framing"]
        again = await changes(mind, "none 0")
        assert again["told"] == "Nothing changed since your last call."


@pytest.mark.parametrize(
    "other",
    [Caller("berta", client="desk"), Caller("anna", client="phone"), Caller("anna"),
     Caller("anna", "a space", client="desk")],
    ids=["owner", "client", "no client", "space"],
)  # fmt: skip
async def test_nobody_sees_the_calls_of_another(
    access: Access, embedder: Embedder, naming: Any, other: Caller
) -> None:
    async with thinking(access, embedder, naming, judges="separate") as mind:
        await changes(mind, "framing 90")
        assert (await changes(mind, "recency 90", other))["calls"] == 0
        assert (await changes(mind, "framing 90"))["calls"] == 1


async def test_calls_that_were_not_monitored_failed_or_are_forks_do_not_count(
    access: Access, embedder: Embedder, naming: Any
) -> None:
    plain = Caller("anna")  # forks name no client
    async with thinking(access, embedder, naming, judges="separate") as mind:
        first = await watched(mind, "framing 90", plain)
        await watched(mind, "recency 90", plain, monitor=False)
        naming.answers["biases"] = [ZeroDivisionError("broken")]
        with pytest.raises(ReasonloomError):
            await watched(mind, "recency 90", plain)
        naming.answers["biases"] = named
        await fork(mind, str(first.run_id), "tell", owner="anna")
        told = await changes(mind, "framing 90", plain)
    assert (told["calls"], told["appeared"], told["gone"]) == (1, [], [])


async def test_a_call_whose_lenses_failed_ends_well_and_counts(
    access: Access, embedder: Embedder, naming: Any
) -> None:
    async with thinking(access, embedder, naming, judges="separate") as mind:
        naming.answers["biases"] = [BudgetExceeded("no more")]
        outcome = await watched(mind, "framing 90")
        assert outcome.answer["partial"] is True
        naming.answers["biases"] = named
        assert (await changes(mind, "framing 90"))["calls"] == 1


async def test_the_same_key_is_one_monitored_call(
    access: Access, embedder: Embedder, naming: Any
) -> None:
    async with thinking(access, embedder, naming, judges="separate") as mind:
        first = await watched(mind, "framing 90", key="k")
        assert (await watched(mind, "framing 90", key="k")).answer == first.answer
        assert (await changes(mind, "framing 90"))["calls"] == 1


async def test_calls_at_once_do_not_disturb_each_other(
    access: Access, embedder: Embedder, naming: Any, engine: Engine
) -> None:
    async with thinking(access, embedder, naming, judges="separate") as mind:
        told = await asyncio.gather(*(changes(mind, "framing 90") for _ in range(6)))
        assert {each["calls"] for each in told} <= set(range(6))
        assert (await changes(mind, "framing 90"))["calls"] == 6
    at_once = await asyncio.gather(*(watched(engine, "It rains today.") for _ in range(6)))
    assert all(each.answer["monitoringActive"] for each in at_once)
    assert (await changes(engine, "It rains today."))["calls"] == 13


async def test_offline_a_monitored_call_is_there_for_the_next_one_at_once(engine: Engine) -> None:
    for count in range(3):
        assert (await changes(engine, "It rains, so the street is wet."))["calls"] == count


async def test_without_monitoring_nothing_is_compared(engine: Engine) -> None:
    answer = (await watched(engine, "It rains.", monitor=False)).answer
    assert answer["monitoringActive"] is False
    assert "changes" not in answer
