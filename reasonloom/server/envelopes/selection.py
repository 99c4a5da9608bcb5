"""Selects what a short answer keeps; every key that its contract demands stays, with its type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reasonloom.server.envelopes.shape import Models, Shape, WireField, inner_shape
from reasonloom.text.sentences import sentences_in

PLACES = 4
"""Decimal places of a figure."""

CUT = " …"
EMPTY: Mapping[type, Any] = {str: "", list: [], dict: {}}


@dataclass(slots=True)
class Selection:
    """Selects from one answer; `left` counts the items and texts that are left out or cut."""

    tools: Models
    left: Counter[str] = field(default_factory=Counter)

    def select(self, shape: Shape, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of an object that a short answer has."""
        brief = shape.brief
        kept: dict[str, Any] = {}
        for wire, item in value.items():
            known = shape.field(wire)
            if known.name in brief.drop:
                kept |= self._dropped(wire, known, item)
            elif known.name in brief.gist:
                kept[wire] = self._gist(wire, item)
            elif isinstance(item, list) and known.name in brief.few:
                chosen = item[: brief.few[known.name]]
                self.left[wire] += len(item) - len(chosen)
                kept[wire] = self._inner(shape, value, known, chosen)
            else:
                kept[wire] = self._inner(shape, value, known, item)
        return kept

    def _dropped(self, wire: str, known: WireField, item: Any) -> dict[str, Any]:
        """Return what stays of a field that is left out, by its wire name."""
        self.left[wire] += len(item) if isinstance(item, list) else isinstance(item, str | dict)
        return {wire: EMPTY.get(type(item), item)} if known.required else {}

    def _gist(self, wire: str, item: Any) -> Any:
        """Return a text's first sentence, or those of the texts of a list."""
        if isinstance(item, list):
            return [self._gist(wire, each) for each in item]
        if not isinstance(item, str):
            return item
        gist = first_sentence(item)
        self.left[wire] += gist != item
        return gist

    def _inner(self, outer: Shape, owner: Mapping[str, Any], known: WireField, item: Any) -> Any:
        if isinstance(item, list):
            return [self._inner(outer, owner, known, each) for each in item]
        if isinstance(item, Mapping):
            return self.select(inner_shape(outer, owner, known, item, self.tools), item)
        return round(item, PLACES) if isinstance(item, float) else item


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, marked where it goes on."""
    sentences = sentences_in(text)
    return f"{sentences[0]}{CUT}" if len(sentences) > 1 else text
