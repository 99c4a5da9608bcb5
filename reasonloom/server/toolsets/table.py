"""All toolsets, in listing order."""

from reasonloom.server.toolsets import (
    extras,
    graph_memory,
    history,
    mental_models,
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
EXTRA_TOOLSETS: tuple[Toolset, ...] = (extras.TOOLSET, extras.REASONING, extras.MENTAL_MODELS)
"""Toolsets without a reference, served only if they or their tools are named."""
