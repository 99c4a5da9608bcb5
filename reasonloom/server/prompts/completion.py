"""Completes prompt arguments with known values and the caller's ids.

An argument of a user's prompt with the name of a tool's argument is completed with that
argument's values; one named `session_id`, `run_id` and so on with the ids of the caller's
resources.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp_types import Completion

from reasonloom.contracts.caller import Caller
from reasonloom.server.resource_index import ARGUMENT, ResourceIndex
from reasonloom.server.resources.kind import SCHEME

MAX_VALUES = 100
"""Maximum values in one answer, the protocol's limit."""

ID_SUFFIX = "_id"


def completion(values: Iterable[str]) -> Completion:
    """Return the first distinct values with their total count."""
    found = list(dict.fromkeys(values))
    return Completion(values=found[:MAX_VALUES], total=len(found), has_more=len(found) > MAX_VALUES)


async def complete_prompt(
    prompt: str,
    argument: str,
    begun: str,
    *,
    given: Mapping[str, str],
    schemas: Iterable[Mapping[str, Any]],
    index: ResourceIndex,
    caller: Caller,
) -> list[str]:
    """Return values for a prompt argument whose value or label starts with `begun`.

    `given` are the arguments already filled in, `schemas` the argument schemas of served tools.

    Raises:
        ResourceError: the database is unavailable.
    """
    from reasonloom.server.prompts.values import Offer, values_of  # noqa: PLC0415 - tools come first

    offers = values_of(prompt, argument, given)
    if not offers and argument.endswith(ID_SUFFIX):
        return await _own_ids(argument.removesuffix(ID_SUFFIX), begun, index, caller)
    offers = offers or [Offer(each, each) for each in _argument_values(argument, schemas)]
    wanted = begun.casefold()
    return [
        each.value
        for each in offers
        if each.value.casefold().startswith(wanted) or each.label.casefold().startswith(wanted)
    ]


async def _own_ids(kind: str, begun: str, index: ResourceIndex, caller: Caller) -> list[str]:
    """Return ids of the caller's resources of a kind; none if the kind is not served."""
    try:
        return await index.complete(f"{SCHEME}://{kind}/{{id}}", ARGUMENT, begun, caller)
    except ResourceNotFoundError:
        return []


def _argument_values(argument: str, schemas: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the allowed values of tool arguments with this name."""
    found = (schema.get("properties", {}).get(argument, {}) for schema in schemas)
    return list(dict.fromkeys(value for each in found for value in _choices(each)))


def _choices(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the strings that a schema allows as a value or an item."""
    yield from (each for each in schema.get("enum", ()) if isinstance(each, str))
    if isinstance(schema.get("const"), str):
        yield schema["const"]
    for part in (*schema.get("anyOf", ()), schema.get("items")):
        if isinstance(part, dict):
            yield from _choices(part)
