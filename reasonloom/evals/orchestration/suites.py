"""The evals of orchestration there are; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from reasonloom.errors import UnknownName
from reasonloom.evals.orchestration.row import Orchestration

WHERE = {
    "sim-game24": ("game24.suite", "GAME24_EVAL"),
    "sim-sort": ("sorting", "SORTING_EVAL"),
    "sim-intersect": ("intersection", "INTERSECTION_EVAL"),
    "sim-critique": ("critique", "CRITIQUE_EVAL"),
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
    found = getattr(import_module(f"reasonloom.evals.orchestration.{module}"), attribute)
    if not isinstance(found, Orchestration):
        raise TypeError(f"{module}.{attribute} is no eval of orchestration")
    return found
