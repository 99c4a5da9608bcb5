"""Figures of the checks against cases reckoned by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from reasonloom.evals.log import Record
from reasonloom.evals.suites.figures import Figure, correlation, mean_distance
from reasonloom.evals.suites.metacognition.data import (
    FRAMEWORKS,
    BiasText,
    EmotionText,
    FrameworkProblem,
    LabelledSets,
    Pair,
)
from reasonloom.evals.suites.metacognition.scoring import (
    bias_figures,
    confusion,
    emotion_figures,
    framework_figures,
    pair_figures,
)
from reasonloom.evals.suites.metacognition.suite import (
    detected_biases,
    goal_of,
    metacognition_summary,
)
from reasonloom.nodes.mental_models.accuracy import wilson_interval

TEXT = "First this was said. Then they kept on because they had paid. Then it was over."
SPAN = "because they had paid"


def biased(name: str, bias: str) -> BiasText:
    return BiasText.model_validate(
        {
            "id": name,
            "half": "dev",
            "bias": bias,
            "text": TEXT,
            "span": None if bias == "none" else SPAN,
        }
    )


def felt(name: str, emotion: str, valence: float, kind: str = "plain") -> EmotionText:
    about = {"kind": kind, "valence": valence, "arousal": 0.5}
    return EmotionText.model_validate(
        {"id": name, "half": "dev", "emotion": emotion, "text": name, **about}
    )


def problem(name: str, framework: str) -> FrameworkProblem:
    return FrameworkProblem.model_validate(
        {"id": name, "half": "dev", "framework": framework, "problem": name, "why": "own"}
    )


def pair(name: str, fault: str = "circularity") -> Pair:
    return Pair.model_validate(
        {"id": name, "half": "dev", "sound": "a b", "flawed": "b a", "fault": f"{fault}: x"}
    )


def table(figures: Any) -> dict[tuple[str, str], Figure]:
    return {(figure.name, figure.of): figure for figure in figures}


def test_the_interval_of_a_share_is_that_of_the_textbook() -> None:
    assert wilson_interval(15, 20) == pytest.approx((0.5313, 0.8881), abs=1e-4)
    assert wilson_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson_interval(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


def test_correlation_and_mean_error() -> None:
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert correlation([1, 2, 3], [3, 1, 2]) == pytest.approx(-0.5)
    assert correlation([1, 2], [5, 5]) is None
    assert correlation([], []) is None
    assert mean_distance([0, 1], [0.5, 0.5]) == 0.5


def test_what_is_told_of_biases_is_counted_each_for_itself() -> None:
    items = [
        biased("a", "sunk_cost"), biased("b", "sunk_cost"), biased("c", "framing"),
        biased("d", "framing"), biased("e", "none"), biased("f", "none"),
    ]  # fmt: skip
    said = {
        "a": {"sunk_cost": 0.9, "overlap": 1.0},
        "b": {"sunk_cost": 0.6, "overlap": 0.0, "framing": 0.5},
        "c": {"recency": 0.7},
        "d": {},
        "e": {"framing": 0.8},
        "f": {},
    }
    found = table(bias_figures(items, said))
    whole = found["precision", "all"]
    assert (whole.value, whole.n) == (2 / 5, 5)
    assert whole.guess == pytest.approx(4 / 6 / 8)
    assert (found["recall", "all"].value, found["recall", "all"].n) == (0.5, 4)
    alarms = found["false alarms", "none"]
    assert (alarms.value, alarms.n, alarms.guess) == (0.5, 2, 8 / 9)
    assert found["span overlap", "all"].value == 0.5
    assert found["span overlap", "all"].guess == pytest.approx(1 / 3)
    assert found["precision", "sunk_cost"].value == 1.0
    assert found["precision", "framing"].value == 0.0
    assert (found["precision", "anchoring"].value, found["precision", "anchoring"].n) == (None, 0)
    assert (found["recall", "sunk_cost"].value, found["recall", "framing"].value) == (1.0, 0.0)
    assert found["precision, macro", "all"].value == 1 / 8
    assert found["recall, macro", "all"].value == 1 / 8


@pytest.mark.parametrize(
    ("start", "end", "overlap"),
    [(0, 20, 0.0), (21, 61, 1.0), (TEXT.index(SPAN) + len(SPAN), 79, 0.0), (0, 40, 1.0)],
)
def test_a_span_touches_the_labelled_one_or_not(start: int, end: int, overlap: float) -> None:
    assert TEXT.index(SPAN) < 40
    found = {"type": "sunk_cost", "confidence": 0.9, "spans": [{"start": start, "end": end}]}
    answer = {"biases": [found, {**found, "type": "recency"}]}
    said = detected_biases(biased("a", "sunk_cost"), answer)
    assert said == {"sunk_cost": 0.9, "recency": 0.9, "overlap": overlap}
    assert "overlap" not in detected_biases(biased("a", "framing"), answer)
    assert detected_biases(biased("a", "none"), {"biases": []}) == {}


def test_emotions_are_told_by_class_and_by_kind_and_none_is_one() -> None:
    items = [
        felt("a", "joy", 0.8),
        felt("b", "joy", 0.6, "sarcastic"),
        felt("c", "none", 0.0),
        felt("d", "fear", -0.6),
    ]
    said = {
        "a": {"joy": 0.9, "valence": 0.4, "arousal": 0.5},
        "b": {"anger": 0.9, "valence": 0.3, "arousal": 0.5},
        "c": {"none": 0.9, "valence": 0.0, "arousal": 0.5},
        "d": {"none": 0.4, "valence": -0.3, "arousal": 0.9},
    }
    found = table(emotion_figures(items, said))
    whole = found["top-1", "all"]
    assert (whole.value, whole.n, whole.guess, whole.majority) == (0.5, 4, 1 / 12, 0.5)
    by = {of: figure.value for (name, of), figure in found.items() if name == "top-1"}
    assert by == {"all": 0.5, "plain": 2 / 3, "sarcastic": 0.0, "joy": 0.5, "none": 1.0, "fear": 0}
    assert found["top-1", "sarcastic"].majority == 1.0
    assert found["top-1", "joy"].majority is None
    assert found["valence, correlation", "all"].value == pytest.approx(1)
    assert found["valence, mean error", "all"].value == pytest.approx(0.25)
    assert found["valence, mean error", "all"].guess == pytest.approx(0.5)
    assert found["arousal, correlation", "all"].value is None
    assert found["arousal, mean error", "all"].value == pytest.approx(0.1)


def test_a_framework_is_first_or_second_and_its_confusion_is_told() -> None:
    first, second, third = map(str, FRAMEWORKS[:3])
    items = [problem("a", first), problem("b", first), problem("c", second)]
    said = {
        "a": {first: 0.6, second: 0.3, third: 0.1},
        "b": {first: 0.3, second: 0.6, third: 0.1},
        "c": {first: 0.6, second: 0.1, third: 0.3},
    }
    found = table(framework_figures(items, said))
    assert found["top-1", "all"].value == pytest.approx(1 / 3)
    assert found["top-1", "all"].majority == pytest.approx(2 / 3)
    assert found["top-2", "all"].value == pytest.approx(2 / 3)
    assert found["top-2", "all"].guess == 0.25
    assert confusion(items, said, FRAMEWORKS) == {first: {first: 1, second: 1}, second: {first: 1}}


def test_a_tie_counts_half_and_is_told() -> None:
    items = [pair("a"), pair("b"), pair("c", "overconfidence"), pair("d", "overconfidence")]
    worth = {"a": (0.7, 0.6), "b": (0.6, 0.7), "c": (0.5, 0.5), "d": (0.9, 0.1)}
    said = {name: dict(zip(("sound", "flawed"), both, strict=True)) for name, both in worth.items()}
    found = table(pair_figures(items, said, "evaluate"))
    assert found["evaluate", "all"].value == 2.5 / 4
    assert found["evaluate", "circularity"].value == 0.5
    assert found["evaluate", "overconfidence"].value == 0.75
    assert found["evaluate, ties", "all"].value == 0.25
    assert math.isclose(found["evaluate", "all"].guess or 0, 0.5)


@pytest.mark.parametrize(
    ("name", "of", "value", "met"),
    [
        ("precision", "all", 0.8, True),
        ("precision", "all", 0.79, False),
        ("false alarms", "none", 0.1, True),
        ("false alarms", "none", 0.11, False),
    ],
)
def test_a_goal_is_met_at_its_bound(name: str, of: str, value: float, met: bool) -> None:
    figure = Figure(part="biases", name=name, of=of, value=value, n=10)
    goal = goal_of(figure, offline=True)
    assert goal is not None
    assert goal.met(value) is met


def test_times_have_a_goal_without_a_language_model_only() -> None:
    times = {"sound_ms": 5.0, "flawed_ms": 5.0}
    records = [Record(f"evaluate/{n}", 0, "evaluate", {}, 5.0, output=times) for n in range(3)]
    for offline in (True, False):
        p50, p95 = metacognition_summary(LabelledSets(), records, offline=offline)["figures"]
        assert (p50["value"], p50["n"], p50["of"], p50["unit"]) == (5.0, 6, "evaluate", "ms")
        assert p50.get("met") is (False if offline else None)
        assert "goal" not in p95


def test_sets_that_are_not_there_have_no_figures() -> None:
    assert metacognition_summary(LabelledSets(), [], offline=True)["figures"] == []
