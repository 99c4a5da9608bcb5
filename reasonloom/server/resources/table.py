"""The kinds of resources that there are: a new one is a module of its own and a word here."""

from reasonloom.server.resources import basins, graph, memory, model, run, session, thought
from reasonloom.server.resources.kind import Kind

KINDS: tuple[Kind, ...] = (
    session.KIND,
    graph.KIND,
    model.KIND,
    basins.KIND,
    thought.KIND,
    memory.KIND,
    run.KIND,
)
