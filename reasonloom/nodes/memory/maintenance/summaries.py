"""Memories in short, for pages and previews."""

from __future__ import annotations

from typing import Any

from reasonloom.stores.memory.statistics import EXCERPT, Summary


def shortened(content: str, most: int = EXCERPT) -> str:
    """Return the beginning of a content on one line; what is cut ends in an ellipsis."""
    line = " ".join(content.split())
    return line if len(content) <= most else f"{line[:most]}…"


def fields_of(summary: Summary) -> dict[str, Any]:
    """Return what every short form of a memory tells."""
    return {
        "id": f"mem-{summary.id}",
        "excerpt": shortened(summary.excerpt),
        "primary_sector": summary.sector,
        "created_at": summary.created_at.isoformat(),
        "strength": summary.strength,
        "tokens": summary.token_count,
    }
