"""Renders models, predictions and revisions for answers."""

from datetime import UTC, datetime

from reasonloom.contracts.mental_models.models import (
    ModelDetails,
    ModelListed,
    PredictionSummary,
    Relations,
    RevisionSummary,
    TemplateSummary,
)
from reasonloom.nodes.mental_models.accuracy import figures_of
from reasonloom.stores.mental_models.model_revisions import RevisionRow
from reasonloom.stores.mental_models.models import ListedRow, ModelRow
from reasonloom.stores.mental_models.predictions import PredictionRow

UNCHANGED = (
    "content", "suggest", "confidence", "context", "trigger", "likeness", "matched_by", "tool",
    "observation", "correct", "judged_by",
)  # fmt: skip
"""Fields of a prediction that are copied to answers unchanged."""

DEGRADED = "degraded: {count} of its {basins} basins are gone; revise_model removes them"


def format_moment(at: datetime) -> str:
    """Format a moment as ISO 8601 in UTC."""
    return at.astimezone(UTC).isoformat()


def model_summary(row: ListedRow) -> ModelListed:
    """Return the list entry of a model."""
    return ModelListed(
        id=str(row.id),
        name=row.name,
        domain=row.domain,
        status=row.status,
        basin_count=row.basins,
        revision_count=row.version - 1,
        degraded=row.degraded,
        **figures_of(row),
    )


def model_details(row: ModelRow, relations: Relations) -> ModelDetails:
    """Return the full details of a model."""
    return ModelDetails(
        id=str(row.id),
        name=row.name,
        domain=row.domain,
        description=row.description,
        status=row.status,
        constituent_basins=[str(each) for each in row.basins],
        basin_relationships=relations,
        prediction_templates=[
            TemplateSummary(
                trigger=each.trigger,
                predict=each.predict,
                suggest=each.suggest,
                **each.other_keys,
            )
            for each in row.templates
        ],
        revision_count=row.version - 1,
        created_at=format_moment(row.created_at),
        updated_at=format_moment(row.updated_at),
        degraded=bool(row.missing),
        missing_basins=[str(each) for each in row.missing],
        **figures_of(row),
    )


def degraded_note(row: ModelRow) -> list[str]:
    """Return a note if some basins of a model no longer exist."""
    if not row.missing:
        return []
    return [DEGRADED.format(count=len(row.missing), basins=len(row.basins))]


def prediction_details(row: PredictionRow, now: datetime) -> PredictionSummary:
    """Return the answer model of a prediction."""
    return PredictionSummary.model_validate(
        {
            **{name: getattr(row, name) for name in UNCHANGED},
            "id": str(row.id),
            "state": row.state(now),
            "basin": str(row.basin) if row.basin else None,
            "made_at": format_moment(row.made_at),
            "expires_at": format_moment(row.expires_at),
            "resolved_at": format_moment(row.resolved_at) if row.resolved_at else None,
        }
    )


def revision_details(row: RevisionRow) -> RevisionSummary:
    """Return the answer model of a revision."""
    return RevisionSummary(
        id=str(row.id),
        version=row.version,
        trigger_description=row.trigger,
        added_basins=[str(each) for each in row.added],
        removed_basins=[str(each) for each in row.removed],
        accuracy_before=row.accuracy_before,
        accuracy_after=row.accuracy_after,
        predictions_tested=row.tested,
        client=row.client,
        made_at=format_moment(row.made_at),
    )
