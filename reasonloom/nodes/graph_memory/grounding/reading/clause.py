"""A text read for comparing: what it says, clause by clause, with its figures and denials."""

import unicodedata
from dataclasses import dataclass

from reasonloom.nodes.graph_memory.grounding.reading.values import Value

READ = 2_000
"""Characters of a text that are compared, the first ones."""

MOST_TERMS = 300
"""Terms of a text that are compared, by whole clauses."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or figure that tells something.

    Attributes:
        text: as it stands.
        key: its stem, or the concept that it names.
        sign: -1 where the word is the opposite of its concept.
        name: it stands capitalised where its language writes common words small.
        denied: the local denial that it stands under, 0 for none.
        only: it is what an "only" speaks of.
        marker: the word of place before it, empty where there is none.
        value: its figure.
        bound: 1 where it is said of more than the figure, -1 of less, 0 of itself.
        lead: what the preposition before it tells (`small_words`), `of` for a possessive; none
            where there is no preposition.
        loose: what the other small words beside it tell.
        required: it stood under a "without" that a denial turns: nobody enters without it.
        article: the word before it, where its case may tell who does it (German).
    """

    text: str
    key: str
    sign: int = 1
    name: bool = False
    denied: int = 0
    only: bool = False
    marker: str = ""
    value: Value | None = None
    bound: int = 0
    lead: tuple[frozenset[str], ...] = ()
    loose: tuple[frozenset[str], ...] = ()
    required: bool = False
    article: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """What one part of a sentence says.

    Attributes:
        terms: its own, in order.
        denials: its denials that hold for the whole of it.
        marks: all, only, hedge, passive, relative, condition, where it has words for them.
        subject: terms of an earlier clause that it speaks of without naming them.
        sentence: the place of its sentence in the text.
    """

    terms: tuple[Term, ...]
    denials: int = 0
    marks: frozenset[str] = frozenset()
    subject: tuple[Term, ...] = ()
    sentence: int = 0


@dataclass(frozen=True)
class Reading:
    """A text in clauses; `terms` are those of all of them.

    `known` tells that the text has words of a language that is read; otherwise its denials and
    its order may be missed. `cut` tells that it goes on beyond what was read.
    """

    text: str
    language: str
    clauses: tuple[Clause, ...]
    terms: tuple[Term, ...]
    known: bool = True
    cut: bool = False


def normalize_text(text: str) -> str:
    """Return the part of a text that is read, in one form of letters and blanks."""
    cut = unicodedata.normalize("NFKC", text[:READ]).replace("\u2019", "'")
    return " ".join(cut.split())
