"""Clients that write through a server, each write under a key, until somebody says enough."""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import RequestParamsMeta

from reasonloom.server.tool import IDEMPOTENCY_KEY
from tests.support.killing.server_arena import MODES

WORDS = [
    "amber",
    "basalt",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "gale",
    "heath",
    "iris",
    "jade",
    "kelp",
    "lichen",
    "moss",
    "nettle",
]
AGAIN = 0.1
"""Seconds before a call is sent again whose answer said so."""

TIMEOUT = 120.0
"""Seconds after which a call without any answer is a fault."""


@dataclass
class Load:
    """What the clients were told.

    Attributes:
        told: the tool of each key whose call was acknowledged.
        again: how often an answer said that the call may be sent again, by what it said.
        faults: whatever else a client was told.
        times: when each call was acknowledged, seconds on the loop's clock.
    """

    url: str
    told: dict[str, str] = field(default_factory=dict)
    again: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    enough: asyncio.Event = field(default_factory=asyncio.Event)

    async def write(self, number: int, seed: int) -> None:
        """Be one client: call one tool after another until it is enough."""
        chance = random.Random(f"{seed} {number}")  # noqa: S311 - which tool comes next
        tools = sorted(CALLS)
        async with (
            httpx2.AsyncClient(timeout=TIMEOUT, trust_env=False) as http,
            Client(
                streamable_http_client(self.url, http_client=http), mode=MODES[number % 2]
            ) as client,
        ):
            while not self.enough.is_set():
                await self.call(client, chance.choice(tools))

    async def call(self, client: Client, tool: str) -> None:
        """Make a call and make it again under its key until it is acknowledged."""
        key, arguments = uuid.uuid4().hex, CALLS[tool]()
        meta = cast("RequestParamsMeta", {IDEMPOTENCY_KEY: key})
        while True:
            result = await client.call_tool(tool, arguments, meta=meta)
            body = dict(result.structured_content or {})
            if not result.is_error:
                self.told[key] = tool
                self.times.append(asyncio.get_running_loop().time())
                return
            text = json.dumps(body)
            if '"retryable": true' not in text:
                self.faults.append(f"{tool}: {text}")
                return
            self.again[_error_text(body)] += 1
            await asyncio.sleep(AGAIN)


def _error_text(body: dict[str, Any]) -> str:
    error = body["error"]
    return str(error["message"] if isinstance(error, dict) else error)


def _fact() -> dict[str, Any]:
    return {
        "content": f"{_words()} {uuid.uuid4().hex}", "userId": "local",
        "sessionId": uuid.uuid4().hex, "primarySector": "semantic",
    }  # fmt: skip


def _question() -> dict[str, Any]:
    return {"content": f"What of {_words()}?"}


def _exchange() -> dict[str, Any]:
    return {
        "user_message": f"{_words()} {uuid.uuid4().hex}", "agent_response": uuid.uuid4().hex,
        "topic": "parcels",
    }  # fmt: skip


def _words() -> str:
    return " ".join(random.sample(WORDS, 3))


CALLS: dict[str, Callable[[], dict[str, Any]]] = {
    "remember": _fact, "reasoning_linear": _question, "conversation_log": _exchange,
}  # fmt: skip
"""A write at once, a run of saved steps that pays a language model, two memories with an edge."""
