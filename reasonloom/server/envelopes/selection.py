"""Selects the content of short answers; keys required by the contract stay, with their types."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reasonloom.server.envelopes.shape import Models, Shape, WireField, inner_shape
from reasonloom.text.sentences import sentences_in

PLACES = 4
"""Decimal places of a float."""

CUT = " …"
EMPTY: Mapping[type, Any] = {str: "", list: [], dict: {}}


@dataclass(slots=True)
class Selection:
    """Selects from one answer; `left` counts omitted or shortened items and texts by key."""

    tools: Models
    left: Counter[str] = field(default_factory=Counter)

    def select(self, shape: Shape, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of an object that a short answer contains."""
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
        """Return the remainder of a dropped field: an empty value if required, else nothing."""
        self.left[wire] += len(item) if isinstance(item, list) else isinstance(item, str | dict)
        return {wire: EMPTY.get(type(item), item)} if known.required else {}

    def _gist(self, wire: str, item: Any) -> Any:
        """Return a text's first sentence, or the first sentences of a list of texts."""
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
    """Return the first sentence of a text, with an ellipsis if there are more."""
    sentences = sentences_in(text)
    return f"{sentences[0]}{CUT}" if len(sentences) > 1 else text
