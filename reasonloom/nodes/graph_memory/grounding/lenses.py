"""The lenses through which the language model checks a claim, as data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LENSES: Mapping[str, str] = MappingProxyType(
    {
        "clerk": "You go through the claim part by part, and for each part look for the memory "
        "that says it.",
        "opponent": "You look for the memory that makes the claim false: another figure, another "
        "name, a denial, an exception, a condition that the claim leaves out.",
        "reader": "You read the memories as their writer meant them, and ask what a careful "
        "person would conclude from them and nothing else.",
    }
)
