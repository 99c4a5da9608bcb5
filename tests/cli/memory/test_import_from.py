"""`reasonloom import` shows first and asks; a folder of Markdown goes out and comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.memory.test_commands import Run, run, stored

__all__ = ["run", "stored"]

LINES = [
    {"id": "a", "memory": "Anna likes tea.\x1b[2J", "user_id": "anna", "created_at": "2024-07-01"},
    {"id": "b", "memory": "Ben sings.", "user_id": "ben"},
    {"id": "c"},
]


def test_it_shows_asks_stores_and_stores_nothing_twice(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mem0.json").write_text(json.dumps(LINES))
    shown = run("import", "mem0", "mem0.json", "--dry-run")
    assert shown.stdout.splitlines() == [
        "memories of 2 users: anna 1, ben 1; choose one with --from-user",
        "2 memories read, 1 skipped",
        "  2024-07-01  Anna likes tea.[2J",
        "  no date  Ben sings.",
        "2 memories would be stored, 0 already stored",
        "nothing was written",
    ]
    assert shown.stderr == (
        'skipped record 3: memory: must be text that is not empty, such as "Anna likes tea."\n'
    )
    unasked = run("import", "mem0", "mem0.json", "--from-user", "anna")
    assert (unasked.returncode, "give --yes" in unasked.stderr) == (1, True)
    assert unasked.stdout.startswith("1 record of other users skipped\n1 memory read, 1 skipped\n")
    done = run("import", "mem0", "mem0.json", "--yes")
    assert done.stdout.endswith("2 memories were stored, 0 already stored\n")
    again = run("import", "mem0", "mem0.json")
    assert again.stdout.endswith("0 memories would be stored, 2 already stored\n")
    assert again.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("import", "mem0", "none.json"), "none.json: cannot be read: No such file or directory"),
        (("import", "mem0", "m.json", "--from-user", "x"),
         "--from-user: the source has no user x; it has anna, ben"),
        (("import", "causantic", "m.json", "--table", "x"), "--table: only mem0 has a table"),
        (("memory", "export", ".", "--format", "markdown"), "FOLDER: must be new or empty"),
        (("memory", "export", "out", "--format", "markdown", "--with-embeddings"),
         "--with-embeddings: Markdown has no vectors"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    (tmp_path / "m.json").write_text(json.dumps(LINES))
    done = run(*arguments)
    assert (done.returncode, len(done.stderr.strip().splitlines())) == (2, 1)
    assert expected in done.stderr


@pytest.mark.usefixtures("stored")
def test_a_folder_of_markdown_goes_out_and_comes_back(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert run("memory", "export", "out", "--format", "markdown").stdout == "exported 4 memories\n"
    assert {path.name for path in tmp_path.iterdir()} <= {"home", "out"}
    assert (tmp_path / "out" / "mem-4.md").read_text().endswith("---\n日本語の文章です 🙂\n")
    assert "0 memories would be stored, 4 already stored" in run("import", "markdown", "out").stdout
    copied = run("import", "markdown", "out", "--user", "guest", "--yes")
    assert copied.stdout.endswith("4 memories were stored, 0 already stored\n")
