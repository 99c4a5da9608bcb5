"""The tables as SQLAlchemy sees them; the migrations make them, a test holds both equal.

The tables of each domain are in its `tables.py`.

The owner comes first in every primary, unique and foreign key, so that one owner's rows
live together and the schema can be distributed by owner as it is.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    BigInteger,
    Computed,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP, TSVECTOR
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NOW = text("now()")


class Table(DeclarativeBase):
    """The registry of all tables."""

    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it as a class attribute
        str: Text,
        float: Double,
        datetime: TIMESTAMP(timezone=True),
        dict[str, Any]: JSONB,
        list[str]: ARRAY(Text),
    }


class Owner(Table):
    """One owner's counters: ids are a sequence of their own per owner."""

    __tablename__ = "owners"
    owner: Mapped[str] = mapped_column(primary_key=True)
    last_memory: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    last_session: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    memory_count: Mapped[int] = mapped_column(BigInteger, server_default=text("0"))
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)


class Session(Table):
    """A reasoning or conversation session: a uuid, a number, and perhaps an outside name."""

    __tablename__ = "sessions"
    owner: Mapped[str]
    id: Mapped[UUID]
    number: Mapped[int] = mapped_column(BigInteger)
    space: Mapped[str] = mapped_column(server_default=text("''"))
    external_name: Mapped[str | None]
    project: Mapped[str | None]
    client: Mapped[str | None]
    mode: Mapped[str | None]
    active_branch_id: Mapped[UUID | None]
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", server_default=text("'{}'"))
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    updated_at: Mapped[datetime] = mapped_column(server_default=NOW)
    ended_at: Mapped[datetime | None]
    episode_id: Mapped[int | None] = mapped_column(BigInteger)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "number"),
        UniqueConstraint("owner", "space", "external_name"),
        ForeignKeyConstraint(
            ["owner", "active_branch_id"],
            ["branches.owner", "branches.id"],
            ondelete="SET NULL (active_branch_id)",
            use_alter=True,
        ),
    )


class Memory(Table):
    """One remembered record; every toolset reads and writes the same."""

    __tablename__ = "memories"
    owner: Mapped[str]
    id: Mapped[int] = mapped_column(BigInteger)
    space: Mapped[str] = mapped_column(server_default=text("''"))
    session_id: Mapped[UUID | None]
    project: Mapped[str | None]
    event_type: Mapped[str]
    sector: Mapped[str]
    content: Mapped[str]
    confidence: Mapped[float] = mapped_column(server_default=text("1"))
    strength: Mapped[float] = mapped_column(server_default=text("1"))
    salience: Mapped[float]
    importance: Mapped[float]
    keywords: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    tags: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    category: Mapped[str | None]
    context: Mapped[str | None]
    token_count: Mapped[int] = mapped_column(Integer)
    source_kind: Mapped[str]
    principal: Mapped[str]
    tool: Mapped[str]
    run_id: Mapped[UUID | None]
    trust: Mapped[float] = mapped_column(server_default=text("1"))
    effect: Mapped[UUID]
    decay_rate: Mapped[float]
    access_count: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    last_accessed: Mapped[datetime] = mapped_column(server_default=NOW)
    deleted_at: Mapped[datetime | None]
    words: Mapped[Any] = mapped_column(TSVECTOR, server_default=text("''"))
    context_words: Mapped[Any] = mapped_column(TSVECTOR, server_default=text("''"))
    dates: Mapped[list[str]] = mapped_column(server_default=text("'{}'"))
    decayed_at: Mapped[datetime | None]
    superseded_by: Mapped[int | None] = mapped_column(BigInteger)
    content_key: Mapped[int] = mapped_column(
        BigInteger, Computed("hashtextextended(same_text(content), 0)", persisted=True)
    )
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "effect"),
        ForeignKeyConstraint(["owner", "session_id"], ["sessions.owner", "sessions.id"]),
        Index("memories_by_session", "owner", "session_id", "id"),
        Index("memories_by_time", "owner", "created_at", "id"),
        Index("memories_by_kind", "owner", "event_type", "project", text("id DESC NULLS LAST")),
        Index(
            "memories_of_now",
            "owner",
            "id",
            postgresql_where=text("source_kind <> 'transcript'"),
        ),
        Index(
            "memories_of_past",
            "owner",
            "project",
            "id",
            postgresql_where=text("source_kind = 'transcript'"),
        ),
        Index("memories_by_content", "owner", "content_key", "space", "id"),
        Index("memories_by_word", "words", postgresql_using="gin"),
        Index("memories_by_date", "dates", postgresql_using="gin"),
        Index("memories_by_context_word", "context_words", postgresql_using="gin"),
    )


class Embedding(Table):
    """A vector of one or more sectors' views of a memory, and the model that made it.

    `sectors` is a sum of bits, see `stores/vectors.py`: views that are the same text share a row.
    """

    __tablename__ = "embeddings"
    owner: Mapped[str]
    memory_id: Mapped[int] = mapped_column(BigInteger)
    model: Mapped[str]
    sectors: Mapped[int] = mapped_column(SmallInteger)
    embedding: Mapped[Any] = mapped_column(HALFVEC())
    __table_args__ = (
        PrimaryKeyConstraint("owner", "memory_id", "model", "sectors"),
        ForeignKeyConstraint(
            ["owner", "memory_id"], ["memories.owner", "memories.id"], ondelete="CASCADE"
        ),
    )


class Space(Table):
    """A space that holds or held memories; when its memories were weakened and clustered last.

    Kept by a trigger.
    """

    __tablename__ = "spaces"
    owner: Mapped[str]
    space: Mapped[str]
    decayed_at: Mapped[datetime | None]
    clustered_at: Mapped[datetime | None]
    __table_args__ = (PrimaryKeyConstraint("owner", "space"),)


class Term(Table):
    """How many memories of a space hold a word or a tag, and how many there are (`all`).

    Kept by a trigger, without what is hidden or derived.
    """

    __tablename__ = "terms"
    owner: Mapped[str]
    space: Mapped[str] = mapped_column(server_default=text("''"))
    kind: Mapped[str]
    term: Mapped[str]
    memories: Mapped[int] = mapped_column(BigInteger)
    __table_args__ = (PrimaryKeyConstraint("owner", "space", "kind", "term"),)


class Edge(Table):
    """A typed, weighted, directed link between two memories."""

    __tablename__ = "edges"
    owner: Mapped[str]
    source_id: Mapped[int] = mapped_column(BigInteger)
    target_id: Mapped[int] = mapped_column(BigInteger)
    type: Mapped[str]
    weight: Mapped[float]
    origin: Mapped[str]
    run_id: Mapped[UUID | None]
    reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "source_id", "target_id", "type"),
        ForeignKeyConstraint(
            ["owner", "source_id"], ["memories.owner", "memories.id"], ondelete="CASCADE"
        ),
        ForeignKeyConstraint(
            ["owner", "target_id"], ["memories.owner", "memories.id"], ondelete="CASCADE"
        ),
        Index("edges_inward", "owner", "target_id", text("weight DESC"), "source_id"),
        Index("edges_outward", "owner", "source_id", text("weight DESC"), "target_id"),
        Index(
            "edges_superseding",
            "owner",
            "target_id",
            postgresql_where=text("type = 'supersedes'"),
        ),
    )


class Run(Table):
    """One execution of a graph: the reference's Invocation, and what it took."""

    __tablename__ = "runs"
    owner: Mapped[str]
    id: Mapped[UUID]
    space: Mapped[str] = mapped_column(server_default=text("''"))
    tool: Mapped[str]
    graph: Mapped[str]
    graph_version: Mapped[int] = mapped_column(SmallInteger)
    status: Mapped[str]
    input: Mapped[dict[str, Any]]
    output: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    session_id: Mapped[UUID | None]
    key: Mapped[str | None]
    client: Mapped[str | None]
    llm: Mapped[str | None]
    latency_ms: Mapped[float | None]
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    finished_at: Mapped[datetime | None]
    fork: Mapped[dict[str, Any] | None]
    __table_args__ = (
        PrimaryKeyConstraint("owner", "id"),
        UniqueConstraint("owner", "tool", "key"),
        Index("runs_by_time", "owner", "created_at"),
    )


class LlmCall(Table):
    """One recorded reply of a language model: recorded before it is used, paid once."""

    __tablename__ = "llm_calls"
    owner: Mapped[str]
    run_id: Mapped[UUID]
    node: Mapped[str]
    task: Mapped[str]
    n: Mapped[int] = mapped_column(SmallInteger)
    prompt: Mapped[str]
    prompt_version: Mapped[int] = mapped_column(SmallInteger)
    prompt_hash: Mapped[str]
    llm: Mapped[str]
    model: Mapped[str]
    reply: Mapped[dict[str, Any]]
    tokens_in: Mapped[int] = mapped_column(Integer)
    tokens_out: Mapped[int] = mapped_column(Integer)
    tokens_estimated: Mapped[bool]
    cost_usd: Mapped[float | None]
    attempts: Mapped[int] = mapped_column(SmallInteger)
    latency_ms: Mapped[float]
    messages: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB)
    created_at: Mapped[datetime] = mapped_column(server_default=NOW)
    __table_args__ = (
        PrimaryKeyConstraint("owner", "run_id", "node", "task", "n"),
        ForeignKeyConstraint(["owner", "run_id"], ["runs.owner", "runs.id"], ondelete="CASCADE"),
    )


class Lease(Table):
    """Who carries an unfinished run, and until when; gone when the run ends."""

    __tablename__ = "leases"
    owner: Mapped[str]
    run_id: Mapped[UUID]
    holder: Mapped[UUID]
    until: Mapped[datetime]
    __table_args__ = (
        PrimaryKeyConstraint("owner", "run_id"),
        ForeignKeyConstraint(["owner", "run_id"], ["runs.owner", "runs.id"], ondelete="CASCADE"),
    )
