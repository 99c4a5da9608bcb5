"""Hidden characters go, and what is part of words and emoji stays."""

from __future__ import annotations

import pytest

from reasonloom.text.hidden_characters import remove_hidden

SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "kept", "removed"),
    [
        ("plain", "plain", 0),
        ("ab\u202ecd\u2066x\u2069", "abcdx", 3),
        ("see\U000e0069\U000e0067n this", "seen this", 2),
        (f"flag {SCOTLAND}\U000e0041!", f"flag {SCOTLAND}!", 1),
        (
            "👩\u200d👩\u200d👧 ❤\ufe0f نمی\u200cخواهم e\u0301",
            "👩\u200d👩\u200d👧 ❤\ufe0f نمی\u200cخواهم e\u0301",
            0,
        ),
    ],
)
def test_hidden_characters_are_removed_and_counted(text: str, kept: str, removed: int) -> None:
    assert remove_hidden(text) == (kept, removed)
