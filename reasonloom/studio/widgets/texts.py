"""Texts of others, shown as they are: never as HTML, Markdown or anything that acts."""

from __future__ import annotations

from datetime import UTC, datetime

from reasonloom.studio.widgets.tag import tag

LONGEST = 20_000
"""Characters of one text on a page."""


def prose(text: str, *, longest: int = LONGEST) -> None:
    """Show a text with its line breaks; what is cut off is said."""
    tag("div", text[:longest], "studio-prose", dir="auto")
    _cut(text, longest)


def code(text: str, label: str, *, longest: int = LONGEST) -> None:
    """Show a text letter by letter in a frame that can be scrolled by keyboard."""
    tag("pre", text[:longest], "studio-code", tabindex=0, role="region", aria_label=label)
    _cut(text, longest)


def _cut(text: str, longest: int) -> None:
    if len(text) > longest:
        said = f"Cut: the first {longest:,} of {len(text):,} characters."
        tag("p", said, "studio-quiet studio-small")


def moment(at: datetime) -> str:
    """Return a time in UTC as people read it."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def short_moment(at: datetime) -> str:
    """Return a time in UTC to the minute."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"
