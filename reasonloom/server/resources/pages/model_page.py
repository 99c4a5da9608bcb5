"""Writes a mental model as a Markdown page: what it stands on, predicts, and came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reasonloom.server.resources.pages.markdown import in_markdown, quoted
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

if TYPE_CHECKING:
    from reasonloom.contracts.mental_models.extras import BasinListed, BasinsListed
    from reasonloom.contracts.mental_models.models import (
        ModelDetails,
        ModelGot,
        PredictionSummary,
        Relation,
        RevisionSummary,
    )


MOST_DRAWN = 60
"""Basins in one drawing, in the order that they are given in."""

MOST_LINES = 100
LONGEST_LABEL = 48
LINES = {
    "causal": "-->|causes|",
    "temporal": "-.->|before|",
    "hierarchical": "==>|holds|",
    "associated": "---|with|",
}
GONE_STYLE = "classDef gone stroke-dasharray:4"


def basin_chart(
    names: Mapping[str, str], relations: Sequence[Relation], gone: Sequence[str] = ()
) -> tuple[str, list[str]]:
    """Return the drawing of basins by id, and what must be said of what is left out of it."""
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


NONE = "There are none yet: they form by themselves as memories are stored."
COLUMNS = "| basin | memories | coherence | models | keywords | id |"
RULE = "|---|---|---|---|---|---|"


def basins_page(found: BasinsListed, relations: Sequence[Relation]) -> str:
    """Return the page; texts of others are escaped, and what is left out is said."""
    return "\n\n".join(["# Basins", *_parts(found, relations)]) + "\n"


def _parts(found: BasinsListed, relations: Sequence[Relation]) -> Iterator[str]:
    if not found.basins:
        yield NONE
        return
    shown = len(found.basins)
    yield f"Clusters of memories: {found.total:,}" + (
        f", of which these are the {shown} largest." if shown < found.total else "."
    )
    yield "\n".join([COLUMNS, RULE, *map(_row, found.basins)])
    drawing, left = basin_chart({each.id: each.name for each in found.basins}, relations)
    yield f"```mermaid\n{drawing}\n```"
    yield from left
    yield "## Memories"
    for each in found.basins:
        yield f"### {in_markdown(shortened(each.name))}"
        for memory in each.memories:
            yield f"{memory.id}, strength {memory.strength:.2f}"
            yield quoted(memory.excerpt)


def _row(each: BasinListed) -> str:
    cells = (
        in_markdown(shortened(each.name)),
        each.member_count,
        f"{each.coherence:.2f}",
        each.model_count,
        in_markdown(", ".join(each.keywords)),
        f"`{each.id}`",
    )
    return f"| {' | '.join(map(str, cells))} |"


MOST_LISTED = 50
"""Predictions, and revisions, on one page: the newest."""

LONGEST_TEXT = 2_000
LONGEST_LINE = 200
"""Characters that are shown of a description, and of what stands on one line."""

GONE = "(gone)"


def model_page(got: ModelGot, names: Mapping[str, str]) -> str:
    """Return the page; `names` are those of the basins that are there.

    Texts of others are escaped, and what is left out is said.
    """
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
        yield quoted(model.description[:LONGEST_TEXT])
        if len(model.description) > LONGEST_TEXT:
            yield f"*Cut: the first {LONGEST_TEXT:,} of {len(model.description):,} characters.*"


def _record(model: ModelDetails) -> str:
    if model.accuracy_interval is None or model.brier_score is None:
        return "nothing of it is resolved yet"
    low, high = model.accuracy_interval
    return (
        f"accuracy {model.prediction_accuracy:.2f} of {model.resolved_count} "
        f"({low:.2f} to {high:.2f}), Brier score {model.brier_score:.2f}"
    )


def _basins(model: ModelDetails, names: Mapping[str, str]) -> Iterator[str]:
    told = {each: names.get(each, GONE) for each in model.constituent_basins}
    yield "## Basins"
    yield "\n".join(f"- {in_markdown(_line(name))}, `{basin}`" for basin, name in told.items())
    relations = model.basin_relationships.relationships
    drawing, left = basin_chart(told, relations, model.missing_basins)
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
    return shortened(text, LONGEST_LINE)
