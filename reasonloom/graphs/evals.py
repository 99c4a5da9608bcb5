"""The graph of `eval_compare`; evals are a layer above, so they are imported at the first call."""

from importlib import import_module
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.graphs.graph import by_name, one_node
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.state import ToolState

COMPARING = "reasonloom.evals.reporting.compare_tool"


async def eval_compare(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the comparison of two saved eval runs."""
    answer: dict[str, Any] = await import_module(COMPARING).answer(runtime.context)
    return answer


GRAPHS = by_name(one_node("eval_compare", eval_compare))
