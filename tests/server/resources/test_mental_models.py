"""Basins and models as resources: real clients of two owners, and texts that try to be markup."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from mcp import StdioServerParameters
from mcp.shared.exceptions import MCPError

from reasonloom.contracts.mental_models.models import Relation
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.resources.mental_models import MOST_LINES, basin_chart
from reasonloom.settings import load_settings
from tests.server.resources.test_sessions import HOSTILE, skeleton
from tests.support.clients.processes import command, environment
from tests.support.clients.sdk import Held, held
from tests.support.databases.postgres import TestPostgres
from tests.support.reasoning.mental_models import Caller, a_basin, drop_basin, kept, modelling

BASINS = "reasonloom://basins"
CHART_LINE = re.compile(
    r"flowchart LR|b\d+\(\[\"TEXT\"\]\)(:::gone)?|classDef gone stroke-dasharray:4|"
    r"b\d+ (-->\|causes\||-\.->\|before\||==>\|holds\||---\|with\|) b\d+"
)
TEXT = re.compile(r'"(?:[^\W_]| |#\d+;)*"')
ODD = ("x", str(uuid4()), "x" * 5_000, "%00", "..", "仕事")


@pytest.fixture
def url(postgres: TestPostgres, database: str) -> str:
    return postgres.address.dsn("postgres", database)


@pytest.fixture
async def caller(url: str) -> AsyncIterator[Caller]:
    async with kept(modelling(url)) as caller:
        yield caller


@pytest.fixture
def pair(url: str, tmp_path: Path) -> Iterator[dict[str, Held]]:
    """Real servers of two owners on one database, each with a client."""
    program, *arguments = command()

    def server(owner: str) -> StdioServerParameters:
        env = environment(
            tmp_path / owner, DATABASE_URL=url, REASONLOOM_USER=owner,
            REASONLOOM_TOOLSETS="mental_models,extras", REASONLOOM_CLUSTER_HOURS="0",
        )  # fmt: skip
        return StdioServerParameters(command=program, args=arguments, env=env, cwd=tmp_path)

    with held(server("anna"), "auto") as anna, held(server("ben"), "auto") as ben:
        yield {"anna": anna, "ben": ben}


def of_models(listed: list[Any]) -> dict[str, str]:
    """Return the titles of the listed models and basins by URI."""
    ours = (BASINS, "reasonloom://model/")
    return {str(each.uri): each.title for each in listed if str(each.uri).startswith(ours)}


def test_each_owner_reads_its_own(pair: dict[str, Held], url: str) -> None:
    anna, ben = pair["anna"], pair["ben"]
    assert of_models(anna.resources()) == {}
    assert anna.read(BASINS).text.startswith("# Basins\n\nThere are none yet")
    work = a_basin(url, "Работа 上司", owner="anna")
    sleep = a_basin(url, "Sleep", owner="ben")
    made = anna.call("create_model", {"name": "Сон 😴", "domain": "user", "basin_ids": [work]})
    model = made.structured_content["model_id"]
    uri = f"reasonloom://model/{model}"
    assert of_models(anna.resources()) == {
        uri: "Model: Сон 😴",
        BASINS: "Basins, the clusters of memories",
    }
    assert list(of_models(ben.resources())) == [BASINS]
    templates = [each.uri_template for each in anna.templates()]
    assert "reasonloom://model/{id}" in templates
    assert BASINS not in templates
    found = anna.read(BASINS)
    assert (str(found.uri), found.mime_type) == (BASINS, "text/markdown")
    assert f"| Работа 上司 | 0 | 0.80 | 1 | work | `{work}` |" in found.text
    assert sleep not in found.text
    theirs = ben.read(BASINS).text
    assert (sleep in theirs, work in theirs) == (True, False)
    text = anna.read(uri).text
    assert text.startswith(f"# Сон 😴\n\n`{model}`, domain user, active, nothing of it is resolved")
    assert f"- Работа 上司, `{work}`" in text
    for client, odd in [(ben, uri), *((anna, f"reasonloom://model/{each}") for each in ODD)]:
        with pytest.raises(MCPError) as caught:
            client.read(odd)
        assert (caught.value.error.code, caught.value.error.message) == (
            -32602, "Resource not found",
        )  # fmt: skip


@pytest.mark.parametrize("uri", [f"{BASINS}/", f"{BASINS}/x", "REASONLOOM://basins", f"{BASINS}?a"])
async def test_basins_have_one_uri(caller: Caller, uri: str) -> None:
    with pytest.raises(MCPError) as caught:
        await caller.client.read_resource(uri)
    assert caught.value.error.message == "Resource not found"


async def read(caller: Caller, uri: str) -> str:
    (content,) = (await caller.client.read_resource(uri)).contents
    return str(content.text)  # type: ignore[union-attr]


async def staged(caller: Caller, owner: str, said: str, name: str) -> tuple[str, str]:
    """Fill a database with a text in every place that pages show; return both pages."""
    numbers = []
    for place in range(2):
        item = {"content": f"{said} {place}", "primarySector": "semantic"}
        told = await caller.told("batch_remember", userId=owner, sessionId="s", memories=[item])
        numbers.append(int(told["data"]["memories"][0]["memoryId"].removeprefix("mem-")))
    first, second = (a_basin(caller.url, said, owner=owner, members=[each]) for each in numbers)
    with psycopg.connect(caller.url) as connection:
        connection.execute(
            "UPDATE reasonloom.basins SET keywords = %s WHERE owner = %s", ([said, said], owner)
        )
        connection.execute(
            "INSERT INTO reasonloom.edges (owner, source_id, target_id, type, weight, origin)"
            " VALUES (%s, %s, %s, 'caused_by', 1, 'test')",
            [owner, *numbers],
        )
    gone = a_basin(caller.url, said, owner=owner)
    model = await caller.made(
        first, second, gone, name=name, description=said,
        prediction_templates=[{"trigger": "user mentions soup", "predict": said, "suggest": said}],
    )  # fmt: skip
    made = await caller.told("predict_with_model", model_id=model, message=f"My soup. {said}")
    assert made["prediction"]
    await caller.told(
        "revise_model", model_id=model, trigger_description=said, remove_basins=[second]
    )
    await caller.told("revise_model", model_id=model, trigger_description=said, add_basins=[second])
    drop_basin(caller.url, gone)
    return await read(caller, BASINS), await read(caller, f"reasonloom://model/{model}")


@pytest.mark.parametrize("said", HOSTILE)
async def test_nothing_that_was_said_is_markup(caller: Caller, said: str, url: str) -> None:
    wild = await staged(caller, "local", said, said.splitlines()[0] + "!")
    plain = "Tame.\nTame." if "\n" in said else "Tame."
    async with modelling(url, user="ben") as ben:
        tame = await staged(ben, "ben", plain, "Tame!")
    for one, other in zip(wild, tame, strict=True):
        assert _shape(one) == _shape(other)
        drawing = one.split("```")[1].splitlines()[1:]
        assert len(drawing) >= 4
        for line in drawing:
            assert CHART_LINE.fullmatch(TEXT.sub('"TEXT"', line)), line
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\u2028]", one)
    assert "**Degraded: 1 of its basins are gone.**" in wild[1]


def _shape(text: str) -> list[tuple[str, str, int]]:
    """Return the blocks of a page; how many lines a quoted text has is its own matter."""
    return [each for each in skeleton(text) if each[0] != "hardbreak"]


async def test_what_a_model_came_to_is_shown(caller: Caller) -> None:
    model = await caller.made(
        a_basin(caller.url, "Work"),
        prediction_templates=[{"trigger": "user mentions work stress", "predict": "anxious"}],
    )
    for right in (True, False):
        made = await caller.told(
            "predict_with_model", model_id=model, message="my boss yells, I can't sleep"
        )
        await caller.told(
            "resolve_prediction", prediction_id=made["prediction"]["id"], was_accurate=right
        )
    text = await read(caller, f"reasonloom://model/{model}")
    assert "accuracy 0.50 of 2 (0.09 to 0.91), Brier score 0.43. Revisions: 0." in text
    assert "- did not hold, confidence 0.78: anxious on “my boss yells, I can't sleep”" in text
    assert "- held, confidence 0.50: anxious on" in text
    assert "## Revisions\n\nNone yet.\n" in text


async def test_many_are_cut_and_it_is_said(caller: Caller) -> None:
    basins = [a_basin(caller.url, f"Basin {n:03}") for n in range(103)]
    model = await caller.made(*basins)
    text = await read(caller, BASINS)
    assert "Clusters of memories: 103, of which these are the 100 largest." in text
    assert "*The drawing leaves out 40 smaller basins.*" in text
    told = await read(caller, f"reasonloom://model/{model}")
    assert told.count("\n- Basin ") == 103
    assert "*The drawing leaves out 43 smaller basins.*" in told


def test_a_drawing_has_no_more_lines_than_it_may() -> None:
    names = {str(UUID(int=n)): f"B{n}" for n in range(1, 17)}
    relations = [
        Relation.model_validate(
            {"from": one, "to": other, "kind": "associated", "strength": 0.5, "links": 1}
        )
        for one, other in combinations(names, 2)
    ]
    drawing, left = basin_chart(names, relations)
    assert drawing.count(" ---|with| ") == MOST_LINES < len(relations)
    assert left == [f"*The drawing leaves out {len(relations) - MOST_LINES} weaker relations.*"]


@pytest.mark.parametrize(
    ("choice", "kinds"),
    [
        ({"toolsets": "mental_models"}, ["model", "basins"]),
        ({"tools": "get_model"}, ["model", "basins"]), ({"serve_as": "mental-models"}, []),
        ({"toolsets": "all"}, ["model", "basins"]),
        ({"toolsets": "mental_models", "read_only": True}, ["model", "basins"]),
        ({"toolsets": "thought"}, []),
    ],
)  # fmt: skip
def test_they_are_served_beside_the_tools_of_models(
    choice: dict[str, Any], kinds: list[str]
) -> None:
    found = [kind.name for kind in choose(load_settings(**choice)).resources]
    assert [each for each in found if each in ("model", "basins")] == kinds
