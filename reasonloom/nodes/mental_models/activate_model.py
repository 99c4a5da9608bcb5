"""Answers `activate_model`: draft -> active -> deprecated -> active, and no other way."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Activated, ActivateModel
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.mental_models import rendering
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import models

WAYS = {("draft", "active"), ("active", "deprecated"), ("deprecated", "active")}
NO_WAY = "status: a {before} model cannot become {status}; it can become active"
SAME = "Model '{name}' is {status} already"
CHANGED = "Model '{name}' is {status}"


async def activate_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Give the model the requested status."""
    execution = runtime.context
    request = ActivateModel.model_validate(state["request"])
    status = request.status
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id, hold=True)
        same = model.status == status
        if not same:
            if (model.status, status) not in WAYS:
                said = NO_WAY.format(before=model.status, status=status)
                raise InvalidArgument(said, field="status")
            await models.set_status(tx, model.id, status, execution.loom.clock())
        answer = Activated(
            success=True,
            model_id=str(model.id),
            before=model.status,
            status=status,
            message=(SAME if same else CHANGED).format(name=model.name, status=status),
        )
        return await finish(tx, execution, answer, notes=rendering.degraded(model))
