"""Combines the viewpoints of several judges in one language-model call."""

from collections.abc import Mapping
from typing import Any

TOGETHER = "together"
"""Lens of a task that covers all viewpoints in one call."""

MISSING = "the {lens}'s look at {what} is missing in the language model's answer"


def describe_lenses(lenses: Mapping[str, str]) -> list[dict[str, str]]:
    """Return lenses in the form that the prompts list them."""
    return [{"name": name, "view": view} for name, view in lenses.items()]


def read_views(
    reply: Mapping[str, Any] | None, lenses: Mapping[str, str]
) -> tuple[dict[str, dict[str, Any] | None], list[str]]:
    """Return the findings of each lens, None if missing, and the lenses missing from the reply.

    If a lens occurs several times, the first entry is used. Without a reply, no lens is reported as
    missing.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in reply["views"] if reply else ():
        findings = {key: value for key, value in each.items() if key != "view"}
        found.setdefault(each["view"], findings)
    missing = [name for name in lenses if reply and name not in found]
    return {name: found.get(name) for name in lenses}, missing
