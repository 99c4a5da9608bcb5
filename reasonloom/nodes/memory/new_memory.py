"""Builds the row of a new memory: salience, keywords, token count, dates and defaults.

All values follow simple rules, so that they can be verified by hand.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from reasonloom.contracts.memory.extras import NewItem
from reasonloom.contracts.memory.tools import MemoryMetadata, Remember, Sector
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.calendar.terms import (
    READ_CHARACTERS,
    date_terms,
    names_a_day,
    stated_moment,
)
from reasonloom.nodes.memory.embedding import sector_views
from reasonloom.stores.memory.memories import NewMemory

DECAY_PER_DAY: dict[Sector, float] = {
    "episodic": 0.03,
    "emotional": 0.025,
    "reflective": 0.02,
    "procedural": 0.015,
    "semantic": 0.01,
}
"""Decay rate per day of each sector (constants of the ThoughtMCP reference)."""

NEUTRAL = 0.5
PART = 0.1
"""Increment for each word of emphasis, for full emotion and for full specificity."""

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
"""English, German, Spanish and French words of emphasis."""

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
"""Emotional words, positive or negative: strong ones score 1, mild ones 0.5."""

LETTERS = re.compile(r"[^\W\d_]+")
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
NAME = re.compile(r"(?<=[^\W_][,;]\s)[^\W\d_]\w+|(?<=[^\W_]\s)[^\W\d_]\w+")
"""A word that does not begin a sentence; if capitalised, it counts as a name."""

WORD = re.compile(r"[^\W\d_]{4,}")
STOP_WORDS = frozenset(
    """about above after again also because been before being below between both could does
    doing down during each further from have having here hers herself himself into itself just
    more most myself once only other ours over same should some such than that their theirs them
    themselves then there these they this those through under until very were what when where
    which while whom will with would your yours yourself""".split()  # noqa: SIM905 - reads better
)


def salience_of(content: str, importance: float) -> float:
    """Return a new memory's salience, 0.25..1.

    The mean of importance and (0.5 + 0.1 per distinct word of emphasis, at most 3
    + 0.1 * emotion + 0.1 * specificity).
    """
    content = unicodedata.normalize("NFC", content)
    words = {match.lower() for match in EMPHASIS.findall(content)}
    parts = min(MOST_EMPHASIS, len(words)) + emotion_of(content) + specificity_of(content)
    return (importance + NEUTRAL + PART * parts) / 2


def emotion_of(content: str) -> float:
    """Return how emotional a text is, whatever the polarity: 0, 0.5 or 1, by its strongest word.

    An exclamation mark counts as a mild word. Negation and irony are not recognised.
    """
    words = {word.lower() for word in LETTERS.findall(content)}
    if words & STRONG:
        return 1.0
    return 0.5 if "!" in content or words & MILD else 0.0


def specificity_of(content: str) -> float:
    """Return how specific a text is, 0..1: 0.2 for each distinct number or name.

    A date or time is one number. A name is a capitalised word that does not begin a sentence, so
    German nouns count, and scripts without capital letters have no names.
    """
    names = {word for word in NAME.findall(content) if word[0].isupper()}
    return min(1.0, len(names | set(NUMBER.findall(content))) / MOST_DETAILS)


def keywords(content: str, most: int = 10) -> list[str]:
    """Return the `most` most frequent words of four or more letters, without stop words."""
    words = (word.lower() for word in WORD.findall(content))
    counted = Counter(word for word in words if word not in STOP_WORDS)
    return [word for word, _ in counted.most_common(most)]


def estimated_tokens(content: str) -> int:
    """Return the token count stored with a memory: a quarter of its UTF-8 bytes, plus 1.

    Differs from `text.tokens.estimate_tokens` so that counts stay comparable with stored ones.
    """
    return len(content.encode()) // 4 + 1


Given = Remember | NewItem
Vectors = Mapping[Any, Sequence[float]]
"""Embeddings by view."""

EVENT_TYPE: dict[Sector, str] = {
    "episodic": "episode",
    "semantic": "fact",
    "procedural": "skill",
    "emotional": "episode",
    "reflective": "inference",
}
"""Default event type of each sector."""


def views_of(given: Given) -> dict[Sector, str]:
    """Return each sector's view of a given memory."""
    metadata = given.metadata or MemoryMetadata()
    return sector_views(given.content, metadata.context, metadata.tags)


def stated_at(given: Given, at: datetime) -> datetime:
    """Return when a given memory was stated: the date in its context, else `at`."""
    return stated_moment(given.metadata.context if given.metadata else None) or at


def sector_of(given: Given, at: datetime) -> Sector:
    """Return the given sector; by default episodic if the content names a day, else semantic."""
    if "primary_sector" in given.model_fields_set:
        return given.primary_sector
    return "episodic" if names_a_day(given.content, at.date()) else "semantic"


def new_memory_of(
    execution: Execution, given: Given, *, at: datetime, vectors: Vectors, **columns: Any
) -> NewMemory:
    """Return the row of a memory given by a caller; `columns` as for `complete_memory`."""
    metadata = given.metadata or MemoryMetadata()
    return memory_of_run(
        execution,
        given.content,
        sector=sector_of(given, at),
        at=at,
        vectors=vectors,
        importance=metadata.importance,
        source_kind="user",
        keywords=metadata.keywords,
        tags=metadata.tags or (),
        category=metadata.category,
        context=metadata.context,
        other_metadata=metadata.other_keys(),
        **columns,
    )


def memory_of_run(
    execution: Execution, content: str, *, sector: Sector, at: datetime, **columns: Any
) -> NewMemory:
    """Return the row of a memory stored by a run; `columns` as for `complete_memory`."""
    origin = {
        "principal": execution.caller.owner,
        "tool": execution.run.tool,
        "run_id": execution.run.id,
        "project": execution.caller.project,
        "model": execution.loom.embedder.model,
    }
    return complete_memory(content, sector=sector, created_at=at, **{**origin, **columns})


def complete_memory(
    content: str,
    *,
    sector: Sector,
    created_at: datetime,
    vectors: Vectors,
    model: str,
    importance: float = NEUTRAL,
    **columns: Any,
) -> NewMemory:
    """Return the row of a memory, deriving every column that depends on its content and sector.

    `vectors` are keyed by view and were computed by `model`; `columns` are other fields of
    `NewMemory` and override derived ones, except where they are None.
    """
    derived = {
        "event_type": EVENT_TYPE[sector],
        "salience": salience_of(content[:READ_CHARACTERS], importance),
        "decay_rate": DECAY_PER_DAY[sector],
        "token_count": estimated_tokens(content),
        "keywords": keywords(content[:READ_CHARACTERS]),
        "dates": date_terms(content, columns.get("context"), created_at.astimezone(UTC).date()),
        "valid_from": stated_moment(columns.get("context")) or created_at,
    }
    given = {name: value for name, value in columns.items() if value is not None}
    return NewMemory(
        content=content,
        sector=sector,
        created_at=created_at,
        importance=importance,
        vectors=vectors,
        model=model if vectors else None,
        **{**derived, **given},
    )
