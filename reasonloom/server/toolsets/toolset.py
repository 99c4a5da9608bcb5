"""What a toolset's module declares: its envelope, its advice, and its tools as lines of data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

from reasonloom.contracts.base import Answer, Request
from reasonloom.server.envelopes.envelope import Envelope


class Effect(Enum):
    """What a tool does to what is stored; the hints that agents see come from it."""

    READS = "reads"
    ADDS = "adds"
    CHANGES = "changes"
    DESTROYS = "destroys"


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool: its name, its contract, and the graph that answers it.

    `open_world` is true where the tool asks a language model. `reference_request` is the
    contract under `serve --as`, where ours takes more arguments than the reference names, and
    `reference_answer` and `reference_graph` are what answers there, where ours answers more.
    """

    name: str
    title: str
    request: type[Request]
    answer: type[Answer]
    graph: str
    effect: Effect
    open_world: bool = False
    reference_request: type[Request] | None = None
    reference_answer: type[Answer] | None = None
    reference_graph: str | None = None

    def answered(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return an answer with no more keys than the line's contract has."""
        if self.answer is not self.reference_answer:
            return values
        return self.answer.model_validate(values).wire()

    def under_reference(self, name: str) -> ToolLine:
        """Return the line under `serve --as`, by the name that the tool has there."""
        return replace(
            self,
            name=name,
            request=self.reference_request or self.request,
            answer=self.reference_answer or self.answer,
            graph=self.reference_graph or self.graph,
        )


def _line(
    effect: Effect,
    name: str,
    title: str,
    request: type[Request],
    answer: type[Answer],
    *,
    asks_llm: bool = False,
    reference: type[Request] | None = None,
    reference_answer: type[Answer] | None = None,
) -> ToolLine:
    """Return a line whose graph has the tool's own name, without the prefix of the modes."""
    graph = name.removeprefix("reasoning_")
    return ToolLine(
        name, title, request, answer, graph, effect, asks_llm, reference, reference_answer
    )


reads = partial(_line, Effect.READS)
adds = partial(_line, Effect.ADDS)
changes = partial(_line, Effect.CHANGES)
destroys = partial(_line, Effect.DESTROYS)
"""A tool with that effect, from its name, title, request and answer."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """One reference's tools, as far as they are built.

    `reference` and `version` are what `serve --as` says of itself. `advice` are sentences of how
    to use it, with the names of tools in braces: each is given where all that it names are served.
    """

    name: str
    reference: str
    version: str
    envelope: Envelope
    tools: tuple[ToolLine, ...]
    advice: tuple[str, ...] = ()
