"""Escapes text for Mermaid diagrams."""


def in_mermaid(text: str) -> str:
    """Return `text` for a quoted label: all but letters, digits and spaces become codes.

    This rules out quotes, brackets, directives, comments, markup and links; a colon would end a
    style, and `1.` would start a list.
    """
    return "".join(c if c.isalnum() or c == " " else f"#{ord(c)};" for c in text)
