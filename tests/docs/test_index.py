"""Every page is in the index, and no link of any page leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.docs.pages import DOCS

ROOT = DOCS.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
HEADING = re.compile(r"^#+ (.+)$", re.M)
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def prose(page: Path) -> str:
    """Return a page without its code, which may look like links."""
    return CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the fragments that lead to a page's headings, made as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in HEADING.findall(text)
    }


def dead(page: Path) -> list[str]:
    """Return the relative links of a page that lead nowhere."""
    found = []
    for link in LINK.findall(prose(page)):
        path, _, fragment = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (fragment and fragment not in anchors(target)):
            found.append(link)
    return found


def test_every_page_is_listed_in_one_line() -> None:
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^- \[([^\]]+)\]\(\1\):? .{10,}$", text, re.M)
    own = [DOCS / "README.md", *(DOCS / "decisions").glob("*.md")]
    there = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if page not in own]
    assert sorted(each for each in listed if each.endswith(".md")) == sorted(
        [*there, "../CONTRIBUTING.md"]
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_is_dead(page: Path) -> None:
    assert dead(page) == []


def test_a_dead_link_would_be_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A b\n[x](none.md) [y](#a-b) [z](page.md#c) `[q](no.md)`\n", encoding="utf-8")
    assert dead(page) == ["none.md", "page.md#c"]
