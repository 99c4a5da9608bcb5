"""The kinds of resources that there are: a new one is a module of its own and a word here."""

from reasonloom.server.resources import (
    basins,
    memory,
    mental_models,
    runs,
    session,
    sessions,
    thought_graph,
)
from reasonloom.server.resources.kind import Kind

KINDS: tuple[Kind, ...] = (
    session.KIND,
    thought_graph.KIND,
    mental_models.KIND,
    basins.KIND,
    sessions.KIND,
    memory.KIND,
    runs.KIND,
)
