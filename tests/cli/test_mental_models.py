"""`reasonloom models`: what a person sees of mental models, and what may predict."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from reasonloom.cli.mental_models import _resolve_model, model_tree, print_models
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, ModelNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.cli.test_commands import Run, run
from tests.support.calls import call
from tests.support.reasoning.mental_models import a_basin, drop_basin

__all__ = ["run"]
TEMPLATE = {"trigger": "user mentions work stress", "predict": "不安 [red]", "suggest": "x"}


async def a_model(engine: Engine, access: Access) -> tuple[str, list[str]]:
    basins = [a_basin(access.admin, "Сон [bold]и\x1b[31m работа"), a_basin(access.admin, "Gone")]
    made = {"name": "Муки 😰", "domain": "user", "basin_ids": basins,
            "prediction_templates": [TEMPLATE]}  # fmt: skip
    model = str((await call(engine, "create_model", made)).answer["model_id"])
    for right in (True, None):
        message = {"model_id": model, "message": "my boss keeps moving the deadline, no time"}
        made = (await call(engine, "predict_with_model", message)).answer["prediction"]
        if right is not None:
            given = {"prediction_id": made["id"], "was_accurate": right}
            await call(engine, "resolve_prediction", given)
    return model, basins


def console_text(drawn: Any) -> str:
    console = Console(width=200, record=True)
    console.print(drawn)
    return console.export_text()


async def test_models_are_drawn_as_a_table_and_a_tree(
    engine: Engine, access: Access, capsys: pytest.CaptureFixture[str]
) -> None:
    model, basins = await a_model(engine, access)
    drop_basin(access.admin, basins[1])
    print_models((await call(engine, "list_models", {})).answer)
    listed = capsys.readouterr().out
    assert "Муки 😰" in listed
    assert "active degraded" in listed
    assert "1.00 of 1 (0.21 to 1.00), Brier 0.25" in listed
    wanted = {"model_id": model, "include_predictions": True, "include_revisions": True}
    found = (await call(engine, "get_model", wanted)).answer
    drawn = console_text(model_tree(found, {basins[0]: "Сон [bold]и\x1b[31m работа"}))
    for said in (
        "basins (2)", "Сон [bold]и [31m работа", "(gone)", "expect 不安 [red]", "… 0.78", "✓ 0.50",
        "revisions (0)", model, "└── open, ",
    ):  # fmt: skip
        assert said in drawn
    assert "\x1b" not in drawn


async def test_a_person_may_deprecate_a_model(run: Run, engine: Engine, access: Access) -> None:
    model, _ = await a_model(engine, access)
    assert run("models", "deprecate", model).stdout == "Model 'Муки 😰' is deprecated\n"
    assert "user, deprecated" in run("models", "show", model[:8].upper()).stdout
    unknown = run("models", "show", "nonsense")
    assert (unknown.returncode, unknown.stderr) == (2, "reasonloom: Model not found\n")


async def test_a_model_is_called_by_its_name_or_how_its_id_begins(
    engine: Engine, access: Access
) -> None:
    model, _ = await a_model(engine, access)
    me = Caller("local")
    for named in (model, model[:8], model.upper(), "Муки 😰"):
        assert await _resolve_model(engine, me, named) == model
    made = {"name": model[:8], "domain": "self", "basin_ids": [a_basin(access.admin)]}
    await call(engine, "create_model", made)
    with pytest.raises(InvalidArgument, match="several models"):
        await _resolve_model(engine, me, model[:8])
    for odd in ("%", "_", "муки 😰", "'"):
        with pytest.raises(ModelNotFound):
            await _resolve_model(engine, me, odd)
    with pytest.raises(ModelNotFound):
        await _resolve_model(engine, Caller("ben"), model)


async def test_proposals_are_drawn_with_what_they_rest_on(
    run: Run, engine: Engine, access: Access
) -> None:
    text = "Паром уходит в [red] {n}"
    items = [{"content": text.format(n=n), "primarySector": "semantic"} for n in range(6)]
    given = {"userId": "local", "sessionId": "s", "memories": items}
    told = (await call(engine, "batch_remember", given)).answer["memories"]
    numbers = [int(each["memoryId"].removeprefix("mem-")) for each in told]
    basin = a_basin(access.admin, "Паром [bold]", members=numbers)
    one, gone = a_basin(access.admin, "One"), a_basin(access.admin, "Gone")
    poor = {"name": "Poor", "domain": "user", "basin_ids": [one, gone]}
    await call(engine, "create_model", poor)
    drop_basin(access.admin, gone)
    drawn = run("models", "propose", "--keep-drafts").stdout
    for said in (
        "models (1)", "Паром [bold]  world", f"basin {basin}", "mem-", "Паром уходит в [red] 0",
        "kept as draft", "revisions (1)", "Poor  ", f"remove_basins {gone}", "note: ",
    ):  # fmt: skip
        assert said in drawn
