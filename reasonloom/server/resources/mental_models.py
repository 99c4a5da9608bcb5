"""Mental models and basins as Markdown pages: `reasonloom://model/{id}`, `reasonloom://basins`."""

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.mental_models.extras import BasinListed, BasinsListed, ListBasins
from reasonloom.contracts.mental_models.models import (
    GetModel,
    ModelDetails,
    ModelGot,
    PredictionSummary,
    Relation,
    RevisionSummary,
)
from reasonloom.errors import ModelNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.mental_models.basins.list_basins import largest_basins
from reasonloom.nodes.mental_models.basins.relations import relation_answers
from reasonloom.nodes.mental_models.read import full_model
from reasonloom.server.resources.kind import Listed, short_title
from reasonloom.server.resources.markdown import in_markdown, quoted, quoted_start
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.mental_models import basins, model_basins, models
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

MOST_DRAWN = 60
"""Maximum basins in one chart, in the given order."""

MOST_LINES = 100
LONGEST_LABEL = 48
LINES = {
    "causal": "-->|causes|",
    "temporal": "-.->|before|",
    "hierarchical": "==>|holds|",
    "associated": "---|with|",
}
GONE_STYLE = "classDef gone stroke-dasharray:4"

NO_BASINS = "There are none yet: they form by themselves as memories are stored."
COLUMNS = "| basin | memories | coherence | models | keywords | id |"
RULE = "|---|---|---|---|---|---|"
MAX_BASINS, MEMORIES_PER_BASIN = 100, 3

MOST_LISTED = 50
"""Maximum predictions, and revisions, on one page: the newest."""

MAX_DESCRIPTION, MAX_LINE = 2_000, 200
"""Maximum characters of a description, and of a text within a line."""

GONE = "(gone)"


async def newest_basins(engine: Engine, caller: Caller, limit: int) -> list[Listed]:
    """Return the only page, dated by the last change of the basins; none if there are no basins."""
    async with engine.loom.database.begin(caller) as tx:
        formed = await basins.last_changed(tx)
    return [Listed("basins", "Basins, the clusters of memories", formed)] if formed else []


async def newest_model(engine: Engine, caller: Caller, limit: int) -> list[Listed]:
    """Return the most recently changed models, newest first."""
    async with engine.loom.database.begin(caller) as tx:
        rows = await models.last_changed(tx, limit)
    return [Listed(str(key), f"Model: {short_title(name)}", changed) for key, name, changed in rows]


async def read_basins(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of the caller's largest basins."""
    async with engine.loom.database.begin(caller, searching=True) as tx:
        found = await largest_basins(tx, ListBasins(limit=MAX_BASINS, memories=MEMORIES_PER_BASIN))
        related = await relation_answers(tx, [UUID(each.id) for each in found.basins])
    return "\n\n".join(["# Basins", *_basin_parts(found, related.relationships)]) + "\n"


async def read_model(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a model; user texts are escaped, and omissions are stated.

    Raises:
        ModelNotFound: the caller has no such model.
    """
    if parse_uuid(identifier) is None:
        raise ModelNotFound(identifier, field="model_id")
    request = GetModel(model_id=identifier, include_predictions=True, include_revisions=True)
    async with engine.loom.database.begin(caller) as tx:
        got, _ = await full_model(tx, request, engine.loom.clock())
        ids = [UUID(each) for each in got.model.constituent_basins]
        names = await model_basins.names(tx, ids)
    return _model_page(got, {str(key): name for key, name in names.items()})


def basin_chart(
    names: Mapping[str, str], relations: Sequence[Relation], gone: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return the chart of basins by id, and notes on what it omits."""
    signs = {basin: f"b{number}" for number, basin in enumerate(list(names)[:MOST_DRAWN], 1)}
    lines = [each for each in relations if each.source in signs and each.target in signs]
    drawn = [_basin(signs[each], names[each], each in gone) for each in signs]
    drawn += [
        f"{signs[each.source]} {LINES[each.kind]} {signs[each.target]}"
        for each in lines[:MOST_LINES]
    ]
    left = [
        f"*The drawing leaves out {count:,} {what}.*"
        for count, what in (
            (len(names) - len(signs), "smaller basins"),
            (len(lines) - MOST_LINES, "weaker relations"),
        )
        if count > 0
    ]
    return "\n".join(["flowchart LR", *drawn, GONE_STYLE]), left


def _basin(sign: str, name: str, gone: bool) -> str:
    return f'{sign}(["{in_mermaid(shortened(name, LONGEST_LABEL))}"]){":::gone" if gone else ""}'


def _basin_parts(found: BasinsListed, relations: Sequence[Relation]) -> Iterator[str]:
    if not found.basins:
        yield NO_BASINS
        return
    count = len(found.basins)
    yield f"Clusters of memories: {found.total:,}" + (
        f", of which these are the {count} largest." if count < found.total else "."
    )
    yield "\n".join([COLUMNS, RULE, *map(_basin_row, found.basins)])
    drawing, left = basin_chart({each.id: each.name for each in found.basins}, relations)
    yield f"```mermaid\n{drawing}\n```"
    yield from left
    yield "## Memories"
    for each in found.basins:
        yield f"### {in_markdown(shortened(each.name))}"
        for memory in each.memories:
            yield f"{memory.id}, strength {memory.strength:.2f}"
            yield quoted(memory.excerpt)


def _basin_row(each: BasinListed) -> str:
    cells = (
        in_markdown(shortened(each.name)),
        each.member_count,
        f"{each.coherence:.2f}",
        each.model_count,
        in_markdown(", ".join(each.keywords)),
        f"`{each.id}`",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _model_page(got: ModelGot, names: Mapping[str, str]) -> str:
    """Return the page; `names` holds the names of the basins that still exist."""
    parts = [
        *_head(got.model),
        *_basins(got.model, names),
        *_templates(got.model),
        *_listed("Predictions", [_prediction(each) for each in got.predictions or ()]),
        *_listed("Revisions", [_revision(each) for each in got.revisions or ()]),
    ]
    return "\n\n".join(parts) + "\n"


def _head(model: ModelDetails) -> Iterator[str]:
    yield f"# {in_markdown(_line(model.name))}"
    yield (
        f"`{model.id}`, domain {model.domain}, {model.status}, {_record(model)}. "
        f"Revisions: {model.revision_count}."
    )
    if model.degraded:
        yield f"**Degraded: {len(model.missing_basins)} of its basins are gone.**"
    if model.description:
        yield from quoted_start(model.description, MAX_DESCRIPTION)


def _record(model: ModelDetails) -> str:
    if model.accuracy_interval is None or model.brier_score is None:
        return "nothing of it is resolved yet"
    low, high = model.accuracy_interval
    return (
        f"accuracy {model.prediction_accuracy:.2f} of {model.resolved_count} "
        f"({low:.2f} to {high:.2f}), Brier score {model.brier_score:.2f}"
    )


def _basins(model: ModelDetails, names: Mapping[str, str]) -> Iterator[str]:
    named = {each: names.get(each, GONE) for each in model.constituent_basins}
    yield "## Basins"
    yield "\n".join(f"- {in_markdown(_line(name))}, `{basin}`" for basin, name in named.items())
    relations = model.basin_relationships.relationships
    drawing, left = basin_chart(named, relations, model.missing_basins)
    yield f"```mermaid\n{drawing}\n```"
    yield from left


def _templates(model: ModelDetails) -> Iterator[str]:
    yield "## Templates"
    if not model.prediction_templates:
        yield "None: it predicts nothing."
    for number, each in enumerate(model.prediction_templates, 1):
        suggest = f", and suggest: {in_markdown(_line(each.suggest))}" if each.suggest else ""
        yield (
            f"Template {number}. When {in_markdown(_line(each.trigger))}, "
            f"expect: {in_markdown(_line(each.predict))}{suggest}"
        )


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield f"## {title}"
    yield "\n".join(lines[:MOST_LISTED]) or "None yet."
    if len(lines) > MOST_LISTED:
        yield f"*Only the newest {MOST_LISTED} are shown.*"


def _prediction(each: PredictionSummary) -> str:
    fate = {True: "held", False: "did not hold", None: each.state}[each.correct]
    return (
        f"- {fate}, confidence {each.confidence:.2f}: {in_markdown(_line(each.content))} "
        f"on “{in_markdown(_line(each.context))}”, `{each.id}`"
    )


def _revision(each: RevisionSummary) -> str:
    change = f"{len(each.added_basins)} added, {len(each.removed_basins)} removed"
    accuracy = f"accuracy {each.accuracy_before:.2f} to {each.accuracy_after:.2f}"
    return f"- {change}, {accuracy}: {in_markdown(_line(each.trigger_description))}, `{each.id}`"


def _line(text: str) -> str:
    return shortened(text, MAX_LINE)
