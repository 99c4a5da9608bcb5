"""Answers `stats`: what is kept of past conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom import __version__
from reasonloom.contracts.history import HistoryCounted
from reasonloom.nodes.history.dates import months
from reasonloom.nodes.history.fitting import fitted
from reasonloom.nodes.history.history_list_projects import MORE, as_told, counted
from reasonloom.stores.history import chunk_lists

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState

TOTALS = """reasonloom v{version}

Memory Statistics:
- Chunks: {chunks}
- Edges: {edges}
- Clusters: {clusters}"""


async def history_stats(
    state: ToolState,
    runtime: Runtime[Execution],
) -> dict[str, Any]:
    """Return how many chunks, edges and clusters there are, and each project's chunks."""
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        found = await chunk_lists.projects(tx)
        edges, clusters = await chunk_lists.edges(tx), await chunk_lists.clusters(tx)
    chunks = sum(each.chunks for each in found)
    text = TOTALS.format(version=__version__, chunks=chunks, edges=edges, clusters=clusters)
    if found:
        budget = execution.loom.settings.max_response_tokens
        lines = [
            f"- {each.slug}: {counted(each)} ({months(each.first, each.last)})" for each in found
        ]
        text, _ = fitted(f"{text}\n\nProjects:", lines, budget, MORE)
    answer = HistoryCounted(
        text=text,
        version=__version__,
        chunks=chunks,
        edges=edges,
        clusters=clusters,
        projects=[as_told(each) for each in found],
    )
    return {"answer": answer.wire(), "notes": []}
