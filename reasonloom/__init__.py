"""Inspectable, durable reasoning modes for agents over one shared memory.

`open` (or `open_sync`) opens the memory; every tool is a method of the `Loom` that it yields, and
`Loom.mode` returns a reasoning mode as a LangChain runnable. `reasonloom.errors` holds what is
raised, `reasonloom.models` what is returned.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from reasonloom.moved import install

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
"""onnxruntime reports each process to its maker unless this is set before it is imported."""

__all__ = ["Loom", "Mode", "SyncLoom", "open", "open_sync"]

MODULES = {
    "Loom": "library.loom",
    "Mode": "library.modes",
    "SyncLoom": "library.sync",
    "errors": "errors",
    "models": "models",
    "open": "library.loom",
    "open_sync": "library.sync",
}
"""Where the public names are; each is imported on first use, so that a server starts fast."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - reads files

        return version("reasonloom")
    if name not in MODULES:
        raise AttributeError(f"module 'reasonloom' has no attribute {name!r}")
    module = import_module(f"reasonloom.{MODULES[name]}")
    return getattr(module, name, module)


def __dir__() -> list[str]:
    return [*__all__, "errors", "models", "__version__"]


install()
