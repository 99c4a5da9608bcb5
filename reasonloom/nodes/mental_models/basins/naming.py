"""Names for basins: from their words, or from the language model where there is one."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.text.search_terms import stop_words
from reasonloom.text.words import words_in

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution


# Grootendorst (2022): the texts of a cluster are one text, and a word weighs as often as it stands
# there, times log(1 + mean words of a cluster / how often it stands in all). Here a word counts once
# a text, so that a long text does not name its cluster alone.

KEYWORDS = 8
IN_A_NAME = 3
LONGEST = 30
LEAST_TEXTS = 2
"""A word of one text alone is no word of a cluster."""

UNNAMED = "unnamed"


def cluster_keywords(clusters: Sequence[Iterable[str]], others: Iterable[str]) -> list[list[str]]:
    """Return the best words of each cluster's texts; `others` are texts of no cluster."""
    counts = [_document_counts(texts) for texts in clusters]
    rest = _document_counts(others)
    everywhere = sum(counts, rest)
    classes = [*counts, rest] if rest else counts
    mean = everywhere.total() / max(1, len(classes))
    return [_best(count, everywhere, mean) for count in counts]


def name_of(words: Sequence[str]) -> str:
    """Return a name made of the best words."""
    return ", ".join(words[:IN_A_NAME]) or UNNAMED


def _best(count: Counter[str], everywhere: Counter[str], mean: float) -> list[str]:
    total = max(1, count.total())
    known = [word for word in count if count[word] >= LEAST_TEXTS] or list(count)
    weight = {word: count[word] / total * math.log(1 + mean / everywhere[word]) for word in known}
    return sorted(known, key=lambda word: (-weight[word], word))[:KEYWORDS]


def _document_counts(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in dict.fromkeys(content_words(text)))


def content_words(text: str) -> list[str]:
    """Return the words of a text that may name something: no stop words, numbers or ids."""
    return [word for word in words_in(text) if _is_content_word(word)]


def _is_content_word(word: str) -> bool:
    if len(word) > LONGEST or word in stop_words() or _plain(word) in stop_words():
        return False
    letters = sum(char.isalpha() or unicodedata.category(char).startswith("M") for char in word)
    return letters == len(word) and (letters > 1 or not word.isascii())


def _plain(word: str) -> str:
    """Return a word without accents, as the stop words are kept."""
    apart = unicodedata.normalize("NFD", word)
    return "".join(char for char in apart if not unicodedata.combining(char))


MOST_NAMED = 30
"""Names that one run asks for, the basins with the most members first."""

EXEMPLARS, EXEMPLAR = 3, 400
"""Memories that are shown for a name, and the characters of each."""

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class UnnamedBasin:
    """A basin that may be named: its words and the beginnings of its strongest memories.

    `first` is its first memory, by which a reply is known again when the run is taken up.
    """

    id: UUID
    first: int
    words: Sequence[str]
    memories: Sequence[str]


@dataclass(frozen=True, slots=True)
class NamingResult:
    """The names that the language model gave, and what must be said."""

    names: Mapping[UUID, str]
    notes: list[str] = field(default_factory=list)


async def ask_names(execution: Execution, unnamed: Sequence[UnnamedBasin]) -> NamingResult:
    """Ask for the names of the first basins; a fault ends the asking, and the rest keep theirs."""
    names: dict[UUID, str] = {}
    notes: list[str] = []
    for basin in unnamed[:MOST_NAMED]:
        question = Question(
            node="name_basins",
            prompt="basins/name",
            variables={
                "words": list(basin.words),
                "memories": [" ".join(each[:EXEMPLAR].split()) for each in basin.memories],
            },
            pipe="linear",
            task=str(basin.first),
        )
        heard = await ask_or_note(execution, question, "naming a basin")
        notes += heard.notes
        if heard.parsed:
            names[basin.id] = " ".join(str(heard.parsed["name"]).split())[:LONGEST_NAME]
        if heard.fault:
            break
    if len(names) < len(unnamed):
        notes.append(f"{len(unnamed) - len(names)} basins are named by their words alone")
    return NamingResult(names, list(dict.fromkeys(notes)))
