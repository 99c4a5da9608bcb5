"""Ballots: labels of candidates and the orders in which judges see them."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


def label(place: int) -> str:
    """Return the label of a position on a ballot: A, B, ..., Z, AA, BB, ..., ZZ, AAA and so on."""
    return chr(ord("A") + place % 26) * (place // 26 + 1)


def shuffled(things: Sequence[T], seed: str) -> list[T]:
    """Return things in a pseudorandom order, determined by the seed and their `str()` only."""
    return sorted(things, key=lambda each: sha256(f"{seed}|{each}".encode()).digest())


def balanced_orders(things: Sequence[T], most: int, seed: str) -> list[list[T]]:
    """Return up to `most` distinct orders of things, at most one per thing.

    Each thing comes first as often as last, so that position bias favours none of them.
    """
    drawn = shuffled(things, seed)
    ends, rest = drawn[:most], drawn[most:]
    orders = []
    for place in range(len(ends)):
        first, *others = ends[place:] + ends[:place]
        last, between = others[:1], [*others[1:], *rest]
        orders.append([first, *shuffled(between, f"{seed}|{place}"), *last])
    return orders
