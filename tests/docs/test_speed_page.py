"""docs/speed.md holds the figures of the reports, and says when they are older than the code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.support.docs import speed

FIGURE: dict[str, Any] = {
    "part": "start", "name": "first list", "p50": 640.5, "p95": 700, "floor": 500, "ratio": 1.281,
    "goal": 1.3, "reached": True, "said": "a | b",
}  # fmt: skip
REPORT: dict[str, Any] = {
    "python": "3.11", "cores": 2, "date": "2026-11-28", "load": [0.2, 1.4], "seed": 7,
    "commit": "HEAD", "round_trips": "0", "figures": [FIGURE],
    "settings": {
        "runs": 5, "starts": 3, "sizes": [10], "owners": 0, "steps": 1, "megabytes": 1,
    },
}  # fmt: skip


def test_a_figure_is_a_row_with_the_commit_that_it_measured() -> None:
    made = speed.page({"start": REPORT})
    assert "| first list | 640 | 700 | 500.00 | 1.28 | 1.3, reached | a \\| b |" in made
    assert "`reasonloom bench --only start --runs 5" in made
    assert "at commit HEAD on 2026-11-28" in made


def test_what_was_not_measured_is_said() -> None:
    assert "first list" not in speed.page({})
    assert speed.page({}).count("Not measured") > 5


def test_a_second_report_has_parts_of_its_own(tmp_path: Path) -> None:
    for name, part in (("speed.json", "memory"), ("speed-large.json", "memory")):
        (tmp_path / name).write_text(json.dumps({**REPORT, "figures": [{**FIGURE, "part": part}]}))
    made = speed.page(speed.read_reports(tmp_path))
    assert made.count("--only memory --runs 5") == made.count("| first list |") == 2


def test_a_page_older_than_its_round_trips_is_found() -> None:
    found = speed.differences({"start": REPORT})
    assert "start: the table of round trips has changed" in found
    assert "docs/speed.md is not made from them" in found
