"""Short ways to lay memory files down and to look at them together."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call

Line = str | dict[str, Any]


def lay(engine: Engine, name: str, *lines: Line) -> Path:
    """Write a memory file into the folder; a text is a line of that content."""
    whole = [{"content": line} if isinstance(line, str) else line for line in lines]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in whole)
    return lay_bytes(engine, name, text.encode())


def lay_bytes(engine: Engine, name: str, content: bytes) -> Path:
    """Write any bytes into the folder."""
    path = engine.loom.settings.files_folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


async def create(engine: Engine, name: str = "a workspace", **more: Any) -> str:
    """Make a workspace; return its id."""
    outcome = await call(engine, "memory_workspace_create", {"name": name}, **more)
    return str(outcome.answer["workspace_id"])


async def add(engine: Engine, workspace: str, path: str, **more: Any) -> Outcome:
    """Add a file to a workspace."""
    owner = more.pop("owner", "local")
    arguments = {"workspace_id": workspace, "path": path, **more}
    return await call(engine, "memory_workspace_add", arguments, owner=owner)


async def workspace_of(engine: Engine, files: Mapping[str, Sequence[Line]], **roles: str) -> str:
    """Make a workspace of files; return its id. A role is named by the file's name."""
    workspace = await create(engine)
    for name, lines in files.items():
        lay(engine, f"{name}.jsonl", *lines)
        role = {"role": roles[name]} if name in roles else {}
        await add(engine, workspace, f"{name}.jsonl", **role)
    return workspace


async def listed(engine: Engine, workspace: str, **more: Any) -> list[dict[str, Any]]:
    """Return the contexts of a workspace as listed."""
    outcome = await call(engine, "memory_workspace_list", {"workspace_id": workspace}, **more)
    return list(outcome.answer["contexts"])


async def ask(engine: Engine, tool: str, workspace: str, text: str, **more: Any) -> Outcome:
    """Ask `query`, `compare` or `xref` of a workspace."""
    name = "query" if tool == "query" else "item"
    arguments = {"workspace_id": workspace, name: text, **more}
    return await call(engine, f"memory_workspace_{tool}", arguments)


async def found(engine: Engine, workspace: str, text: str, **more: Any) -> list[str]:
    """Return the contents that a query finds, best first."""
    outcome = await ask(engine, "query", workspace, text, **more)
    return [each["content"] for each in outcome.answer["results"]]
