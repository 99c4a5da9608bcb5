"""Finds the session that a new one goes on from: by what it says, by content, and by time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from reasonloom.nodes.history.gist import said_in
from reasonloom.stores.history.chunk_links import Ended, Facts, NewEdge
from reasonloom.stores.history.rare_words import Sharing

LOOKED = 8
"""Sessions before that are looked at."""

HOURS = 12.0
"""A session that begins so soon after the last one may go on with it, whatever it says."""

SOON, SAID, MATTER = 0.3, 0.3, 0.5
"""What speaks for it, each at most: time, words of continuation, and matter that both share."""

LEAST = 0.1
OPENING = 2
"""Passages of a session in which it says that it goes on."""

GOES_ON = re.compile(
    r"\b(?:where we (?:left|stopped|were)|left off|pick(?:ing)? (?:\w+ )?up|carry(?:ing)? on|"
    r"continu\w+|resum\w+|go(?:ing)? on with|back to|again|yesterday|last time|still|"
    r"weiter\w*|fortsetz\w+|zurück zu\w*|gestern|letztes Mal|"
    r"repren\w+|on en était|reven\w+|hier|la dernière fois|poursui\w+|"
    r"segui\w+|sigamos|retom\w+|volv\w+|ayer|la última vez|donde (?:lo )?dejamos|"
    r"riprend\w+|ieri|verder|gisteren|ontem|vamos continuar|продолж\w+|вчера|верн\w+)\b|"
    r"続き|続け|昨日|前回|先日|继续|昨天|上次|계속|어제",
    re.IGNORECASE,
)


def continuation(
    first: Facts, before: Sequence[Ended], alike: Sequence[Sharing], whole: float
) -> NewEdge | None:
    """Return the edge from the session that the new one goes on from, None where nothing says so.

    Args:
        first: the new session's first chunk.
        before: the sessions before it, the latest first.
        alike: chunks that share words with the first.
        whole: what the words of the first weigh together.
    """
    opening = "\n".join(said_in(first.content)[:OPENING])
    says = GOES_ON.search(opening)
    shares = {each.id: each.shared / whole for each in alike} if whole else {}
    best: tuple[float, int, str] | None = None
    for place, ended in enumerate(before[:LOOKED]):
        soon = _soon(first.started_at, ended.ended) if place == 0 else 0.0
        matter = MATTER * shares.get(ended.id, 0.0)
        weight = soon + matter + (SAID if says and (matter or place == 0) else 0.0)
        if weight >= LEAST and (best is None or weight > best[0]):
            best = weight, ended.id, _said(soon, says.group() if says else None)
    if best is None:
        return None
    weight, source, reason = best
    return NewEdge(source, first.id, "temporal_next", min(1.0, weight), "continuation", reason)


def _soon(began: datetime | None, ended: datetime) -> float:
    """Return what the time between two sessions says for one going on with the other."""
    if began is None:
        return 0.0
    hours = (began - ended).total_seconds() / 3600
    return SOON * (1 - hours / HOURS) if 0 <= hours < HOURS else 0.0


def _said(soon: float, says: str | None) -> str:
    if says:
        return f"the next session says “{' '.join(says.split())}”"
    return "the next session follows within hours" if soon else "the next session takes it up"
