"""Every graph is found by its name, in the module that says that it has it."""

from __future__ import annotations

from importlib import import_module

import pytest

from reasonloom.errors import InternalFault
from reasonloom.graphs.graph import MODULE_OF, MODULES, load_graph


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_the_graphs_that_it_is_listed_with(module: str) -> None:
    graphs = import_module(f"reasonloom.graphs.{module}").GRAPHS
    assert tuple(sorted(graphs)) == tuple(sorted(MODULES[module]))
    for name, graph in graphs.items():
        assert graph.name == name
        assert load_graph(name) is graph
        graph.build().compile()


def test_no_graph_is_in_two_modules() -> None:
    assert len(MODULE_OF) == sum(map(len, MODULES.values()))


def test_an_unknown_graph_is_a_defect() -> None:
    with pytest.raises(InternalFault):
        load_graph("nothing")
