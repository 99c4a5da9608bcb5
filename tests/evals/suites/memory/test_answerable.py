"""The questions that nothing answers, and the figures of the eval that asks them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from reasonloom.evals.suites.memory import datasets
from reasonloom.evals.suites.memory.answerable import auroc, calibration_error, refused_at_a_tenth
from reasonloom.evals.suites.memory.datasets import OWN_SETS, Source, load_answerable

HERE = Path(datasets.__file__).parent


@pytest.mark.parametrize("name", OWN_SETS)
def test_the_questions_are_what_was_written(name: str) -> None:
    digest = hashlib.sha256((HERE / name / "unanswerable.jsonl").read_bytes()).hexdigest()
    assert f"sha256 of `unanswerable.jsonl`: {digest}\n" in (HERE / name / "README.md").read_text()


def test_both_kinds_of_questions_are_asked_of_each_set() -> None:
    (dev, first), (held, second) = (load_answerable(Source(half=half)) for half in ("dev", "held"))
    assert [one.id for one in dev] == [f"{name}/{name}" for name in OWN_SETS]
    counts = [sum(each.category == "nothing" for each in one.questions) for one in (*dev, *held)]
    assert counts == [42, 34, 49, 37, 31, 46]
    ids = [{each.id for one in half for each in one.questions} for half in (dev, held)]
    assert ids[0].isdisjoint(ids[1])
    assert first != second


def test_the_figures_of_a_perfect_a_useless_and_a_calibrated_guess() -> None:
    has = np.array([True] * 20 + [False] * 20)
    perfect, useless = has.astype(float), np.full(40, 0.5)
    assert (auroc(has, perfect), auroc(has, useless)) == (1.0, 0.5)
    assert refused_at_a_tenth(has, perfect) == 1.0
    assert refused_at_a_tenth(has, useless) == 0.0
    assert calibration_error(has, perfect) == 0.0
    assert calibration_error(has, 1 - perfect) == pytest.approx(1.0)
