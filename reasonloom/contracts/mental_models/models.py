"""The tools of `mental_models`: models made of clusters of memories, and their revisions.

`basin` is the reference's word for a cluster of memories.
"""

from typing import Annotated, Literal, get_args

from pydantic import ConfigDict, Field, StringConstraints

from reasonloom.contracts.base import Answer, Content, Filled, Name, OpenObject, Request, Whole
from reasonloom.contracts.brief import Brief

Domain = Literal["user", "self", "world", "task_specific"]
Status = Literal["draft", "active", "deprecated"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)

UUID_FORM = {"format": "uuid"}
MOST_BASINS = 500
MOST_TEMPLATES = 100

Id = Annotated[Name, Field(json_schema_extra=UUID_FORM)]
"""An id as a caller writes it: an ill-formed one answers as an unknown one."""

ModelId = Annotated[Id, Field(description="Model ID")]
BasinIds = Annotated[list[Id], Field(max_length=MOST_BASINS)]
ModelName = Annotated[str, StringConstraints(max_length=255), Filled]
OfDomain = Annotated[Domain | None, Field(description="Filter by domain")]
Uuid = Annotated[str, Field(json_schema_extra=UUID_FORM)]
Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]


class PredictionTemplate(OpenObject):
    """What a model predicts, and on what; `trigger` and `predict` are wanted.

    Keys of the caller's own are kept and returned.
    """

    trigger: Annotated[
        Content | None, Field(description="The situation, such as: user mentions work stress")
    ] = None
    predict: Annotated[Content | None, Field(description="What is likely then")] = None
    suggest: Annotated[Content | None, Field(description="What to do then")] = None


class CreateModel(Request):
    """Create a new mental model from basins, the clusters of memories; it is active at once.

    Basin IDs: list_basins, reasonloom://basins, or the answer to an unknown one.
    """

    name: Annotated[ModelName, Field(description="Human-readable model name")]
    domain: Annotated[Domain, Field(description="Model domain/type")]
    basin_ids: Annotated[
        BasinIds, Field(min_length=1, description="Memory cluster (basin) IDs to combine")
    ]
    description: Annotated[Content | None, Field(description="Optional detailed description")] = (
        None
    )
    prediction_templates: Annotated[
        list[PredictionTemplate] | None,
        Field(max_length=MOST_TEMPLATES, description="Optional prediction patterns"),
    ] = None


class ModelCreated(Answer):
    """The model's id."""

    success: bool
    model_id: Uuid
    message: str


class ListModels(Request):
    """List mental models with optional filtering, the newest first."""

    domain: OfDomain = None
    status: Annotated[Status | None, Field(description="Filter by status")] = None
    limit: Annotated[Whole, Field(ge=1, le=100, description="Maximum results")] = 20


class Record(Answer):
    """What a model's predictions came to; accuracy is 0.5 where none is resolved.

    `accuracy_interval` holds the ends of 95 % (Wilson 1927); `brier_score` is the mean squared
    error of the confidences, lower is better. Both are null where none is resolved.
    """

    prediction_accuracy: float
    resolved_count: int
    accuracy_interval: tuple[float, float] | None
    brier_score: float | None


class ModelListed(Record):
    """One model; `degraded` where a basin of it is gone."""

    brief = Brief(
        main="name",
        text=("id", "domain", "status", "prediction_accuracy", "resolved_count", "degraded"),
    )

    id: Uuid
    name: str
    domain: str
    status: str
    basin_count: int
    revision_count: int
    degraded: bool


class ModelsListed(Answer):
    """Models; `total` counts all that match, before the limit."""

    brief = Brief(text=("models", "total"))

    models: list[ModelListed]
    total: int


class GetModel(Request):
    """Get detailed information about a specific model."""

    model_id: ModelId
    include_predictions: Annotated[bool, Field(description="Include recent predictions")] = False
    include_revisions: Annotated[bool, Field(description="Include revision history")] = False


class TemplateSummary(Answer):
    """A template as it was given."""

    model_config = ConfigDict(extra="allow")

    brief = Brief(main="predict", text=("trigger", "suggest"))

    trigger: str
    predict: str
    suggest: str | None


class Relation(Answer):
    """How a basin of the model stands to another: by links of memories, time, and likeness."""

    source: Uuid = Field(alias="from")
    target: Uuid = Field(alias="to")
    kind: Literal["causal", "temporal", "hierarchical", "associated"]
    strength: float
    links: int


class Relations(Answer):
    """The relations that were found."""

    relationships: list[Relation]


class ModelDetails(Record):
    """All of a model; `missing_basins` are those of its basins that are gone."""

    id: Uuid
    name: str
    domain: str
    description: str
    status: str
    constituent_basins: list[Uuid]
    basin_relationships: Relations
    prediction_templates: list[TemplateSummary]
    revision_count: int
    created_at: Moment
    updated_at: Moment
    degraded: bool
    missing_basins: list[Uuid]


class PredictionSummary(Answer):
    """A prediction; `state` is open, resolved or expired, `correct` null unless resolved.

    `likeness` is how alike its context and its trigger are, by `matched_by`; `basin` the one of
    the model's that the context is nearest to.
    """

    brief = Brief(main="content", text=("id", "state", "confidence", "suggest", "correct"))

    id: Uuid
    state: Literal["open", "resolved", "expired"]
    content: str
    suggest: str | None
    confidence: float
    context: str
    trigger: str
    likeness: float
    matched_by: str
    basin: Uuid | None
    tool: str
    made_at: Moment
    expires_at: Moment
    observation: str | None
    correct: bool | None
    judged_by: str | None
    resolved_at: Moment | None


class RevisionSummary(Answer):
    """A revision; `accuracy_after` is what the back-test of the revised model gave."""

    brief = Brief(main="trigger_description", text=("version", "accuracy_before", "accuracy_after"))

    id: Uuid
    version: int
    trigger_description: str
    added_basins: list[Uuid]
    removed_basins: list[Uuid]
    accuracy_before: float
    accuracy_after: float
    predictions_tested: int
    client: str | None
    made_at: Moment


class ModelGot(Answer):
    """A model, and the requested details, newest first."""

    model: ModelDetails
    predictions: list[PredictionSummary] | None = None
    revisions: list[RevisionSummary] | None = None


class ReviseModel(Request):
    """Revise a model by hand: add basins to it or remove them, all or nothing."""

    model_id: ModelId
    trigger_description: Annotated[Content, Field(description="Reason for revision")]
    add_basins: Annotated[BasinIds | None, Field(description="Basin IDs to add to model")] = None
    remove_basins: Annotated[
        BasinIds | None, Field(description="Basin IDs to remove from model")
    ] = None


class ModelRevised(Answer):
    """The revision's id; `new_accuracy` is a back-test of the revised model.

    It is the accuracy over those of its resolved predictions that it would still make;
    `predictions_tested` is how many, and with none it is 0.5.
    """

    success: bool
    revision_id: Uuid
    message: str
    new_accuracy: float
    predictions_tested: int
