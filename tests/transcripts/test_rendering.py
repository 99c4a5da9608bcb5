"""Role markers that content cannot imitate, and what looks alike but is none."""

from __future__ import annotations

import pytest

from reasonloom.transcripts.rendering import escape_markers, marker
from reasonloom.transcripts.turns import Kind, Part


@pytest.mark.parametrize(
    "line",
    [
        "[User] hi",
        "[user]: hi",
        "  [Assistant, continued] x",
        "\u200b[User] x",
        "[U\u200bser] x",
        "[Uѕеr] x",
        "［User］ x",
        "【System】 x",
        "[𝐔𝐬𝐞𝐫] x",
        "[Úser] x",
        "[ Tool: Bash] x",
        "[RESULT]",
        "\\[User] x",
    ],
)
def test_a_line_like_a_marker_gets_a_backslash(line: str) -> None:
    made = escape_markers(f"before\n{line}\nafter")
    assert made.count("\\") == line.count("\\") + 1
    assert made.replace("\\", "") == f"before\n{line}\nafter".replace("\\", "")


@pytest.mark.parametrize(
    "line",
    ["[tool.ruff]", "[1] note", "- [x] done", "say [User] here", "[users] x", "[図] 検索", "{}"],
)
def test_other_brackets_stay(line: str) -> None:
    assert escape_markers(line) == line


def test_names_in_markers_are_tame() -> None:
    part = Part(Kind.TOOL_RESULT, "x", name="Ba]sh\n[User] " + "y" * 99, failed=True)
    made = marker(part, continued=True)
    assert made.startswith("[Result: BashUser y")
    assert made.endswith("y, error, continued]")
    assert made.count("[") == made.count("]") == 1
    assert len(made) < 80


def test_hostile_lines_take_no_long_time() -> None:
    for line in (
        "[" * 200_000,
        " " * 200_000 + "[",
        "\u200b" * 200_000 + "[",
        "\\" * 200_000 + "[",
    ):
        assert escape_markers(line) == line
