"""The parsed form of a text for comparison: clauses with their terms, figures and denials."""

import unicodedata
from dataclasses import dataclass

from reasonloom.nodes.graph_memory.grounding.reading.values import Value

READ = 2_000
"""How many leading characters of a text are compared."""

MOST_TERMS = 300
"""Maximum terms of a text that are compared, in whole clauses."""


@dataclass(frozen=True, slots=True)
class Term:
    """A content word or a figure.

    Attributes:
        text: the word as written.
        key: its stem, or the concept that it names.
        sign: -1 if the word is the opposite of its concept.
        name: whether it is capitalised where its language writes common words in lower case.
        denied: number of the local denial whose scope it is in; 0 for none.
        only: whether it is the focus of an "only".
        marker: the preposition (`place` words) before it; empty if there is none.
        value: its figure.
        bound: the side of a limit, positive above and negative below: 3 without its figure ("more
            than"), 2 with it ("at least"), 1 if it may be no limit ("after"); 0 for exactly.
        lead: senses of the preposition before it (`small_words.tsv`), `of` for a possessive; empty
            without a preposition.
        loose: senses of the other function words next to it.
        article: the word before it, whose case may show the agent (German).
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
    article: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence.

    Attributes:
        terms: its own terms, in order.
        denials: number of denials whose scope is the whole clause.
        marks: properties such as all, only, hedge, passive, relative and condition, and moods.
        subject: terms of an earlier clause that it refers to without naming them.
        sentence: index of its sentence in the text.
    """

    terms: tuple[Term, ...]
    denials: int = 0
    marks: frozenset[str] = frozenset()
    subject: tuple[Term, ...] = ()
    sentence: int = 0


@dataclass(frozen=True)
class Reading:
    """A parsed text; `terms` are the terms of all clauses.

    `known` is true if the text has words of a supported language; otherwise denials and word order
    may be missed. `cut` is true if the text continues beyond the part that was parsed.
    """

    text: str
    language: str
    clauses: tuple[Clause, ...]
    terms: tuple[Term, ...]
    known: bool = True
    cut: bool = False


def normalize_text(text: str) -> str:
    """Return the first READ characters of a text, with characters and blanks normalised."""
    cut = unicodedata.normalize("NFKC", text[:READ]).replace("\u2019", "'")
    return " ".join(cut.split())
