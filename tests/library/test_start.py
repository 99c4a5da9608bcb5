"""What the library loads before its first call: what is not needed then costs scripts a second."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients.processes import environment

PROGRAM = """
import asyncio, json, sys
import reasonloom
imported = [*sys.modules]
async def main():
    async with reasonloom.open(user="anna") as loom:
        opened = [*sys.modules]
        await loom.memory_stats()
        print(json.dumps([imported, opened, [*sys.modules]]))
asyncio.run(main())
"""
FOR_CALLS = {
    "alembic", "jinja2", "jsonschema", "langchain_core", "langgraph", "langsmith", "litellm", "mcp",
    "numpy", "onnxruntime", "opentelemetry", "psycopg_pool", "sqlalchemy", "tenacity", "yaml",
}  # fmt: skip
MOST_OPENED, MOST_OF_OURS = 560, 110
"""Modules after `open`, all and ours: a few more than there are."""


@pytest.fixture
def loaded(options: dict[str, Any], tmp_path: Path) -> list[list[str]]:
    """The modules after the import, after `open`, and after a call."""
    variables = environment(tmp_path) | {"DATABASE_URL": options["database_url"]}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[list[str]] = json.loads(done.stdout)
    return found


def test_each_step_loads_only_what_it_needs(loaded: list[list[str]]) -> None:
    imported, opened, called = map(set, loaded)
    assert _ours(imported) == {"reasonloom", "reasonloom.moved"}
    assert FOR_CALLS.isdisjoint(opened)
    assert len(opened) <= MOST_OPENED
    assert len(_ours(opened)) <= MOST_OF_OURS
    assert {"langgraph", "sqlalchemy"} <= called
    assert {"litellm", "onnxruntime", "mcp"}.isdisjoint(called), "this call uses none of them"


def _ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.split(".")[0] == "reasonloom"}
