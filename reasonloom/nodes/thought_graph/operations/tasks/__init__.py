"""The packaged tasks, by name."""

from reasonloom.errors import UnknownName
from reasonloom.nodes.thought_graph.operations.task import Task
from reasonloom.nodes.thought_graph.operations.tasks.general import GENERAL
from reasonloom.nodes.thought_graph.operations.tasks.intersection import INTERSECTION
from reasonloom.nodes.thought_graph.operations.tasks.sorting import SORTING

TASKS = {task.name: task for task in (GENERAL, SORTING, INTERSECTION)}


def task_of(name: str) -> Task:
    """Return a packaged task.

    Raises:
        UnknownName: there is no such task.
    """
    if name not in TASKS:
        raise UnknownName(f"there is no task {name}; there are {', '.join(TASKS)}", field="task")
    return TASKS[name]
