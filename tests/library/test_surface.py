"""The public names, and the files that type checkers and people read: a change shows in review."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import reasonloom
from reasonloom.library.tool_table import MODES, TOOLS
from tests.support.library_files import MODELS, STUB, models_module, stub

LOOM = {"answer", "call", "memory_middleware", "mode", "store", "tools", "user"}

PROGRAM = """
import reasonloom
from reasonloom.models import Recalled

async def main() -> None:
    async with reasonloom.open(user="anna") as loom:
        found: Recalled = await loom.recall("nuts", limit=3)
        text: str = found.memories[0].content
        tree: reasonloom.Mode = loom.mode("tree", max_branches=4)
    with reasonloom.open_sync() as sync:
        again: Recalled = sync.recall(text)
"""
MISTAKES = {
    "loom.recall(3)": 'Argument 1 to "recall"',
    "loom.recal('x')": 'has no attribute "recal"',
    "loom.remember()": 'Missing positional argument "content"',
    "loom.remember('x', primary_sector='wrong')": 'Argument "primary_sector" to "remember"',
}


def test_the_public_names() -> None:
    assert dir(reasonloom) == [
        "Loom", "Mode", "SyncLoom", "__version__", "errors", "models", "open", "open_sync",
    ]  # fmt: skip
    for name in dir(reasonloom):
        assert getattr(reasonloom, name)
    with pytest.raises(AttributeError, match="no attribute 'opens'"):
        getattr(reasonloom, "opens")  # noqa: B009


@pytest.mark.parametrize("kind", [reasonloom.Loom, reasonloom.SyncLoom])
def test_every_tool_is_a_method_with_its_text(kind: type) -> None:
    own = {name for name in dir(kind) if not name.startswith("_")}
    assert own - TOOLS.keys() == LOOM - {"user"}
    for name, line in TOOLS.items():
        assert getattr(kind, name).__doc__ == line.request.__doc__
    signature = inspect.signature(getattr(kind, "remember"))  # noqa: B009
    assert [*signature.parameters][:2] == ["self", "content"]
    assert signature.parameters["user_id"].kind is inspect.Parameter.KEYWORD_ONLY


def test_the_modes() -> None:
    assert [*MODES] == [
        "auto", "linear", "tree", "divergent", "reflection", "backtrack", "got", "ponder",
        "analyze", "breakdown", "got_run", "think", "assess_confidence", "detect_bias",
        "detect_emotion", "evaluate",
    ]  # fmt: skip


def test_the_written_files_are_those_of_the_contracts() -> None:
    assert STUB.read_text() == stub(), "run `make snapshots`"
    assert MODELS.read_text() == models_module(), "run `make snapshots`"


@pytest.mark.timeout(180)
def test_a_strict_type_checker_reads_them_from_outside(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    wrong = "".join(f"        await {call}\n" for call in MISTAKES)
    program.write_text(PROGRAM.replace("        tree:", f"{wrong}        tree:"))
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", program.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(found) == len(MISTAKES), done.stdout
    for line, message in zip(found, MISTAKES.values(), strict=True):
        assert message in line
