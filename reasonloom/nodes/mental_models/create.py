"""Implements `create_model`, and validates the basins named in requests."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from unicodedata import normalize
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.models import CreateModel, ModelCreated, PredictionTemplate
from reasonloom.errors import InvalidArgument, InvalidBasin
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.cleaning import REMOVED, clean_all, clean_name
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.mental_models import model_basins, models
from reasonloom.stores.mental_models.models import NewModel, Template
from reasonloom.text.plurals import counted

MOST_SUGGESTED = 10
KNOWN_BASINS = "Known basins: {basins}"
MORE_BASINS = "{basins}, and {more} more (list_basins)"
NO_BASINS = "There are no basins yet: they form as memories are stored (list_basins)"
OWN_BASINS = "Basins of the model: {basins}"


async def require_basins(tx: Transaction, given: Sequence[str], *, field: str) -> list[UUID]:
    """Return the distinct basins, which must exist, locked until the transaction ends.

    Raises:
        InvalidBasin: a basin does not exist, or its id is not a UUID.
    """
    wanted = distinct_ids(given)
    ids = [each for each in wanted if each is not None]
    known = await model_basins.known(tx, ids)
    if len(ids) < len(wanted) or not known.issuperset(ids):
        raise InvalidBasin(await _suggestion(tx), field=field)
    return ids


async def require_members(
    tx: Transaction, given: Sequence[str], own: Sequence[UUID], *, field: str
) -> list[UUID]:
    """Return the distinct basins, which must be among the model's `own`.

    Raises:
        InvalidBasin: a basin does not belong to the model, or its id is not a UUID.
    """
    wanted = distinct_ids(given)
    ids = [each for each in wanted if each in own and each is not None]
    if len(ids) < len(wanted):
        named = await model_basins.names(tx, own)
        raise InvalidBasin(OWN_BASINS.format(basins=_list_ids(named, own)), field=field)
    return ids


def distinct_ids(given: Iterable[str]) -> list[UUID | None]:
    """Return the distinct ids in order; all that are not UUIDs become a single None."""
    return list(dict.fromkeys(parse_uuid(each) for each in given))


async def _suggestion(tx: Transaction) -> str:
    found = await model_basins.largest(tx, MOST_SUGGESTED)
    if not found:
        return NO_BASINS
    listed = _list_ids({each.id: each.name for each in found}, [each.id for each in found])
    more = found[0].total - len(found)
    return KNOWN_BASINS.format(
        basins=MORE_BASINS.format(basins=listed, more=more) if more else listed
    )


def _list_ids(named: Mapping[UUID, str], ids: Sequence[UUID]) -> str:
    some = ids[:MOST_SUGGESTED]
    listed = ", ".join(f"{each} ({named[each]})" if each in named else str(each) for each in some)
    return f"{listed}, and {len(ids) - len(some)} more" if len(ids) > len(some) else listed


CREATED = "Model '{name}' created with {basins}"
NAMED_TWICE = "basins that were named twice count once"


async def create_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Create the requested model with status active."""
    execution = runtime.context
    request = execution.request(CreateModel)
    given, notes = clean_name(request.name, field="name")
    name = normalize("NFC", given)
    description, of_description = _text(request.description, "description")
    templates, more = _templates(request.prediction_templates or [])
    async with execution.loom.database.begin(execution.caller) as tx:
        ids = await require_basins(tx, request.basin_ids, field="basin_ids")
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
        message = CREATED.format(name=name, basins=counted(len(ids), "basin"))
        answer = ModelCreated(success=True, model_id=str(new.id), message=message)
        twice = [NAMED_TWICE] if len(ids) < len(request.basin_ids) else []
        return await complete_run(
            tx, execution, answer, notes=[*notes, *of_description, *more, *twice]
        )


def _templates(given: list[PredictionTemplate]) -> tuple[list[Template], list[str]]:
    """Return the templates without hidden characters, and notes on the removals.

    Raises:
        InvalidArgument: a template lacks its trigger or prediction.
    """
    kept: list[Template] = []
    notes: list[str] = []
    for place, each in enumerate(given):
        texts: dict[str, str | None] = {}
        for part in ("trigger", "predict", "suggest"):
            where = f"prediction_templates.{place}.{part}"
            texts[part], more = _text(getattr(each, part), where)
            notes += more
            if texts[part] is None and part != "suggest":
                raise InvalidArgument(
                    f"{where}: a template names its trigger and what it predicts", field=where
                )
        other, removed = clean_all(each.other_keys())
        if removed:
            notes.append(f"prediction_templates.{place}: {REMOVED.format(count=removed)}")
        kept.append(
            Template(texts["trigger"] or "", texts["predict"] or "", texts["suggest"], other)
        )
    return kept, notes


def _text(text: str | None, field: str) -> tuple[str | None, list[str]]:
    return (None, []) if text is None else clean_name(text, field=field)
