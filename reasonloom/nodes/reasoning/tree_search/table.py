"""Every controller by the name that the settings give it."""

from __future__ import annotations

from reasonloom.nodes.reasoning.tree_search.beam import beam
from reasonloom.nodes.reasoning.tree_search.best_first import best_first
from reasonloom.nodes.reasoning.tree_search.controllers import uct
from reasonloom.nodes.reasoning.tree_search.depth_first import depth_first
from reasonloom.nodes.reasoning.tree_search.greedy import greedy
from reasonloom.nodes.reasoning.tree_search.protocol import Controller

CONTROLLERS: dict[str, Controller] = {
    "greedy": greedy,
    "beam": beam,
    "depth_first": depth_first,
    "best_first": best_first,
    "uct": uct,
}
