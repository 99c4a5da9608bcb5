"""One call of a language model that takes the viewpoints of several judges."""

from collections.abc import Mapping
from typing import Any

TOGETHER = "together"
"""The lens of a task that takes all viewpoints in one call."""

MISSING = "the {lens}'s look at {what} is missing in the language model's answer"


def describe_lenses(lenses: Mapping[str, str]) -> list[dict[str, str]]:
    """Return lenses as the prompts of viewpoints list them."""
    return [{"name": name, "view": view} for name, view in lenses.items()]


def read_views(
    reply: Mapping[str, Any] | None, lenses: Mapping[str, str]
) -> tuple[dict[str, dict[str, Any] | None], list[str]]:
    """Return what each lens found, None where it is missing, and the lenses a reply lacks.

    The first of several findings of one lens counts. Without a reply none is called missing.
    """
    found: dict[str, dict[str, Any]] = {}
    for each in reply["views"] if reply else ():
        findings = {key: value for key, value in each.items() if key != "view"}
        found.setdefault(each["view"], findings)
    missing = [name for name in lenses if reply and name not in found]
    return {name: found.get(name) for name in lenses}, missing
