"""Short ways to call tools on an engine, as the adapter does."""

from __future__ import annotations

from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.validation import parse_request
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS

LINES = {line.name: line for toolset in (*TOOLSETS, *EXTRA_TOOLSETS) for line in toolset.tools}


async def call(
    engine: Engine,
    tool: str,
    arguments: dict[str, Any],
    *,
    owner: str = "local",
    key: str | None = None,
    asks_caller: bool = False,
    as_reference: bool = False,
    groups: tuple[str, ...] = (),
) -> Outcome:
    """Call a tool as `owner`, or as under `serve --as`; raises what the tool raises."""
    line = LINES[tool].under_reference(tool) if as_reference else LINES[tool]
    request = parse_request(line.request, arguments)
    target = line.target(request)
    return await engine.call(
        Call(
            tool=target.line.name,
            graph=load_graph(target.line.graph),
            request=target.request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=Caller(owner, groups=groups).within(request.space()),
            key=key,
            asks_caller=asks_caller,
        )
    )


async def remember(engine: Engine, content: str, **more: Any) -> str:
    """Remember something in the default space; return the memory's id."""
    owner = more.pop("owner", "local")
    arguments = {
        "content": content,
        "userId": owner,
        "sessionId": "a session",
        "primarySector": "semantic",
        **more,
    }
    outcome = await call(engine, "remember", arguments, owner=owner)
    return str(outcome.answer["memoryId"])


async def recalled(engine: Engine, text: str | None, **more: Any) -> list[str]:
    """Recall in the default space; return the contents found, best first."""
    owner = more.pop("owner", "local")
    arguments = {"userId": owner, **({"text": text} if text else {}), **more}
    outcome = await call(engine, "recall", arguments, owner=owner)
    return [memory["content"] for memory in outcome.answer["memories"]]
