"""The tables of mental models, as SQLAlchemy sees them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    BigInteger,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    UniqueConstraint,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from reasonloom.stores.tables import NOW, Table

OF_MODEL = (["owner", "model"], ["models.owner", "models.id"])


class Model(Table):
    """A mental model; `version` goes up with each revision.

    `resolved`, `correct` and `squared_error` are sums over its resolved predictions.
    """

    __tablename__ = "models"
    owner: Mapped[str]
    id: Mapped[UUID]
    name: Mapped[str]
    domain: Mapped[str]
    description: Mapped[str] = mapped_column(server_default=text("''"))
    status: Mapped[str]
    version: Mapped[int] = mapped_column(Integer, server_default=text("1"))
    resolved: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    correct: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    squared_error: Mapped[float] = mapped_column(server_default=text("0"))
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    updated_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "name"),
        Index("models_by_time", "owner", "created_at", "id"),
    )


class ModelBasin(Table):
    """A basin of a model, in its place; the basin itself may be gone."""

    __tablename__ = "model_basins"
    owner: Mapped[str]
    model: Mapped[UUID]
    basin: Mapped[UUID]
    position: Mapped[int] = mapped_column(Integer)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "model", "basin"),
        ForeignKeyConstraint(*OF_MODEL, ondelete="CASCADE"),
    )


class ModelTemplate(Table):
    """What a model predicts, and on what."""

    __tablename__ = "model_templates"
    owner: Mapped[str]
    model: Mapped[UUID]
    number: Mapped[int] = mapped_column(Integer)
    trigger: Mapped[str]
    predict: Mapped[str]
    suggest: Mapped[str | None]
    __table_args__ = (
        PrimaryKeyConstraint("owner", "model", "number"),
        ForeignKeyConstraint(*OF_MODEL, ondelete="CASCADE"),
    )


class Prediction(Table):
    """A prediction, the text it was made on and its vector of `embedder`, and what came of it."""

    __tablename__ = "predictions"
    owner: Mapped[str]
    id: Mapped[UUID]
    model: Mapped[UUID]
    template: Mapped[int] = mapped_column(Integer)
    content: Mapped[str]
    suggest: Mapped[str | None]
    confidence: Mapped[float]
    context: Mapped[str]
    likeness: Mapped[float]
    matched_by: Mapped[str]
    basin: Mapped[UUID | None]
    vector: Mapped[Any | None] = mapped_column(HALFVEC())
    embedder: Mapped[str | None]
    version: Mapped[int] = mapped_column(Integer)
    tool: Mapped[str]
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    observation: Mapped[str | None]
    correct: Mapped[bool | None]
    judged_by: Mapped[str | None]
    resolved_at: Mapped[datetime | None]
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        ForeignKeyConstraint(*OF_MODEL, ondelete="CASCADE"),
        Index("predictions_by_model", "owner", "model", "made_at", "id"),
    )


class ModelRevision(Table):
    """One revision: which basins came and went, why, and what the record would be without them."""

    __tablename__ = "model_revisions"
    owner: Mapped[str]
    id: Mapped[UUID]
    model: Mapped[UUID]
    version: Mapped[int] = mapped_column(Integer)
    trigger: Mapped[str]
    added: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid))
    removed: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid))
    accuracy_before: Mapped[float]
    accuracy_after: Mapped[float]
    tested: Mapped[int] = mapped_column(BigInteger)
    client: Mapped[str | None]
    made_at: Mapped[datetime]
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "model", "version"),
        ForeignKeyConstraint(*OF_MODEL, ondelete="CASCADE"),
    )
