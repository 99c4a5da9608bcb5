"""How large a call of each tool may be, computed from what its contract can need."""

from functools import cache
from typing import Any

from pydantic import BaseModel

from reasonloom.server.json_rpc import MAX_MESSAGE_BYTES

LEAST_BYTES = 256 * 1024
"""Bytes that a call of any tool may have."""

FREE_OBJECT_BYTES = 16 * 1024
"""Bytes of an object whose fields are the caller's own."""

CHARACTER_BYTES = 12
"""Bytes of a character that JSON writes as two escapes."""

SCALAR_BYTES = 32


@cache
def most_bytes(contract: type[BaseModel] | None) -> int:
    """Return the bytes that a call with arguments of a contract may have."""
    if contract is None:
        return LEAST_BYTES
    schema = contract.model_json_schema(by_alias=True)
    need = _need(schema, schema.get("$defs", {}), frozenset())
    return min(MAX_MESSAGE_BYTES, max(LEAST_BYTES, need + LEAST_BYTES // 4))


def _need(schema: dict[str, Any], defs: dict[str, Any], within: frozenset[str]) -> int:
    """Return the bytes of the largest value of a schema; `within` are the references followed."""
    if reference := schema.get("$ref"):
        name = str(reference).rpartition("/")[2]
        return 0 if name in within else _need(defs[name], defs, within | {name})
    for kind in ("anyOf", "oneOf"):
        if kind in schema:
            return max(_need(each, defs, within) for each in schema[kind])
    properties = schema.get("properties", {})
    sizes = {
        "string": lambda: CHARACTER_BYTES * int(schema.get("maxLength", SCALAR_BYTES)),
        "array": lambda: (
            int(schema.get("maxItems", 1)) * _need(schema.get("items", {}), defs, within)
        ),
        "object": lambda: (
            sum(len(name) + _need(properties[name], defs, within) for name in properties)
            or FREE_OBJECT_BYTES
        ),
    }
    return sizes.get(schema.get("type", ""), lambda: SCALAR_BYTES)()
