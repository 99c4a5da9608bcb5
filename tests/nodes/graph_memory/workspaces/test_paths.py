"""Whatever a path says, nothing outside the folder is read, and no place of the machine is told."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from tests.support.memory.graph import query
from tests.support.memory.workspaces import add, create, found, lay, lay_bytes, listed

SECRET = '{"content": "The secret is in the tin."}\n'


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A memory file that lies beside the folder."""
    path = tmp_path / "outside.jsonl"
    path.write_text(SECRET)
    return path


async def refused(engine: Engine, path: str) -> str:
    """Add a file that must be refused; return what is said."""
    workspace = await create(engine)
    with pytest.raises(InvalidArgument) as raised:
        await add(engine, workspace, path)
    assert raised.value.field == "path"
    assert await listed(engine, workspace) == []
    assert str(engine.loom.settings.home) not in raised.value.message
    assert len(raised.value.message) < 1_000
    return raised.value.message


@pytest.mark.parametrize(
    "path", ["../../outside.jsonl", "a/../../../outside.jsonl", "a/../a.jsonl", "..", "./../x.amem"]
)
async def test_two_dots_are_refused(engine: Engine, outside: Path, path: str) -> None:
    lay(engine, "a.jsonl", "Green tea.")
    assert "`..`" in await refused(engine, path)


async def test_an_absolute_path_must_lie_within(engine: Engine, outside: Path) -> None:
    inside = lay(engine, "deep/a.jsonl", "Green tea is in the tin.")
    for path in (str(outside), "/etc/passwd.jsonl", "//etc/x.amem"):
        assert "outside the folder" in await refused(engine, path)
    added = await add(engine, await create(engine), str(inside))
    assert added.answer["path"] == "deep/a.jsonl"


@pytest.mark.parametrize("path", ["/etc/passwd", "a.txt", "a", "jsonl", "a.jsonl/", "a.jsonl.gz"])
async def test_another_ending_is_refused(engine: Engine, path: str) -> None:
    lay_bytes(engine, "a.txt", SECRET.encode())
    if path != "a.jsonl/":
        assert "must end in .jsonl or .amem" in await refused(engine, path)
    else:
        assert "no such file" in await refused(engine, path)


async def test_a_link_is_followed_before_it_is_judged(engine: Engine, outside: Path) -> None:
    inside = lay(engine, "deep/a.jsonl", "Green tea is in the tin.")
    folder = engine.loom.settings.files_folder
    (folder / "good.amem").symlink_to(inside)
    (folder / "out.jsonl").symlink_to(outside)
    (folder / "up").symlink_to(outside.parent)
    (folder / "round.jsonl").symlink_to(folder / "round.jsonl")
    assert (await add(engine, await create(engine), "good.amem")).answer["memories"] == 1
    for path in ("out.jsonl", "up/outside.jsonl", str(folder / "up" / "outside.jsonl")):
        assert "is a link to a place outside" in await refused(engine, path)
    assert "circular" in await refused(engine, "round.jsonl")


async def test_a_link_that_is_turned_outward_later_is_not_read(
    engine: Engine, outside: Path
) -> None:
    lay(engine, "real.jsonl", "Green tea is in the tin.")
    link = engine.loom.settings.files_folder / "link.jsonl"
    link.symlink_to("real.jsonl")
    workspace = await create(engine)
    await add(engine, workspace, "link.jsonl")
    assert await found(engine, workspace, "tin") == ["Green tea is in the tin."]
    link.unlink()
    link.symlink_to(outside)
    assert await found(engine, workspace, "tin") == []
    (context,) = await listed(engine, workspace)
    assert context["state"] == "unreadable"
    assert (
        context["problem"]
        == "is a link to a place outside the folder of memory files (REASONLOOM_FILES)"
    )


async def test_only_regular_files_are_read(engine: Engine) -> None:
    folder = engine.loom.settings.files_folder
    folder.mkdir(parents=True)
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "null.jsonl").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(folder)
        try:
            listener.bind("socket.amem")
        finally:
            os.chdir(here)
        for name in ("folder.jsonl", "pipe.jsonl", "socket.amem"):
            assert "is not a regular file" in await refused(engine, name)
    assert "a place outside" in await refused(engine, "null.jsonl")


async def test_a_missing_file_names_some_that_are_there(engine: Engine) -> None:
    assert "no such file" in await refused(engine, "日本.jsonl")
    lay(engine, "été.jsonl", "Thé vert.")
    lay(engine, "notes.txt", "Not one.")
    said = await refused(engine, "ete.jsonl")
    assert said.endswith("; there are, for example: été.jsonl")
    assert "no such file" in await refused(engine, "été.jsonl/inner.jsonl")
    assert "File name too long" in await refused(engine, "x" * 5_000 + ".jsonl")


async def test_a_huge_file_is_refused_unread(engine: Engine) -> None:
    path = lay_bytes(engine, "huge.jsonl", b"")
    with path.open("r+b") as huge:
        huge.truncate(256 * 1024 * 1024 + 1)
    assert "is too large: 268 MB of at most 268" in await refused(engine, "huge.jsonl")
    lay_bytes(engine, "many.jsonl", b"x\n" * 200_001)
    assert "more than 200,000 lines" in await refused(engine, "many.jsonl")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"AMEM" + bytes(60) + b"\x01" * 500, "AgenticMemory's own .amem"),
        (bytes(64), "AgenticMemory's own .amem"),
        (b"\x93\x01\x02" + bytes(200), "AgenticMemory's own .amem"),
        (b"\x1f\x8b\x08" + bytes(50), "packed (gzip)"),
        (SECRET.encode("utf-16"), "UTF-16"),
    ],
)
async def test_binary_files_are_refused_and_the_way_is_told(
    engine: Engine, content: bytes, said: str
) -> None:
    lay_bytes(engine, "old.amem", content)
    message = await refused(engine, "old.amem")
    assert said in message
    assert "`reasonloom memory export`" in message
    assert '{"content": "..."}' in message


async def test_a_file_without_one_good_line_is_refused(engine: Engine) -> None:
    lay_bytes(engine, "bad.jsonl", "nothing\nöde\n".encode())
    assert "no line is a memory; line 1: not a JSON object" in await refused(engine, "bad.jsonl")
    header = b'{"format": "reasonloom-memories", "version": 99}\n'
    lay_bytes(engine, "new.jsonl", header + SECRET.encode())
    assert "version 99 of the format is newer" in await refused(engine, "new.jsonl")


async def test_a_file_with_some_bad_lines_is_taken_and_says_so(engine: Engine) -> None:
    lines = SECRET + '{"content": 7}\n\n{"content": "Ünïcode 茶.", "sector": "x"}\n' + SECRET
    lay_bytes(engine, "some.jsonl", lines.encode())
    added = await add(engine, await create(engine), "some.jsonl")
    assert (added.answer["memories"], added.answer["state"]) == (2, "ready")
    assert added.answer["problem"].startswith("2 bad lines are left out; line 2: content:")
    header = b'{"format": "reasonloom-memories", "version": 1, "memories": 3}\n'
    lay_bytes(engine, "cut.jsonl", header + SECRET.encode())
    added = await add(engine, await create(engine), "cut.jsonl")
    assert added.answer["problem"] == "the header counts more memories: the file was cut or edited"


async def test_only_relative_paths_are_stored(engine: Engine, access: Access) -> None:
    workspace = await create(engine)
    await add(engine, workspace, str(lay(engine, "deep/a.jsonl", "Green tea.")))
    assert query(access, "SELECT path FROM workspace_contexts") == [("deep/a.jsonl",)]
