"""A chart of scores with their intervals, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.compare import first_score
from reasonloom.evals.reporting.report import labels
from reasonloom.evals.result import EXTRA, EvalResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_scores(*results: EvalResult, score: str = "", axes: Axes | None = None) -> Axes:
    """Draw the mean scores of results with their 95 % intervals, each named by what differs.

    Args:
        results: one or more, such as those of two versions of a prompt.
        score: which score; the first scorer's by default.
        axes: where to draw; a new figure by default.

    Raises:
        InvalidArgument: matplotlib is not installed, there is no result, or one lacks the score.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InvalidArgument(f"plot_scores needs matplotlib: {EXTRA}") from None
    if not results:
        raise InvalidArgument("results: give one or more", field="results")
    score = score or first_score(results[0].log)
    for each in results:
        if score not in each.scores:
            known = ", ".join(each.scores)
            raise InvalidArgument(
                f"score: {each.label} has no {score}; it has {known}", field="score"
            )
    axes = axes or plt.subplots(figsize=(6, 0.6 + 0.5 * len(results)), layout="constrained")[1]
    means = [each.scores[score] for each in results]
    ends = [each.intervals[score] for each in results]
    reach = [
        [mean - low for mean, (low, _) in zip(means, ends, strict=True)],
        [high - mean for mean, (_, high) in zip(means, ends, strict=True)],
    ]
    rows = range(len(results))
    axes.errorbar(means, rows, xerr=reach, fmt="o", capsize=4)
    axes.set_yticks(rows, labels([each.log for each in results]))
    axes.set_ylim(len(results) - 0.5, -0.5)
    axes.set_xlabel(f"{score}, mean and 95 % interval")
    if all(0 <= end <= 1 for pair in ends for end in pair):
        axes.set_xlim(-0.02, 1.02)
    return axes
