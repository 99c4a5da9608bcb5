"""Token scopes: `read`, `write`, each for a single toolset (`read:thought`), and `metrics`."""

from collections.abc import Iterable

from reasonloom.contracts.toolsets import INVENTORY
from reasonloom.errors import InvalidArgument
from reasonloom.server.resources.kind import Kind

READ = "read"
WRITE = "write"
TOOLSETS = (*INVENTORY, "extras")
METRICS = "metrics"
"""The scope for the metrics of the whole server, which `read` does not include."""

OFFERED_SCOPES = (
    READ,
    WRITE,
    *(f"{deed}:{each}" for each in TOOLSETS for deed in (READ, WRITE)),
    METRICS,
)
"""The scopes advertised in the metadata."""


def check_scopes(scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes in order, without duplicates.

    Raises:
        InvalidArgument: `scopes` is empty, or has an unknown scope.
    """
    chosen = tuple(dict.fromkeys(scopes))
    if not chosen:
        raise InvalidArgument(f"scope: at least one of {', '.join(OFFERED_SCOPES)}", field="scope")
    for scope in chosen:
        if scope not in OFFERED_SCOPES:
            raise InvalidArgument(
                f"scope: there is no {scope[:60]}; known: {', '.join(OFFERED_SCOPES)}",
                field="scope",
            )
    return chosen


def scope_of(toolset: str, *, reads: bool) -> str:
    """Return the narrowest scope that allows a tool of `toolset`."""
    return f"{READ if reads else WRITE}:{toolset}"


def allows(scopes: Iterable[str], needed: str) -> bool:
    """Return whether scopes include `needed` or its form without a toolset."""
    held = set(scopes)
    return needed in held or needed.partition(":")[0] in held


def readable(scopes: Iterable[str] | None, kind: Kind) -> bool:
    """Return whether a kind of resource may be read; None means that no token is required.

    A kind served with any toolset has no scope of its own and requires plain `read`.
    """
    return scopes is None or allows(scopes, scope_of(kind.toolset, reads=True))
