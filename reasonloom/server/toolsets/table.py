"""All toolsets, in listing order."""

from reasonloom.server.toolsets import (
    extras,
    graph_memory,
    history,
    mental_models,
    modes,
    reasoning,
    thought,
)
from reasonloom.server.toolsets.toolset import Toolset

TOOLSETS: tuple[Toolset, ...] = (
    thought.TOOLSET,
    reasoning.TOOLSET,
    graph_memory.TOOLSET,
    history.TOOLSET,
    mental_models.TOOLSET,
)
EXTRA_TOOLSETS: tuple[Toolset, ...] = (
    modes.TOOLSET, extras.TOOLSET, extras.REASONING, extras.MENTAL_MODELS,
)  # fmt: skip
"""Toolsets without a reference; but for `reason`, they are served only if they or their tools are
named."""
