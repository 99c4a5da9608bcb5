"""Sentences and windows: whatever a text is, what is told of it stands where it is said to."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from reasonloom.nodes.metacognition.spans import (
    LONGEST_SENTENCE,
    MOST_SENTENCES,
    WINDOW,
    Sentence,
    find_quote,
    join_sentences,
    sentences_of,
    spread,
    windows_of,
)

TEXTS = {
    "plain": "It rains. We stay! Why? Because…  “It is wet.” So be it.",
    "unicode": "Größe zählt. 😀 Wirklich! Naïve cafés e\u0301 close.\u00a0Yes.",
    "crlf": "One line\r\nanother. And a third\r\n\r\nA fourth\rA fifth\nEnd",
    "titles": "Dr. Who met Mrs. Dee, e.g. at noon, i.e. late. St. Ives is far.",
    "cjk": "今日は雨です。家にいます！なぜ？濡れるから。",
    "no stops": "word and " * 400,
    "one word": "a" * 3_500,
    "blanks": "   \n\t  spaced   out \n\n  ",
    "signs": "... !!! ??? — …",
    "decimals": "It grew 3.5 times, v1.2.3 of 7.1. Then it fell.",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_sentence_stands_where_it_says_and_nothing_is_lost(text: str) -> None:
    found = sentences_of(text)
    for each in found:
        assert text[each.start : each.end] == each.text == each.span.text
        assert each.text == each.text.strip()
        assert 0 < len(each.text) <= LONGEST_SENTENCE
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert "".join("".join(each.text for each in found).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (TEXTS["titles"], 2),
        (TEXTS["decimals"], 2),
        (TEXTS["cjk"], 4),
        ("“Stop.” He ran.", 2),
        ("First\r\nSecond", 2),
        ("", 0),
        (" \n ", 0),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, count: int) -> None:
    assert len(sentences_of(text)) == count


def test_only_the_first_sentences_of_a_long_text_are_taken() -> None:
    found = sentences_of("It rains. " * (MOST_SENTENCES + 5))
    assert len(found) == MOST_SENTENCES
    assert found[0].start == 0


@pytest.mark.parametrize("piece", ["It rains. ", "word ", "a", ". ", "!", "\r\n", "雨。", "“' "])
def test_a_text_of_the_greatest_length_is_cut_in_good_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    begun = time.process_time()
    windows = windows_of(sentences_of(text))
    assert time.process_time() - begun < 5, "milliseconds are usual; a square of the length is not"
    assert len(windows) <= MOST_SENTENCES


def sentences(*lengths: int) -> list[Sentence]:
    """Return sentences of so many words."""
    return [Sentence(" ".join(["word"] * length), 0) for length in lengths]


def test_windows_overlap_by_half_and_hold_every_sentence() -> None:
    cut = sentences_of(" ".join(f"This is number {n} of many plain sentences." for n in range(60)))
    windows = windows_of(cut)
    assert {each.start for window in windows for each in window} == {each.start for each in cut}
    assert all(len(join_sentences(window).split()) <= WINDOW for window in windows)
    for one, other in pairwise(windows):
        assert one[0].start < other[0].start <= one[-1].start, "each begins within the one before"


@pytest.mark.parametrize(
    ("lengths", "sizes"),
    [
        ([], []),
        ([5], [1]),
        ([WINDOW // 2, WINDOW // 2], [2]),
        ([WINDOW + 1], [1]),
        ([WINDOW + 1, WINDOW + 1], [1, 1]),
        ([WINDOW // 2, WINDOW // 2, 10], [2, 2]),
    ],
)
def test_a_window_is_full_or_one_sentence(lengths: list[int], sizes: list[int]) -> None:
    assert [len(window) for window in windows_of(sentences(*lengths))] == sizes


@pytest.mark.parametrize(("count", "most"), [(0, 5), (5, 5), (6, 5), (200, 60), (61, 60)])
def test_what_is_sampled_is_spread_from_first_to_last(count: int, most: int) -> None:
    chosen = spread(range(count), most)
    assert len(chosen) == min(count, most)
    assert chosen[:1] + chosen[-1:] == list(range(count))[:1] + list(range(count))[-1:]
    gaps = [other - one for one, other in pairwise(chosen)]
    assert not gaps or max(gaps) - min(gaps) <= 1


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
    span = find_quote(words, TEXT)
    assert span
    assert TEXT[span["start"] : span["end"]] == span["text"]


@pytest.mark.parametrize(
    "words", ["spent three million", "pent two", "hat", "million two", "", "…", "😀", "zähl"]
)
def test_words_that_do_not_stand_there_are_not_found(words: str) -> None:
    assert find_quote(words, TEXT) is None


@pytest.mark.parametrize("words", ["続けるしかない", "二百万円も使った", "だから、続ける"])
def test_words_of_a_script_without_blanks_are_found(words: str) -> None:
    text = "もう二百万円も使ったのだから、続けるしかないと思う。"
    span = find_quote(words, text)
    assert span
    assert text[span["start"] : span["end"]] == words
    assert find_quote("続けよう", text) is None
