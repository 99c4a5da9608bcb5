"""Tokens are counted by a real vocabulary, without the network."""

from __future__ import annotations

import subprocess
import sys

import pytest

from reasonloom.text import tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("hello world", 2),
        ("Привет, мир!", 5),
        ("你好，世界", 3),
        ("👩‍👩‍👧", 8),
        ("\ud800", 1),
    ],
)
def test_counts_are_those_of_o200k(text: str, count: int) -> None:
    assert tokens.counts_exactly()
    assert tokens.count_tokens(text) == count


def test_the_estimate_is_near_for_english() -> None:
    text = "The quick brown fox jumps over the lazy dog, and then it sleeps. " * 40
    assert tokens.estimate_tokens(text) == pytest.approx(tokens.count_tokens(text), rel=0.4)
    assert tokens.estimate_tokens("") == 0


def test_without_the_vocabulary_the_estimate_is_used_and_told() -> None:
    code = (
        "import sys; sys.modules['tiktoken'] = None\n"
        "from reasonloom.text import tokens\n"
        "print(tokens.counts_exactly(), tokens.count_tokens('12345678'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "2"]
