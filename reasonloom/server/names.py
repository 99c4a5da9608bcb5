"""Known names: MCP's methods, and the closest match for a name that is unknown."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from reasonloom.errors import SettingMistake

METHODS = frozenset({
    "initialize", "ping", "completion/complete", "logging/setLevel", "prompts/get", "prompts/list",
    "resources/list", "resources/read", "resources/templates/list", "resources/subscribe",
    "resources/unsubscribe", "tools/call", "tools/list", "server/discover",
    "notifications/initialized", "notifications/cancelled", "notifications/progress",
    "notifications/roots/list_changed", "subscriptions/listen",
})  # fmt: skip
"""The methods of MCP that are named in logs and spans."""

OTHER = "other"
"""What logs and spans call a name that a client chose."""


def known_name(name: str, names: Iterable[str], variable: str) -> str:
    """Return `name` if it is among `names`.

    Raises:
        SettingMistake: it is not.
    """
    all_names = list(names)
    if name in all_names:
        return name
    near = get_close_matches(name, all_names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(all_names)}"
    raise SettingMistake(f"{variable}: there is no {name}; {hint}", field=variable)


MAX_NAME = 100


def truncated_name(name: str) -> str:
    """Return a name, truncated and encodable, for an error message."""
    return name[:MAX_NAME].encode(errors="replace").decode()


def unknown_argument(name: str, known: Collection[str]) -> str:
    """Return the error message for an unknown argument."""
    takes = f"the arguments are {', '.join(known)}" if known else "it takes none"
    return f"{truncated_name(name)}: unknown argument; {takes}"
