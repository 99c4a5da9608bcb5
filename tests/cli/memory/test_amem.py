"""The ending .amem: written and read as JSON lines, and the binary format of that name refused."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.memory.test_commands import Run, given, run

__all__ = ["given", "run"]


def test_export_and_import_by_the_ending_amem(run: Run, given: Path, tmp_path: Path) -> None:
    """The file goes out and comes back whole."""
    amem = given.rename(given.with_suffix(".amem"))
    assert "4 memories were stored" in run("memory", "import", str(amem)).stdout
    out = tmp_path / "été.amem"
    done = run("memory", "export", str(out))
    assert (done.returncode, done.stdout) == (0, "exported 4 memories\n")
    header, *lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert (header["format"], len(lines)) == ("reasonloom-memories", 4)
    assert any(line["content"] == "日本語の文章です 🙂" for line in lines)


def test_a_binary_amem_is_refused_and_the_way_is_told(run: Run, tmp_path: Path) -> None:
    old = tmp_path / "brain.amem"
    old.write_bytes(b"AMEM\x01\0\0\0" + bytes(56) + b"\xff" * 100)
    done = run("memory", "import", str(old))
    assert done.returncode != 0
    assert "AgenticMemory's own .amem files, which are not read" in done.stderr
    assert "`reasonloom memory export`" in done.stderr
    assert "Traceback" not in done.stderr
