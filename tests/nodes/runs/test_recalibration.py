"""Confidences follow reported outcomes: little by few of them, closely by many."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.nodes.runs.recalibration import (
    expected_calibration_error,
    fit_recalibration,
    recalibrated,
)
from reasonloom.stores.runs.outcomes import Outcome

UNITS = st.floats(0, 1)
OUTCOMES = st.lists(st.builds(Outcome, UNITS, st.sampled_from([0.0, 0.5, 1.0])), max_size=60)


def drawn(count: int, seed: int, *, kept: float) -> list[Outcome]:
    """Answers that are right as often as `kept` of their confidence."""
    chance = random.Random(seed)  # noqa: S311 - drawn for a test
    stated = [chance.uniform(0.5, 1.0) for _ in range(count)]
    return [Outcome(each, float(chance.random() < kept * each)) for each in stated]


@pytest.mark.parametrize("stated", [0.05, 0.5, 0.9])
def test_without_outcomes_nothing_changes(stated: float) -> None:
    assert fit_recalibration([]).apply(stated) == pytest.approx(stated)


def test_one_wrong_answer_moves_a_confidence_a_little() -> None:
    assert 0.8 < fit_recalibration([Outcome(0.9, 0.0)]).apply(0.9) < 0.88


@pytest.mark.parametrize("kept", [0.5, 0.7, 0.9])
def test_overconfidence_is_corrected_on_answers_that_did_not_choose_it(kept: float) -> None:
    learned = fit_recalibration(drawn(400, 1, kept=kept))
    unseen = drawn(2_000, 2, kept=kept)
    corrected = [each._replace(confidence=learned.apply(each.confidence)) for each in unseen]
    assert expected_calibration_error(corrected) < 0.06
    assert expected_calibration_error(corrected) < expected_calibration_error(unseen)


def test_a_calibrated_tool_stays_nearly_as_it_is() -> None:
    learned = fit_recalibration(drawn(400, 3, kept=1.0))
    assert all(abs(learned.apply(each / 10) - each / 10) < 0.1 for each in range(5, 10))


@given(OUTCOMES)
def test_the_surer_answer_stays_the_surer(outcomes: list[Outcome]) -> None:
    learned = fit_recalibration(outcomes)
    mapped = [learned.apply(each / 20) for each in range(21)]
    assert mapped == sorted(mapped)
    assert all(0 < each < 1 for each in mapped)


@given(OUTCOMES.filter(bool))
def test_errors_are_shares_whatever_is_reported(outcomes: list[Outcome]) -> None:
    assert 0 <= expected_calibration_error(outcomes) <= 1
    assert 0 <= expected_calibration_error(recalibrated(outcomes)) <= 1


def test_a_confident_wrong_half_is_an_error_of_a_half() -> None:
    assert expected_calibration_error([Outcome(1.0, 1.0), Outcome(1.0, 0.0)]) == 0.5
    with pytest.raises(ValueError, match="no outcomes"):
        expected_calibration_error([])
