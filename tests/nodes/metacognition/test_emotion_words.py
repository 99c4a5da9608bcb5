"""Words that show an emotion: where they stand, whether they are denied, and how much."""

from __future__ import annotations

import time

import pytest

from reasonloom.nodes.metacognition.emotion_words import MOST_CUES, Cue, cues_in


def only(text: str, emotion: str) -> Cue:
    found = [cue for cue in cues_in(text) if cue.emotion == emotion]
    assert found, [(cue.text, cue.emotion) for cue in cues_in(text)]
    return found[0]


@pytest.mark.parametrize(
    "text",
    [
        "I am happy.",
        "Größe 😀 — I am “happy”, naïvely\u00a0happy.",
        "So sad.\r\nSo angry!\r\n\r\nI’m HAPPY",
        "e\u0301e\u0301 grateful and ashamed",
    ],
)
def test_each_cue_stands_where_it_says(text: str) -> None:
    found = cues_in(text)
    assert found
    for cue in found:
        told = cue.wire
        assert text[told["start"] : told["end"]] == told["text"] == cue.text


@pytest.mark.parametrize(
    ("text", "emotion", "denied"),
    [
        ("I am happy.", "joy", False),
        ("I am not happy at all.", "joy", True),
        ("I’m happy.", "joy", False),
        ("She isn’t happy.", "joy", True),
        ("She isn't happy.", "joy", True),
        ("I was never happy there.", "joy", True),
        ("It is not late, I am happy.", "joy", False),
        ("I do not know. I am happy.", "joy", False),
        ("Not that one, though I am happy.", "joy", False),
        ("Happy? Hardly.", "joy", True),
        ("Happy? Yes.", "joy", False),
        ("I feel no guilt.", "guilt", True),
        ("I feel guilt.", "guilt", False),
    ],
)
def test_a_denial_reaches_to_the_end_of_its_clause(text: str, emotion: str, denied: bool) -> None:
    assert only(text, emotion).negated is denied


def test_a_degree_before_a_word_counts() -> None:
    more, plain, less = (
        only(text, "joy").degree
        for text in ("I am extremely happy.", "I am happy.", "I am slightly happy.")
    )
    assert more > plain == 1.0 > less


@pytest.mark.parametrize(
    "text", ["", "...", "The train leaves at nine from platform four.", "Je suis là.", "\u2019 - '"]
)
def test_where_no_word_shows_a_feeling_there_is_no_cue(text: str) -> None:
    assert cues_in(text) == []


@pytest.mark.parametrize("piece", ["I am so happy and sad! ", "happy", "not ", "- ' ", "happy "])
def test_a_text_of_the_greatest_length_is_read_in_good_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    begun = time.process_time()
    assert len(cues_in(text)) <= MOST_CUES + 1
    assert time.process_time() - begun < 5
