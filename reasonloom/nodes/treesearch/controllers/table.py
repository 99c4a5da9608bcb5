"""Every controller by the name that the settings give it."""

from __future__ import annotations

from reasonloom.nodes.treesearch.controllers.beam import beam
from reasonloom.nodes.treesearch.controllers.best_first import best_first
from reasonloom.nodes.treesearch.controllers.depth_first import depth_first
from reasonloom.nodes.treesearch.controllers.greedy import greedy
from reasonloom.nodes.treesearch.controllers.protocol import Controller
from reasonloom.nodes.treesearch.controllers.uct import uct

CONTROLLERS: dict[str, Controller] = {
    "greedy": greedy,
    "beam": beam,
    "depth_first": depth_first,
    "best_first": best_first,
    "uct": uct,
}
