"""The tables of graph memory as SQLAlchemy sees them: current sessions, workspaces, contexts."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ForeignKeyConstraint,
    PrimaryKeyConstraint,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from reasonloom.stores.sessions.tables import OF_SESSION
from reasonloom.stores.tables import NOW, Table


class CurrentSession(Table):
    """The session that a client's graph memory writes to, in a project ('' for none)."""

    __tablename__ = "current_sessions"
    owner: Mapped[str]
    space: Mapped[str] = mapped_column(server_default=text("''"))
    client: Mapped[str]
    project: Mapped[str]
    session_id: Mapped[UUID]
    updated_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "space", "client", "project"),
        ForeignKeyConstraint(*OF_SESSION, ondelete="CASCADE"),
    )


class Workspace(Table):
    """Several memory files looked at together."""

    __tablename__ = "workspaces"
    owner: Mapped[str]
    number: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str]
    effect: Mapped[UUID]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (PrimaryKeyConstraint("owner", "number"), UniqueConstraint("owner", "effect"))


class WorkspaceContext(Table):
    """One memory file of a workspace: where it lies, what it counts for, what it is called."""

    __tablename__ = "workspace_contexts"
    owner: Mapped[str]
    workspace: Mapped[int] = mapped_column(BigInteger)
    number: Mapped[int] = mapped_column(BigInteger)
    path: Mapped[str]
    role: Mapped[str]
    label: Mapped[str]
    added_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "workspace", "number"),
        UniqueConstraint("owner", "workspace", "path"),
        ForeignKeyConstraint(
            ["owner", "workspace"], ["workspaces.owner", "workspaces.number"], ondelete="CASCADE"
        ),
    )
