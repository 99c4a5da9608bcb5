"""The tables of past conversations and of basins, as SQLAlchemy sees them."""

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
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from reasonloom.stores.tables import NOW, Table

OF_MEMORY = (["owner", "memory_id"], ["memories.owner", "memories.id"])


class Project(Table):
    """A project: the name it has here, and the folder it is known by (None for no folder)."""

    __tablename__ = "projects"
    owner: Mapped[str]
    slug: Mapped[str]
    path: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "slug"),
        Index("projects_by_path", "owner", "path", unique=True, postgresql_nulls_not_distinct=True),
    )


class Transcript(Table):
    """A file that was read: how far, and from where cutting goes on.

    `head` is a digest of its first bytes, by which it is known again where it was moved.
    """

    __tablename__ = "transcripts"
    owner: Mapped[str]
    id: Mapped[UUID]
    path: Mapped[str]
    form: Mapped[str]
    position: Mapped[dict[str, Any] | None]
    state: Mapped[dict[str, Any] | None]
    size: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    head: Mapped[str | None]
    skipped: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    read_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "path"),
        Index("transcripts_by_head", "owner", "head"),
    )


class Forget(Table):
    """What was forgotten by one call, while it can be brought back."""

    __tablename__ = "forgets"
    owner: Mapped[str]
    number: Mapped[int] = mapped_column(BigInteger)
    project: Mapped[str]
    asked: Mapped[dict[str, Any]]
    chunks: Mapped[int] = mapped_column(BigInteger)
    forgotten_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (PrimaryKeyConstraint("owner", "number"),)


class Chunk(Table):
    """What a chunk has besides its memory: its place, and what it names.

    `key` is the cutter's id. `at` is when it began, or when it was read where its transcript does
    not tell. `forgotten` is the number of the call that hid it.
    """

    __tablename__ = "chunks"
    owner: Mapped[str]
    memory_id: Mapped[int] = mapped_column(BigInteger)
    key: Mapped[str]
    transcript: Mapped[UUID]
    project: Mapped[str]
    session: Mapped[str]
    agent: Mapped[str | None]
    first_turn: Mapped[int] = mapped_column(Integer)
    last_turn: Mapped[int] = mapped_column(Integer)
    ordinal: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    at: Mapped[datetime]
    tokens: Mapped[int] = mapped_column(Integer)
    continues: Mapped[bool] = mapped_column(server_default=text("false"))
    files: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    errors: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    names: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    spawns: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    forgotten: Mapped[int | None] = mapped_column(BigInteger)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "memory_id"),
        UniqueConstraint("owner", "key"),
        ForeignKeyConstraint(*OF_MEMORY, ondelete="CASCADE"),
        ForeignKeyConstraint(
            ["owner", "transcript"], ["transcripts.owner", "transcripts.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(["owner", "project"], ["projects.owner", "projects.slug"]),
        ForeignKeyConstraint(["owner", "forgotten"], ["forgets.owner", "forgets.number"]),
        Index(
            "chunks_by_time",
            "owner",
            "project",
            "at",
            "memory_id",
            postgresql_where=text("forgotten IS NULL"),
            postgresql_include=["session", "tokens", "started_at", "ended_at"],
        ),
        Index(
            "chunks_by_session",
            "owner",
            "session",
            "at",
            "memory_id",
            postgresql_ops={"session": "text_pattern_ops"},
        ),
        Index("chunks_by_transcript", "owner", "transcript"),
        Index(
            "chunks_forgotten",
            "owner",
            "forgotten",
            postgresql_where=text("forgotten IS NOT NULL"),
        ),
    )


class Hook(Table):
    """The last run of a hook."""

    __tablename__ = "hooks"
    owner: Mapped[str]
    hook: Mapped[str]
    ran_at: Mapped[datetime]
    succeeded: Mapped[bool]
    message: Mapped[str]
    milliseconds: Mapped[float]
    project: Mapped[str | None]
    __table_args__ = (PrimaryKeyConstraint("owner", "hook"),)


class Basin(Table):
    """A cluster of memories: its name, its words, and the middle of its members' vectors.

    `bound` is the least cosine with the middle by which a memory joins later.
    """

    __tablename__ = "basins"
    owner: Mapped[str]
    id: Mapped[UUID]
    name: Mapped[str]
    named_by: Mapped[str]
    keywords: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    centroid: Mapped[Any] = mapped_column(HALFVEC())
    model: Mapped[str]
    coherence: Mapped[float]
    bound: Mapped[float] = mapped_column(server_default=text("1"))
    formed_at: Mapped[datetime] = mapped_column(server_default=NOW)
    updated_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (PrimaryKeyConstraint("owner", "id"),)


class BasinMember(Table):
    """A memory of a basin, and how strongly it belongs there, 0..1."""

    __tablename__ = "basin_members"
    owner: Mapped[str]
    basin: Mapped[UUID]
    memory_id: Mapped[int] = mapped_column(BigInteger)
    strength: Mapped[float]
    __table_args__ = (
        PrimaryKeyConstraint("owner", "basin", "memory_id"),
        ForeignKeyConstraint(["owner", "basin"], ["basins.owner", "basins.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(*OF_MEMORY, ondelete="CASCADE"),
        Index("basin_members_by_memory", "owner", "memory_id"),
    )


class BasinRun(Table):
    """When an owner's basins were formed, of how many memories, and which were looked at since.

    `formed_through` and `joined_through` are the last memory that forming and joining saw.
    """

    __tablename__ = "basin_runs"
    owner: Mapped[str]
    formed_at: Mapped[datetime]
    model: Mapped[str]
    memories: Mapped[int] = mapped_column(BigInteger)
    formed_through: Mapped[int] = mapped_column(BigInteger)
    joined_through: Mapped[int] = mapped_column(BigInteger)
    __table_args__ = (PrimaryKeyConstraint("owner"),)
