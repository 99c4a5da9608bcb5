"""Says of an argument that it is none of those that are taken."""

from __future__ import annotations

from collections.abc import Collection

LONGEST = 100


def shown(name: str) -> str:
    """Return a name as an error may repeat it."""
    return name[:LONGEST].encode(errors="replace").decode()


def unknown_argument(name: str, known: Collection[str]) -> str:
    """Return what is wrong with a name that is none of the known ones."""
    takes = f"the arguments are {', '.join(known)}" if known else "it takes none"
    return f"{shown(name)}: unknown argument; {takes}"
