"""What catalogues and answers cost whoever reads them, in tokens."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from reasonloom.contracts.runs import ReasoningAnswer, ReasoningWaiting
from reasonloom.contracts.schema import publish
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from reasonloom.text.tokens import count_tokens
from tests.support.databases.postgres import TestPostgres
from tests.support.toolpages.answer_table import TABLE as ANSWERS
from tests.support.toolpages.answer_table import costs
from tests.support.toolpages.calls import SCRIPTS
from tests.support.toolpages.token_table import TABLE, weight, weights

GROWTH = 1.1
NO_DATABASE = "postgresql://nobody@127.0.0.1:1/none"


def test_the_default_catalogue_is_small() -> None:
    found = weights("default")
    assert len(found) <= 12
    assert sum(found.values()) <= 2_100


def test_all_tools_together_are_small() -> None:
    found = weights("all")
    assert sum(found.values()) <= 10_500
    assert sum(found.values()) / len(found) <= 150
    assert max(found.values()) <= 400


def test_no_tool_grows_unseen() -> None:
    """Nor comes or goes one; `make snapshots` accepts what was meant."""
    known = json.loads(TABLE.read_text(encoding="utf-8"))
    found = weights("all", "extras")
    assert found.keys() == known.keys()
    grown = {name: found[name] for name in found if found[name] > GROWTH * known[name]}
    assert not grown, "these cost a tenth more than before, in tokens"


def test_the_default_catalogue_of_a_server_that_asks_its_caller_is_small() -> None:
    tools = choose(load_settings(llm="caller")).tools
    more = [(each.__doc__, publish(each)) for each in (ReasoningAnswer, ReasoningWaiting)]
    assert len(tools) + len(more) <= 12
    cost = sum(map(weight, tools)) + sum(count_tokens(json.dumps(each)) for each in more)
    assert cost <= 2_400


@pytest.mark.parametrize(
    ("toolsets", "most"), [("default", 3_400), ("all", 25_000), ("all,extras", 25_000)]
)
@pytest.mark.parametrize("llm", ["offline", "caller"])
async def test_a_list_with_output_schemas_is_small(toolsets: str, most: int, llm: str) -> None:
    """All that a client receives is counted, titles and hints too."""
    settings = load_settings(toolsets=toolsets, llm=llm, database_url=NO_DATABASE)
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        tools = (await client.list_tools()).tools
    told = [each.model_dump(mode="json", by_alias=True, exclude_none=True) for each in tools]
    assert all(each["outputSchema"] for each in told)
    assert count_tokens(json.dumps(told, ensure_ascii=False, separators=(",", ":"))) <= most


@pytest.mark.parametrize("name", SCRIPTS)
async def test_no_answer_grows_unseen(
    name: str, postgres: TestPostgres, embedder: Embedder
) -> None:
    """`make snapshots` accepts what was meant."""
    known = json.loads(ANSWERS.read_text(encoding="utf-8"))
    grown = {
        tool: (known[tool], cost)
        for tool, cost in (await costs(name, postgres, embedder)).items()
        for form in cost
        if sum(cost[form]) > GROWTH * sum(known[tool][form])
    }
    assert not grown, "these cost a tenth more than before, in tokens"


def test_texts_of_typical_answers_are_half_as_long() -> None:
    known = json.loads(ANSWERS.read_text(encoding="utf-8"))
    text, values = (
        {form: sum(each[form][place] for each in known.values()) for form in ("full", "short")}
        for place in (0, 1)
    )
    assert text["short"] <= text["full"] / 2
    assert text["short"] + values["short"] <= 0.65 * (text["full"] + values["full"])
    assert all(each["short"][0] <= each["full"][0] for each in known.values())
