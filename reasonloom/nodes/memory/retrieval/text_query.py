"""Reads the text of a full-text query into a tree; there is no text that it refuses.

    query   = and-list { OR and-list }
    and-list = { [AND] [NOT] operand }        words side by side must all match
    operand = word | "a phrase" | ( query )

Operators are the words AND, OR, NOT in capitals; and, or, not are words like all others.
What is malformed is read as what was most likely meant:

- an operator that lacks an operand is dropped: `AND AND (`, `tea AND`, `NOT`;
- a parenthesis that is not closed ends with the query, one that was never opened is dropped,
  and so is an empty pair;
- a quotation mark that is not closed makes a phrase of the rest; typographic ones count too;
- `NOT NOT x` is `x`; `NOT x` alone asks for all that does not hold x;
- beyond 64 terms or 10,000 characters nothing is read, which `cut` tells.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from reasonloom.stores.memory.search.query_tree import AllOf, AnyOf, Not, Term, Tree

MOST_TERMS = 64
LONGEST_QUERY = 10_000
TOKEN = re.compile(r'["“”„](?P<phrase>[^"“”„]*)["“”„]?|(?P<mark>[()])|(?P<word>[^\s()"“”„]+)')
UNSPACED = re.compile(
    "[\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff"
    "\u3100-\u31ff\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
"""Scripts that are written without spaces, or whose words carry endings that none cuts off:
Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese, Korean."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was read: its tree, None where it asks nothing, and whether it was cut."""

    tree: Tree | None
    cut: bool


@dataclass(slots=True)
class _Group:
    """What stands between two parentheses, as far as it has been read."""

    alternatives: list[list[Tree]] = field(default_factory=lambda: [[]])
    negated: bool = False

    def add(self, operand: Tree | None) -> None:
        if operand is not None:
            self.alternatives[-1].append(_negation(operand) if self.negated else operand)
        self.negated = False

    def end_alternative(self) -> None:
        self.alternatives.append([])
        self.negated = False

    def tree(self) -> Tree | None:
        found = [_joined(AllOf, parts) for parts in self.alternatives if parts]
        return _joined(AnyOf, found) if found else None


def parse(text: str) -> Query:
    """Return the tree of a query; total: any text has one, or asks nothing.

    It keeps a stack of its own, so that no depth of parentheses exhausts Python's.
    """
    open_groups = [_Group()]
    number = 0
    for token in TOKEN.finditer(text[:LONGEST_QUERY]):
        group = open_groups[-1]
        match token["word"] or token["mark"]:
            case "AND":
                group.negated = False
            case "OR":
                group.end_alternative()
            case "NOT":
                group.negated = not group.negated
            case "(":
                open_groups.append(_Group())
            case ")":
                _close(open_groups)
            case _ if number == MOST_TERMS:
                return Query(_ended(open_groups), cut=True)
            case word:
                number += 1
                group.add(_term(word if word is not None else token["phrase"]))
    return Query(_ended(open_groups), cut=len(text) > LONGEST_QUERY)


def _close(groups: list[_Group]) -> None:
    if len(groups) > 1:
        closed = groups.pop().tree()
        groups[-1].add(closed)


def _ended(groups: list[_Group]) -> Tree | None:
    while len(groups) > 1:
        _close(groups)
    return groups[0].tree()


def _joined(kind: type[AllOf | AnyOf], parts: list[Tree]) -> Tree:
    return kind(tuple(parts)) if len(parts) > 1 else parts[0]


def _negation(tree: Tree) -> Tree:
    return tree.part if isinstance(tree, Not) else Not(tree)


def _term(text: str) -> Term | None:
    written = text.strip()
    return Term(written, spelled=_is_spelled(written)) if written else None


def _is_spelled(text: str) -> bool:
    """Tell whether a term is in a script without spaces, or a symbol such as an emoji."""
    if UNSPACED.search(text):
        return True
    symbols = any(unicodedata.category(character) == "So" for character in text)
    return symbols and not any(map(str.isalnum, text))
