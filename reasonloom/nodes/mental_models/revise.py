"""Implements `revise_model` and `activate_model`."""

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Activated, ActivateModel
from reasonloom.contracts.mental_models.models import ModelRevised, ReviseModel
from reasonloom.errors import InvalidArgument, NoChange, WouldEmpty
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.cleaning import clean_name
from reasonloom.nodes.mental_models import create
from reasonloom.nodes.mental_models.accuracy import accuracy
from reasonloom.nodes.mental_models.rendering import degraded_note
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.mental_models import model_revisions, models, predictions
from reasonloom.stores.mental_models.model_revisions import RevisionRow
from reasonloom.stores.mental_models.models import ModelRow
from reasonloom.stores.pipelines import together
from reasonloom.text.plurals import counted

EMPTY = "Cannot remove all basins from model"
NOTHING_TO_CHANGE = (
    "Nothing would change: name basins to add that it lacks, or to remove that it has"
)
BOTH = "remove_basins: {basin} is in add_basins too"
ALREADY_THERE = "basins that the model had already were not added again"
UNTESTED = "new_accuracy is 0.5: none of its resolved predictions is left to test it on"


async def revise_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Change the model's basins; concurrent revisions are serialised."""
    execution = runtime.context
    request = execution.request(ReviseModel)
    reason, notes = clean_name(request.trigger_description, field="trigger_description")
    async with execution.loom.database.begin(execution.caller) as tx:
        model, added, former = await together(
            models.require(tx, request.model_id, hold=True),
            create.require_basins(tx, request.add_basins or [], field="add_basins"),
            model_revisions.former_basins(tx, parse_uuid(request.model_id)),
        )
        wanted = await _target_basins(tx, model, request, added)
        now, floor = execution.loom.clock(), execution.loom.embedder.floor
        left = [each for each in (*former, *model.basins) if each not in wanted]
        (added, removed), (tested, correct) = await together(
            models.revise(tx, model, wanted, now),
            predictions.back_test(tx, model.id, basins=wanted, former=left, floor=floor),
        )
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
        if len(added) < len(create.distinct_ids(request.add_basins or [])):
            notes.append(ALREADY_THERE)
        if model.resolved and not tested:
            notes.append(UNTESTED)
        done: dict[str, Any]
        _, done = await together(
            model_revisions.add(tx, row),
            complete_run(tx, execution, _revision_text(row), notes=notes),
        )
        return done


async def _target_basins(
    tx: Transaction, model: ModelRow, request: ReviseModel, added: list[UUID]
) -> list[UUID]:
    """Return the model's new basins in order.

    Raises:
        InvalidBasin: a basin to remove is not part of the model.
        InvalidArgument: a basin is both added and removed.
        WouldEmpty: no basin would be left.
        NoChange: the basins would stay the same.
    """
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


def _revision_text(row: RevisionRow) -> ModelRevised:
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


TRANSITIONS = {("draft", "active"), ("active", "deprecated"), ("deprecated", "active")}
FORBIDDEN = "status: a {before} model cannot become {status}; it can become active"
SAME_STATUS = "Model '{name}' is {status} already"
CHANGED = "Model '{name}' is {status}"


async def activate_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Set the model's status."""
    execution = runtime.context
    request = execution.request(ActivateModel)
    status = request.status
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id, hold=True)
        same = model.status == status
        if not same:
            if (model.status, status) not in TRANSITIONS:
                raise InvalidArgument(
                    FORBIDDEN.format(before=model.status, status=status), field="status"
                )
            await models.set_status(tx, model.id, status, execution.loom.clock())
        answer = Activated(
            success=True,
            model_id=str(model.id),
            before=model.status,
            status=status,
            message=(SAME_STATUS if same else CHANGED).format(name=model.name, status=status),
        )
        return await complete_run(tx, execution, answer, notes=degraded_note(model))
