"""The sandbox of templates, which limits their access and their work.

Jinja's own sandbox limits neither repetition nor nested loops, so a faulty or malicious template
could block the process.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from math import prod
from typing import Any

from jinja2 import StrictUndefined, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MOST_WORK = 100_000_000
"""Work budget of a rendering, about one unit per character written or copied."""

STEP, CALL = 10, 500
"""Work of one loop iteration and of one call."""

LONGEST_NUMBER = 10_000
"""Maximum bits of an integer result."""

_BITS: dict[str, Callable[[int, int], int]] = {
    "*": lambda left, right: left.bit_length() + right.bit_length(),
    "**": lambda left, right: left.bit_length() * right,
}

GROWING = frozenset((
    "batch", "center", "format", "indent", "join", "replace", "slice", "tojson", "urlize",
    "wordwrap",
))  # fmt: skip
"""Filters whose result may be as long as the product of their arguments' sizes."""

TOO_WIDE = re.compile(r"%[^a-zA-Z%]*(\*|\d{5})|\{[^}]*:[^}]*(\{|\d{5})")
"""A width in a format string that has five digits or is computed."""

COUNTED, MEASURED = "_counted", "_measured"


class WorkExceeded(SecurityError):
    """A template exceeded its work budget."""

    def __init__(self) -> None:
        super().__init__("makes too much work: too many steps of loops, or too long a text")


class _Budget:
    left = MOST_WORK


_budget: ContextVar[_Budget] = ContextVar("budget")


@contextmanager
def bounded_work() -> Iterator[None]:
    """Give all rendering within the block one work budget."""
    token = _budget.set(_Budget())
    try:
        yield
    finally:
        _budget.reset(token)


def _spend(work: int) -> None:
    budget = _budget.get(None) or _Budget()
    budget.left -= work
    if budget.left < 0:
        raise WorkExceeded


def _size(value: object) -> int:
    if isinstance(value, int):
        return max(1, abs(value))
    return max(1, len(value)) if isinstance(value, Sized) else 1


def _counted(values: Iterable[Any], step: int = STEP) -> Iterator[Any]:
    for value in values:
        _spend(step)
        yield value


def _measured(value: Any) -> Any:
    if not isinstance(value, int):
        _spend(_size(value))
    return value


@pass_context
def _written(_: Context, value: Any) -> Any:
    """Charge for output; as it needs the context, Jinja never calls it while compiling."""
    return _measured(value if isinstance(value, str) else str(value))


def _spending(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    first = int(hasattr(function, "jinja_pass_arg"))

    @wraps(function)
    def spending(*args: Any, **named: Any) -> Any:
        given = [*args[first:], *named.values()]
        _spend(prod(map(_size, given)) if name in GROWING else CALL)
        if name == "format" and TOO_WIDE.search(str(given[0])):
            raise WorkExceeded
        found = function(*args, **named)
        return _counted(found) if isinstance(found, Iterator) else _measured(found)

    return spending


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which loops, calls, filters, operators and output consume work."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            optimized=False,  # constant folding would run at compile time, without a budget
            finalize=_written,
        )
        self.globals.pop("lipsum")
        self.filters = {name: _spending(name, each) for name, each in self.filters.items()}
        self.filters |= {COUNTED: _counted, MEASURED: _measured}

    def bounded(self, tree: nodes.Template) -> nodes.Template:
        """Instrument the loops and texts of a template's tree in place, and return it."""
        changed: nodes.Template = _Bounding().visit(tree)
        changed.set_environment(self)
        return changed

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Apply the operator, unless the result would be too large."""
        numbers = isinstance(left, int) and isinstance(right, int)
        if operator == "%" and isinstance(left, str) and TOO_WIDE.search(left):
            raise WorkExceeded
        if operator == "*" and not numbers and isinstance(left, Sized | int):
            _spend(_size(left) * _size(right))
        if numbers and operator in _BITS and _BITS[operator](left, right) > LONGEST_NUMBER:
            raise WorkExceeded
        return _measured(super().call_binop(context, operator, left, right))

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return the sandboxed `str.format` of a string, unless its widths are too large."""
        wrapped = super().wrap_str_format(value)
        if wrapped is not None and TOO_WIDE.search(value.__self__):
            raise WorkExceeded
        return wrapped

    def call(__self, __context: Context, __obj: Any, *args: Any, **named: Any) -> Any:  # noqa: N805
        """Charge for and make a call of a macro, a function or a method."""
        of = getattr(__obj, "__self__", None)
        is_value = isinstance(of, str | bytes | int | list | tuple | dict)
        _spend(CALL + (prod(map(_size, (of, *args, *named.values()))) if is_value else 0))
        return _measured(super().call(__context, __obj, *args, **named))


class _Bounding(NodeTransformer):
    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        self.generic_visit(node)
        node.iter = _through(COUNTED, node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:  # noqa: N802
        self.generic_visit(node)
        return _through(MEASURED, node)

    def visit_TemplateData(self, node: nodes.TemplateData) -> nodes.Const:  # noqa: N802
        """Make literal text a constant, so that it is charged like other output."""
        return nodes.Const(node.data, lineno=node.lineno)


def _through(name: str, node: nodes.Node) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
