"""LangGraph's store interface on the memory: values under a namespace and a key."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from reasonloom.contracts.validation import text_faults
from reasonloom.errors import InvalidArgument
from reasonloom.library.tool_calls import ToolCalls
from reasonloom.nodes.memory.items import run_operations
from reasonloom.stores.memory.items import OPERATORS

MOST_BYTES = 1_000
"""Bytes of a namespace and a key together."""

MOST_CHARACTERS = 10_000_000
"""Characters of a value as JSON."""

MOST_MINUTES = 525_600_000
"""Minutes of a time to live: a thousand years."""

LARGEST = 2**31 - 1
NAMESPACE = (
    "must be a tuple of strings that are not empty and have no period, such as "
    "('users', 'anna'); an item's has at least one, and its first is not 'langgraph'"
)
JSON_OBJECT = 'must be an object of JSON values, such as {"diet": "vegan"}'
FILTER = 'must be a dict of fields, such as {"kind": "note", "stars": {"$gte": 4}}'


class InvalidNamespace(InvalidArgument, InvalidNamespaceError):
    """A namespace that is no tuple of labels; also the error that LangGraph raises for it."""


@contextmanager
def _names(field: str) -> Iterator[None]:
    """Raise LangGraph's error on a namespace as ours, which names the argument."""
    try:
        yield
    except InvalidNamespace:
        raise
    except InvalidNamespaceError:
        raise InvalidNamespace(f"{field}: {NAMESPACE}", field=field) from None


@asynccontextmanager
async def _names_awaited(field: str) -> AsyncIterator[None]:
    with _names(field):
        yield


class Store(BaseStore):
    """Values under a namespace and a key, for LangGraph's graphs and agents.

    An item is also a memory of the loom's user, unless stored with `index=False`: `search` with a
    query and `recall` find it by its text. The async methods run in the loom's event loop, the
    others in any other thread.

    Attributes:
        ttl_config: `default_ttl` in minutes for new items, and `refresh_on_read`; None sets none.
    """

    supports_ttl = True

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls
        self.ttl_config: TTLConfig | None = None

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in one transaction; return their results, in order.

        Raises:
            InvalidArgument: an operation is malformed; nothing is stored.
            EmbedderUnavailable: a search has a query, and the embedder is unavailable.
        """
        given = list(ops)
        operations = [
            _checked(op, f"ops.{place}." if len(given) > 1 else "")
            for place, op in enumerate(given)
        ]
        return await self._calls.with_loom(
            lambda loom, caller: run_operations(loom, caller, operations)
        )

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations from another thread than the loom's (see `abatch`)."""
        return self._calls.wait_for(self.abatch(ops))

    get = _names("namespace")(BaseStore.get)
    aget = _names_awaited("namespace")(BaseStore.aget)
    put = _names("namespace")(BaseStore.put)
    aput = _names_awaited("namespace")(BaseStore.aput)
    delete = _names("namespace")(BaseStore.delete)
    adelete = _names_awaited("namespace")(BaseStore.adelete)
    search = _names("namespace_prefix")(BaseStore.search)
    asearch = _names_awaited("namespace_prefix")(BaseStore.asearch)
    list_namespaces = _names("prefix")(BaseStore.list_namespaces)
    alist_namespaces = _names_awaited("prefix")(BaseStore.alist_namespaces)


def _checked(op: Op, at: str) -> Op:
    """Return an operation with its values as JSON has them; `at` leads to its fields.

    Raises:
        InvalidArgument: a field is malformed.
    """
    match op:
        case GetOp():
            _check_place(op.namespace, op.key, at)
        case PutOp():
            _check_place(op.namespace, op.key, at, item=op.value is not None)
            return op if op.value is None else _checked_put(op, at)
        case SearchOp():
            _check_namespace(op.namespace_prefix, f"{at}namespace_prefix")
            _check_page(op, at)
            if op.query is not None and not isinstance(op.query, str):
                raise _refused(f"{at}query", 'must be a text, such as "Who must avoid nuts?"')
            _check_text(op.query, f"{at}query")
            return op._replace(filter=_filter(op.filter, f"{at}filter"))
        case ListNamespacesOp():
            for each in op.match_conditions or ():
                if each.match_type not in ("prefix", "suffix"):
                    raise _refused(f"{at}match_type", "must be 'prefix' or 'suffix'")
                _check_namespace(each.path, at + each.match_type)
            _check_page(op, at)
            if op.max_depth is not None:
                _check_whole(op.max_depth, f"{at}max_depth", least=1)
        case _:
            raise _refused(at.rstrip(".") or "ops", "must be an operation, such as GetOp")
    return op


def _checked_put(op: PutOp, at: str) -> PutOp:
    if not isinstance(op.value, Mapping):
        raise _refused(f"{at}value", f"{JSON_OBJECT}; not {type(op.value).__name__}")
    _check_text(op.value, f"{at}value")
    value = _json(op.value, f"{at}value")
    try:
        size = len(json.dumps(value))
    except ValueError:  # a whole number of thousands of digits
        raise _refused(f"{at}value", JSON_OBJECT) from None
    if size > MOST_CHARACTERS:
        raise _refused(f"{at}value", f"may have at most {MOST_CHARACTERS:,} characters as JSON")
    if op.index not in (None, False) and not (
        isinstance(op.index, list) and all(isinstance(each, str) and each for each in op.index)
    ):
        raise _refused(f"{at}index", 'must be False or a list of paths, such as ["text"]')
    if op.ttl is not None and not _is_within(op.ttl, least=0, most=MOST_MINUTES):
        raise _refused(
            f"{at}ttl", f"must be a number of minutes from 0 to {MOST_MINUTES:,}, such as 60"
        )
    return op._replace(value=value)


def _check_place(namespace: object, key: object, at: str, *, item: bool = False) -> None:
    _check_namespace(namespace, f"{at}namespace", least=int(item))
    if not isinstance(key, str):
        raise _refused(f"{at}key", f'must be a text, such as "diet"; not {type(key).__name__}')
    _check_text(key, f"{at}key")
    labels = namespace if isinstance(namespace, tuple) else ()
    if sum(len(part.encode()) for part in (*labels, key)) > MOST_BYTES:
        raise _refused(
            f"{at}key", f"may have at most {MOST_BYTES:,} bytes together with the namespace"
        )


def _check_namespace(namespace: object, field: str, *, least: int = 0) -> None:
    if not isinstance(namespace, tuple) or len(namespace) < least:
        raise InvalidNamespace(f"{field}: {NAMESPACE}; not {type(namespace).__name__}", field=field)
    with _names(field):
        validate_op_namespace(GetOp(namespace, ""))
    _check_text(namespace, field)


def _check_text(value: object, field: str) -> None:
    for path, fault in text_faults({field: value}, ()):
        raise InvalidArgument(f"{path}: {fault}", field=path, kind="text")


def _check_page(op: SearchOp | ListNamespacesOp, at: str) -> None:
    _check_whole(op.limit, f"{at}limit")
    _check_whole(op.offset, f"{at}offset")


def _check_whole(value: object, field: str, *, least: int = 0) -> None:
    if not isinstance(value, int) or not _is_within(value, least=least, most=LARGEST):
        raise _refused(field, f"must be a whole number from {least} to {LARGEST:,}, such as 10")


def _is_within(value: object, *, least: int, most: int) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return least <= value <= most  # which NaN is not


def _filter(given: object, field: str) -> dict[str, Any] | None:
    """Return a filter with its values as JSON has them."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise _refused(field, FILTER)
    _check_text(given, field)
    wanted: dict[str, Any] = _json(given, field)
    for name, condition in wanted.items():
        if isinstance(condition, dict):
            _check_operators(condition, f"{field}.{name}")
    return wanted


def _check_operators(condition: dict[str, Any], field: str) -> None:
    unknown = next((each for each in condition if each not in OPERATORS), None)
    if unknown is not None or not condition:
        named = f"{field}.{unknown}" if unknown else field
        known = ", ".join(OPERATORS)
        raise _refused(named, f'must be an operator of {known}, such as {{"$gte": 4}}')
    for operator, value in condition.items():
        ordered = isinstance(value, int | float | str) and not isinstance(value, bool)
        if operator not in ("$eq", "$ne") and not ordered:
            raise _refused(f"{field}.{operator}", "must be a number or a text, such as 4")


def _json(value: Any, field: str) -> Any:
    """Return a value with lists for tuples.

    Raises:
        InvalidArgument: it is not JSON.
    """
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise _refused(field, f"must have texts as names; not {type(name).__name__}")
        return {name: _json(each, f"{field}.{name}") for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json(each, f"{field}.{place}") for place, each in enumerate(value)]
    if value is None or isinstance(value, str | int | float):
        return value
    raise _refused(field, f"must be JSON, such as a text or a number; not {type(value).__name__}")


def _refused(field: str, form: str) -> InvalidArgument:
    return InvalidArgument(f"{field}: {form}", field=field)
