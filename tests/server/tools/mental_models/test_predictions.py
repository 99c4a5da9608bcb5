"""Models predict, are proven right or wrong, expire, and are revised by what they got wrong."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from reasonloom.llm.interfaces import Embedder
from tests.support.databases.rows import Rows
from tests.support.reasoning.mental_models import Caller, a_basin, drop_basin, modelling

FIRES = "my boss keeps moving the deadline, I can't sleep"
SILENT = "I stressed the work piece until it broke"
TEMPLATE = {
    "trigger": "user mentions work stress",
    "predict": "likely experiencing anxiety about performance",
    "suggest": "acknowledge feelings before problem-solving",
}
SLEEPLESS = {"trigger": "Nutzer spricht über Schlafprobleme", "predict": "Er trinkt spät Kaffee ☕"}


async def a_model(caller: Caller, *basins: str, **more: Any) -> str:
    more = {"prediction_templates": [TEMPLATE, SLEEPLESS], **more}
    return await caller.made(*(basins or (a_basin(caller.url),)), **more)


async def predicted(caller: Caller, model: str, message: str = FIRES) -> dict[str, Any]:
    answer = await caller.told("predict_with_model", model_id=model, message=message)
    assert answer["prediction"], answer
    return dict(answer["prediction"])


async def settled(caller: Caller, model: str, message: str, *, right: bool) -> dict[str, Any]:
    made = await predicted(caller, model, message)
    return await caller.told("resolve_prediction", prediction_id=made["id"], was_accurate=right)


async def test_the_contracts_trigger_fires_by_meaning_and_not_by_words(caller: Caller) -> None:
    model = await a_model(caller)
    made = await caller.told("predict_with_model", model_id=model, message=FIRES)
    told = made["prediction"]
    assert (told["content"], told["suggest"]) == (TEMPLATE["predict"], TEMPLATE["suggest"])
    assert (told["trigger"], told["context"], told["state"]) == (TEMPLATE["trigger"], FIRES, "open")
    assert (told["confidence"], told["matched_by"]) == (0.5, "meaning")
    assert [each["fires"] for each in made["considered"]] == [True, True]  # both; the first is told
    none = await caller.told("predict_with_model", model_id=model, message=SILENT)
    assert none["prediction"] is None
    assert none["message"] == "No template of 'Patterns' fires on this message"
    german = await predicted(caller, model, "Ich liege jede Nacht bis vier Uhr wach 😩")
    assert german["content"] == SLEEPLESS["predict"]
    got = await caller.told("get_model", model_id=model, include_predictions=True)
    assert [each["id"] for each in got["predictions"]] == [german["id"], told["id"]]
    assert Rows(caller.url).number("SELECT count(*) FROM predictions") == 2


async def test_what_came_of_predictions_is_counted_and_makes_them_surer(caller: Caller) -> None:
    model = await a_model(caller)
    first = await settled(caller, model, FIRES, right=True)
    assert (first["prediction_accuracy"], first["resolved_count"]) == (1.0, 1)
    assert first["brier_score"] == 0.25
    second = await predicted(caller, model)
    assert (
        second["confidence"] == 0.7778
    )  # (1 + 2 x 2/3) / (1 + 2), the model's own (1 + 1)/(1 + 2)
    told = await caller.told(
        "resolve_prediction", prediction_id=second["id"], was_accurate=False,
        observation="Он спокоен, 彼は元気です",
    )  # fmt: skip
    assert (told["correct"], told["judged_by"]) == (False, "caller")
    assert (told["prediction_accuracy"], told["resolved_count"]) == (0.5, 2)
    low, high = told["accuracy_interval"]
    assert (round(low, 2), round(high, 2)) == (0.09, 0.91)  # Wilson, 1 of 2
    assert told["brier_score"] == round((0.25 + 0.7778**2) / 2, 4)
    listed = (await caller.told("list_models"))["models"][0]
    assert (listed["prediction_accuracy"], listed["resolved_count"]) == (0.5, 2)
    got = await caller.told("get_model", model_id=model, include_predictions=True)
    newest = got["predictions"][0]
    assert (newest["state"], newest["correct"]) == ("resolved", False)
    assert newest["observation"] == "Он спокоен, 彼は元気です"


@pytest.mark.parametrize(
    ("observation", "correct"),
    [
        ("He is experiencing anxiety about his performance", True),
        ("He is not experiencing anxiety about performance", False),
        ("We had soup for lunch", None),
    ],
)
async def test_an_observation_decides_only_where_it_speaks_of_the_same(
    caller: Caller, observation: str, correct: bool | None
) -> None:
    model = await a_model(caller)
    made = await predicted(caller, model)
    told = await caller.told(
        "resolve_prediction", prediction_id=made["id"], observation=observation
    )
    assert told["correct"] is correct
    assert told["resolved_count"] == (0 if correct is None else 1)
    assert any("estimated" in note for note in told["notes"])
    if correct is None:
        assert "stays open" in told["message"]
        again = await caller.told("resolve_prediction", prediction_id=made["id"], was_accurate=True)
        assert again["resolved_count"] == 1


async def test_a_prediction_is_resolved_once_though_many_try_at_once(caller: Caller) -> None:
    model = await a_model(caller)
    made = await predicted(caller, model)
    results = await asyncio.gather(
        *(
            caller.client.call_tool(
                "resolve_prediction", {"prediction_id": made["id"], "was_accurate": True}
            )
            for _ in range(6)
        )
    )
    assert sum(not each.is_error for each in results) == 1
    codes = {(each.structured_content or {})["code"] for each in results if each.is_error}
    assert codes == {"SETTLED"}
    assert (await caller.model(model))["resolved_count"] == 1


async def test_an_expired_prediction_counts_for_nothing(caller: Caller) -> None:
    model = await a_model(caller)
    made = await predicted(caller, model)
    with psycopg.connect(caller.url) as connection:
        connection.execute("UPDATE reasonloom.predictions SET expires_at = now()")
    error = await caller.refused("resolve_prediction", prediction_id=made["id"], was_accurate=False)
    assert (error["code"], "not counted" in error["message"]) == ("SETTLED", True)
    got = await caller.told("get_model", model_id=model, include_predictions=True)
    assert got["predictions"][0]["state"] == "expired"
    assert (got["model"]["resolved_count"], got["model"]["prediction_accuracy"]) == (0, 0.5)


async def test_what_is_asked_wrongly_is_refused(caller: Caller) -> None:
    model = await a_model(caller)
    made = await predicted(caller, model)
    nothing = await caller.refused("resolve_prediction", prediction_id=made["id"])
    assert (nothing["code"], nothing["field"]) == ("INVALID_ARGUMENT", "observation")
    for identifier in (str(uuid4()), "x", "予測"):
        for tool, key, more in (
            ("resolve_prediction", "prediction_id", {"was_accurate": True}),
            ("predict_with_model", "model_id", {"message": FIRES}),
            ("activate_model", "model_id", {}),
        ):
            error = await caller.refused(tool, **{key: identifier}, **more)
            assert error["code"] == "NOT_FOUND"
    async with modelling(caller.url, user="ben") as ben:
        for tool, arguments in (
            ("resolve_prediction", {"prediction_id": made["id"], "was_accurate": True}),
            ("predict_with_model", {"model_id": model, "message": FIRES}),
        ):
            assert (await ben.refused(tool, **arguments))["code"] == "NOT_FOUND"


async def test_a_model_goes_from_active_to_deprecated_and_back(caller: Caller) -> None:
    model = await a_model(caller)
    gone = await caller.told("activate_model", model_id=model, status="deprecated")
    assert (gone["before"], gone["status"]) == ("active", "deprecated")
    error = await caller.refused("predict_with_model", model_id=model, message=FIRES)
    assert (error["code"], "deprecated" in error["message"]) == ("NOT_ACTIVE", True)
    assert (await caller.told("list_models", status="deprecated"))["total"] == 1
    back = await caller.told("activate_model", model_id=model)
    assert (back["before"], back["status"]) == ("deprecated", "active")
    same = await caller.told("activate_model", model_id=model)
    assert same["message"] == "Model 'Patterns' is active already"
    assert (await caller.model(model))["revision_count"] == 0


async def test_new_accuracy_is_a_back_test_of_the_revised_model(
    caller: Caller, embedder: Embedder
) -> None:
    """Sleep was predicted well, work badly: without the basin of work the record is better."""
    night = "Seit Wochen bin ich todmüde, aber im Bett mache ich kein Auge zu"
    vectors = await embedder.embed([FIRES, night])
    work, sleep = (
        a_basin(caller.url, name, vector=vector)
        for name, vector in zip(("Work", "Schlaf"), vectors, strict=True)
    )
    model = await a_model(caller, work, sleep)
    for message, right in ((FIRES, False), (FIRES, False), (night, True), (FIRES, True)):
        await settled(caller, model, message, right=right)
    got = await caller.told("get_model", model_id=model, include_predictions=True)
    assert [each["basin"] for each in got["predictions"]] == [work, sleep, work, work]
    revised = await caller.told(
        "revise_model", model_id=model, trigger_description="fails at work", remove_basins=[work]
    )
    assert (revised["new_accuracy"], revised["predictions_tested"]) == (1.0, 1)
    declined = await caller.told("predict_with_model", model_id=model, message=FIRES)
    assert declined["prediction"] is None
    assert declined["message"] == (
        "This is nearest to the basin Work, which was removed from 'Patterns'"
    )
    back = await caller.told(
        "revise_model", model_id=model, trigger_description="again", add_basins=[work]
    )
    assert (back["new_accuracy"], back["predictions_tested"]) == (0.5, 4)
    got = await caller.told("get_model", model_id=model, include_revisions=True)
    befores = [(each["accuracy_before"], each["accuracy_after"]) for each in got["revisions"]]
    assert befores == [(0.5, 0.5), (0.5, 1.0)]
    assert got["model"]["prediction_accuracy"] == 0.5
    only = await caller.told(
        "revise_model", model_id=model, trigger_description="only work", remove_basins=[sleep]
    )
    assert (only["new_accuracy"], only["predictions_tested"]) == (0.3333, 3)


async def test_models_and_revisions_are_proposed_and_nothing_changes(
    caller: Caller, embedder: Embedder
) -> None:
    memories = await remembered(caller, "I sleep badly when my boss calls, {n}. Мне страшно 😰")
    plain, dense = (
        a_basin(caller.url, "Few", members=memories[:2]),
        a_basin(caller.url, "Сон", members=memories),
    )
    vector = (await embedder.embed([FIRES]))[0]
    work, other = a_basin(caller.url, "Work", vector=vector), a_basin(caller.url, "Other")
    model = await a_model(caller, work, other)
    gone = a_basin(caller.url, "Gone")
    poor = await caller.made(gone, other, name="Poor")
    drop_basin(caller.url, gone)
    for _ in range(5):
        await settled(caller, model, FIRES, right=False)
    before = Rows(caller.url).settled()
    told = await caller.told("propose_models")
    (proposed,) = told["models"]
    assert (proposed["basin_ids"], proposed["name"]) == ([dense], "Сон")
    assert (proposed["domain"], proposed["draft_id"]) == ("user", None)
    assert len(proposed["evidence"]) == 5
    assert proposed["evidence"][0]["id"] == f"mem-{memories[0]}"
    assert "6 memories" in proposed["why"]
    by_model = {each["model_id"]: each for each in told["revisions"]}
    assert by_model.keys() == {model, poor}
    failing = by_model[model]
    assert (failing["action"], failing["remove_basins"]) == ("remove_basins", [work])
    assert failing["why"] == "5 of 5 predictions near this basin did not hold"
    assert len(failing["prediction_ids"]) == 5
    assert by_model[poor]["remove_basins"] == [gone]
    after = Rows(caller.url).settled()
    assert {k: v for k, v in after.items() if k != "reasonloom.runs"} == {
        k: v for k, v in before.items() if k != "reasonloom.runs"
    }
    assert plain not in str(told)
    async with modelling(caller.url, user="ben") as ben:
        nothing = await ben.told("propose_models")
        assert (nothing["models"], nothing["revisions"]) == ([], [])
        assert await ben.told("list_basins") == {"basins": [], "total": 0}


async def test_a_proposed_model_is_kept_as_a_draft_and_activated(caller: Caller) -> None:
    memories = await remembered(caller, "The ferry leaves at {n}.")
    dense = a_basin(caller.url, "Ferry", members=memories)
    (proposed,) = (await caller.told("propose_models", keep_drafts=True))["models"]
    draft = proposed["draft_id"]
    model = await caller.model(draft)
    assert (model["status"], model["domain"], model["name"]) == ("draft", "world", "Ferry")
    assert model["constituent_basins"] == [dense]
    error = await caller.refused("predict_with_model", model_id=draft, message=FIRES)
    assert error["code"] == "NOT_ACTIVE"
    refused = await caller.refused("activate_model", model_id=draft, status="deprecated")
    assert (refused["code"], refused["field"]) == ("INVALID_ARGUMENT", "status")
    assert (await caller.told("activate_model", model_id=draft))["before"] == "draft"
    assert (await caller.told("propose_models", keep_drafts=True))["models"] == []


async def test_basins_are_listed_with_their_strongest_memories(caller: Caller) -> None:
    memories = await remembered(caller, "Глубокий сон № {n} 睡眠")
    large = a_basin(caller.url, "Сон", members=memories)
    small = a_basin(caller.url, "Klein", members=memories[:1])
    await caller.made(small)
    told = await caller.told("list_basins", memories=2)
    assert [(each["id"], each["member_count"]) for each in told["basins"]] == [
        (large, 6), (small, 1),
    ]  # fmt: skip
    assert [each["model_count"] for each in told["basins"]] == [0, 1]
    assert told["basins"][0]["memories"][0]["excerpt"].startswith("Глубокий сон № 0")
    assert len(told["basins"][0]["memories"]) == 2
    with psycopg.connect(caller.url) as connection:
        connection.execute("SET search_path = reasonloom")
        connection.execute("UPDATE memories SET deleted_at = now() WHERE id = 1")
    hidden = (await caller.told("list_basins", limit=1))["basins"][0]
    assert hidden["member_count"] == 5
    assert "№ 0" not in str(hidden)


async def remembered(caller: Caller, text: str, count: int = 6) -> list[int]:
    """Store memories; return their numbers."""
    numbers = []
    for n in range(count):
        item = {"content": text.format(n=n), "primarySector": "semantic"}
        told = await caller.told("batch_remember", userId="local", sessionId="s", memories=[item])
        numbers.append(int(told["data"]["memories"][0]["memoryId"].removeprefix("mem-")))
    return numbers
