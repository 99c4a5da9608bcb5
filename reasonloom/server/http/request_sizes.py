"""Computes the maximum size of each tool's calls from its contract."""

from functools import cache
from typing import Any

from pydantic import BaseModel

from reasonloom.server.json_rpc import MAX_MESSAGE_BYTES

LEAST_BYTES = 256 * 1024
"""Bytes allowed for a call of any tool."""

FREE_OBJECT_BYTES = 16 * 1024
"""Bytes allowed for an object without defined properties."""

CHARACTER_BYTES = 12
"""Bytes of a character that JSON encodes as two escapes."""

SCALAR_BYTES = 32


@cache
def most_bytes(contract: type[BaseModel] | None) -> int:
    """Return the maximum bytes of a call with arguments of a contract."""
    if contract is None:
        return LEAST_BYTES
    schema = contract.model_json_schema(by_alias=True)
    need = _need(schema, schema.get("$defs", {}), frozenset())
    return min(MAX_MESSAGE_BYTES, max(LEAST_BYTES, need + LEAST_BYTES // 4))


def _need(schema: dict[str, Any], defs: dict[str, Any], within: frozenset[str]) -> int:
    """Return the bytes of a schema's largest value; `within` are the references being followed."""
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
