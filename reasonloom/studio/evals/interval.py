"""A mean with its interval, drawn on an axis from 0 to 1 and said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reasonloom.studio.widgets.tag import tag


def interval(name: str, score: Mapping[str, Any]) -> None:
    """Draw one score; one that leaves 0 to 1 is said alone."""
    low, high = score["interval"]
    mean = score["mean"]
    said = f"{mean:.3f} ({low:.3f} to {high:.3f}), n = {score['items']:,}"
    with tag("div", "", "studio-score"):
        tag("span", name, "studio-score-name")
        if low >= 0 and high <= 1:
            with tag("span", "", "studio-axis", aria_hidden="true"):
                wide = max(100 * (high - low), 0.6)
                tag("span", "", "studio-reach").style(f"left:{100 * low:.2f}%;width:{wide:.2f}%")
                tag("span", "", "studio-mean").style(f"left:{100 * mean:.2f}%")
        tag("span", said, "studio-number studio-small")
