"""The tools of `extras` for mental models: predict, resolve, propose, activate, list basins."""

from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, CamelAnswer, CamelRequest, Content, Request, Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.mental_models.models import (
    Id,
    ModelId,
    Moment,
    PredictionSummary,
    Record,
    Uuid,
)

WEEK = 168


class PredictWithModel(Request):
    """Ask an active mental model what it predicts on a message; the prediction is kept.

    A template fires where the message is of its trigger's situation. Report the outcome later
    with resolve_prediction.
    """

    model_id: ModelId
    message: Annotated[Content, Field(description="What was said, or what is the case")]
    expires_in_hours: Annotated[
        Whole, Field(ge=1, le=8_760, description="Then it no longer waits to be resolved")
    ] = WEEK


class Considered(Answer):
    """A template and how alike its trigger and the message are, 0..1; 0.72 fires."""

    trigger: str
    likeness: float
    fires: bool


class Predicted(Answer):
    """The prediction; null where no template fires, or the message is not the model's matter."""

    brief = Brief(main="message", text=("prediction",), few={"considered": 3})

    success: bool
    message: str
    prediction: PredictionSummary | None
    considered: list[Considered]


class ResolvePrediction(Request):
    """Report the outcome of a prediction: an observation, or whether it was accurate, or both.

    An observation alone is compared with the prediction; where that decides nothing, the
    prediction stays open.
    """

    prediction_id: Annotated[Id, Field(description="As predict_with_model gave it")]
    observation: Annotated[Content | None, Field(description="What was observed")] = None
    was_accurate: Annotated[bool | None, Field(description="Whether it held; decides")] = None


class Resolved(Record):
    """What it came to; `correct` is null where nothing was decided. The figures are the model's."""

    brief = Brief(main="why", text=("correct", "judged_by", "message"))

    success: bool
    message: str
    correct: bool | None
    judged_by: str
    why: str
    model_id: Uuid
    prediction_id: Uuid


class ListBasins(Request):
    """List basins, the clusters of memories that mental models are made of, the largest first."""

    limit: Annotated[Whole, Field(ge=1, le=100, description="Maximum results")] = 20
    memories: Annotated[Whole, Field(ge=0, le=20, description="Of each, its strongest")] = 3


class Evidence(Answer):
    """A memory: how strongly it belongs to its basin, and how it begins."""

    brief = Brief(main="excerpt", text=("id",))

    id: str
    basin: Uuid
    strength: float
    excerpt: str


class BasinListed(Answer):
    """A basin; `model_count` models are made of it."""

    brief = Brief(main="name", text=("id", "member_count", "keywords", "memories"))

    id: Uuid
    name: str
    keywords: list[str]
    coherence: float
    member_count: int
    model_count: int
    formed_at: Moment
    updated_at: Moment
    memories: list[Evidence]


class BasinsListed(Answer):
    """Basins; `total` counts all."""

    brief = Brief(text=("basins", "total"))

    basins: list[BasinListed]
    total: int


class ProposeModels(Request):
    """Propose mental models from dense basins, and revisions where predictions keep failing.

    Nothing changes; with keep_drafts the proposed models are kept as drafts, to be activated.
    """

    limit: Annotated[Whole, Field(ge=1, le=20, description="Most of each kind")] = 5
    keep_drafts: Annotated[bool, Field(description="Keep proposed models as drafts")] = False


class ModelProposed(Answer):
    """A model that could be made; `draft_id` is its id where it was kept as a draft."""

    brief = Brief(main="why", text=("name", "domain", "draft_id", "basin_ids"))

    name: str
    domain: str
    basin_ids: list[Uuid]
    why: str
    evidence: list[Evidence]
    draft_id: Uuid | None


class RevisionProposed(Answer):
    """A change to a model: what revise_model or activate_model would be given, and why."""

    brief = Brief(main="why", text=("model_id", "model_name", "action", "remove_basins"))

    model_id: Uuid
    model_name: str
    action: Literal["remove_basins", "deprecate"]
    remove_basins: list[Uuid]
    why: str
    evidence: list[Evidence]
    prediction_ids: list[Uuid]


class Proposals(Answer):
    """What could be made and changed."""

    models: list[ModelProposed]
    revisions: list[RevisionProposed]


class ActivateModel(Request):
    """Make a mental model active, or deprecate it: only active ones predict.

    Drafts and deprecated models can be made active, active ones deprecated.
    """

    model_id: ModelId
    status: Annotated[Literal["active", "deprecated"], Field(description="What it becomes")] = (
        "active"
    )


class Activated(Answer):
    """The status that it had, and has."""

    success: bool
    model_id: Uuid
    before: str
    status: str
    message: str


class ClusterMemories(CamelRequest):
    """Form the clusters of the owner's memories again; clusters that continue keep their ids."""

    dry_run: Annotated[bool, Field(description="Tell what would be, and change nothing")] = False


class ClusteredBasin(CamelAnswer):
    """One cluster; `named_by` is a language model or `terms`, `fresh` where it is new."""

    id: str
    name: str
    named_by: str
    members: int
    coherence: float
    keywords: list[str]
    fresh: bool


class Clustered(CamelAnswer):
    """The clusters as they are now, the largest first.

    `vanished` are the ids of those that are no more; `alone` memories belong to none; `sampled`
    of the memories were clustered by density and the others by nearness.
    """

    basins: list[ClusteredBasin]
    vanished: list[str]
    memories: int
    alone: int
    sampled: int
    dry_run: bool
