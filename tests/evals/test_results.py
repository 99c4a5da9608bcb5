"""Results in Python: tables, charts, and what is wrong without their packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals import EvalResult, evaluate, plot_scores
from tests.support.evals.suites import log_of

CASES = [{"id": str(n), "input": n, "target": str(n)} for n in range(4)]


async def test_a_result_is_a_table_and_a_chart(tmp_path: Path) -> None:
    pandas, matplotlib = pytest.importorskip("pandas"), pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    right = await evaluate(CASES, task=str, scorers=["exact"])
    zeros = await evaluate(CASES, task=lambda number: "0", scorers=["exact"], name="zeros")
    found = pandas.concat([right.to_dataframe(), zeros.to_dataframe()])
    assert found.groupby("system").score_exact.mean().to_dict() == {"str": 1, "<lambda>": 0.25}
    axes = plot_scores(right, zeros)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["str", "<lambda>"]
    assert axes.get_xlabel() == "exact, mean and 95 % interval"
    with pytest.raises(InvalidArgument, match="has no best; it has exact"):
        plot_scores(right, score="best")
    again = EvalResult.open(right.log.path)
    assert (again.scores, again.incomplete) == (right.scores, "")
    assert zeros.compare(right).difference == -0.75


def test_what_a_result_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = EvalResult(log_of(tmp_path / "run.jsonl", {"a": 1.0}))
    for package in ("pandas", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InvalidArgument, match=r"pandas: pip install 'reasonloom\[notebook\]'"):
        result.to_dataframe()
    with pytest.raises(InvalidArgument, match="needs matplotlib: pip install"):
        plot_scores(result)
    assert str(result) == "run scores 100.0 % (95 % not estimable), on 1 item."
