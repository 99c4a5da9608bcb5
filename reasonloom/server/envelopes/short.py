"""Short answers: readable text, values without details that can be looked up, minimal schemas."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reasonloom.contracts.base import Answer
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta, ToolResponse
from reasonloom.server.envelopes.prose import Prose
from reasonloom.server.envelopes.selection import Selection
from reasonloom.server.envelopes.shape import Models, Shape, shape_of

RUN = "reasonloom://run/{id}"
WORTH = 200
"""Minimum characters an omission must save: the note on it costs about as many."""

TEXT = "string"


def shortened(envelope: Envelope, model: type[Answer], tools: Models) -> Envelope:
    """Return an envelope that shortens answers of `model`; errors are unchanged.

    `tools` are the models of answers nested in others.
    """
    short = Shortening(envelope, shape_of(model), tools)
    return Envelope(short.success, envelope.failure, short.schema)


@dataclass(frozen=True, slots=True)
class Shortening:
    """Shortens the answers of one tool and wraps them in its envelope."""

    envelope: Envelope
    shape: Shape
    tools: Models

    def success(self, answer: dict[str, Any], meta: ResponseMeta) -> ToolResponse:
        """Return the short answer; its text is prose unless the envelope supplies one."""
        kept, notes = self._selected(answer, meta.run_id)
        notes = [*meta.notes, *notes]
        response = self.envelope.success(kept, replace(meta, notes=notes))
        if response.text is not None:
            return response
        lines = [Prose(self.tools).write(self.shape, kept)]
        lines += [f"[Note: {note}]" for note in notes]
        lines += [f"check {meta.check}"] if meta.check else []
        return replace(response, text="\n".join(filter(None, lines)))

    def schema(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return a schema of the keys that are always present.

        The contents of lists and objects are not described; a key without a type is a string, or
        may be null.
        """
        keys = _keys(answer)
        wrapped = self.envelope.schema(keys)
        if wrapped is keys:
            return keys
        inner = {name: each for name, each in wrapped["properties"].items() if each is keys}
        return {"type": "object", "properties": inner, "required": wrapped["required"]}

    def _selected(
        self, answer: Mapping[str, Any], run_id: str | None
    ) -> tuple[dict[str, Any], Sequence[str]]:
        """Return the shortened answer and a note on omissions; all of it if too little is saved."""
        selection = Selection(self.tools)
        kept = selection.select(self.shape, answer)
        left = {name: count for name, count in sorted(selection.left.items()) if count}
        if not left:
            return kept, ()
        if _length(answer) - _length(kept) < WORTH:
            return dict(answer), ()
        counts = ", ".join(f"{name} {count}" for name, count in left.items())
        stored = run_id and answer.get("recorded") is not False
        where = f"; whole: {RUN.format(id=run_id)}" if stored else ""
        return kept, (f"left out or cut: {counts}{where}",)


def _length(value: Mapping[str, Any]) -> int:
    return len(json.dumps(value, ensure_ascii=False))


def _keys(answer: dict[str, Any]) -> dict[str, Any]:
    required = answer.get("required", [])
    kinds = {name: answer["properties"][name].get("type", TEXT) for name in required}
    typed = {name: {"type": kind} for name, kind in kinds.items() if kind != TEXT}
    return {"type": "object", **({"properties": typed} if typed else {}), "required": required}
