"""The graph of `breakdown`: divide each level in parallel, relate the parts, answer."""

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.thinking.breakdown import Breakdown
from reasonloom.graphs.graph import Graph, by_name, wiring
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.thinking.breakdown.answer import persist_breakdown
from reasonloom.nodes.thinking.breakdown.dependencies import relate
from reasonloom.nodes.thinking.breakdown.grow import (
    dispatch_splits,
    divide_offline,
    grow,
    recall_context,
)
from reasonloom.nodes.thinking.breakdown.split import split_problem
from reasonloom.nodes.thinking.breakdown.state import BreakdownState, SplitTask

LEVEL = ["split_problem", "relate"]


def _first_level(state: BreakdownState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Divide the whole problem with the language model, or else by its wording."""
    return "divide" if runtime.context.loom.llm.offline else _next_level(state)


def _next_level(state: BreakdownState) -> list[Send] | str:
    """Divide all problems of the next level in parallel; without any, relate the branches."""
    return dispatch_splits(state) or "relate"


GRAPHS = by_name(
    Graph(
        "breakdown",
        1,
        wiring(
            BreakdownState,
            {
                "recall_context": recall_context,
                "split_problem": split_problem,
                "grow": grow,
                "divide": divide_offline,
                "relate": relate,
                "keep_breakdown": persist_breakdown,
            },
            routes={
                "recall_context": (_first_level, ["divide", *LEVEL]),
                "grow": (_next_level, LEVEL),
            },
            inputs={"split_problem": SplitTask},
        ),
        saved=True,
        rounds=lambda request: Breakdown.model_validate(request).max_depth + 1,
        writes=True,
        components=(
            "problemDecomposer", "dependencyMapper", "executionPlanner", "memoryRepository",
        ),
        of_llm=("languageModel",),
        more_steps=lambda request: None,
        words={
            "split_problem": "divide a problem",
            "grow": "take up the parts",
            "divide": "divide by words",
            "relate": "find dependencies",
        },
    )
)  # fmt: skip
"""The problems of a level are parallel tasks of one step; after a kill, they are divided again from
their recorded replies."""
