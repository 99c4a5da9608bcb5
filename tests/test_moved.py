"""The import paths that the documentation of version 0.1 named still work, with a warning."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import pytest

from reasonloom.moved import MOVED

NAMES = {
    "contracts.extras": "MemoryIds", "contracts.got_run": "GotRun", "contracts.operations": "Plan",
    "graphs.engine": "Engine", "nodes.ask": "Question ask",
    "nodes.attempts": "attempt marks recall_for reply_notes", "nodes.finish": "finish",
    "nodes.keep": "keep_as_memory", "nodes.operations.drive": "drive",
    "nodes.operations.outcome": "outcome", "nodes.operations.tasks.sorting": "SORTING",
    "nodes.session_place": "hang place_in", "nodes.suspicion": "suspicion",
    "nodes.treesearch.drive": "drive", "nodes.treesearch.machine": "begin",
    "nodes.treesearch.outcome": "best", "nodes.treesearch.settings": "SearchSettings",
    "server.forms.plain": "PLAIN", "server.forms.thought": "THOUGHT",
    "stores.thoughts": "NewThought",
}  # fmt: skip


def test_every_old_module_is_looked_at() -> None:
    assert {f"reasonloom.{name}" for name in NAMES} == set(MOVED)


@pytest.mark.parametrize("module", NAMES)
def test_an_old_path_gives_the_new_object_and_warns(module: str) -> None:
    path = f"reasonloom.{module}"
    new, renamed = MOVED[path]
    for name in NAMES[module].split():
        with pytest.warns(DeprecationWarning, match=f"{module}.{name} is {new}"):
            old = getattr(import_module(path), name)
        assert old is getattr(import_module(new), renamed.get(name, name))


def test_no_other_module_is_made_up() -> None:
    assert find_spec("reasonloom.nodes.treesearch.none") is None
    assert find_spec("reasonloom.none") is None
    with pytest.raises(ImportError):
        exec("from reasonloom.nodes.keep import nothing")  # noqa: S102
