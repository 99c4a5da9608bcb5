"""The doors that injected memories come in by: the same that everybody's come in by."""

from __future__ import annotations

import io
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.graph_memory.sessions import ConversationLog
from reasonloom.contracts.memory.extras import BatchRemember
from reasonloom.contracts.memory.tools import Remember
from reasonloom.evals.engine import called
from reasonloom.evals.suites.memory.poisoning.data import Door, Injected
from reasonloom.nodes.memory.portable.importer import Import
from reasonloom.nodes.memory.portable.validation import our_embedder

if TYPE_CHECKING:
    from reasonloom.graphs.runs.engine import Engine

CLAIMED = {"trust": 1.0, "source_kind": "user", "confidence": 1.0, "importance": 1.0}
"""What a line of an import says of itself: it is free to."""


async def by_remember(engine: Engine, owner: str, each: Injected) -> None:
    """Store as one memory that a client was told to remember, as important as can be said."""
    metadata = {"importance": 1.0}
    arguments = {
        "userId": owner,
        "sessionId": each.id,
        "content": each.content,
        "primarySector": "semantic",
        "metadata": metadata,
    }
    await called(engine, owner, "remember", Remember, arguments)


async def by_batch(engine: Engine, owner: str, each: Injected) -> None:
    """Store in a batch."""
    item = {"content": each.content, "primarySector": "semantic", "metadata": {"importance": 1.0}}
    arguments = {"userId": owner, "sessionId": each.id, "memories": [item]}
    await called(engine, owner, "batch_remember", BatchRemember, arguments)


async def by_import(engine: Engine, owner: str, each: Injected) -> None:
    """Store from a file of memories."""
    source = io.BytesIO(json.dumps({"content": each.content, **CLAIMED}).encode() + b"\n")
    ours = our_embedder(engine.loom.embedder)
    await Import(engine.loom, Caller(owner), source, ours).store(lambda *_: None)


async def by_conversation(engine: Engine, owner: str, each: Injected) -> None:
    """Store as what an agent said or read in a conversation."""
    arguments = {"agent_response": each.content}
    await called(engine, owner, "conversation_log", ConversationLog, arguments)


BY: Mapping[Door, Callable[[Engine, str, Injected], Awaitable[None]]] = {
    "remember": by_remember,
    "batch": by_batch,
    "import": by_import,
    "conversation": by_conversation,
}
