"""The page on writing an eval: its suite, its runs, its comparison and its report."""

from __future__ import annotations

from reasonloom.evals.log import EvalLog
from tests.support.docs.pages import DOCS, blocks, newcomer

PAGE = blocks(DOCS / "writing-an-eval.md")


def test_the_suite_of_the_page_is_run_compared_and_reported() -> None:
    assert {each.language for each in PAGE} == {"sh", "text", "python"}
    with newcomer() as somebody:
        somebody.follow(PAGE)
        for name in ("first", "nearest"):
            assert len(EvalLog(somebody.folder / f"{name}.jsonl").records) == 6
        assert "<html" in (somebody.folder / "stories.html").read_text(encoding="utf-8")
        assert "contains" in (somebody.folder / "stories.txt").read_text(encoding="utf-8")
