"""Quotes of a text: found where they stand, and not where they do not."""

from __future__ import annotations

import pytest

from reasonloom.nodes.metacognition.quoted import quoted

TEXT = "“We've spent two million,” she said —\r\nso we   can't stop. Größe zählt. 😀 It is that."


@pytest.mark.parametrize(
    "words",
    [
        "spent two million",
        "SPENT TWO MILLION",
        "we’ve spent two million",
        "two million she said so we can't stop.",
        "…so we can't stop…",
        "größe zählt",
        "It is that",
        "“We've",
    ],
)
def test_words_that_stand_there_are_found_with_their_place(words: str) -> None:
    span = quoted(words, TEXT)
    assert span
    assert TEXT[span["start"] : span["end"]] == span["text"]


@pytest.mark.parametrize(
    "words", ["spent three million", "pent two", "hat", "million two", "", "…", "😀", "zähl"]
)
def test_words_that_do_not_stand_there_are_not_found(words: str) -> None:
    assert quoted(words, TEXT) is None


@pytest.mark.parametrize("words", ["続けるしかない", "二百万円も使った", "だから、続ける"])
def test_words_of_a_script_without_blanks_are_found(words: str) -> None:
    text = "もう二百万円も使ったのだから、続けるしかないと思う。"
    span = quoted(words, text)
    assert span
    assert text[span["start"] : span["end"]] == words
    assert quoted("続けよう", text) is None
