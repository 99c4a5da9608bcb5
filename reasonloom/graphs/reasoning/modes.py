"""The graphs of the reasoning modes: linear, tree, divergent, reflection, backtracking."""

from typing import Any

from langgraph.types import Send

from reasonloom.contracts.reasoning.divergent import ReasoningDivergent
from reasonloom.contracts.reasoning.linear import ReasoningLinear
from reasonloom.contracts.reasoning.reflection import ReflectionWithQuestion
from reasonloom.contracts.reasoning.tree import ReasoningTree
from reasonloom.graphs.graph import Graph, by_name, wiring
from reasonloom.nodes.reasoning.attempts import MOST_ATTEMPTS
from reasonloom.nodes.reasoning.backtrack import (
    BacktrackState,
    explore_direction,
    find_checkpoint,
    is_explored,
    restore_state,
)
from reasonloom.nodes.reasoning.context import recall_node
from reasonloom.nodes.reasoning.divergent.persist import persist_perspectives
from reasonloom.nodes.reasoning.divergent.perspectives import take_perspective
from reasonloom.nodes.reasoning.divergent.steps import (
    DivergentState,
    after_synthesis,
    perspective_tasks,
    synthesise,
)
from reasonloom.nodes.reasoning.linear import (
    LinearState,
    continue_thought,
    is_sure_enough,
    persist_thought,
)
from reasonloom.nodes.reasoning.reflection.persist import persist_reflection
from reasonloom.nodes.reasoning.reflection.steps import (
    ReflectionState,
    compare,
    criticise,
    find_answer,
    is_stopped,
    revise,
)
from reasonloom.nodes.reasoning.tree.explore import absorb_results, explore_branch, judge_branches
from reasonloom.nodes.reasoning.tree.persist import persist_tree
from reasonloom.nodes.reasoning.tree.propose import BALLOTS, propose_approaches
from reasonloom.nodes.reasoning.tree.recommend import recommend
from reasonloom.nodes.reasoning.tree.state import TreeState, TreeTask, is_enough, tasks

LINEAR = Graph(
    "linear",
    2,
    wiring(
        LinearState,
        {
            "recall_context": recall_node(ReasoningLinear),
            "continue_thought": continue_thought,
            "keep_thought": persist_thought,
        },
        routes={
            "continue_thought": (
                is_sure_enough, {True: "keep_thought", False: "continue_thought"},
            )
        },
    ),
    saved=True,
    rounds=lambda request: MOST_ATTEMPTS,
    writes=True,
)  # fmt: skip

TREE_NODES = {"sample": "explore_branch", "vote": "judge_branches"}


def _dispatch_orders(state: TreeState) -> list[Send] | str:
    """Send each order of the search to a task of its own; without orders, go to `recommend`."""
    sent = [Send(TREE_NODES[task["order"]["kind"]], task) for task in tasks(state)]
    return sent or "recommend"


def _after_recommending(state: TreeState) -> list[Send] | str:
    """Dispatch further orders, persist a sufficient result, or start another attempt."""
    if tasks(state):
        return _dispatch_orders(state)
    return "keep_tree" if is_enough(state) else "propose_approaches"


def _steps_of_tree(request: dict[str, Any]) -> int:
    """Return the additional steps: one per approach and per ballot, and a second `take_in`."""
    branches = ReasoningTree.model_validate(request).max_branches
    return branches - 1 + min(BALLOTS, branches)


TREE = Graph(
    "tree",
    1,
    wiring(
        TreeState,
        {
            "gather_context": recall_node(ReasoningTree, "place"),
            "propose_approaches": propose_approaches,
            "explore_branch": explore_branch,
            "judge_branches": judge_branches,
            "take_in": absorb_results,
            "recommend": recommend,
            "keep_tree": persist_tree,
        },
        routes={
            "propose_approaches": (_dispatch_orders, ["explore_branch", "recommend"]),
            "explore_branch": "take_in",
            "take_in": (_dispatch_orders, [*TREE_NODES.values(), "recommend"]),
            "recommend": (
                _after_recommending, ["explore_branch", "propose_approaches", "keep_tree"],
            ),
        },
        inputs=dict.fromkeys(TREE_NODES.values(), TreeTask),
    ),
    saved=True,
    rounds=lambda request: 4,
    writes=True,
    more_steps=_steps_of_tree,
    words={"take_in": "read the replies"},
)  # fmt: skip

DIVERGENT = Graph(
    "divergent",
    1,
    wiring(
        DivergentState,
        {
            "recall_context": recall_node(ReasoningDivergent, attempts=[]),
            "take_perspective": take_perspective,
            "synthesise": synthesise,
            "keep_perspectives": persist_perspectives,
        },
        routes={
            "recall_context": (perspective_tasks, ["take_perspective"]),
            "synthesise": (
                after_synthesis, ["take_perspective", "synthesise", "keep_perspectives"],
            ),
        },
    ),
    saved=True,
    rounds=lambda request: 3 if request.get("constraints") else 2,
    writes=True,
    more_steps=lambda request: ReasoningDivergent.model_validate(request).num_perspectives,
)  # fmt: skip
"""The perspectives and the plain answer are parallel tasks of one step; after a kill, they are run
again from their recorded replies."""

ROUND = 3
"""Steps of one round of reflection: criticise, revise, compare."""


def _steps_of_reflection(request: dict[str, Any]) -> int:
    """Return the additional steps if every round runs; many runs stop earlier."""
    return (ReflectionWithQuestion.model_validate(request).max_iterations - 1) * ROUND


REFLECTION = Graph(
    "reflection",
    1,
    wiring(
        ReflectionState,
        {
            "find_answer": find_answer,
            "criticise": criticise,
            "revise": revise,
            "compare": compare,
            "keep_reflection": persist_reflection,
        },
        routes={
            step: (is_stopped, {True: "keep_reflection", False: following})
            for step, following in (
                ("criticise", "revise"), ("revise", "compare"), ("compare", "criticise"),
            )
        },
    ),
    saved=True,
    rounds=lambda request: 3 + _steps_of_reflection(request),
    writes=True,
    more_steps=_steps_of_reflection,
)  # fmt: skip

BACKTRACK_ROUTE = (is_explored, {True: "restore_state", False: "explore_direction"})
BACKTRACK = Graph(
    "backtrack",
    1,
    wiring(
        BacktrackState,
        {
            "find_checkpoint": find_checkpoint,
            "explore_direction": explore_direction,
            "restore_state": restore_state,
        },
        routes={"find_checkpoint": BACKTRACK_ROUTE, "explore_direction": BACKTRACK_ROUTE},
    ),
    saved=True,
    rounds=lambda request: 1,
    writes=True,
    more_steps=lambda request: 0 if request.get("new_direction") else -1,
)

GRAPHS = by_name(LINEAR, TREE, DIVERGENT, REFLECTION, BACKTRACK)
