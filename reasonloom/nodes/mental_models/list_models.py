"""Answers `list_models`: one query, nothing is written."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.models import ListModels, ModelsListed
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.mental_models.rendering import listed
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import models


async def list_models(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the models that match, the newest first."""
    execution = runtime.context
    request = ListModels.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller) as tx:
        rows = await models.listed(
            tx, domain=request.domain, status=request.status, most=request.limit
        )
    total = rows[0].total if rows else 0
    answer = ModelsListed(models=[listed(row) for row in rows], total=total)
    return {"answer": answer.wire(), "notes": []}
