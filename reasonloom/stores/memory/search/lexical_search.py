"""The query for the memories that share the words of highest weight with a question."""

from collections.abc import Sequence
from typing import Any

from reasonloom.stores.memory.search.query_terms import MOST_HOLDING, QueryTerms, QueryWord
from reasonloom.stores.memory.search.scope import Scope
from reasonloom.stores.statements import load

MOST_SCORED = 3 * MOST_HOLDING
"""A word occurs in the context of its memory and of the two that follow."""

NONE = "SELECT NULL::bigint AS id, NULL::float8 AS coverage, NULL::float8 AS context WHERE false"

SQL = load(__file__)
BY_INDEX = "m.context_words @@ CAST(:any_word AS tsquery)"
"""That index covers all owners, so a small owner would have to skip many of its entries."""

ROW_BY_ROW = f"({BY_INDEX}) IS TRUE"
ALL = " OFFSET 0"
NEWEST = f" ORDER BY m.id DESC LIMIT {MOST_SCORED}"


def lexical_query(query: QueryTerms, scope: Scope) -> tuple[str, dict[str, Any]]:
    """Return the query that yields `id`, `coverage` and `context`, and its values.

    A memory's own words are checked only if its context has them, since the context includes them.
    """
    sought = query.sought(uncounted=scope.uncounted)
    if not sought or not query.whole:
        return NONE, {}
    if scope.of_transcripts:
        return _without_context(query, scope), _values(query, sought)
    places = range(len(query.words))
    own = (
        f"CASE WHEN held_{n} AND words @@ CAST(:word_{n} AS tsquery) THEN {_weight(n)} ELSE 0 END"
        for n in places
    )
    around = (f"CASE WHEN held_{n} THEN {_weight(n)} ELSE 0 END" for n in places)
    held = (f"m.context_words @@ CAST(:word_{n} AS tsquery) AS held_{n}" for n in places)
    sql = SQL.part(
        "matching_words",
        coverage=" + ".join(own),
        context=" + ".join(around),
        held=", ".join(held),
        where=scope.where(),
        any_word=ROW_BY_ROW if query.few else BY_INDEX,
        last=NEWEST if query.newest_only else ALL,
    )
    return sql, _values(query, sought)


def _without_context(query: QueryTerms, scope: Scope) -> str:
    """Return the query for transcripts, whose own words are their context."""
    held = (
        f"CASE WHEN words @@ CAST(:word_{n} AS tsquery) THEN {_weight(n)} ELSE 0 END"
        for n in range(len(query.words))
    )
    return SQL.part(
        "without_context",
        own=" + ".join(held),
        where=scope.where(),
        any_word=ROW_BY_ROW if query.few else BY_INDEX,
        last=NEWEST if query.newest_only else ALL,
    )


def _weight(place: int) -> str:
    return f"CAST(:weight_{place} AS float8)"


def _values(query: QueryTerms, sought: Sequence[QueryWord]) -> dict[str, Any]:
    any_word = " | ".join(word.query for word in sought)
    return {**query.word_values(), "whole": query.whole, "any_word": any_word}
