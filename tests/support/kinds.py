"""Which tests `make test` leaves out: the marker that each heavy folder, file or test carries.

What takes seconds of processor time, or watches a clock, is marked here and nowhere else.
`make test-all` leaves out what is run for a release alone, by `make faults`: `faults` and
`calibration`. `pytest PATH -m ""` runs what lies there, whatever its marker.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from _pytest.mark.expression import Expression

from tests import ROOT

KINDS = {
    "browser": ("studio", "evals/reporting/test_page.py"),
    "calibration": (
        "evals/bench",
        "evals/comparison/test_statistics.py",
        "evals/optimization/test_optimise.py",
        "evals/simulated",
        "evals/suites/graph_memory/grounding/test_run.py",
        "evals/suites/history/test_generate.py",
        "evals/suites/history/test_questions.py",
        "evals/suites/memory/test_poisoning.py",
        "evals/suites/metacognition/test_command.py",
        "evals/suites/metacognition/test_run.py",
        "evals/suites/reasoning/orchestration",
        "nodes/reasoning/tree_search/test_optimum.py",
    ),
    "kills": (
        "cli/test_interrupt.py",
        "evals/core/test_kills.py",
        "graphs/kills",
        "nodes/history/ingestion/test_kills.py",
        "stores/embedded/test_failures.py",
        "stores/embedded/test_idle_stop.py",
        "workers/test_evals.py::test_postgres_is_killed_once",
        "workers/test_kills.py",
        "workers/test_stopping.py",
    ),
    "faults": (
        "server/isolation/test_grants.py::test_thousands",
        "server/tools/test_processor_cost.py::test_no_text_of_the_greatest_length",
    ),
    "slow": (
        "cli/evals",
        "cli/install/test_install.py",
        "cli/test_backup.py",
        "cli/test_prompts.py",
        "docs/test_evals_page.py",
        "docs/test_operations_page.py",
        "docs/test_quick_start.py",
        "docs/test_readme.py",
        "docs/test_reference_pages.py::test_a_page_is_up_to_date",
        "docs/test_scaling.py",
        "docs/test_writing_a_mode.py",
        "evals/core/test_packaged_suites.py",
        "evals/export",
        "evals/suites/memory",
        "evals/reporting/test_command.py",
        "library/test_surface.py::test_a_strict_type_checker",
        "faults/test_patches.py::test_one_of_them_is_caught",
        "faults/test_planting.py",
        "graphs/forks/test_reasoning_forks.py",
        "graphs/runs/test_clock_jumps.py::test_what_a_killed",
        "graphs/reasoning/test_session_races.py",
        "nodes/graph_memory/test_best_paths.py",
        "nodes/graph_memory/test_resolve.py::test_a_very_long_chain",
        "nodes/graph_memory/test_resolve.py::test_what_is_resolved_is_what_the_database",
        "nodes/mental_models/basins/test_formation.py::test_a_cluster_that_vanishes_is_told",
        "nodes/mental_models/basins/test_formation.py::test_a_tenth_more",
        "nodes/mental_models/basins/test_formation.py::test_the_same_again",
        "nodes/mental_models/basins/test_formation.py::test_two_formings_at_once",
        "nodes/mental_models/basins/test_formation.py::test_two_owners",
        "nodes/mental_models/basins/test_state.py::test_a_fault_of_the_language_model",
        "nodes/mental_models/basins/test_state.py::test_a_language_model_names",
        "nodes/mental_models/basins/test_upkeep.py::test_much_that_is",
        "nodes/mental_models/basins/test_upkeep.py::test_the_job_of_a_server",
        "nodes/sessions/test_session_model.py",
        "packaging/test_team_server.py",
        "server/apps/test_views.py::test_a_long_session",
        "server/auth/test_daily_cost.py",
        "server/auth/test_discovery.py",
        "server/auth/test_limits.py",
        "server/http/test_closed_streams.py",
        "server/http/test_connections.py",
        "server/http/test_graceful_shutdown.py",
        "server/http/test_replicas.py",
        "server/http/test_sessions.py",
        "server/isolation",
        "server/operations/test_database_down.py",
        "server/operations/test_database_restart.py",
        "server/operations/test_metrics.py",
        "server/operations/test_shutdown.py",
        "server/operations/test_telemetry.py",
        "server/protocol/test_fuzz.py",
        "server/protocol/test_wire_fuzz.py",
        "server/stdio/test_cancelled_calls.py",
        "server/tools/test_processor_cost.py",
        "stores/backup",
        "stores/embedded/test_embedded.py",
        "stores/memory/test_large_owner_search.py",
        "stores/memory/test_vector_index.py",
        "stores/migrations",
        "workers/test_commands.py",
    ),
}
"""Prefixes of the tests' ids, below `tests/`."""


def mark(items: list[pytest.Item]) -> None:
    """Give each heavy test its marker; one that opens a browser is of that kind."""
    prefixes = {kind: tuple(f"tests/{each}" for each in KINDS[kind]) for kind in KINDS}
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
        name = str(item.nodeid)
        for kind, starts in prefixes.items():
            if name.startswith(starts):
                item.add_marker(kind)


def is_left_out(path: Path, wish: str) -> bool:
    """Tell whether a folder or file has a marker of which `-m wish` wants no test."""
    place = path.relative_to(ROOT / "tests").as_posix() if ROOT / "tests" in path.parents else ""
    return bool(wish) and any(
        place == prefix and _is_unwanted(kind, wish) for kind in KINDS for prefix in KINDS[kind]
    )


@cache
def _is_unwanted(kind: str, wish: str) -> bool:
    """Tell whether no test with this marker is wanted, whatever others it has."""
    wanted = Expression.compile(wish)

    def is_wanted(*markers: str) -> bool:
        return wanted.evaluate(lambda name, /, **_: name in markers)

    others = (more for size in range(len(KINDS)) for more in combinations(KINDS, size))
    return not any(is_wanted(kind, *more) for more in others)


def unknown_places() -> list[str]:
    """Return the files of `KINDS` that are not there."""
    files = {prefix.partition("::")[0] for prefixes in KINDS.values() for prefix in prefixes}
    return sorted(name for name in files if not (ROOT / "tests" / name).exists())


def sampled(values: Iterable[str], sample: Collection[str]) -> list[ParameterSet | str]:
    """Return the values of a parameter; `make test` takes those of the sample alone."""
    return [
        value if value in sample else pytest.param(value, marks=pytest.mark.slow)
        for value in values
    ]
