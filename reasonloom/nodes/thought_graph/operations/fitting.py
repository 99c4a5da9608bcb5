"""Whether a plan asks of its task only what the task has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.thought_graph.operations.orders import JUDGE
from reasonloom.nodes.thought_graph.operations.task import Task


def require_fit(operations: Sequence[Any], task: Task) -> None:
    """Hold operations, those of repetitions too, against what the task has.

    Raises:
        UnknownName: the task has no such move or check.
        InvalidArgument: a question is asked about more or fewer thoughts than it takes; `field`
            is move or size.
    """
    for operation in operations:
        if operation.do == "repeat":
            require_fit(operation.body, task)
        elif operation.do == "aggregate":
            _require_merging(operation, task)
        elif operation.do in ("generate", "refine"):
            _require_one(operation, task)
        elif operation.do in ("score", "validate") and operation.by != JUDGE:
            task.check(operation.by)


def _require_one(operation: Any, task: Task) -> None:
    if task.move(operation.move).takes != 1:
        told = f"{operation.do} cannot use the move {operation.move}, which merges thoughts"
        raise InvalidArgument(told, field="move")


def _require_merging(operation: Any, task: Task) -> None:
    takes = task.move(operation.move).takes
    if takes == 1:
        told = f"aggregate cannot use the move {operation.move}, which takes one thought"
        raise InvalidArgument(told, field="move")
    if takes not in (None, operation.size):
        told = f"aggregate with the move {operation.move} of {task.name} must have size {takes}"
        raise InvalidArgument(told, field="size")
