"""How texts that callers have written are put into a Mermaid drawing."""

from __future__ import annotations


def in_mermaid(text: str) -> str:
    """Return a text for a quoted label: all but letters, digits and blanks become codes.

    So nothing of it is a quote, a bracket, a directive, a comment, markup or a link; a colon
    would end a style for Mermaid, and `1.` would begin a list.
    """
    return "".join(c if c.isalnum() or c == " " else f"#{ord(c)};" for c in text)
