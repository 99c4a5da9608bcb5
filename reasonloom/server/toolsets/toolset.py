"""The declaration of a toolset: its envelope, its advice, and its tools as lines of data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

from reasonloom.contracts.base import Answer, Request
from reasonloom.server.envelopes.envelope import Envelope


class Effect(Enum):
    """A tool's effect on stored data, from which the hints for agents are derived."""

    READS = "reads"
    ADDS = "adds"
    CHANGES = "changes"
    DESTROYS = "destroys"


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool: its name, its contract, and the graph that answers it.

    `open_world` is true if the tool uses a language model. `reference_request`,
    `reference_answer` and `reference_graph` replace the contract and the graph under
    `serve --as`, if ours accept or return more than the reference.
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
        """Return an answer without keys that the line's contract lacks."""
        if self.answer is not self.reference_answer:
            return values
        return self.answer.model_validate(values).wire()

    def under_reference(self, name: str) -> ToolLine:
        """Return the line for `serve --as`, with the tool's name there."""
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
    """Return a line whose graph has the tool's name, without the `reasoning_` prefix."""
    graph = name.removeprefix("reasoning_")
    return ToolLine(
        name, title, request, answer, graph, effect, asks_llm, reference, reference_answer
    )


reads = partial(_line, Effect.READS)
adds = partial(_line, Effect.ADDS)
changes = partial(_line, Effect.CHANGES)
destroys = partial(_line, Effect.DESTROYS)
"""These build a tool line with the named effect from name, title, request and answer."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """The implemented tools of one reference.

    `reference` and `version` identify the server under `serve --as`. `advice` are sentences on
    how to use the tools, with tool names in braces; each is given only if all tools it names are
    served.
    """

    name: str
    reference: str
    version: str
    envelope: Envelope
    tools: tuple[ToolLine, ...]
    advice: tuple[str, ...] = ()
