"""The kinds of resources that there are: a new one is a module of its own and a word here."""

from reasonloom.server.resources import memory, mental_models, runs, sessions, thought_graph
from reasonloom.server.resources.kind import Kind

KINDS: tuple[Kind, ...] = (
    sessions.SESSION,
    thought_graph.GRAPH,
    mental_models.MODEL,
    mental_models.BASINS,
    sessions.THOUGHT,
    memory.MEMORY,
    runs.RUN,
)
