"""Names the nodes of an answer that read like an attempt to steer whoever reads them."""

from __future__ import annotations

from collections.abc import Iterable

from reasonloom.contracts.graph_memory.shared import MemoryNode
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.injection.suspicion_said import suspected


def warned(execution: Execution, nodes: Iterable[MemoryNode]) -> list[str]:
    """Return the note on suspicious nodes, none where there are none or the setting is off."""
    if not execution.loom.settings.suspicion:
        return []
    return suspected({str(node.node_id): node.content for node in nodes})
