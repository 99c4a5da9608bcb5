"""Embeds memories: derives five views of the content and embeds them.

The semantic view is the plain content. The other views add the circumstances (when, where, with
whom) or select the steps, the feelings or the conclusions, as far as the memory has them.
"""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence

from reasonloom.contracts.memory.tools import SECTORS, Sector
from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.interfaces import Embedder
from reasonloom.telemetry.metrics import timed_embedding
from reasonloom.text.sentences import sentence_runs

log = logging.getLogger(__name__)
OTHER_VECTORS = (
    "memories with vectors of {models} only are found by words; run `reasonloom db reindex`"
)
NO_DENSE = "dense search is off, words alone were used: {reason}"


async def embed_or_note(
    embedder: Embedder, texts: Sequence[str]
) -> tuple[list[list[float]], list[str]]:
    """Return the vectors of `texts`, or none and a note on the reason; equal texts share one."""
    different = list(dict.fromkeys(texts))
    try:
        vectors = await timed_embedding(embedder.model, embedder.embed(different))
        known = dict(zip(different, vectors, strict=True))
        return [known[text] for text in texts], []
    except EmbedderUnavailable as fault:
        log.warning("embedder: %s", type(fault).__name__)  # the message may quote the texts
        return [], [NO_DENSE.format(reason=fault.message)]


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


LEAST_DIFFERENCE = 0.5
"""Least difference in length, relative to the content, at which a view gets its own vector."""


LONGEST_VIEWED = 20_000
"""Maximum content length, in characters, for deriving views; longer content is its only view."""


def sector_views(
    content: str, context: str | None = None, tags: Iterable[str] | None = None
) -> dict[Sector, str]:
    """Return each sector's view; one that differs little in length is the plain content."""
    if len(content) > LONGEST_VIEWED:
        return dict.fromkeys(SECTORS, content)
    circumstances = ", ".join(filter(None, (context, *(tags or ()))))
    views: dict[Sector, str] = {
        "episodic": f"{circumstances}: {content}",
        "semantic": content,
        "procedural": _matching_sentences(content, STEP),
        "emotional": _matching_sentences(content, FEELING),
        "reflective": _matching_sentences(content, CONCLUSION),
    }
    return {sector: _view(content, views[sector]) for sector in SECTORS}


def _view(content: str, text: str) -> str:
    different = abs(len(text) - len(content)) >= LEAST_DIFFERENCE * len(content)
    return text if text and different else content


def _matching_sentences(content: str, wanted: re.Pattern[str]) -> str:
    """Return the sentences that match `wanted`, in order."""
    return " ".join(filter(wanted.search, sentence_runs(content)))


async def embed_views(
    embedder: Embedder, texts: Mapping[Sector, str]
) -> tuple[dict[str, list[float]], list[str]]:
    """Return the vector of each view, or none and a note on the reason."""
    vectors, notes = await embed_or_note(embedder, list(texts.values()))
    return dict(zip(texts, vectors, strict=False)), notes


async def embed_many(
    embedder: Embedder, views: Sequence[Mapping[Sector, str]]
) -> tuple[list[dict[str, list[float]]], list[str]]:
    """Embed the views of all memories in one batch; without an embedder, return a note on why."""
    texts = [text for view in views for text in view.values()]
    vectors, notes = await embed_or_note(embedder, texts) if texts else ([], [])
    left = iter(vectors)
    return [dict(zip(view, left, strict=False)) for view in views], notes
