"""Turns a tree of terms into SQL: conditions, ranks and highlights.

User text is passed only in parameters, and never as `tsquery` syntax: Postgres converts each term
to a `tsquery` beforehand, and its output is joined here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase as its user wrote it.

    `spelled` terms are searched as substrings, because no dictionary splits their script into
    words, or because they are not words at all.
    """

    text: str
    spelled: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part must match."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part must match."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part must not match."""

    part: Tree


Tree = Term | AllOf | AnyOf | Not


def prune_tree(tree: Tree, wanted: Callable[[Term | Not], bool]) -> Tree | None:
    """Return the tree without the terms and negations that are not `wanted`.

    None if nothing is left; a negation is removed along with its part.
    """
    if isinstance(tree, Term):
        return tree if wanted(tree) else None
    if isinstance(tree, Not):
        part = prune_tree(tree.part, wanted) if wanted(tree) else None
        return Not(part) if part else None
    parts = tuple(part for each in tree.parts if (part := prune_tree(each, wanted)))
    return type(tree)(parts) if len(parts) > 1 else next(iter(parts), None)


def terms(tree: Tree) -> Iterator[Term]:
    """Yield the terms of a tree from left to right."""
    match tree:
        case Term():
            yield tree
        case Not(part):
            yield from terms(part)
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from terms(part)


MARK, UNMARK = "\ufdd0", "\ufdd1"
"""Delimit the words found in a content: noncharacters, which no content can contain."""

MEMORIES = """memories m CROSS JOIN LATERAL (SELECT lower(concat_ws(' ', m.content,
    array_to_string(m.keywords || m.tags, ' '))) AS letters OFFSET 0) AS spelling"""
"""The memories with their text in lower case; OFFSET makes Postgres compute it only once."""

SPELLED_ONCE = 0.645
"""Makes one occurrence of a spelled term count as much as one of a word: 1 / 1.645 = 6/π²."""

JOINS = {AllOf: (" AND ", " & "), AnyOf: (" OR ", " | ")}


@dataclass(slots=True)
class Writer:
    """Writes conditions and expressions, and collects their parameters in `values`.

    `words` maps each term that is not spelled to its `tsquery` from Postgres.
    """

    words: Mapping[Term, str]
    values: dict[str, Any] = field(default_factory=dict)

    def condition(self, tree: Tree) -> str:
        """Return the condition for a memory to match; words only become one `tsquery`."""
        if query := self._tsquery(tree):
            return f"m.words @@ {self._bound(query, 'tsquery')}"
        match tree:
            case Term(text):
                return f"strpos(letters, lower({self._bound(text, 'text')})) > 0"
            case Not(part):
                return f"NOT ({self.condition(part)})"
            case AllOf(parts) | AnyOf(parts):
                return f"({JOINS[type(tree)][0].join(map(self.condition, parts))})"

    def rank(self, tree: Tree | None) -> str:
        """Return the rank expression of a memory for a tree without negations, 0..1."""
        if tree is None:
            return "CAST(0 AS float8)"
        count = len(list(terms(tree)))
        spelled = [term.text for term in terms(tree) if term.spelled]
        parts = [self._spelled_rank(each) for each in spelled]
        worded = prune_tree(tree, lambda part: not (isinstance(part, Term) and part.spelled))
        if worded and (query := self._tsquery(worded)):
            share = count - len(spelled)
            found = f"ts_rank('{{1,1,1,1}}', m.words, {self._bound(query, 'tsquery')})"
            parts.append(f"{share} * CAST({found} AS float8)")
        return f"least(1, ({' + '.join(parts)}) / {count})"

    def held(self, sought: Sequence[Term]) -> str:
        """Return the expression for the indexes of the terms that a memory contains."""
        cases = (f"CASE WHEN {self.condition(term)} THEN {n} END" for n, term in enumerate(sought))
        return f"array_remove(CAST(ARRAY[{', '.join(cases)}] AS int[]), NULL)"

    def alone(self, sought: Sequence[Term]) -> str:
        """Return the expression for the ranks that a memory would have for each term alone."""
        return f"CAST(ARRAY[{', '.join(map(self.rank, sought))}] AS float8[])"

    def marked(self, sought: Sequence[Term]) -> str:
        """Return the expression for the content with its words marked, except for spelled terms."""
        query = " | ".join(f"({self.words[term]})" for term in sought if not term.spelled)
        if not query:
            return "m.content"
        options = f"StartSel={MARK}, StopSel={UNMARK}, HighlightAll=true"
        found = self._bound(query, "tsquery")
        return f"ts_headline(CAST(:config AS regconfig), m.content, {found}, '{options}')"

    def _tsquery(self, tree: Tree) -> str | None:
        """Return the tree as a `tsquery`, None if it has a spelled term."""
        match tree:
            case Term(spelled=True):
                return None
            case Term():
                return f"({self.words[tree]})"
            case Not(part):
                inner = self._tsquery(part)
                return inner and f"!{inner}"
            case AllOf(parts) | AnyOf(parts):
                inners = [inner for part in parts if (inner := self._tsquery(part))]
                whole = len(inners) == len(parts)
                return f"({JOINS[type(tree)][1].join(inners)})" if whole else None

    def _spelled_rank(self, text: str) -> str:
        sought = f"lower({self._bound(text, 'text')})"
        times = f"(length(letters) - length(replace(letters, {sought}, ''))) / length({sought})"
        return f"CAST({times} AS float8) / ({times} + {SPELLED_ONCE})"

    def _bound(self, value: str, kind: str) -> str:
        name = f"given_{len(self.values)}"
        self.values[name] = value
        return f"CAST(:{name} AS {kind})"
