"""The four tools through a client, on a real database: the contract, and nothing half done."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from reasonloom.contracts.toolsets import MENTAL_MODELS
from tests.support.clients.processes import environment, spoken
from tests.support.databases.rows import Rows
from tests.support.reasoning.mental_models import Caller, a_basin, drop_basin, modelling

NO_BASIN = "One or more basin IDs do not exist"
TEMPLATE = {
    "trigger": "user mentions work stress",
    "predict": "likely experiencing anxiety about performance",
    "suggest": "acknowledge feelings before problem-solving",
}
NAMES = ["Žluťoučký kůň", "Модель тревоги", "仕事のストレス", "Stress 😰👩‍👩‍👧"]


async def test_a_model_is_made_told_and_active_at_once(caller: Caller) -> None:
    one, two = a_basin(caller.url), a_basin(caller.url, "Boss")
    answer = await caller.told(
        "create_model", name="User Emotional Patterns", domain="user", basin_ids=[two, one],
        description="Predicts moods", prediction_templates=[TEMPLATE],
    )  # fmt: skip
    assert answer["success"] is True
    assert answer["message"] == "Model 'User Emotional Patterns' created with 2 basins"
    model = await caller.model(answer["model_id"])
    assert model["constituent_basins"] == [two, one]
    assert (model["status"], model["domain"], model["degraded"]) == ("active", "user", False)
    assert model["prediction_templates"] == [TEMPLATE]
    assert model["basin_relationships"] == {"relationships": []}
    assert (model["prediction_accuracy"], model["resolved_count"]) == (0.5, 0)
    assert (model["accuracy_interval"], model["brier_score"]) == (None, None)
    assert (model["revision_count"], model["description"]) == (0, "Predicts moods")
    assert model["created_at"] == model["updated_at"]


async def test_a_template_keeps_keys_that_only_its_caller_knows(caller: Caller) -> None:
    template = {**TEMPLATE, "weight": 0.4, "tags": ["work"], "model_config": "x"}
    model = await caller.made(a_basin(caller.url), prediction_templates=[template, TEMPLATE])
    assert (await caller.model(model))["prediction_templates"] == [template, TEMPLATE]


@pytest.mark.parametrize("name", NAMES)
async def test_names_in_every_script_are_kept_and_may_not_be_taken_twice(
    caller: Caller, name: str
) -> None:
    basin = a_basin(caller.url, name)
    answer = await caller.told("create_model", name=name, domain="self", basin_ids=[basin])
    assert answer["message"] == f"Model '{name}' created with 1 basin"
    assert (await caller.model(answer["model_id"]))["name"] == name
    again = await caller.refused("create_model", name=name, domain="world", basin_ids=[basin])
    assert again["code"] == "DUPLICATE_NAME"
    assert again["message"] == "A model with this name already exists"
    assert Rows(caller.url).number("SELECT count(*) FROM models") == 1


async def test_one_name_written_in_two_ways_is_one_name(caller: Caller) -> None:
    basin = a_basin(caller.url)
    model = await caller.made(basin, name="Cafe\u0301")
    assert (await caller.model(model))["name"] == "Caf\u00e9"
    for same in ("Caf\u00e9", "Cafe\u0301", " Caf\u00e9 "):
        error = await caller.refused("create_model", name=same, domain="user", basin_ids=[basin])
        assert error["code"] == "DUPLICATE_NAME"
    await caller.made(basin, name="\u0958" * 255)


async def test_a_name_is_taken_for_its_owner_alone(caller: Caller) -> None:
    await caller.made(a_basin(caller.url), name="Mine")
    theirs = a_basin(caller.url, owner="ben")
    async with modelling(caller.url, user="ben") as ben:
        model = await ben.made(theirs, name="Mine")
        assert (await ben.told("list_models"))["total"] == 1
    gone = await caller.refused("get_model", model_id=model)
    assert (gone["code"], gone["message"]) == ("NOT_FOUND", "Model not found")
    foreign = await caller.refused("create_model", name="x", domain="user", basin_ids=[theirs])
    assert (foreign["code"], foreign["message"]) == ("INVALID_BASIN", NO_BASIN)
    assert theirs not in foreign["suggestion"]


@pytest.mark.parametrize(
    "basin", ["550e8400-e29b-41d4-a716-446655440001", "no uuid", "仕事", "550e8400"]
)
async def test_a_basin_that_is_not_there_makes_nothing_and_those_that_are_are_named(
    caller: Caller, basin: str
) -> None:
    known = a_basin(caller.url, "Сон и работа")
    error = await caller.refused("create_model", name="x", domain="user", basin_ids=[known, basin])
    assert (error["code"], error["message"]) == ("INVALID_BASIN", NO_BASIN)
    assert error["suggestion"] == f"Known basins: {known} (Сон и работа)"
    assert error["field"] == "basin_ids"
    assert Rows(caller.url).number("SELECT count(*) FROM models") == 0


async def test_without_basins_it_is_said_that_there_are_none(caller: Caller) -> None:
    basins = [str(uuid4())]
    error = await caller.refused("create_model", name="x", domain="user", basin_ids=basins)
    assert "no basins yet" in error["suggestion"]


@pytest.mark.parametrize("domain", ["other", "", 5])
async def test_a_domain_is_one_of_four(caller: Caller, domain: Any) -> None:
    basin = a_basin(caller.url)
    for tool, more in (("create_model", {"name": "x", "basin_ids": [basin]}), ("list_models", {})):
        error = await caller.refused(tool, domain=domain, **more)
        assert error["code"] == "INVALID_DOMAIN"
        assert error["message"] == "Domain must be one of: user, self, world, task_specific"


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"basin_ids": []}, "basin_ids"),
        ({"name": "  "}, "name"),
        ({"name": "é" * 256}, "name"),
        ({"prediction_templates": [{"predict": "p"}]}, "prediction_templates.0.trigger"),
        ({"prediction_templates": [TEMPLATE, {"trigger": "t"}]}, "prediction_templates.1.predict"),
        ({"prediction_templates": ["user is sad"]}, "prediction_templates.0"),
    ],
)
async def test_what_is_ill_formed_is_refused_by_its_field(
    caller: Caller, wrong: dict[str, Any], field: str
) -> None:
    basin = a_basin(caller.url)
    fine = {"name": "x", "domain": "user", "basin_ids": [basin]}
    error = await caller.refused("create_model", **{**fine, **wrong})
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", field)
    assert Rows(caller.url).number("SELECT count(*) FROM models") == 0


async def test_a_name_may_have_255_characters_and_basins_are_a_set_in_order(caller: Caller) -> None:
    one, two = a_basin(caller.url), a_basin(caller.url)
    answer = await caller.told(
        "create_model", name="é" * 255, domain="user", basin_ids=[two, one, two, one.upper()]
    )
    assert answer["message"].endswith("created with 2 basins")
    assert answer["notes"] == ["basins that were named twice count once"]
    assert (await caller.model(answer["model_id"]))["constituent_basins"] == [two, one]


async def test_lists_are_filtered_limited_and_counted_before_the_limit(caller: Caller) -> None:
    basin = a_basin(caller.url)
    made = [await caller.made(basin, name=f"m{n}") for n in range(3)]
    other = await caller.made(basin, name="w", domain="world")
    whole = await caller.told("list_models")
    assert [each["id"] for each in whole["models"]] == [other, *reversed(made)]
    assert whole["models"][0] == {
        "id": other, "name": "w", "domain": "world", "status": "active",
        "prediction_accuracy": 0.5, "basin_count": 1, "revision_count": 0, "resolved_count": 0,
        "accuracy_interval": None, "brier_score": None, "degraded": False,
    }  # fmt: skip
    some = await caller.told("list_models", domain="user", limit=2)
    assert ([each["id"] for each in some["models"]], some["total"]) == (made[:0:-1], 3)
    assert await caller.told("list_models", status="draft") == {"models": [], "total": 0}
    for limit in (0, 101, -1, 1000, 2.5, "three"):
        error = await caller.refused("list_models", limit=limit)
        assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", "limit")
    assert (await caller.told("list_models", limit=100))["total"] == 4


@pytest.mark.parametrize(
    "identifier", ["550e8400-e29b-41d4-a716-446655440001", "no uuid", "модель", "1"]
)
async def test_a_model_that_is_not_there_is_not_found(caller: Caller, identifier: str) -> None:
    for tool in ("get_model", "revise_model"):
        more = {"trigger_description": "why"} if tool == "revise_model" else {}
        error = await caller.refused(tool, model_id=identifier, **more)
        assert (error["code"], error["message"]) == ("NOT_FOUND", "Model not found")


async def test_a_revision_adds_removes_keeps_order_and_is_told(caller: Caller) -> None:
    one, two, three = (a_basin(caller.url) for _ in range(3))
    model = await caller.made(one, two)
    added = await caller.told(
        "revise_model", model_id=model, trigger_description="Карьера", add_basins=[three, three]
    )
    assert (added["success"], added["message"]) == (True, "Model revised: added 1 basin")
    assert (added["new_accuracy"], added["predictions_tested"]) == (0.5, 0)
    both = await caller.told(
        "revise_model", model_id=model, trigger_description="二", add_basins=[one],
        remove_basins=[two, two],
    )  # fmt: skip
    assert both["message"] == "Model revised: removed 1 basin"
    assert both["notes"] == ["basins that the model had already were not added again"]
    assert (await caller.model(model))["constituent_basins"] == [one, three]
    swapped = await caller.told(
        "revise_model", model_id=model, trigger_description="x", add_basins=[two],
        remove_basins=[one, three],
    )  # fmt: skip
    assert swapped["message"] == "Model revised: added 1 basin, removed 2 basins"
    got = await caller.told(
        "get_model", model_id=model, include_revisions=True, include_predictions=True
    )
    assert got["model"]["constituent_basins"] == [two]
    assert got["model"]["revision_count"] == 3
    assert got["predictions"] == []
    told = got["revisions"]
    assert [each["id"] for each in told] == [each["revision_id"] for each in (swapped, both, added)]
    assert [each["version"] for each in told] == [4, 3, 2]
    assert (told[2]["trigger_description"], told[2]["added_basins"]) == ("Карьера", [three])
    assert {"predictions", "revisions"}.isdisjoint(await caller.told("get_model", model_id=model))


async def test_what_would_be_no_revision_is_refused_before_anything_is_written(
    caller: Caller,
) -> None:
    one, two, other = (a_basin(caller.url, f"B{n}") for n in range(3))
    model = await caller.made(one, two)
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"add_basins": [other, str(uuid4())]}, "INVALID_BASIN", NO_BASIN),
        ({"add_basins": ["no uuid"]}, "INVALID_BASIN", NO_BASIN),
        ({"add_basins": [other], "remove_basins": [str(uuid4())]}, "INVALID_BASIN", NO_BASIN),
        ({"remove_basins": [other]}, "INVALID_BASIN", NO_BASIN),
        ({"remove_basins": [one, two]}, "WOULD_EMPTY", "Cannot remove all basins from model"),
        ({}, "NO_CHANGE", "Nothing would change"),
        ({"add_basins": [one, two]}, "NO_CHANGE", "Nothing would change"),
        ({"add_basins": [], "remove_basins": []}, "NO_CHANGE", "Nothing would change"),
        ({"add_basins": [other], "remove_basins": [other]}, "INVALID_ARGUMENT", "remove_basins"),
        ({"trigger_description": " "}, "INVALID_ARGUMENT", "cannot be empty"),
    ]
    before = Rows(caller.url).settled()
    for wrong, code, message in cases:
        arguments = {"trigger_description": "why", **wrong}
        error = await caller.refused("revise_model", model_id=model, **arguments)
        assert error["code"] == code, wrong
        assert message in error["message"]
        if wrong == {"remove_basins": [other]}:
            assert error["suggestion"] == f"Basins of the model: {one} (B0), {two} (B1)"
            assert error["field"] == "remove_basins"
    told = await caller.model(model)
    assert (told["constituent_basins"], told["revision_count"]) == ([one, two], 0)
    after = Rows(caller.url).settled()
    assert {k: v for k, v in after.items() if k != "reasonloom.runs"} == {
        k: v for k, v in before.items() if k != "reasonloom.runs"
    }


async def test_a_model_whose_basin_is_gone_is_degraded_until_it_is_revised(caller: Caller) -> None:
    one, two = a_basin(caller.url), a_basin(caller.url)
    model = await caller.made(one, two)
    drop_basin(caller.url, one)
    got = await caller.told("get_model", model_id=model)
    assert (got["model"]["degraded"], got["model"]["missing_basins"]) == (True, [one])
    assert got["notes"] == ["degraded: 1 of its 2 basins are gone; revise_model removes them"]
    assert (await caller.told("list_models"))["models"][0]["degraded"] is True
    await caller.told(
        "revise_model", model_id=model, trigger_description="gone", remove_basins=[one]
    )
    told = await caller.model(model)
    assert (told["degraded"], told["constituent_basins"]) == (False, [two])


async def test_revisions_at_once_lose_none(caller: Caller) -> None:
    first, *rest = (a_basin(caller.url) for _ in range(9))
    model = await caller.made(first)
    answers = await asyncio.gather(
        *(
            caller.told("revise_model", model_id=model, trigger_description="x", add_basins=[each])
            for each in rest
        )
    )
    told = await caller.model(model)
    assert set(told["constituent_basins"]) == {first, *rest}
    assert told["constituent_basins"][0] == first
    assert (told["revision_count"], len({each["revision_id"] for each in answers})) == (8, 8)


def test_two_servers_that_revise_one_model_lose_none(url: str, tmp_path: Path) -> None:
    env = environment(tmp_path / "home", DATABASE_URL=url, REASONLOOM_CLUSTER_HOURS="0")
    first, *rest = (a_basin(url) for _ in range(17))
    flags = ("--as", "mental-models")
    with ExitStack() as stack:
        pair = [stack.enter_context(spoken(env, tmp_path / str(n), *flags)) for n in range(2)]
        assert [tool["name"] for tool in pair[0].tools()] == list(MENTAL_MODELS)
        given = {"name": "m", "domain": "user", "basin_ids": [first]}
        model = pair[0].call("create_model", given)["structuredContent"]["model_id"]

        def revise(n: int) -> list[bool]:
            wanted = {"model_id": model, "trigger_description": f"server {n}"}
            return [
                bool(pair[n].call("revise_model", {**wanted, "add_basins": [each]})["isError"])
                for each in rest[n::2]
            ]

        with ThreadPoolExecutor(2) as pool:
            failed = [any(each) for each in pool.map(revise, range(2))]
        told = pair[1].call("get_model", {"model_id": model})["structuredContent"]["model"]
    assert failed == [False, False]
    assert set(told["constituent_basins"]) == {first, *rest}
    assert told["revision_count"] == 16


def test_two_servers_that_make_one_name_make_one_model(url: str, tmp_path: Path) -> None:
    env = environment(tmp_path / "home", DATABASE_URL=url, REASONLOOM_CLUSTER_HOURS="0")
    basin = a_basin(url)
    with ExitStack() as stack:
        pair = [
            stack.enter_context(spoken(env, tmp_path / str(n), "--as", "mental-models"))
            for n in range(2)
        ]

        def make(n: int) -> list[str]:
            said = []
            for name in range(10):
                wanted = {"name": f"Модель {name}", "domain": "self", "basin_ids": [basin]}
                said.append(pair[n].call("create_model", wanted)["structuredContent"])
            return [each.get("code", "made") for each in said]

        with ThreadPoolExecutor(2) as pool:
            one, two = pool.map(make, range(2))
    pairs = [set(each) for each in zip(one, two, strict=True)]
    assert pairs == [{"made", "DUPLICATE_NAME"}] * 10
    assert Rows(url).number("SELECT count(*) FROM models") == 10


async def test_a_key_that_is_sent_again_makes_no_second_model(caller: Caller) -> None:
    given = {"name": "m", "domain": "user", "basin_ids": [a_basin(caller.url)]}
    meta = {"io.reasonloom/idempotency-key": "k1"}
    results = [
        await caller.client.call_tool("create_model", given, meta=meta)  # type: ignore[arg-type]
        for _ in range(2)
    ]
    assert results[0].structured_content == results[1].structured_content
    assert Rows(caller.url).number("SELECT count(*) FROM models") == 1


async def test_relations_of_basins_come_from_their_memories(caller: Caller) -> None:
    memories = []
    for text in ("Начальник звонит 上司", "I sleep badly 😴"):
        item = {"content": text, "primarySector": "semantic"}
        told = await caller.told("batch_remember", userId="local", sessionId="s", memories=[item])
        memories.append(int(told["data"]["memories"][0]["memoryId"].removeprefix("mem-")))
    with psycopg.connect(caller.url) as connection:
        connection.execute(
            "INSERT INTO reasonloom.edges (owner, source_id, target_id, type, weight, origin)"
            " VALUES ('local', %s, %s, 'caused_by', 1, 'test')",
            (memories[1], memories[0]),
        )
    work, sleep = (a_basin(caller.url, members=[each]) for each in memories)
    model = await caller.model(await caller.made(work, sleep))
    found = model["basin_relationships"]["relationships"]
    (causal,) = [each for each in found if each["kind"] == "causal"]
    assert (causal["from"], causal["to"], causal["links"]) == (work, sleep, 1)
    assert 0 < causal["strength"] < 1
