"""Counts the kills of a test run and tells their sum at its end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

PROPERTY = "kills"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tell of each scene how many processes were killed, and at what; then of all."""
    kills: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for scene, points in _kill_counts(terminalreporter):
        kills[scene].update(points)
    if not kills:
        return
    terminalreporter.section("processes killed")
    for scene, points in kills.items():
        at = ", ".join(f"{name} {count}" for name, count in points.most_common())
        terminalreporter.write_line(f"{scene:20}{points.total():5}  {at}")
    terminalreporter.write_line(f"{'in all':20}{sum(map(Counter.total, kills.values())):5}")


def _kill_counts(reporter: Any) -> Iterator[tuple[str, dict[str, int]]]:
    for reports in reporter.stats.values():
        for report in reports:
            told = dict(getattr(report, "user_properties", ()))
            if PROPERTY in told and report.when == "call":
                yield from told[PROPERTY].items()
