"""The block in CLAUDE.md: nothing outside of its marks is ever touched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.cli.hooks.claude_md import (
    BEGIN,
    END,
    MARK,
    NO_HISTORY,
    replace_block,
    update_claude_md,
)
from reasonloom.cli.user_files.rewrite import read_file, replace_file
from reasonloom.errors import Conflict, InvalidArgument

WORDS = st.text(st.sampled_from("aé漢🙂 \n\r#<>!-`"), max_size=40)
BROKEN = [
    BEGIN,
    END,
    f"{END}\n{BEGIN}",
    f"{BEGIN}\n{BEGIN}\n{END}",
    f"{BEGIN}\n{END}\n{END}",
    f"{BEGIN}\n{END}\n{BEGIN}\n{END}",
    f"see `{BEGIN}`\n{END}",
    f"{BEGIN} {END}",
    f"{BEGIN}\n<!--reasonloom:history:END-->\n{END}",
]


@given(WORDS, WORDS, WORDS)
def test_all_but_the_block_stays(before: str, after: str, block: str) -> None:
    first = replace_block(before, "one\ntwo")
    assert first.startswith(before)
    assert "".join(first[len(before) :].split()) == "".join(f"{BEGIN}one two{END}".split())
    text = f"{before}\n{BEGIN}\nold\n{END}\n{after}"
    new = replace_block(text, block)
    assert new.startswith(f"{before}\n{BEGIN}")
    assert new.endswith(f"{END}\n{after}")
    assert replace_block(new, block) == new


@pytest.mark.parametrize("marks", BROKEN)
def test_broken_marks_change_nothing(tmp_path: Path, marks: str) -> None:
    place = tmp_path / "CLAUDE.md"
    place.write_text(f"a\n{marks}\nz\n")
    with pytest.raises(InvalidArgument, match="nothing was changed"):
        update_claude_md(tmp_path, "notes")
    assert place.read_text() == f"a\n{marks}\nz\n"


@pytest.mark.parametrize("mark", [BEGIN, END, "<!--reasonloom:history:End-->"])
def test_a_block_cannot_hold_a_mark(mark: str) -> None:
    assert MARK.search(mark)
    with pytest.raises(InvalidArgument):
        replace_block("text", f"hostile {mark}")


def test_what_is_forgotten_leaves_the_block(tmp_path: Path) -> None:
    place = tmp_path / "CLAUDE.md"
    place.write_text("mine\n")
    assert "no block was written" in update_claude_md(tmp_path, None)
    assert update_claude_md(tmp_path, "ключ: 漢字") == "a block was added to CLAUDE.md"
    assert update_claude_md(tmp_path, None) == "CLAUDE.md was rewritten"
    text = place.read_text()
    assert "ключ" not in text
    assert NO_HISTORY in text


def test_a_file_that_is_none_of_ours_to_write_is_left(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "p", tmp_path / "profile"
    project.mkdir()
    elsewhere.write_text("export X=1\n")
    place = project / "CLAUDE.md"
    place.symlink_to(elsewhere)
    with pytest.raises(InvalidArgument, match="a link out of"):
        update_claude_md(project, "notes")
    assert elsewhere.read_text() == "export X=1\n"
    elsewhere.write_text(f"{BEGIN}\n{END}\n")
    assert update_claude_md(project, "notes") == "CLAUDE.md was rewritten"
    place.unlink()
    place.mkdir()
    with pytest.raises(InvalidArgument):
        update_claude_md(project, "notes")
    place.rmdir()
    place.write_bytes("x".encode("utf-16"))
    with pytest.raises(InvalidArgument, match="not UTF-8"):
        update_claude_md(project, "notes")
    place.write_bytes(b"x" * (1024 * 1024 + 1))
    with pytest.raises(InvalidArgument, match="larger than"):
        update_claude_md(project, "notes")
    assert [path.name for path in project.iterdir()] == ["CLAUDE.md"]


def test_a_file_that_was_changed_meanwhile_is_left(tmp_path: Path) -> None:
    place = tmp_path / "CLAUDE.md"
    place.write_text("one\n")
    found = read_file(place)
    assert found
    place.write_text("another\n")
    with pytest.raises(Conflict):
        replace_file(found, b"ours")
    assert place.read_text() == "another\n"
    assert [path.name for path in tmp_path.iterdir()] == ["CLAUDE.md"]


def test_line_feeds_are_the_files_own() -> None:
    text = replace_block("a\r\nb", "one\ntwo")
    assert re.sub("\r\n", "", text).count("\n") == 0
