"""Every block of the README does what it says, as a newcomer would type it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from reasonloom.settings import Settings
from reasonloom.stores.embedded.server import EmbeddedServer
from tests import ROOT

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
BLOCKS = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
NESTED = "make test"
"""The block that would run this very test: that its recipe is the tests is checked instead."""


@pytest.fixture(scope="module")
def newcomer() -> Iterator[Mapping[str, str]]:
    """The environment of somebody who has just installed the project."""
    with tempfile.TemporaryDirectory(prefix="rl-readme-") as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "home"
        binaries = str(Path(sys.executable).parent)
        kept = {name: os.environ[name] for name in ("HOME", "TERM") if name in os.environ}
        yield {
            **kept,
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
            "REASONLOOM_HOME": str(home),
        }
        EmbeddedServer(Settings(home=home).database_folder).stop()


def blocks(kind: str) -> list[str]:
    return [body for language, body in BLOCKS if language == kind]


def test_every_block_is_of_a_kind_that_is_run() -> None:
    assert {language for language, _ in BLOCKS} == {"sh", "json", "python"}


@pytest.mark.timeout(660)
@pytest.mark.parametrize("body", blocks("sh"), ids=lambda body: body.splitlines()[0][:40])
def test_a_shell_block_runs(body: str, newcomer: Mapping[str, str]) -> None:
    if body.strip() == NESTED:
        recipe = subprocess.run(
            ["make", "-n", "test"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert "-m pytest" in recipe.stdout
        return
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", body],
        cwd=ROOT,
        env=dict(newcomer),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("body", blocks("json"))
def test_the_configuration_starts_a_server(body: str, newcomer: Mapping[str, str]) -> None:
    (server,) = json.loads(body)["mcpServers"].values()
    found = shutil.which(server["command"], path=newcomer["PATH"])
    assert found

    async def tools() -> list[str]:
        parameters = StdioServerParameters(command=found, args=server["args"], env=dict(newcomer))
        async with Client(parameters) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    listed: list[Any] = anyio.run(tools)
    assert "remember" in listed


@pytest.mark.parametrize("body", blocks("python"))
def test_the_program_runs(body: str, newcomer: Mapping[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", body],
        env=dict(newcomer),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Anna is allergic to peanuts." in done.stdout
