"""How a template uses its variables and which it requires, for callers that supply them."""

from collections.abc import Iterator
from enum import Enum, auto

from jinja2 import nodes

from reasonloom.prompts.template import ENVIRONMENT, PromptTemplate


def required_variables(template: PromptTemplate) -> set[str]:
    """Return the variables that a template neither tests nor iterates over.

    `{% if doubt %}` and `{% for memory in memories %}` make their variables optional.
    """
    tree = ENVIRONMENT.parse(template.body)
    return set(template.about.variables) - set(_optional(tree))


def _optional(tree: nodes.Template) -> Iterator[str]:
    places = [each.test for each in tree.find_all(nodes.If)]
    places += [each.iter for each in tree.find_all(nodes.For)]
    for place in places:
        found = [place] if isinstance(place, nodes.Name) else place.find_all(nodes.Name)
        yield from (name.name for name in found)


OF_LISTS = frozenset({
    "batch", "dictsort", "first", "groupby", "items", "join", "last", "list", "map", "max", "min",
    "random", "reject", "rejectattr", "select", "selectattr", "slice", "sort", "sum", "unique",
    "xmlattr",
})  # fmt: skip
OF_NUMBERS = frozenset(("abs", "round"))
OF_ANYTHING = frozenset(("default", "d"))
"""Jinja's filters by the type of their input; all others take texts."""

CALCULATING = (nodes.Compare, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv,
               nodes.Mod, nodes.Pow, nodes.Neg, nodes.Pos)  # fmt: skip
PASSING_ON = (nodes.And, nodes.Or, nodes.Not, nodes.CondExpr, nodes.Concat, nodes.Operand)


class Use(Enum):
    """One use of a variable."""

    PRINTED = auto()
    """It is inserted into the text."""

    TESTED = auto()
    """It is tested for presence: `{% if doubt %}`."""

    ITERATED = auto()
    """It is a list, or an object iterated by its keys."""

    ACCESSED = auto()
    """It is an object or a list, one part of which is used: `lens.name`."""

    COUNTED = auto()
    """It is used in arithmetic or compared as a number."""

    PASSED_ON = auto()
    """It is assigned to another name or passed to a function, so its type is unknown."""


def variable_uses(template: PromptTemplate) -> dict[str, set[Use]]:
    """Return the uses of each of a template's variables; an unused one has none."""
    found: dict[str, set[Use]] = {name: set() for name in template.about.variables}
    for name, use in _uses(ENVIRONMENT.parse(template.body), Use.PASSED_ON, frozenset()):
        found.get(name, set()).add(use)
    return found


def _uses(node: nodes.Node, use: Use, hidden: frozenset[str]) -> Iterator[tuple[str, Use]]:
    """Yield each name at and below `node` with its use; `use` is the use of the node itself.

    The targets of a loop shadow variables of the same name.
    """
    if isinstance(node, nodes.Name):
        if node.ctx == "load" and node.name not in hidden:
            yield node.name, use
        return
    if isinstance(node, nodes.For):
        yield from _uses(node.iter, Use.ITERATED, hidden)
        hidden |= _named(node.target)
    for field, part in node.iter_fields():
        if isinstance(node, nodes.For) and field == "iter":
            continue
        for each in part if isinstance(part, list) else [part]:
            if isinstance(each, nodes.Node):
                yield from _uses(*_below(node, field, each, use), hidden)


def _named(target: nodes.Node) -> set[str]:
    inner = {each.name for each in target.find_all(nodes.Name)}
    return inner | ({target.name} if isinstance(target, nodes.Name) else set())


def _below(node: nodes.Node, field: str, part: nodes.Node, use: Use) -> tuple[nodes.Node, Use]:
    """Return a part of a node and its use; for a call of a string method, the string."""
    if isinstance(node, nodes.Call) and field == "node" and isinstance(part, nodes.Getattr):
        return (part.node, Use.PRINTED) if hasattr(str, part.attr) else (part, use)
    return part, _use(node, field, use)


def _use(node: nodes.Node, field: str, use: Use) -> Use:
    """Return how a node uses the value of one of its fields."""
    if isinstance(node, nodes.Output):
        return Use.PRINTED
    if isinstance(node, nodes.Test) or (field == "test"):
        return Use.TESTED
    if isinstance(node, PASSING_ON):
        return use
    if isinstance(node, CALCULATING):
        return Use.PRINTED if _has_text(node) else Use.COUNTED
    return _of_one(node, use) if field == "node" else Use.PASSED_ON


def _of_one(node: nodes.Node, use: Use) -> Use:
    """Return how a node uses the value that it accesses or filters."""
    if isinstance(node, (nodes.Getattr, nodes.Getitem)):
        return Use.PRINTED if _is_slice(node) else Use.ACCESSED
    return _filtered(node.name, use) if isinstance(node, nodes.Filter) else Use.PASSED_ON


def _has_text(node: nodes.Node) -> bool:
    """Return whether a calculation or comparison contains a string constant."""
    return any(isinstance(each.value, str) for each in node.find_all(nodes.Const))


def _is_slice(node: nodes.Getattr | nodes.Getitem) -> bool:
    return isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice)


def _filtered(name: str, use: Use) -> Use:
    if name in OF_LISTS:
        return Use.ITERATED
    if name in OF_NUMBERS:
        return Use.COUNTED
    return use if name in OF_ANYTHING else Use.PRINTED
