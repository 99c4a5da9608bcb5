"""What a text says of itself: how much it stands out, its keywords, its length.

Everything here is counted by plain rules, so that a reader can work out each figure by hand.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.contracts.memory.extras import NewItem
from reasonloom.contracts.memory.tools import MemoryMetadata, Remember, Sector
from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embedding import ViewSource
from reasonloom.stores.memory.memories import NewMemory

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution


DECAY_PER_DAY: dict[Sector, float] = {
    "episodic": 0.03,
    "emotional": 0.025,
    "reflective": 0.02,
    "procedural": 0.015,
    "semantic": 0.01,
}
"""Rate of forgetting of each sector, per day (the constants of ThoughtMCP's reference)."""

NEUTRAL = 0.5
PART = 0.1
"""What a word of emphasis, full emotion and full specificity each add to a neutral content."""

MOST_EMPHASIS = 3
MOST_DETAILS = 5

EMPHASIS = re.compile(
    r"""\b(?:
    important|urgent|critical|crucial|essential|vital|always|never|must|remember|key|deadline
    |allerg\w+
    |wichtig\w*|dringend\w*|entscheidend\w*|unbedingt|immer|nie|niemals|muss|müssen|frist
    |importantes?|urgentes?|crític[oa]s?|esencial|siempre|nunca|jamás|deben?|recuerda|plazo
    |alérgic\w+|alergias?
    |importants|urgents|essentiel\w*|critiques?|toujours|jamais|doit|doivent|échéance|délai
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""English, German, Spanish and French words that ask to be remembered."""

STRONG = frozenset(
    """love loves loved adore hate hates
    hated furious terrified horrified devastated heartbroken ecstatic
    thrilled overjoyed desperate panic grief miserable
    disgusted
    liebe hasse wütend entsetzt verzweifelt panik trauer begeistert überglücklich
    amo odio furioso furiosa aterrado aterrada desesperado desesperada pánico horrorizado
    adore déteste furieux furieuse terrifié terrifiée désespéré désespérée panique
    """.split()  # noqa: SIM905 - reads better
)
MILD = frozenset(
    """happy glad sad angry afraid scared worried anxious excited proud ashamed lonely upset
    nervous grateful disappointed surprised jealous feel feeling felt enjoy enjoyed
    glücklich froh traurig ängstlich besorgt stolz einsam enttäuscht dankbar nervös verärgert
    feliz triste enojado enojada miedo preocupado preocupada orgulloso orgullosa contento
    contenta agradecido agradecida decepcionado decepcionada
    heureux heureuse peur inquiet inquiète fier fière déçu déçue
    """.split()  # noqa: SIM905 - reads better
)
"""Words of feeling: the strong ones count 1, the mild ones 0.5, whether pleasant or not."""

LETTERS = re.compile(r"[^\W\d_]+")
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
NAME = re.compile(r"(?<=[^\W_][,;]\s)[^\W\d_]\w+|(?<=[^\W_]\s)[^\W\d_]\w+")
"""A word that does not begin a sentence; it is a name if its first letter is a capital."""

WORD = re.compile(r"[^\W\d_]{4,}")
STOP_WORDS = frozenset(
    """about above after again also because been before being below between both could does
    doing down during each further from have having here hers herself himself into itself just
    more most myself once only other ours over same should some such than that their theirs them
    themselves then there these they this those through under until very were what when where
    which while whom will with would your yours yourself""".split()  # noqa: SIM905 - reads better
)


def salience_of(content: str, importance: float) -> float:
    """Return how much a new memory stands out, 0.25..1, rising with its importance.

    The mean of its importance and of 0.5 + 0.1 words of emphasis (distinct, at most 3)
    + 0.1 emotion + 0.1 specificity.
    """
    content = unicodedata.normalize("NFC", content)
    words = {match.lower() for match in EMPHASIS.findall(content)}
    parts = min(MOST_EMPHASIS, len(words)) + emotion_of(content) + specificity_of(content)
    return (importance + NEUTRAL + PART * parts) / 2


def emotion_of(content: str) -> float:
    """Return how strong a feeling a text tells, pleasant or not: 0, 0.5 or 1.

    By its strongest word; an exclamation mark counts like a mild one. A negated feeling
    counts like the feeling, and irony is not seen.
    """
    words = {word.lower() for word in LETTERS.findall(content)}
    if words & STRONG:
        return 1.0
    return 0.5 if "!" in content or words & MILD else 0.0


def specificity_of(content: str) -> float:
    """Return how specific a text is, 0..1: a fifth for each distinct number or name, at most 1.

    A date or time is one number. A name is a capitalised word within a sentence, so that in
    German every noun is one; scripts without capitals have none.
    """
    names = {word for word in NAME.findall(content) if word[0].isupper()}
    return min(1.0, len(names | set(NUMBER.findall(content))) / MOST_DETAILS)


def keywords(content: str, most: int = 10) -> list[str]:
    """Return the most frequent words of four letters or more that say something."""
    words = (word.lower() for word in WORD.findall(content))
    counted = Counter(word for word in words if word not in STOP_WORDS)
    return [word for word, _ in counted.most_common(most)]


def estimated_tokens(content: str) -> int:
    """Return about how many tokens a text has: one for four bytes of UTF-8."""
    return len(content.encode()) // 4 + 1


Given = Remember | NewItem
EVENT_TYPE: dict[Sector, str] = {
    "episodic": "episode",
    "semantic": "fact",
    "procedural": "skill",
    "emotional": "episode",
    "reflective": "inference",
}
"""The event type that a sector stands for where none is named."""


def view_source_of(given: Given, session: str, at: datetime) -> ViewSource:
    """Return what the views of a memory given in `session` are made of."""
    metadata = given.metadata or MemoryMetadata()
    return ViewSource(
        content=given.content,
        created_at=at,
        session=session,
        context=metadata.context,
        tags=tuple(metadata.tags or ()),
        category=metadata.category,
    )


def new_memory_of(
    execution: Execution,
    given: Given,
    *,
    effect: UUID,
    session: UUID,
    vectors: Mapping[str, Sequence[float]],
    at: datetime,
) -> NewMemory:
    """Return the memory to be stored; `effect` names the write, `vectors` are its views'."""
    metadata, run = given.metadata or MemoryMetadata(), execution.run
    chosen = metadata.keywords
    return NewMemory(
        effect=effect,
        content=given.content,
        sector=given.primary_sector,
        event_type=EVENT_TYPE[given.primary_sector],
        source_kind="user",
        principal=execution.caller.owner,
        tool=run.tool,
        salience=salience_of(given.content, metadata.importance),
        importance=metadata.importance,
        decay_rate=DECAY_PER_DAY[given.primary_sector],
        token_count=estimated_tokens(given.content),
        created_at=at,
        session_id=session,
        project=execution.caller.project,
        keywords=chosen if chosen is not None else keywords(given.content),
        tags=metadata.tags or (),
        dates=date_terms(given.content, metadata.context, at.date()),
        category=metadata.category,
        context=metadata.context,
        run_id=run.id,
        vectors=vectors,
        model=execution.loom.embedder.model if vectors else None,
    )
