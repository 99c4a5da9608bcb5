"""Earlier place of `reasonloom.library.langgraph_server`, for references in a `langgraph.json`."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("reasonloom.library.langgraph_server"), name)
