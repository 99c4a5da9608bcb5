"""What a full-text query asks: terms joined by and, or, not, as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase as its user wrote it.

    `spelled` terms are sought letter by letter, because no dictionary splits their script
    into words, or because they are no words at all.
    """

    text: str
    spelled: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part must match."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One part must match at least."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part must not match."""

    part: Tree


Tree = Term | AllOf | AnyOf | Not


def kept(tree: Tree, wanted: Callable[[Term | Not], bool]) -> Tree | None:
    """Return the tree without the terms and negations that are not `wanted`.

    None where nothing is left; a negation goes when its part does.
    """
    if isinstance(tree, Term):
        return tree if wanted(tree) else None
    if isinstance(tree, Not):
        part = kept(tree.part, wanted) if wanted(tree) else None
        return Not(part) if part else None
    parts = tuple(part for each in tree.parts if (part := kept(each, wanted)))
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
