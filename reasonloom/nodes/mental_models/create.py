"""Answers `create_model`: a model of basins that are there, active at once, or nothing at all."""

from __future__ import annotations

from typing import Any
from unicodedata import normalize

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.models import CreateModel, ModelCreated, PredictionTemplate
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.naming import named
from reasonloom.nodes.mental_models import models_basins
from reasonloom.nodes.mental_models.rendering import counted
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import models
from reasonloom.stores.mental_models.models import NewModel, Template

MADE = "Model '{name}' created with {basins}"
TWICE = "basins that were named twice count once"


async def create_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Make the requested model."""
    execution = runtime.context
    request = CreateModel.model_validate(state["request"])
    given, notes = named(request.name, field="name")
    name = normalize("NFC", given)
    description, said = _text(request.description, "description")
    templates, more = _templates(request.prediction_templates or [])
    async with execution.loom.database.begin(execution.caller) as tx:
        ids = await models_basins.require(tx, request.basin_ids, field="basin_ids")
        new = NewModel(
            id=execution.run.effect("model"),
            name=name,
            domain=request.domain,
            description=description or "",
            status="active",
            basins=ids,
            templates=templates,
            now=execution.loom.clock(),
        )
        await models.create(tx, new)
        message = MADE.format(name=name, basins=counted(len(ids), "basin"))
        answer = ModelCreated(success=True, model_id=str(new.id), message=message)
        twice = [TWICE] if len(ids) < len(request.basin_ids) else []
        return await finish(tx, execution, answer, notes=[*notes, *said, *more, *twice])


def _templates(given: list[PredictionTemplate]) -> tuple[list[Template], list[str]]:
    """Return the templates without hidden characters, and what to say of them.

    Raises:
        InvalidArgument: one lacks its trigger or what it predicts.
    """
    kept: list[Template] = []
    notes: list[str] = []
    for place, each in enumerate(given):
        texts: dict[str, str | None] = {}
        for part in ("trigger", "predict", "suggest"):
            where = f"prediction_templates.{place}.{part}"
            texts[part], said = _text(getattr(each, part), where)
            notes += said
            if texts[part] is None and part != "suggest":
                raise InvalidArgument(
                    f"{where}: a template names its trigger and what it predicts", field=where
                )
        kept.append(Template(texts["trigger"] or "", texts["predict"] or "", texts["suggest"]))
    return kept, notes


def _text(text: str | None, field: str) -> tuple[str | None, list[str]]:
    return (None, []) if text is None else named(text, field=field)
