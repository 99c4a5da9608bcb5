"""Suites: items, their scorers, and the default way to answer them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item, Scorer
from reasonloom.evals.core.way import Way
from reasonloom.settings import NO_TEXT

LONGEST_ID = 200


@dataclass(frozen=True)
class Suite:
    """One task.

    Attributes:
        items: items with unique ids.
        scorers: how answers are marked; the first scorer's score is compared.
        way: how items are answered unless a run overrides it.
        where: position of each item in its file, such as `row 3`, for error messages.
        about: what else determines the answers, such as the digest of stored data.
    """

    name: str
    items: Sequence[Item]
    scorers: Sequence[Scorer]
    way: Way | None = None
    where: Sequence[str] = field(default=(), repr=False)
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of each item, by id."""
        return {item.id: item.digest for item in self.items}

    @property
    def digest(self) -> str:
        """The identity of the items, independent of order."""
        digests = self.digests
        entries = sorted(f"{each.id}\0{digests[each.id]}\0{each.cluster}" for each in self.items)
        return sha256("\n".join(entries).encode("utf-8", "replace")).hexdigest()

    def check(self) -> None:
        """Refuse a suite without items or scorers, duplicates, and items that cannot be scored."""
        if not self.items:
            raise InvalidArgument(f"{self.name}: has no items", field="items")
        if not self.scorers:
            raise InvalidArgument(f"{self.name}: has no scorer", field="scorers")
        self._check_scorers()
        seen: dict[str, int] = {}
        for place, item in enumerate(self.items):
            self._check_item(place, item)
            if item.id in seen:
                first, second = self.place(seen[item.id]), self.place(place)
                raise InvalidArgument(
                    f"{self.name}: {second}: id {item.id!r} is that of {first}; ids must differ",
                    field="id",
                )
            seen[item.id] = place

    def _check_scorers(self) -> None:
        for scorer in self.scorers:
            if callable(scorer) and not hasattr(scorer, "about"):
                name = getattr(scorer, "__name__", "a scorer")
                message = f"{self.name}: {name} makes a scorer; write {name}()"
                raise InvalidArgument(message, field="scorers")
        for name, times in Counter(scorer.name for scorer in self.scorers).items():
            if times > 1:
                message = f"{self.name}: two scorers are called {name}"
                raise InvalidArgument(message, field="scorers")

    def _check_item(self, place: int, item: Item) -> None:
        place_name = f"{self.name}: {self.place(place)}"
        if not isinstance(item.id, str) or not 0 < len(item.id) <= LONGEST_ID:
            message = f"{place_name}: id must be text of 1 to {LONGEST_ID} characters"
            raise InvalidArgument(message, field="id")
        if not isinstance(item.cluster, str) or NO_TEXT.search(item.id + item.cluster):
            message = f"{place_name}: id and cluster must be text without NUL"
            raise InvalidArgument(message, field="id")
        if _is_empty(item.input):
            raise InvalidArgument(f"{place_name}: input is empty", field="input")
        for scorer in self.scorers:
            if scorer.needs_target and _is_empty(item.target):
                message = f"{place_name}: target is empty, and the scorer {scorer.name} needs one"
                raise InvalidArgument(message, field="target")
            if why := scorer.refuse(item):
                raise InvalidArgument(f"{place_name}: {scorer.name}: {why}", field="target")

    def place(self, place: int) -> str:
        """Return the position of an item for error messages."""
        return self.where[place] if place < len(self.where) else f"item {place + 1}"


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip()) or value in ({}, [])
