"""The kinds of resources that there are: a new one is a module of its own and a word here."""

from reasonloom.server.resources import graph, session
from reasonloom.server.resources.kind import Kind

KINDS: tuple[Kind, ...] = (session.KIND, graph.KIND)
