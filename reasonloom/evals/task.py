"""What answers the items of an eval, from a name or a function."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.tool import Tool
from reasonloom.evals.core.way import Asking, Function, Way

Task = str | Callable[[Any], Any] | Way


def way_of(task: Task | None, arguments: Mapping[str, Any]) -> tuple[Way | None, dict[str, int]]:
    """Return the way that a task names, and the version of its prompt if one is given.

    Raises:
        InvalidArgument: the task is no name, function or way, or an argument does not fit it.
    """
    if isinstance(task, str) and "/" in task:
        if idle := sorted(arguments.keys() - {"read"}):
            raise InvalidArgument(
                f"arguments: {idle[0]}: a prompt takes only read; its variables are the fields of"
                " the input",
                field="arguments",
            )
        name, sign, version = task.partition("=")
        number = version.removeprefix("v")
        if sign and not number.isdecimal():
            raise InvalidArgument(
                "task: must be a prompt as NAME or NAME=VERSION, such as own/answer=2", field="task"
            )
        return Asking(name, read=arguments.get("read", "")), {name: int(number)} if sign else {}
    if isinstance(task, str):
        return Tool(task, dict(arguments)), {}
    if arguments:
        raise InvalidArgument(
            "arguments: need a tool or a prompt as task, such as task='reasoning_linear'",
            field="arguments",
        )
    if task is None:
        return None, {}
    if hasattr(task, "opened"):
        return cast("Way", task), {}
    if not callable(task):
        raise InvalidArgument(
            "task: must be a tool such as 'reasoning_linear', a prompt such as 'own/answer', or a"
            f" function of a case's input; not {type(task).__name__}",
            field="task",
        )
    call = task
    return Function(lambda item, epoch: call(item.input), getattr(task, "__name__", "task")), {}
