"""The tables of reasoning sessions as SQLAlchemy sees them: thoughts, branches, checkpoints."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from reasonloom.stores.tables import NOW, Table

OF_SESSION = (["owner", "session_id"], ["sessions.owner", "sessions.id"])
OF_HEAD = (["owner", "head_id"], ["thoughts.owner", "thoughts.id"])
OF_BRANCH = (["owner", "branch_id"], ["branches.owner", "branches.id"])
OF_PARENT = (["owner", "parent_id"], ["branches.owner", "branches.id"])
EMPTY = text("'{}'")


class Thought(Table):
    """One step of a session; thoughts form a tree by parent."""

    __tablename__ = "thoughts"
    owner: Mapped[str]
    id: Mapped[UUID]
    session_id: Mapped[UUID]
    position: Mapped[int] = mapped_column(Integer)
    parent_id: Mapped[UUID | None]
    branch_id: Mapped[UUID | None]
    mode: Mapped[str]
    input: Mapped[str]
    content: Mapped[str]
    confidence: Mapped[float]
    llm: Mapped[str]
    run_id: Mapped[UUID | None]
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=EMPTY)
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        ForeignKeyConstraint(*OF_SESSION, ondelete="CASCADE"),
        ForeignKeyConstraint(["owner", "parent_id"], ["thoughts.owner", "thoughts.id"]),
        ForeignKeyConstraint(*OF_BRANCH),
        Index("thoughts_by_session", "owner", "session_id", "position", unique=True),
    )


class Branch(Table):
    """A named head on the tree of thoughts; the root branch has its session's id."""

    __tablename__ = "branches"
    owner: Mapped[str]
    id: Mapped[UUID]
    session_id: Mapped[UUID]
    number: Mapped[int] = mapped_column(Integer)
    name: Mapped[str | None]
    parent_id: Mapped[UUID | None]
    state: Mapped[str] = mapped_column(server_default=text("'active'"))
    confidence: Mapped[float] = mapped_column(server_default=text("0"))
    priority: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    head_id: Mapped[UUID | None]
    run_id: Mapped[UUID | None]
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=EMPTY)
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    updated_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "session_id", "number"),
        ForeignKeyConstraint(*OF_SESSION, ondelete="CASCADE"),
        ForeignKeyConstraint(*OF_PARENT),
        ForeignKeyConstraint(*OF_HEAD, ondelete="SET NULL (head_id)", use_alter=True),
    )


class Checkpoint(Table):
    """A tag on a session: its name, and the state of all branches when it was set."""

    __tablename__ = "session_checkpoints"
    owner: Mapped[str]
    id: Mapped[UUID]
    session_id: Mapped[UUID]
    number: Mapped[int] = mapped_column(Integer)
    branch_id: Mapped[UUID]
    head_id: Mapped[UUID | None]
    name: Mapped[str]
    description: Mapped[str | None]
    snapshot: Mapped[dict[str, Any]]
    run_id: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "session_id", "number"),
        ForeignKeyConstraint(*OF_SESSION, ondelete="CASCADE"),
        ForeignKeyConstraint(*OF_BRANCH),
        ForeignKeyConstraint(*OF_HEAD, ondelete="SET NULL (head_id)"),
    )


class StateSnapshot(Table):
    """The state that a session had before a step back, kept so that nothing of it is lost."""

    __tablename__ = "state_snapshots"
    owner: Mapped[str]
    id: Mapped[UUID]
    session_id: Mapped[UUID]
    cause: Mapped[str]
    state: Mapped[dict[str, Any]]
    run_id: Mapped[UUID | None]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        ForeignKeyConstraint(*OF_SESSION, ondelete="CASCADE"),
        Index("state_snapshots_by_session", "owner", "session_id"),
    )
