"""Answers `revise_model`: other basins for a model that is held meanwhile, or nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Activated, ActivateModel
from reasonloom.contracts.mental_models.models import ModelRevised, ReviseModel
from reasonloom.errors import InvalidArgument, NoChange, WouldEmpty
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.cleaning import clean_name
from reasonloom.nodes.mental_models import create, rendering
from reasonloom.nodes.mental_models.accuracy import accuracy
from reasonloom.nodes.mental_models.rendering import count_of
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import model_revisions, models, predictions
from reasonloom.stores.mental_models.model_revisions import RevisionRow

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.mental_models.models import ModelRow


EMPTY = "Cannot remove all basins from model"
NOTHING_TO_CHANGE = (
    "Nothing would change: name basins to add that it lacks, or to remove that it has"
)
BOTH = "remove_basins: {basin} stands in add_basins too"
ALREADY_THERE = "basins that the model had already were not added again"
UNTESTED = "new_accuracy is 0.5: none of its resolved predictions is left to test it on"


async def revise_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Revise the requested model; concurrent revisions wait for each other."""
    execution = runtime.context
    request = ReviseModel.model_validate(state["request"])
    reason, notes = clean_name(request.trigger_description, field="trigger_description")
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id, hold=True)
        wanted = await _target_basins(tx, model, request)
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
            [ALREADY_THERE]
            if len(added) < len(create.distinct_ids(request.add_basins or []))
            else []
        )
        return await complete_run(
            tx, execution, _revision_text(row), notes=notes + _untested(model, row)
        )


async def _target_basins(tx: Transaction, model: ModelRow, request: ReviseModel) -> list[UUID]:
    """Return the basins that the model shall have, in their order.

    Raises:
        InvalidBasin: one to add is not there, or one to remove is not the model's.
        InvalidArgument: one is to be added and removed.
        WouldEmpty: none would be left.
        NoChange: the model has just these.
    """
    added = await create.require_basins(tx, request.add_basins or [], field="add_basins")
    gone = request.remove_basins or []
    twice = [each for each in create.distinct_ids(gone) if each is not None and each in added]
    if twice:
        raise InvalidArgument(BOTH.format(basin=twice[0]), field="remove_basins")
    removed = await create.require_members(tx, gone, model.basins, field="remove_basins")
    wanted = [each for each in dict.fromkeys([*model.basins, *added]) if each not in removed]
    if not wanted:
        raise WouldEmpty(EMPTY, field="remove_basins")
    if wanted == model.basins:
        raise NoChange(NOTHING_TO_CHANGE)
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


def _revision_text(row: RevisionRow) -> ModelRevised:
    done = [
        f"{what} {count_of(len(some), 'basin')}"
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


TRANSITIONS = {("draft", "active"), ("active", "deprecated"), ("deprecated", "active")}
FORBIDDEN = "status: a {before} model cannot become {status}; it can become active"
SAME_STATUS = "Model '{name}' is {status} already"
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
            if (model.status, status) not in TRANSITIONS:
                said = FORBIDDEN.format(before=model.status, status=status)
                raise InvalidArgument(said, field="status")
            await models.set_status(tx, model.id, status, execution.loom.clock())
        answer = Activated(
            success=True,
            model_id=str(model.id),
            before=model.status,
            status=status,
            message=(SAME_STATUS if same else CHANGED).format(name=model.name, status=status),
        )
        return await complete_run(tx, execution, answer, notes=rendering.degraded_note(model))
