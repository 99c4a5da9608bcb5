"""Calls as a model writes them from a tool's name and its first line: served, or put right at once.

`natural_calls.jsonl` was written before the tools accepted any of it. `$memory` is a stored memory,
`$run`, `$question` and `$reply` are a waiting run's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.shared.exceptions import MCPError

from reasonloom.server.app import build_server
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.settings import load_settings
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.drawn_replies import drawn_reply

LINES = Path(__file__).with_name("natural_calls.jsonl").read_text(encoding="utf-8").splitlines()
CALLS = [json.loads(line) for line in LINES]
EXAMPLE = re.compile(r"^Example: (\w+) (\{.*\})$", re.MULTILINE)
LEAST = 54


async def answered(client: Client, tool: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    """Return whether a call succeeds, and the text that the model reads."""
    try:
        result = await client.call_tool(tool, arguments)
    except MCPError as error:
        return False, error.error.message
    text = "\n".join(each.text for each in result.content if each.type == "text")
    return not result.is_error, text


async def named_values(client: Client, line: str, place: int) -> dict[str, Any]:
    """Return what the names in a call stand for, made anew for it."""
    if "$memory" in line:
        made = await client.call_tool("remember", {"content": f"Plan {place} is due."})
        return {"$memory": (made.structured_content or {})["data"]["memoryId"]}
    if "$run" not in line:
        return {}
    waiting = await client.call_tool("reason", {"text": "Where should we eat?", "mode": "linear"})
    asking: dict[str, Any] = waiting.structured_content or {}
    question = asking["questions"][0]
    reply = drawn_reply(question["system"] + question["prompt"], question["reply_schema"], 1)
    return {"$run": asking["run_id"], "$question": question["id"], "$reply": reply}


def filled(value: Any, values: dict[str, Any]) -> Any:
    """Return a value with the names in it replaced."""
    if isinstance(value, dict):
        return {values.get(key, key): filled(each, values) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, values) for each in value]
    return values.get(value, value) if isinstance(value, str) else value


def longest_text(value: Any) -> str:
    """Return the longest text of several words: what a call is about; empty if it has none."""
    if isinstance(value, str):
        return value if " " in value else ""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max(map(longest_text, parts), key=len, default="")


async def outcome_of(client: Client, place: int, call: dict[str, Any]) -> str:
    """Return what comes of a call: served, corrected by the example of its error, or failed."""
    given = filled(call["arguments"], await named_values(client, json.dumps(call), place))
    served, text = await answered(client, call["tool"], given)
    if served:
        return "served"
    found = EXAMPLE.search(text)
    if found and longest_text(given) in found[2]:
        served, _ = await answered(client, found[1], json.loads(found[2]))
    return "corrected" if served else f"failed: {call} {text}"


async def test_natural_calls_are_served_or_put_right_by_one_error(
    postgres: TestPostgres, database: str
) -> None:
    url = postgres.address.dsn("postgres", database)
    settings = load_settings(database_url=url, llm="caller")
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        found = Counter([await outcome_of(client, *each) for each in enumerate(CALLS)])
    failed = [each for each in found if each.startswith("failed")]
    print(f"{found['served']} served, {found['corrected']} corrected, {len(failed)} failed")
    assert len(CALLS) == 60
    assert found["served"] + found["corrected"] >= LEAST, "\n".join(failed)
