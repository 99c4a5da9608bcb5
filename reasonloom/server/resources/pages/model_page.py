"""Writes a mental model as a Markdown page: what it stands on, predicts, and came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.server.resources.pages.basin_chart import chart
from reasonloom.server.resources.pages.markdown import in_markdown, quoted

if TYPE_CHECKING:
    from reasonloom.contracts.mental_models.models import (
        ModelGot,
        ModelTold,
        PredictionTold,
        RevisionTold,
    )

MOST_LISTED = 50
"""Predictions, and revisions, on one page: the newest."""

LONGEST_TEXT = 2_000
LONGEST_LINE = 200
"""Characters that are shown of a description, and of what stands on one line."""

GONE = "(gone)"


def page(got: ModelGot, names: Mapping[str, str]) -> str:
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


def _head(model: ModelTold) -> Iterator[str]:
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


def _record(model: ModelTold) -> str:
    if model.accuracy_interval is None or model.brier_score is None:
        return "nothing of it is resolved yet"
    low, high = model.accuracy_interval
    return (
        f"accuracy {model.prediction_accuracy:.2f} of {model.resolved_count} "
        f"({low:.2f} to {high:.2f}), Brier score {model.brier_score:.2f}"
    )


def _basins(model: ModelTold, names: Mapping[str, str]) -> Iterator[str]:
    told = {each: names.get(each, GONE) for each in model.constituent_basins}
    yield "## Basins"
    yield "\n".join(f"- {in_markdown(_line(name))}, `{basin}`" for basin, name in told.items())
    relations = model.basin_relationships.relationships
    drawing, left = chart(told, relations, model.missing_basins)
    yield f"```mermaid\n{drawing}\n```"
    yield from left


def _templates(model: ModelTold) -> Iterator[str]:
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


def _prediction(each: PredictionTold) -> str:
    fate = {True: "held", False: "did not hold", None: each.state}[each.correct]
    return (
        f"- {fate}, confidence {each.confidence:.2f}: {in_markdown(_line(each.content))} "
        f"on “{in_markdown(_line(each.context))}”, `{each.id}`"
    )


def _revision(each: RevisionTold) -> str:
    change = f"{len(each.added_basins)} added, {len(each.removed_basins)} removed"
    accuracy = f"accuracy {each.accuracy_before:.2f} to {each.accuracy_after:.2f}"
    return f"- {change}, {accuracy}: {in_markdown(_line(each.trigger_description))}, `{each.id}`"


def _line(text: str) -> str:
    return shortened(text, LONGEST_LINE)
