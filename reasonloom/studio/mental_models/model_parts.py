"""What a mental model predicts, what it predicted, and how it was revised."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from datetime import datetime

    from reasonloom.stores.mental_models.calibration import States
    from reasonloom.stores.mental_models.model_revisions import RevisionRow
    from reasonloom.stores.mental_models.models import Template
    from reasonloom.stores.mental_models.predictions import PredictionRow

LONGEST = 160


def templates(found: Sequence[Template]) -> None:
    """Draw on what it predicts what."""
    if not found:
        tag("p", "It has no template, and so predicts nothing.", "studio-quiet")
        return
    rows = [
        (
            shortened(each.trigger, LONGEST),
            shortened(each.predict, LONGEST),
            shortened(each.suggest or "–", LONGEST),
        )
        for each in found
    ]
    table(f"{len(found):,} in all.", ("when", "it predicts", "and suggests"), rows)


def draw_predictions(found: Sequence[PredictionRow], states: States, now: datetime) -> None:
    """Draw the newest predictions, each with what came of it."""
    total = sum(states)
    if not found:
        tag("p", "It has predicted nothing yet.", "studio-quiet")
        return
    newest = "" if total == len(found) else f" The newest {len(found):,} are listed."
    heads = ("made", "on", "predicted", "#sure", "what came of it", "judged by")
    table(f"{total:,} in all.{newest} Times are UTC.", heads, [_row(each, now) for each in found])


def _row(each: PredictionRow, now: datetime) -> tuple[Cell | str, ...]:
    return (
        Cell(short_moment(each.made_at), look="studio-quiet studio-nowrap"),
        Cell(shortened(each.context, LONGEST), look="studio-roomy"),
        Cell(shortened(each.content, LONGEST), look="studio-roomy"),
        f"{each.confidence:.2f}",
        _came(each, now),
        shortened(each.judged_by or "–", 30),
    )


def _came(each: PredictionRow, now: datetime) -> Cell:
    if each.correct is None:
        state = each.state(now)
        return Cell(state, mark="own" if state == "open" else "quiet")
    return Cell("held", mark="good") if each.correct else Cell("did not hold", mark="wrong")


def draw_revisions(found: Sequence[RevisionRow]) -> None:
    """Draw its revisions, the newest first."""
    if not found:
        tag("p", "It was never revised.", "studio-quiet")
        return
    heads = ("version", "when", "why", "#basins came", "#went", "#before", "#after", "#tested")
    said = "Accuracy before, and that of a back-test on resolved predictions after."
    table(f"{len(found):,} in all. {said}", heads, map(_revision, found))


def _revision(each: RevisionRow) -> tuple[Cell | str, ...]:
    return (
        f"{each.version:,}",
        Cell(short_moment(each.made_at), look="studio-quiet studio-nowrap"),
        Cell(shortened(each.trigger, LONGEST), look="studio-roomy"),
        f"{len(each.added):,}",
        f"{len(each.removed):,}",
        f"{each.accuracy_before:.0%}",
        f"{each.accuracy_after:.0%}",
        f"{each.tested:,}",
    )
