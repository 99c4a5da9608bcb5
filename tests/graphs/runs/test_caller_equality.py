"""The same replies give the same answer, whether a provider gives them or whoever called."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.killing import victim
from tests.support.killing.scenes.reasoning import SCENES
from tests.support.kinds import sampled
from tests.support.llms.drawn_replies import answered_through, drawn_reply
from tests.support.llms.providers import chatting
from tests.support.llms.scripted_replies import ReadyLlm

ASKING = {each.name: each for each in SCENES if each.calls and each.make is victim.call}
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.+Z-]+")
OF_ITS_OWN = {"processingTime", "seconds", "llm", "judged_by", "madeBy", "tokens", "usd"}
"""Keys of answers that no two runs have alike."""


def comparable(value: Any) -> Any:
    """Return an answer with its ids by their order, without times and costs."""
    text = MOMENT.sub("", json.dumps(_without(value), sort_keys=True))
    known: dict[str, str] = {}
    return json.loads(UUID.sub(lambda found: known.setdefault(found[0], f"id {len(known)}"), text))


def _without(value: Any) -> Any:
    if isinstance(value, list):
        return [_without(each) for each in value]
    if isinstance(value, dict):
        return {key: _without(value[key]) for key in value if key not in OF_ITS_OWN}
    return value


@pytest.mark.parametrize("name", sampled(list(ASKING), ["tree", "ponder", "auto"]))
@pytest.mark.parametrize("seed", [1, 2])
async def test_a_provider_and_the_caller_give_the_same_answer(
    access: Access, embedder: Embedder, name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = ASKING[name]
    schemas: dict[str, Any] = {}

    async def answer(settings: Settings, owner: str, *, asks_caller: bool) -> dict[str, Any]:
        async with open_engine(
            settings, access=access, embedder=embedder, llm=ReadyLlm()
        ) as engine:
            request = await scene.prepare(engine, owner)
        chosen = OfflineModel() if asks_caller else None
        async with open_engine(settings, access=access, embedder=embedder, llm=chosen) as engine:
            first = await call(engine, scene.tool, request, owner=owner, asks_caller=asks_caller)
            outcome, rounds = await answered_through(engine, first, seed, owner)
            for each in (one for round_ in rounds for one in round_.questions):
                schemas[each.system_text] = each.schema
            return {**outcome.answer, "notes": outcome.notes}

    def say(system: str, user: str) -> str:
        return json.dumps(drawn_reply(system + user, schemas[system], seed))

    trusting = Settings(self_judged_confidence=1.0)
    by_caller = await answer(trusting, "one", asks_caller=True)
    with chatting(say) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", provider.settings["OPENAI_API_KEY"])
        settings = Settings(
            llm=provider.settings["REASONLOOM_LLM"],
            llm_base_url=provider.settings["REASONLOOM_LLM_BASE_URL"],
        )
        by_provider = await answer(settings, "two", asks_caller=False)
    assert comparable(by_caller) == comparable(by_provider)
