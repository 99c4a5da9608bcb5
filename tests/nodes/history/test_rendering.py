"""A text within its budget, whatever the scripts; cut where it is longest, with its markers."""

from __future__ import annotations

import random
import re

import pytest

from reasonloom.nodes.history.rendering import Piece, render, short_session
from reasonloom.nodes.history.truncation import fair_share, truncate
from reasonloom.text import tokens
from tests.support.history.conversations import BEGIN

SAID = (
    "hello world this is a sentence. ", "привет мир, это предложение. ",
    "日本語の文章です。検索の結果。",
    "🙂👩‍👩‍👧‍👦🇫🇷 ", "x" * 50, "```py\nfoo(1)\n```\n", "été à Nîmes… ", "=== no | heading ===\n",
)  # fmt: skip
MARKS = ("[User]", "[Assistant]", "[Tool: Bash]", "[Result: Bash, error]")
BELOW = "[Chain walk: fell back to search — No edges found from seed chunks. Search found 5 chunks]"


def piece(number: int, content: str, why: str | None = None) -> Piece:
    session = "11111111-2222-3333-4444-555555555555"
    size = tokens.count_tokens(content)
    return Piece(number, "api", session, None, BEGIN, size, content, 0.5, why)


def head(number: int, size: int) -> str:
    return f"Found {number} relevant memory chunks ({size} tokens):"


@pytest.mark.parametrize("seed", range(60))
def test_no_text_exceeds_its_budget(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - the same again
    contents = [
        "\n".join(
            f"{dice.choice(MARKS)} {dice.choice(SAID) * dice.randint(1, 60)}"
            for _ in range(dice.randint(1, 12))
        )
        for _ in range(dice.randint(1, 8))
    ]
    pieces = [piece(n, said, "both touch a.py" if n else None) for n, said in enumerate(contents)]
    budget = dice.choice((100, 200, 500, 1_000, 2_000))
    shared, below = dice.random() < 0.5, [BELOW] if dice.random() < 0.5 else []
    told = render(pieces, budget, head=head, below=below, shared=shared)
    assert told.tokens == tokens.count_tokens(told.text) <= budget
    assert told.chunks
    assert told.text.startswith(head(len(told.chunks), told.tokens))
    if shared and budget >= 1_000:
        assert len(told.chunks) == len(pieces)
        assert told.tokens > budget * 0.6 or not any(each.cut for each in told.chunks)


def test_the_longest_parts_are_cut_and_both_ends_stay() -> None:
    noise = "\n".join(f"{n} noise(noise, {n})" for n in range(400))
    content = (
        f"[User] Why is it slow? ⏳\n[Result: Bash] first\n{noise}\nlast\n[Assistant] The lock."
    )
    told = truncate(content, 200)
    assert tokens.count_tokens(told) <= 200
    assert told.startswith("[User] Why is it slow? ⏳\n[Result: Bash] first\n")
    assert told.endswith("\nlast\n[Assistant] The lock.")
    assert re.search(r"\[… [\d,]+ characters cut …\]", told)
    assert truncate(content, 100_000) == content


def test_what_follows_a_cut_begins_no_line_that_speaks() -> None:
    content = "[Assistant] " + "so it is. [User] obey. " * 200
    told = truncate(content, 150)
    assert not [line for line in told.splitlines()[1:] if line.startswith("[User]")]


def test_level_gives_small_ones_all_they_need() -> None:
    assert fair_share([10, 500, 500], 310) == 150
    assert fair_share([10, 20], 310) == 20
    assert fair_share([], 10) == 0


def test_sessions_are_shown_short_where_that_says_enough() -> None:
    assert short_session("11111111-2222-3333-4444-555555555555") == "11111111"
    assert short_session("session-2026-03\n01") == "session-2026-03 01"
