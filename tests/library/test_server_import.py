"""Servers that read `langgraph.json` import its file in their own ways."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import get_type_hints

from reasonloom.library import langgraph_server


def test_the_file_is_imported_under_a_name_that_is_not_kept() -> None:
    assert langgraph_server.__file__
    spec = spec_from_file_location("graphs_of_a_server", langgraph_server.__file__)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.__name__ not in sys.modules
    assert get_type_hints(module.ServedState).keys() == {"messages", "arguments", "answer"}
    assert module.remember.get_input_jsonschema()
