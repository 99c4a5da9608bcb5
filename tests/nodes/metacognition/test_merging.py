"""What was computed and what the lenses say become one: by agreement, in made-up numbers."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.nodes.metacognition.bias import REPORTED, merge_bias
from reasonloom.nodes.metacognition.confidence import UNJUDGED, WEIGHTS, merge_confidence, overall
from reasonloom.nodes.metacognition.emotion import EMOTIONS, merge_emotion
from reasonloom.nodes.metacognition.judges import LLM_SHARE, MOST_ITEMS, distinct_texts
from reasonloom.nodes.metacognition.quality import SIDES, merge_quality
from reasonloom.nodes.metacognition.state import CheckInput
from tests.support.llms.checks import CALM, GOOD, NO_BIAS, SOLID, bias, felt, votes

TEXT = "We spent two million, so we cannot stop. I am glad."
GIVEN = CheckInput(text=TEXT, evidence=[], context="", parts=["bias"])
SPAN = {"text": "We spent two million", "start": 0, "end": 20}
SUNK = {"type": "sunk_cost", "confidence": 0.6, "severity": 0.6, "spans": [SPAN]}
SEEN = {"found": [SUNK], "shares": {"sunk_cost": 0.6, "framing": 0.1}}
UNREAD: dict[str, Any] = {"found": [], "shares": {}}


def named(kind: str = "sunk_cost", quote: str = "spent two million", sure: float = 0.9) -> Any:
    return {"biases": [bias(kind, quote, sure)]}


def test_a_bias_is_as_sure_as_the_lenses_that_name_it_are_many() -> None:
    told = {}
    for count in (1, 2, 3):
        said = [named()] * count + [NO_BIAS] * (3 - count)
        found, notes = merge_bias(SEEN, votes("bias", *said), GIVEN)
        assert not notes
        told[count] = found[0]["confidence"] if found else 0.0
        if found:
            assert found[0]["by"] == "both"
            assert len(found[0]["lenses"]) == count
    assert told == {
        1: 0.0,  # 0.75 * 0.3 + 0.25 * 0.6 is below what is reported
        2: pytest.approx(LLM_SHARE * 0.6 + (1 - LLM_SHARE) * 0.6),
        3: pytest.approx(LLM_SHARE * 0.9 + (1 - LLM_SHARE) * 0.6),
    }
    assert LLM_SHARE * 0.3 + (1 - LLM_SHARE) * 0.6 < REPORTED


def test_a_bias_of_the_lenses_has_their_words_severity_and_correction() -> None:
    one = {"biases": [bias("framing", "we cannot stop", 0.9, severity=0.2)]}
    other = {"biases": [bias("framing", "SPENT two   million", 0.7, severity=0.6)]}
    found, _ = merge_bias(SEEN, votes("bias", one, other), GIVEN)
    (told,) = found
    assert told["by"] == "llm"
    assert told["evidence"] == ["spent two million", "we cannot stop"]
    assert [TEXT[s["start"] : s["end"]] for s in told["spans"]] == told["evidence"]
    assert told["severity"] == pytest.approx(0.4)
    assert told["correction"] == "Mend framing."


def test_a_quote_that_does_not_stand_there_is_left_out_and_noted() -> None:
    said = [named(), named(), named(quote="spent ten million")]
    found, notes = merge_bias(SEEN, votes("bias", *said), GIVEN)
    assert found[0]["lenses"] == ["auditor", "opponent"]
    assert found[0]["confidence"] == pytest.approx(0.75 * 0.6 + 0.25 * 0.6)
    (note,) = notes
    assert "the advocate named sunk_cost" in note
    found, notes = merge_bias(UNREAD, votes("bias", *[named(quote="nowhere")] * 3), GIVEN)
    assert (found, len(notes)) == ([], 3)


def test_a_lens_counts_once_for_a_bias() -> None:
    twice = {"biases": [bias("framing", "we cannot stop"), bias("framing", "I am glad")]}
    found, _ = merge_bias(UNREAD, votes("bias", twice, NO_BIAS), GIVEN)
    assert [each["confidence"] for each in found] == [0.45]


def test_lenses_that_were_not_heard_do_not_count() -> None:
    found, _ = merge_bias(SEEN, votes("bias", named(), None, None), GIVEN)
    assert found[0]["confidence"] == pytest.approx(0.75 * 0.9 + 0.25 * 0.6)
    assert found[0]["lenses"] == ["auditor"]
    found, _ = merge_bias(SEEN, votes("bias", None, None, None), GIVEN)
    assert [(each["by"], each["confidence"]) for each in found] == [("words", 0.6)]
    assert found[0]["evidence"] == ["We spent two million"]
    assert "We spent two million" in found[0]["correction"]


def test_a_bias_that_every_lens_denies_is_not_told() -> None:
    assert merge_bias(SEEN, votes("bias", NO_BIAS, NO_BIAS, NO_BIAS), GIVEN) == ([], [])


def test_the_lenses_count_alone_where_the_text_could_not_be_read() -> None:
    found, _ = merge_bias(UNREAD, votes("bias", *[named()] * 3), GIVEN)
    assert found[0]["confidence"] == 0.9


def test_the_surest_bias_stands_first() -> None:
    said = {"biases": [bias("framing", "I am glad", 0.6), bias("recency", "I am glad", 0.9)]}
    found, _ = merge_bias(UNREAD, votes("bias", said, said, said), GIVEN)
    assert [each["type"] for each in found] == ["recency", "framing"]


def measured_confidence(value: float = 0.5) -> dict[str, Any]:
    return {
        "dimensions": dict.fromkeys(WEIGHTS, value), "claims": [], "warnings": ["Computed."],
        "recommendations": ["Look."],
    }  # fmt: skip


def test_confidence_is_the_median_of_the_lenses_whatever_was_computed() -> None:
    said = [SOLID, {**SOLID, "completeness": 0.4}, {**SOLID, "completeness": 0.1}]
    told = merge_confidence(measured_confidence(), votes("confidence", *said))
    assert told["dimensions"]["completeness"] == pytest.approx(0.4)
    assert told["dimensions"]["evidence_quality"] == pytest.approx(0.8)
    assert told["overall_confidence"] == pytest.approx(overall(told["dimensions"]))
    assert told["warnings"] == ["The sample is old.", "Computed."]
    assert told["recommendations"] == ["Count again.", "Look."]
    assert "words and structure alone" not in told["interpretation"]


@pytest.mark.parametrize("said", [[], [None, None, None]])
def test_confidence_that_nobody_judged_counts_less_and_says_so(said: list[None]) -> None:
    told = merge_confidence(measured_confidence(0.8), votes("confidence", *said))
    assert told["overall_confidence"] == pytest.approx(
        UNJUDGED * overall(told["dimensions"]), abs=1e-4
    )
    assert told["dimensions"] == dict.fromkeys(WEIGHTS, 0.8)
    assert "words and structure alone" in told["interpretation"]


def test_uncertainty_counts_against_confidence() -> None:
    sure = {**dict.fromkeys(WEIGHTS, 1.0), "uncertainty_level": 0.0}
    assert overall(sure) == pytest.approx(1.0)
    assert overall({**sure, "uncertainty_level": 1.0}) == pytest.approx(0.85)
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("value", "band"), [(1.0, "High"), (0.82, "Moderate"), (0.5, "Moderate"), (0.0, "Low")]
)
def test_the_interpretation_names_the_band_and_the_weakest_side(value: float, band: str) -> None:
    measured = measured_confidence(value)
    measured["dimensions"] |= {"uncertainty_level": 1 - value, "completeness": value / 2}
    told = merge_confidence(measured, [])
    assert told["interpretation"].startswith(f"{band} confidence")
    if value:
        assert "what it leaves out" in told["interpretation"]


QUALITY: dict[str, Any] = {
    "sides": dict.fromkeys(SIDES, 0.4), "strengths": ["It compares."], "weaknesses": ["Short."],
    "recommendations": ["Say more."], "findings": [],
}  # fmt: skip


def test_quality_is_the_median_of_the_lenses_whatever_was_computed() -> None:
    fault = {"quote": "we cannot stop", "fault": "It can stop.", "cure": "Stop."}
    unquoted = {"quote": "", "fault": "No cost is named.", "cure": "Name it."}
    said = [GOOD, {**GOOD, "coherence": 0.2, "faults": [fault, unquoted]}, {**GOOD, "coherence": 0}]
    told = merge_quality(QUALITY, votes("quality", *said), GIVEN)
    assert told["quality"]["coherence"] == pytest.approx(0.2)
    assert told["weaknesses"] == ["It can stop.", "No cost is named.", "Short."]
    assert told["recommendations"] == ["Stop.", "Name it.", "Say more."]
    assert told["strengths"] == ["It counts."]
    spans = [finding["spans"] for finding in told["findings"]]
    assert spans == [[{"text": "we cannot stop", "start": 25, "end": 39}], []]
    assert TEXT[25:39] == "we cannot stop"


@pytest.mark.parametrize("said", [[], [None, None, None]])
def test_quality_that_nobody_judged_is_what_was_computed(said: list[None]) -> None:
    told = merge_quality(QUALITY, votes("quality", *said), GIVEN)
    assert told["quality"] == QUALITY["sides"]
    assert told["strengths"] == ["It compares."]
    bare = merge_quality({**QUALITY, "weaknesses": []}, votes("quality", *said), GIVEN)
    assert "not judged" in bare["weaknesses"][0], "silence is no praise"


def shares(**more: float) -> dict[str, float]:
    rest = (1 - sum(more.values())) / (len(EMOTIONS) + 1 - len(more))
    return {name: more.get(name, rest) for name in (*EMOTIONS, "none")}


FEELING: dict[str, Any] = {
    "shares": shares(joy=0.8), "circumplex": {"valence": 0.4, "arousal": 0.2, "dominance": 0.0},
    "cues": [{"text": "glad", "start": 46, "end": 50, "emotion": "joy", "negated": False}],
    "degree": 1.0, "sure": 0.8,
}  # fmt: skip


def emotion(*said: dict[str, Any] | None, discrete: bool = True) -> dict[str, Any]:
    told = merge_emotion(FEELING, votes("emotion", *said), GIVEN, discrete=discrete)
    return told


def test_what_is_felt_is_the_mean_of_the_lenses_and_what_was_computed() -> None:
    told = emotion(felt("joy", 0.9, "I am glad"), felt("joy", 0.6), CALM)
    assert told["circumplex"]["valence"] == pytest.approx(0.75 / 3 + 0.25 * 0.4, abs=1e-3)
    assert told["circumplex"]["confidence"] == pytest.approx(2 / 3, abs=1e-3), "they agree so far"
    joy = told["discrete"]["emotions"][0]
    assert joy["emotion"] == told["discrete"]["primary"] == "joy"
    assert joy["score"] == pytest.approx(0.75 * 0.5 + 0.25 * 0.8, abs=1e-3)
    assert [cue["text"] for cue in told["cues"]] == ["glad", "I am glad"]


def test_lenses_that_agree_make_it_surer() -> None:
    joy = felt("joy", 0.6)
    agreed, split = emotion(joy, joy, joy), emotion(joy, felt("awe", 0.6), felt("fear", 0.6))
    assert agreed["discrete"]["confidence"] == 1.0
    assert split["discrete"]["confidence"] == pytest.approx(1 / 3, abs=1e-3)


def test_lenses_that_were_not_heard_do_not_count_for_a_feeling() -> None:
    assert emotion(None, None, None) == emotion()
    assert emotion(felt("awe", 0.9), None, None)["discrete"]["primary"] == "awe"
    assert emotion()["discrete"]["primary"] == "joy"
    assert emotion(discrete=False)["discrete"] is None


@pytest.mark.parametrize(
    ("share", "intensity"), [(0.66, "high"), (0.659, "moderate"), (0.34, "moderate")]
)
def test_bands_of_a_score(share: float, intensity: str) -> None:
    measured = {**FEELING, "shares": shares(joy=share)}
    told = merge_emotion(measured, [], GIVEN, discrete=True)
    assert told["discrete"]["emotions"][0] == {
        "emotion": "joy", "score": share, "intensity": intensity,
    }  # fmt: skip


def test_where_nothing_is_felt_no_emotion_is_named() -> None:
    measured = {**FEELING, "shares": shares(none=0.7, joy=0.2)}
    told = merge_emotion(measured, [], GIVEN, discrete=True)
    assert (told["discrete"]["primary"], told["discrete"]["emotions"]) == ("none", [])


def test_texts_that_differ_in_case_only_are_told_once_and_the_first_are_kept() -> None:
    assert distinct_texts(["A.", "b", " a. ", "B"]) == ["A.", "b"]
    assert distinct_texts(map(str, range(30))) == [str(n) for n in range(MOST_ITEMS)]
