"""The scripted agent: it calls the server over stdio, and answers the questions of modes itself."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp import Client, StdioServerParameters

from reasonloom.text.tokens import count_tokens
from tests.support.clients.processes import command
from tests.support.week.script import MEMORY, Line

LABEL = re.compile(
    r"<(?:candidate|thought)[^>]*label=\"?([A-Z0-9]+)|^\[?([A-Z])[\].:)]", re.MULTILINE
)


class Agent:
    """One session's client.

    Attributes:
        tokens: tokens of what the server returned, the list of tools included.
        text: the text of the last answer, as a model reads it.
        ids: the ids of memories by their names in the script, kept over sessions.
    """

    def __init__(self, client: Client, ids: dict[str, str]) -> None:
        self.client, self.ids, self.tokens, self.text = client, ids, 0, ""

    async def start(self) -> None:
        """List the tools, as a host does."""
        listed = await self.client.list_tools()
        self.tokens += count_tokens(listed.model_dump_json(exclude_none=True))

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Call a tool; return its answer as values."""
        result = await self.client.call_tool(tool, arguments)
        self.text = texts = "\n".join(getattr(block, "text", "") for block in result.content)
        self.tokens += count_tokens(texts)
        if result.is_error:
            raise RuntimeError(f"{tool}: {texts}")
        answer = result.structured_content or {}
        return dict(answer.get("data", answer))

    async def remember(self, text: str) -> None:
        """Store a memory of the script, and name the one that it replaces."""
        found = MEMORY.fullmatch(text)
        assert found, text
        name, replaced, content = found.groups()
        more = {"supersede": [self.ids[replaced]]} if replaced else {}
        answer = await self.call("remember", {"content": content, **more})
        self.ids[name] = str(answer["memoryId"])

    async def think(self, line: Line) -> dict[str, Any]:
        """Run a mode to its end; answer what it asks from the script."""
        mode, _, text = line.text.partition(": ")
        answer = await self.call("reason", {"text": text, "mode": mode})
        while answer.get("status") == "needs_answers":
            replies = [
                {"id": each["id"], "reply": _reply(each, answer.get("shared", {}), line.more)}
                for each in answer["questions"]
            ]
            answer = await self.call(
                "reasoning_answer", {"run_id": answer["run_id"], "answers": replies}
            )
        return answer


def _reply(question: Mapping[str, Any], shared: Mapping[str, str], approaches: list[str]) -> Any:
    """Return the reply to a question of a tree, by what its schema requires."""
    schema, prompt = question["reply_schema"], _written_out(question["prompt"], shared)
    if isinstance(schema, str):
        schema = json.loads(_written_out(schema, shared))
    required = schema["required"]
    if "approaches" in required:
        return {"approaches": [{"name": each.partition(":")[0], "approach": each}
                               for each in approaches]}  # fmt: skip
    if "scores" in required:
        labels = list(dict.fromkeys(a or b for a, b in LABEL.findall(prompt)))
        best = next((label for label in labels), "A")
        scores = [{"label": label, "flaw": "None was found.",
                   "score": 0.9 if label == best else 0.4} for label in labels]  # fmt: skip
        return {"scores": scores, "reason": "It needs no second service.", "best": best}
    followed = next((each for each in approaches if each in prompt), approaches[0])
    return {"thought": followed, "confidence": 0.8}


def _written_out(text: str, shared: Mapping[str, Any]) -> str:
    """Return a text with what it shares with other questions in place."""
    for name, held in shared.items():
        words = held if isinstance(held, str) else json.dumps(held)
        text = text.replace(f"[shared {name}]", words)
    return text


@asynccontextmanager
async def connected(environment: Mapping[str, str], ids: dict[str, str]) -> AsyncIterator[Agent]:
    """Start a server, as a host does for each session, and end it afterwards."""
    program, *words = command()
    server = StdioServerParameters(command=program, args=words, env=dict(environment))
    async with Client(server) as client:
        agent = Agent(client, ids)
        await agent.start()
        yield agent
