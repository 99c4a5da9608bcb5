"""Owners of one database: what they have that no tool makes, and how they call over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.tool import IDEMPOTENCY_KEY
from reasonloom.settings import load_settings
from reasonloom.stores.mental_models import basins
from tests.support.clients.authenticated import MODERN, RESERVED
from tests.support.clients.processes import Web, answer_of
from tests.support.history.conversations import Talk, tell
from tests.support.isolation.tool_calls import Known
from tests.support.memory.clusters import about, cluster, store

KEPT, DOOMED = (f"{each * 8}-4444-4444-8444-444444444444" for each in "de")


ALONE = {"connection": "close"}
"""A server ends a connection that is idle for seconds, maybe just when the next request comes."""


class Bearer:
    """One owner of a server over HTTP, who may wait as long as it takes between two requests."""

    def __init__(self, server: Web, token: str | None) -> None:
        self.server = server
        self._headers = {"mcp-protocol-version": MODERN, **ALONE}
        if token:
            self._headers["authorization"] = f"Bearer {token}"

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one request of the newest revision; return the whole answer."""
        named = params.get("name") or params.get("uri")
        headers = {**self._headers, "mcp-method": method, **({"mcp-name": named} if named else {})}
        meta = {
            f"{RESERVED}/protocolVersion": MODERN,
            f"{RESERVED}/clientCapabilities": {},
            **params.pop("_meta", {}),
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
        response = self.server.post(json.dumps(message).encode(), **headers)
        assert response.status_code < 500, response.text
        return answer_of(response)

    def call(self, tool: str, arguments: dict[str, Any], key: str | None = None) -> dict[str, Any]:
        """Call a tool; return its result."""
        meta = {"_meta": {IDEMPOTENCY_KEY: key}} if key else {}
        answer = self.ask("tools/call", name=tool, arguments=arguments, **meta)
        assert "result" in answer, answer
        return dict(answer["result"])


def token_for(path: Path, owner: str) -> str:
    """Add a token that may do everything to a file; return it."""
    token, entry = new_entry(owner, ("read", "write"), None)
    append_entry(path, entry)
    return token


def settle(url: str, folder: Path, known: Known, topics: Sequence[str], embedder: Embedder) -> None:
    """Give an owner what no tool makes: past conversations, and clusters of memories."""
    asyncio.run(_settle(url, folder, known, topics, embedder))


async def _settle(
    url: str, folder: Path, known: Known, topics: Sequence[str], embedder: Embedder
) -> None:
    owner, project = known.user, f"project-{known.words.split()[0]}"
    begun = datetime(2026, 3, 1, 9, tzinfo=UTC)
    turns = [(known.text, known.text)] * 2
    talks = [Talk(project, session, turns, begun) for session in (KEPT, DOOMED)]
    lines = [f"{line} {known.words}" for topic in topics for line in about(topic)]
    settings = load_settings(database_url=url, user=owner)
    async with open_engine(settings, recover=False, embedder=embedder) as engine:
        await tell(engine, folder / f"talks-{owner}", talks, owner=owner)
        await store(engine, lines, owner=owner)
        await cluster(engine, owner=owner)
        async with engine.loom.database.begin(Caller(owner)) as tx:
            found = sorted((await basins.known(tx)).basins, key=lambda each: each.name)
    known.ids |= {"project": project, "talk": KEPT, "doomed": DOOMED}
    known.ids["basin"], known.ids["spare"] = (str(each.id) for each in found[:2])
