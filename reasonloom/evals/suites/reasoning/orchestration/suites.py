"""The evals of orchestration there are; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from reasonloom.errors import UnknownName
from reasonloom.evals.suites.reasoning.orchestration.catalog import Orchestration

WHERE = {
    "sim-game24": ("suites.reasoning.orchestration.game24", "GAME24_EVAL"),
    "sim-sort": ("suites.reasoning.orchestration.sorting", "SORTING_EVAL"),
    "sim-intersect": ("suites.reasoning.orchestration.intersection", "INTERSECTION_EVAL"),
    "sim-critique": ("suites.reasoning.orchestration.critique", "CRITIQUE_EVAL"),
}
"""By name the module, seen from here, and what it is called there."""


def orchestration(name: str) -> Orchestration:
    """Return the eval of a name.

    Raises:
        UnknownName: there is none such.
    """
    if name not in WHERE:
        raise UnknownName(f"there is no eval {name}; known: {', '.join(WHERE)}", field="name")
    module, attribute = WHERE[name]
    found = getattr(import_module(f"reasonloom.evals.{module}"), attribute)
    if not isinstance(found, Orchestration):
        raise TypeError(f"{module}.{attribute} is no eval of orchestration")
    return found
