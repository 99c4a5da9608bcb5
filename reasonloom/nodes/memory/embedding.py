"""Five views of one memory: what each sector would ask about, in words of its own.

The plain content answers what; the others add when, where and with whom, the steps, what
is felt, and what follows, as far as the memory itself tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from reasonloom.contracts.memory.tools import SECTORS, Sector

SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
STEP = re.compile(
    r"^\s*(?:\d+[.)]|[-*•])|\b(?:first|then|next|after|before|finally|step|use|run|open|click|"
    r"install|set|press|how to)\b",
    re.IGNORECASE,
)
FEELING = re.compile(
    r"\b(?:feel\w*|felt|love\w*|hate\w*|happy|sad|angry|afraid|fear\w*|worr\w+|excit\w+|proud|"
    r"asham\w+|guilt\w*|grateful|thank\w*|enjoy\w*|like[sd]?|dislike\w*|prefer\w*|miss\w*|"
    r"hope\w*|upset|stress\w*|anxious|glad)\b|[!😀-🙏❤]",
    re.IGNORECASE,
)
CONCLUSION = re.compile(
    r"\b(?:because|therefore|so that|thus|hence|means|learned|realised|realized|conclud\w+|"
    r"decid\w+|should|must|lesson|insight|why|pattern|usually|always|never)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Viewed:
    """What the views are made of."""

    content: str
    created_at: datetime
    session: str | None = None
    context: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None


def views(memory: Viewed) -> dict[Sector, str]:
    """Return the text of each sector's view; one that adds nothing is the plain content."""
    content = memory.content
    when = memory.created_at.strftime("%A %d %B %Y")
    circumstances = ", ".join(filter(None, (when, memory.context, *memory.tags)))
    reflective = _sentences(content, CONCLUSION)
    added: dict[Sector, str] = {
        "episodic": f"{circumstances}: {content}",
        "semantic": content,
        "procedural": _sentences(content, STEP) or content,
        "emotional": _sentences(content, FEELING) or content,
        "reflective": f"{memory.category}: {reflective}"
        if memory.category and reflective
        else reflective or content,
    }
    return {sector: added[sector] for sector in SECTORS}


def _sentences(content: str, wanted: re.Pattern[str]) -> str:
    """Return the sentences in which `wanted` occurs, in their order."""
    return " ".join(filter(wanted.search, _split(content)))


def _split(content: str) -> Iterator[str]:
    return (match.group().strip() for match in SENTENCE.finditer(content) if match.group().strip())
