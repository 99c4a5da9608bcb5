"""`reasonloom models`: what a person sees of mental models, and what may predict."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from reasonloom.cli.models_drawn import table, tree
from reasonloom.graphs.engine import Engine
from reasonloom.stores.access import Access
from tests.cli.test_commands import Run, run
from tests.support.calls import call
from tests.support.modelling import a_basin, drop_basin

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


def shown(drawn: Any) -> str:
    console = Console(width=200, record=True)
    console.print(drawn)
    return console.export_text()


async def test_models_are_drawn_as_a_table_and_a_tree(engine: Engine, access: Access) -> None:
    model, basins = await a_model(engine, access)
    drop_basin(access.admin, basins[1])
    listed = shown(table((await call(engine, "list_models", {})).answer))
    assert "Муки 😰" in listed
    assert "active degraded" in listed
    assert "1.00 of 1 (0.21 to 1.00), Brier 0.25" in listed
    wanted = {"model_id": model, "include_predictions": True, "include_revisions": True}
    found = (await call(engine, "get_model", wanted)).answer
    drawn = shown(tree(found, {basins[0]: "Сон [bold]и\x1b[31m работа"}))
    for said in (
        "basins (2)", "Сон [bold]и [31m работа", "(gone)", "expect 不安 [red]", "… 0.78", "✓ 0.50",
        "revisions (0)", model,
    ):  # fmt: skip
        assert said in drawn
    assert "\x1b" not in drawn


async def test_a_person_may_deprecate_a_model(run: Run, engine: Engine, access: Access) -> None:
    model, _ = await a_model(engine, access)
    assert run("models", "deprecate", model).stdout == "Model 'Муки 😰' is deprecated\n"
    drawn = run("models", "show", model).stdout
    assert "user, deprecated" in drawn
    unknown = run("models", "show", "nonsense")
    assert (unknown.returncode, unknown.stderr) == (2, "reasonloom: Model not found\n")
