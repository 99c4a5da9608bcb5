"""A workspace sees its files as they are now; one that broke does not stop the others."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.graph_memory.workspaces.cache import ParsedFiles, is_settled
from reasonloom.nodes.graph_memory.workspaces.folder import FileProblem
from tests.support.memory.workspaces import ask, found, lay, lay_bytes, listed, workspace_of


async def test_a_changed_file_is_read_anew(engine: Engine) -> None:
    workspace = await workspace_of(engine, {"a": ["Green tea is in the tin."]})
    assert await found(engine, workspace, "green tea") == ["Green tea is in the tin."]
    lay(engine, "a.jsonl", "Green tea is in the jar.", "Grüner Tee 緑茶.")
    assert (await listed(engine, workspace))[0]["memories"] == 2
    assert "Green tea is in the jar." in await found(engine, workspace, "green tea")


async def test_a_change_that_keeps_size_and_time_is_seen(engine: Engine) -> None:
    """At once after the first reading, and with the old time put back."""
    workspace = await workspace_of(engine, {"a": ["Tea 1."]})
    path = engine.loom.settings.files_folder / "a.jsonl"
    for number in range(2, 12):
        before = path.stat()
        with path.open("r+b") as file:
            file.write(f'{{"content": "Tea {number % 10}."}}'.encode())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert await found(engine, workspace, "tea") == [f"Tea {number % 10}."]


def test_times_alone_are_believed_only_once_they_are_old() -> None:
    """Two changes may fall into one tick of a file system's clock."""
    now = time.time_ns()
    for modified, changed, settled in (
        (now, now, False),
        (now - 10**10, now, False),
        (now, now - 10**10, False),
        (now - 10**10, now - 10**10, True),
    ):
        assert is_settled(modified, changed) is settled


async def test_a_missing_or_broken_file_is_told_while_the_others_answer(engine: Engine) -> None:
    files = {name: [f"Tea of {name}."] for name in ("gone", "broken", "binary", "good")}
    workspace = await workspace_of(engine, files)
    folder = engine.loom.settings.files_folder
    (folder / "gone.jsonl").unlink()
    lay_bytes(engine, "broken.jsonl", b"no json\n")
    lay_bytes(engine, "binary.jsonl", bytes(100))
    states = {each["label"]: each for each in await listed(engine, workspace)}
    assert {name: each["state"] for name, each in states.items()} == {
        "gone": "missing",
        "broken": "unreadable",
        "binary": "unreadable",
        "good": "ready",
    }
    assert all(states[name]["problem"] for name in ("gone", "broken", "binary"))
    assert states["good"]["problem"] is None
    assert not any(str(folder.parent) in str(each["problem"]) for each in states.values())
    for tool in ("query", "compare", "xref"):
        outcome = await ask(engine, tool, workspace, "tea")
        assert any("not read: gone, broken, binary" in note for note in outcome.notes), tool
        assert "Tea of good." in str(outcome.answer)
    lay(engine, "gone.jsonl", "Tea of gone.")
    assert len(await found(engine, workspace, "tea")) == 2


async def test_of_calls_at_once_one_reads(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"content": "Tea."}\n' * 2_000)
    files = ParsedFiles()
    parsed = await asyncio.gather(*(files.get(tmp_path, "a.jsonl") for _ in range(8)))
    assert all(each is parsed[0] for each in parsed)
    assert await files.get(tmp_path, "a.jsonl") is parsed[0]


async def test_parsed_files_are_bounded_and_those_used_last_stay(tmp_path: Path) -> None:
    for name in "abc":
        lines = "".join(f'{{"content": "Tea {name} {n}."}}\n' for n in range(500))
        (tmp_path / f"{name}.jsonl").write_text(lines)
    one = (await ParsedFiles().get(tmp_path, "a.jsonl")).bytes
    files = ParsedFiles(most_bytes=int(2.5 * one))
    first = {name: await files.get(tmp_path, f"{name}.jsonl") for name in "ab"}
    assert await files.get(tmp_path, "a.jsonl") is first["a"]
    await files.get(tmp_path, "c.jsonl")
    assert files.bytes <= 2.5 * one
    assert await files.get(tmp_path, "a.jsonl") is first["a"]
    assert await files.get(tmp_path, "b.jsonl") is not first["b"]
    small = ParsedFiles(most_bytes=1)
    assert len((await small.get(tmp_path, "a.jsonl")).held) == 500
    assert small.bytes == 0


async def test_a_file_that_cannot_be_read_is_tried_again(tmp_path: Path) -> None:
    files = ParsedFiles()
    for _ in range(2):
        with pytest.raises(FileProblem) as raised:
            await files.get(tmp_path, "a.jsonl")
        assert raised.value.state == "missing"
    (tmp_path / "a.jsonl").write_text('{"content": "Tea."}')
    assert len((await files.get(tmp_path, "a.jsonl")).held) == 1


async def test_while_a_file_is_read_the_server_goes_on(tmp_path: Path) -> None:
    """The loop turns many times during a reading that takes most of a second."""
    lines = "".join(f'{{"content": "Green tea number {n} is in the tin."}}\n' for n in range(8_000))
    (tmp_path / "a.jsonl").write_text(lines)
    reading = asyncio.create_task(ParsedFiles().get(tmp_path, "a.jsonl"))
    turns, began = 0, time.perf_counter()
    while not reading.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 30 * (time.perf_counter() - began)
    assert turns > 5
