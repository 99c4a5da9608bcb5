"""Implements `propose_models`: new models for dense basins, revisions of failing models."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import (
    ModelProposed,
    Proposals,
    ProposeModels,
    RevisionProposed,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.mental_models.accuracy import wilson_interval
from reasonloom.nodes.mental_models.basins.list_basins import MOST_TEXT, evidence
from reasonloom.nodes.mental_models.situations import read_text, word_list
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import model_basins, models
from reasonloom.stores.mental_models.model_basins import DenseBasin, FailingRecord, Member
from reasonloom.stores.mental_models.models import ModelRow, NewModel
from reasonloom.stores.pipelines import together

LEAST_RESOLVED = 5
"""Minimum resolved predictions for a record to count as failing."""

FAILED = 0.5
"""Accuracy below which a record is failing, compared with the upper end of its 95 % interval."""

OF_BASIN = "{wrong} of {resolved} predictions near this basin did not hold"
OF_MODEL = "{wrong} of {resolved} predictions did not hold"
GONE_BASINS = "these basins are gone"


@dataclass(frozen=True, slots=True)
class Change:
    """A proposed change: remove `basins`, or deprecate the model if `basins` is empty."""

    model: ModelRow
    basins: list[UUID]
    why: str
    predictions: list[UUID]


def find_changes(rows: Sequence[ModelRow], records: Iterable[FailingRecord]) -> list[Change]:
    """Return at most one proposed change per model."""
    by_model: dict[UUID, list[FailingRecord]] = {}
    for each in records:
        by_model.setdefault(each.model, []).append(each)
    found = (_change(row, by_model.get(row.id, [])) for row in rows)
    return [each for each in found if each is not None]


def _change(row: ModelRow, records: list[FailingRecord]) -> Change | None:
    if row.missing and len(row.missing) < len(row.basins):
        return Change(row, row.missing, GONE_BASINS, [])
    failing = [each for each in records if each.basin in row.basins and _is_failing(each)]
    if failing and len(failing) < len(row.basins):
        basins = [each.basin for each in failing if each.basin is not None]
        return Change(row, basins, _describe_failure(OF_BASIN, failing), _wrong(failing))
    whole = FailingRecord(row.id, None, *_sums(records), None)
    if _is_failing(whole):
        return Change(row, [], _describe_failure(OF_MODEL, [whole]), _wrong(records))
    return None


def _is_failing(record: FailingRecord) -> bool:
    if record.resolved < LEAST_RESOLVED:
        return False
    return wilson_interval(record.correct, record.resolved)[1] < FAILED


def _sums(records: Sequence[FailingRecord]) -> tuple[int, int]:
    return sum(each.resolved for each in records), sum(each.correct for each in records)


def _describe_failure(text: str, records: Sequence[FailingRecord]) -> str:
    resolved, correct = _sums(records)
    return text.format(wrong=resolved - correct, resolved=resolved)


def _wrong(records: Iterable[FailingRecord]) -> list[UUID]:
    return [key for each in records for key in each.wrong or ()]


LEAST_MEMBERS = 5
LEAST_COHERENCE = 0.3
MOST_EVIDENCE = 5
MOST_WRONG = 10
MOST_MODELS = 1_000
MOST_NAME = 255
WHY = "{members} memories, alike with coherence {coherence:.2f}, and no model is made of them"
NO_TEMPLATES = (
    "proposed models have no templates: give them with create_model, or they predict nothing"
)
GUESSED = "domains are guessed: user where half of the memories speak in the first person"
TAKEN = "some proposed names are taken; those were not kept as drafts"


async def propose_models(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Propose models and revisions; persist drafts if requested."""
    execution = runtime.context
    request = execution.request(ProposeModels)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        dense, rows, records = await together(
            model_basins.dense_basins(
                tx, least=LEAST_MEMBERS, coherence=LEAST_COHERENCE, most=request.limit,
                most_evidence=MOST_EVIDENCE, most_text=MOST_TEXT, most_name=MOST_NAME,
            ),
            models.active(tx, most=MOST_MODELS),
            model_basins.failing_predictions(tx, most=MOST_WRONG),
        )  # fmt: skip
        wanted = find_changes(rows, records)[: request.limit]
        left = list(dict.fromkeys(basin for each in wanted for basin in each.basins))
        members = await model_basins.members(tx, left, most=MOST_EVIDENCE, most_text=MOST_TEXT)
        new = dense if request.keep_drafts else []
        drafts = _drafts(execution, new)
        await together(*(models.create(tx, each) for each in drafts.values()))
        notes = [TAKEN] if len(drafts) < len(new) else []
        answer = Proposals(
            models=[_proposed(each, drafts.get(each.id)) for each in dense],
            revisions=[_revision(each, members) for each in wanted],
        )
        general = [GUESSED, NO_TEMPLATES] if dense else []
        return await complete_run(tx, execution, answer, notes=[*general, *notes])


def _proposed(basin: DenseBasin, draft: NewModel | None) -> ModelProposed:
    return ModelProposed(
        name=basin.name[:MOST_NAME],
        domain=_domain(basin.evidence),
        basin_ids=[str(basin.id)],
        why=WHY.format(members=basin.members, coherence=basin.coherence),
        evidence=evidence(basin.id, basin.evidence),
        draft_id=str(draft.id) if draft else None,
    )


def _revision(change: Change, members: Mapping[UUID, Sequence[Member]]) -> RevisionProposed:
    return RevisionProposed(
        model_id=str(change.model.id),
        model_name=change.model.name,
        action="remove_basins" if change.basins else "deprecate",
        remove_basins=[str(each) for each in change.basins],
        why=change.why,
        evidence=[
            one for basin in change.basins for one in evidence(basin, members.get(basin, []))
        ],
        prediction_ids=[str(each) for each in change.predictions],
    )


def _domain(members: Sequence[Member]) -> str:
    first = word_list("first") | {"user"}
    personal = sum(not first.isdisjoint(read_text(each.excerpt).words) for each in members)
    return "user" if 2 * personal >= len(members) else "world"


def _drafts(execution: Execution, dense: Sequence[DenseBasin]) -> dict[UUID, NewModel]:
    """Return draft models by basin, skipping names that are taken."""
    drafts: dict[UUID, NewModel] = {}
    names: set[str] = set()
    for each in dense:
        name = each.name[:MOST_NAME]
        if each.taken or name in names:
            continue
        names.add(name)
        drafts[each.id] = NewModel(
            id=execution.run.effect("draft", str(each.id)),
            name=name,
            domain=_domain(each.evidence),
            description="",
            status="draft",
            basins=[each.id],
            templates=[],
            now=execution.loom.clock(),
        )
    return drafts
