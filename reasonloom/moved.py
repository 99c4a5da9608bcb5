"""Deprecated import paths from the documentation of version 0.1, kept for one more version.

The finder comes last in `sys.meta_path`, so imports of existing modules cost nothing.
"""

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_TREE_SEARCH = "reasonloom.nodes.reasoning.tree_search"
_OPERATIONS = "reasonloom.nodes.thought_graph.operations"
MOVED = {
    "reasonloom.contracts.extras": ("reasonloom.contracts.memory.extras", {}),
    "reasonloom.contracts.got_run": ("reasonloom.contracts.thought_graph.plans", {}),
    "reasonloom.contracts.operations": ("reasonloom.contracts.thought_graph.plans", {}),
    "reasonloom.graphs.engine": ("reasonloom.graphs.runs.engine", {}),
    "reasonloom.nodes.ask": ("reasonloom.nodes.runs.llm_call", {}),
    "reasonloom.nodes.attempts": ("reasonloom.nodes.reasoning.attempts", {"marks": "caveats"}),
    "reasonloom.nodes.finish": ("reasonloom.nodes.runs.complete_run", {"finish": "complete_run"}),
    "reasonloom.nodes.keep": (
        "reasonloom.nodes.reasoning.persist", {"keep_as_memory": "as_memory"},
    ),
    "reasonloom.nodes.operations.drive": (f"{_OPERATIONS}.outcome", {"drive": "run_plan"}),
    "reasonloom.nodes.operations.outcome": (f"{_OPERATIONS}.outcome", {}),
    "reasonloom.nodes.operations.tasks.sorting": (f"{_OPERATIONS}.tasks.sorting", {}),
    "reasonloom.nodes.session_place": (
        "reasonloom.nodes.sessions.context",
        {"hang": "append_thought", "place_in": "session_context"},
    ),
    "reasonloom.nodes.suspicion": (
        "reasonloom.nodes.memory.injection.detection", {"suspicion": "detect_injection"},
    ),
    "reasonloom.nodes.treesearch.drive": (f"{_TREE_SEARCH}.machine", {"drive": "run_search"}),
    "reasonloom.nodes.treesearch.machine": (f"{_TREE_SEARCH}.machine", {"begin": "begin_search"}),
    "reasonloom.nodes.treesearch.outcome": (f"{_TREE_SEARCH}.budget", {"best": "best_so_far"}),
    "reasonloom.nodes.treesearch.settings": (f"{_TREE_SEARCH}.settings", {}),
    "reasonloom.server.forms.plain": ("reasonloom.server.envelopes.plain_json", {}),
    "reasonloom.server.forms.thought": ("reasonloom.server.envelopes.thought", {}),
    "reasonloom.stores.thoughts": ("reasonloom.stores.sessions.thoughts", {}),
}  # fmt: skip
"""Old module names, each with its new module and the names that changed in it."""


class MovedFinder(MetaPathFinder, Loader):
    """Finds the old modules and the packages that contained them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for an old module or package, None for any other."""
        if fullname in MOVED:
            return ModuleSpec(fullname, self)
        if any(name.startswith(f"{fullname}.") for name in MOVED):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return None, to use a plain module."""

    def exec_module(self, module: ModuleType) -> None:
        """Make an old module look up its names in the new one, with a deprecation warning."""
        if module.__name__ not in MOVED:
            return
        name, renamed = MOVED[module.__name__]

        def look_up(attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            new = renamed.get(attribute, attribute)
            found = getattr(import_module(name), new)
            warnings.warn(
                f"{module.__name__}.{attribute} is {name}.{new} now; the old path goes with the"
                " next version",
                DeprecationWarning,
                stacklevel=2,
            )
            return found

        module.__dict__["__getattr__"] = look_up


def install() -> None:
    """Register the finder of the old import paths, once."""
    if not any(isinstance(finder, MovedFinder) for finder in sys.meta_path):
        sys.meta_path.append(MovedFinder())
