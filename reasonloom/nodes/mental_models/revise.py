"""Answers `revise_model`: other basins for a model that is held meanwhile, or nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.models import ModelRevised, ReviseModel
from reasonloom.errors import InvalidArgument, NoChange, WouldEmpty
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.naming import named
from reasonloom.nodes.mental_models import models_basins
from reasonloom.nodes.mental_models.accuracy import accuracy
from reasonloom.nodes.mental_models.rendering import counted
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import model_revisions, models, predictions
from reasonloom.stores.mental_models.model_revisions import RevisionRow

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.mental_models.models import ModelRow

EMPTY = "Cannot remove all basins from model"
SAME = "Nothing would change: name basins to add that it lacks, or to remove that it has"
BOTH = "remove_basins: {basin} stands in add_basins too"
THERE = "basins that the model had already were not added again"
UNTESTED = "new_accuracy is 0.5: none of its resolved predictions is left to test it on"


async def revise_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Revise the requested model; concurrent revisions wait for each other."""
    execution = runtime.context
    request = ReviseModel.model_validate(state["request"])
    reason, notes = named(request.trigger_description, field="trigger_description")
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id, hold=True)
        wanted = await _wanted(tx, model, request)
        former = await model_revisions.former_basins(tx, model.id) if model.resolved else []
        now = execution.loom.clock()
        added, removed = await models.revise(tx, model, wanted, now)
        left = [each for each in (*former, *removed) if each not in added]
        tested, correct = await _tested(tx, execution, model, wanted, left)
        row = RevisionRow(
            id=execution.run.effect("revision"),
            model=model.id,
            version=model.version + 1,
            trigger=reason,
            added=added,
            removed=removed,
            accuracy_before=accuracy(model.correct, model.resolved),
            accuracy_after=accuracy(correct, tested),
            tested=tested,
            client=execution.caller.client,
            made_at=now,
        )
        await model_revisions.add(tx, row)
        notes += (
            [THERE] if len(added) < len(models_basins.distinct(request.add_basins or [])) else []
        )
        return await finish(tx, execution, _told(row), notes=notes + _untested(model, row))


async def _wanted(tx: Transaction, model: ModelRow, request: ReviseModel) -> list[UUID]:
    """Return the basins that the model shall have, in their order.

    Raises:
        InvalidBasin: one to add is not there, or one to remove is not the model's.
        InvalidArgument: one is to be added and removed.
        WouldEmpty: none would be left.
        NoChange: the model has just these.
    """
    added = await models_basins.require(tx, request.add_basins or [], field="add_basins")
    gone = request.remove_basins or []
    twice = [each for each in models_basins.distinct(gone) if each is not None and each in added]
    if twice:
        raise InvalidArgument(BOTH.format(basin=twice[0]), field="remove_basins")
    removed = await models_basins.members(tx, gone, model.basins, field="remove_basins")
    wanted = [each for each in dict.fromkeys([*model.basins, *added]) if each not in removed]
    if not wanted:
        raise WouldEmpty(EMPTY, field="remove_basins")
    if wanted == model.basins:
        raise NoChange(SAME)
    return wanted


async def _tested(
    tx: Transaction,
    execution: Execution,
    model: ModelRow,
    wanted: list[UUID],
    former: list[UUID],
) -> tuple[int, int]:
    if not model.resolved:
        return 0, 0
    floor = execution.loom.embedder.floor
    return await predictions.back_test(tx, model.id, basins=wanted, former=former, floor=floor)


def _told(row: RevisionRow) -> ModelRevised:
    done = [
        f"{what} {counted(len(some), 'basin')}"
        for what, some in (("added", row.added), ("removed", row.removed))
        if some
    ]
    return ModelRevised(
        success=True,
        revision_id=str(row.id),
        message=f"Model revised: {', '.join(done)}",
        new_accuracy=row.accuracy_after,
        predictions_tested=row.tested,
    )


def _untested(model: ModelRow, row: RevisionRow) -> list[str]:
    return [UNTESTED] if model.resolved and not row.tested else []
