"""What a template declares of itself, apart from its text."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

MOST_VERSIONS = 2**15 - 1
"""The highest version: a run records it in a column of two bytes."""


class FrontMatter(BaseModel):
    """What a template says of itself before its text."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    version: int = Field(ge=1, le=MOST_VERSIONS)
    variables: list[str] = Field(default_factory=list)
    output: dict[str, Any] | None = None


def next_version(text: str, version: int) -> str:
    """Return a template's text with another version in its front matter."""
    return re.sub(r"(?m)^version:.*$", f"version: {version}", text, count=1)
