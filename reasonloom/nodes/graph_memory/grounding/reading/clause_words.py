"""The small words by which a sentence is cut into clauses, as data (`clause_words.tsv`)."""

from __future__ import annotations

from functools import cache

from reasonloom.nodes.graph_memory.grounding.reading.lexicon import rows


@cache
def words_of(kind: str) -> frozenset[str]:
    """Return the folded words of a kind.

    soft: where a clause may begin; relative, turns (not X but Y), joins, titles, conditions,
    contrasting (conditions that set side by side after a comma), auxiliaries, above and below
    (limits of figures), without, by (before the doer), designators (nouns before a letter
    that is a name), place-en and its like (words of place).
    """
    found = next(words for name, words in rows("clause_words.tsv") if name == kind)
    return frozenset(found.split())
