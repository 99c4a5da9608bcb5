"""The scenes of mental models: each of their writes, and the clusters that they stand on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

import numpy as np

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.mental_models.basins.membership import shape_of
from reasonloom.nodes.mental_models.basins.upkeep import maintain_basins
from reasonloom.stores.mental_models import basin_memories, basins
from reasonloom.stores.mental_models.basins import Basin, BasinRun
from tests.support.killing.scenes.scene import Scene
from tests.support.killing.victim import Order
from tests.support.memory.clusters import about, store
from tests.support.memory.graph_sessions import answer

SPACE = UUID(int=13)
AT = datetime(2026, 11, 22, tzinfo=UTC)
MESSAGE = "my boss keeps moving the deadline, I can't sleep"
TEMPLATES = [
    {"trigger": "user mentions work stress", "predict": "They fear to fail.", "suggest": "Listen."},
    {"trigger": "user mentions sleep problems", "predict": "They drink coffee late."},
]
NAMES = ("Work", "Schlaf", "上司")


async def _basins(engine: Engine, owner: str) -> list[str]:
    """Put three basins there; return their ids in the order of their names."""
    embedder = engine.loom.embedder
    vectors = await embedder.embed(["the boss and the deadline", "no sleep at night", "soup"])
    made = [
        Basin(
            uuid5(SPACE, f"{owner}/{name}"), name, "terms", ["word"], embedder.model, 0.5, 0.4,
            np.asarray(vector, dtype=np.float32), AT, AT,
        )
        for name, vector in zip(NAMES, vectors, strict=True)
    ]  # fmt: skip
    async with engine.loom.database.begin(Caller(owner)) as tx:
        await basins.replace(tx, made, {}, AT)
    return [str(each.id) for each in made]


async def a_model_to_be(engine: Engine, owner: str) -> dict[str, Any]:
    """Put basins there; name two of them as what a model is to be made of."""
    first, second, _ = await _basins(engine, owner)
    return {
        "name": "Работа и сон", "domain": "user", "basin_ids": [second, first],
        "description": "What work does to sleep.", "prediction_templates": TEMPLATES,
    }  # fmt: skip


async def a_model(engine: Engine, owner: str) -> str:
    """Make a model of two basins, one prediction of which held; return its id."""
    request = await a_model_to_be(engine, owner)
    model = await answer(engine, "create_model", Caller(owner), **request)
    first = await a_prediction_of(engine, owner, model["model_id"])
    await answer(
        engine, "resolve_prediction", Caller(owner), prediction_id=first, was_accurate=True
    )
    return str(model["model_id"])


async def a_prediction_of(engine: Engine, owner: str, model: str) -> str:
    """Let a model predict; return the prediction's id."""
    told = await answer(
        engine, "predict_with_model", Caller(owner), model_id=model, message=MESSAGE
    )
    return str(told["prediction"]["id"])


async def a_revision(engine: Engine, owner: str) -> dict[str, Any]:
    """Make a model; name another basin for one that it has."""
    model = await a_model(engine, owner)
    basin = {name: str(uuid5(SPACE, f"{owner}/{name}")) for name in NAMES}
    return {
        "model_id": model, "trigger_description": "soup, not sleep",
        "add_basins": [basin["上司"]], "remove_basins": [basin["Schlaf"]],
    }  # fmt: skip


async def a_message(engine: Engine, owner: str) -> dict[str, Any]:
    """Make a model; name a message that it is to predict on."""
    return {"model_id": await a_model(engine, owner), "message": MESSAGE}


async def an_observation(engine: Engine, owner: str) -> dict[str, Any]:
    """Make a prediction; tell what came of it, for the language model to judge."""
    made = await a_prediction_of(engine, owner, await a_model(engine, owner))
    return {"prediction_id": made, "observation": "She laughed about it."}


async def _got(engine: Engine, owner: str) -> dict[str, Any]:
    (listed,) = (await answer(engine, "list_models", Caller(owner)))["models"]
    return dict(
        await answer(
            engine, "get_model", Caller(owner), model_id=listed["id"], include_predictions=True,
            include_revisions=True,
        )
    )  # fmt: skip


async def made(engine: Engine, owner: str, told: dict[str, Any]) -> None:
    """Hold that the owner has this one model, whole."""
    model = (await _got(engine, owner))["model"]
    assert model["id"] == told["model_id"]
    assert len(model["prediction_templates"]) == len(TEMPLATES)
    assert [UUID(each) for each in model["constituent_basins"]] == [
        uuid5(SPACE, f"{owner}/{name}") for name in ("Schlaf", "Work")
    ]


async def revised(engine: Engine, owner: str, told: dict[str, Any]) -> None:
    """Hold that the model was revised once: its basins, its version and what is told of it."""
    got = await _got(engine, owner)
    wanted = [str(uuid5(SPACE, f"{owner}/{name}")) for name in ("Work", "上司")]
    assert got["model"]["constituent_basins"] == wanted
    assert got["model"]["revision_count"] == 1
    assert [each["id"] for each in got["revisions"]] == [told["revision_id"]]


async def predicted(engine: Engine, owner: str, told: dict[str, Any]) -> None:
    """Hold that the prediction is the model's newest and stands open."""
    newest = (await _got(engine, owner))["predictions"][0]
    assert (newest["id"], newest["state"]) == (told["prediction"]["id"], "open")


async def resolved(engine: Engine, owner: str, told: dict[str, Any]) -> None:
    """Hold that the outcome is counted once, in the model as on the prediction."""
    got = await _got(engine, owner)
    assert got["model"]["resolved_count"] == told["resolved_count"] == 2
    assert got["model"]["brier_score"] == told["brier_score"]
    states = {each["id"]: (each["state"], each["correct"]) for each in got["predictions"]}
    assert states[told["prediction_id"]] == ("resolved", told["correct"])


async def more_of_a_topic(engine: Engine, owner: str) -> dict[str, Any]:
    """Put a cluster there, and store a few memories that are to join it."""
    ids = await store(engine, about("dog"), owner=owner)
    embedder, caller = engine.loom.embedder, Caller(owner)
    async with engine.loom.database.begin(caller) as tx:
        _, vectors = await basin_memories.vectors(tx, embedder.model, ids)
        shape = shape_of(vectors, embedder.floor)
        made = Basin(
            uuid5(SPACE, f"{owner}/dog"), "dog", "terms", ["dog"], embedder.model,
            shape.coherence, shape.bound / 2, shape.centroid, AT, AT,
        )  # fmt: skip
        await basins.replace(tx, [made], {made.id: dict.fromkeys(ids, 1.0)}, AT)
        await basins.note(tx, BasinRun(AT, embedder.model, len(ids), ids[-1], ids[-1]))
    await store(engine, about("dog", 10)[7:], owner=owner)
    return {}


async def look(engine: Engine, order: Order) -> dict[str, Any]:
    """Look after an owner's clusters as every server does; return how they stand then."""
    await maintain_basins(engine.loom, Caller(order.owner), AT)
    async with engine.loom.database.begin(Caller(order.owner)) as tx:
        there = await basins.known(tx)
    assert there.run
    return {
        "basins": sorted([each.name, len(there.members[each.id])] for each in there.basins),
        "through": there.run.joined_through,
    }


CREATE_MODEL = Scene(
    "create_model", "create_model", "create_model", a_model_to_be,
    {"runs": 1, "models": 1, "model_basins": 2, "model_templates": 2}, least=5, after=made,
)  # fmt: skip
REVISE_MODEL = Scene(
    "revise_model", "revise_model", "revise_model", a_revision,
    {"runs": 1, "models": 0, "model_basins": 0, "model_revisions": 1}, least=10, after=revised,
)  # fmt: skip
PREDICT_WITH_MODEL = Scene(
    "predict_with_model", "predict_with_model", "predict_with_model", a_message,
    {"runs": 1, "predictions": 1}, least=5, after=predicted,
)  # fmt: skip
RESOLVE_PREDICTION = Scene(
    "resolve_prediction", "resolve_prediction", "resolve_prediction", an_observation,
    {"runs": 1, "predictions": 0}, least=15, calls=1, after=resolved,
)  # fmt: skip
CLUSTERS_JOINED = Scene(
    "clusters_joined", "", "", more_of_a_topic,
    {"runs": 0, "basins": 0, "basin_members": 3, "basin_runs": 0}, least=10, make=look,
)  # fmt: skip
OF_RECORDS = (REVISE_MODEL, RESOLVE_PREDICTION)
"""The scenes of models that a short test takes: what is read, changed and counted."""

MODEL_SCENES = (
    CREATE_MODEL, PREDICT_WITH_MODEL, CLUSTERS_JOINED
)  # fmt: skip
