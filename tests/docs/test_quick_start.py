"""The quick start, as a newcomer would type it: every command, its shown output a real one."""

from __future__ import annotations

import pytest

from tests.support.docs.pages import DOCS, blocks, newcomer, shows

PAGE = blocks(DOCS / "quick-start.md")
INSTALL = "make install"
"""The one block that is not carried out: it would make the .venv that the test runs in."""


def test_the_install_is_made_by_its_target() -> None:
    recipe = (DOCS.parent / "Makefile").read_text(encoding="utf-8")
    assert next(each.body.strip() for each in PAGE if each.language == "sh") == INSTALL
    assert "\ninstall: $(INSTALLED)" in recipe


@pytest.mark.timeout(300)
def test_every_block_does_what_is_shown() -> None:
    assert {each.language for each in PAGE} == {"sh", "text", "python"}
    with newcomer() as somebody:
        somebody.follow(PAGE, but=[INSTALL])


def test_a_shown_output_that_is_not_the_real_one_is_seen() -> None:
    shown = "a\n…\nrun: x-20261122T123941.jsonl\n"
    assert shows(shown, "a\nb\nc \nrun: x-20270101T000000.jsonl\n")
    assert not shows(shown, "a\nb\nrun: x-yesterday.jsonl\n")
    assert not shows(shown, "b\nrun: x-20270101T000000.jsonl\n")
    assert not shows("a …\n", "b c\n")
