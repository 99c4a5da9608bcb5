"""The declaration of a toolset: its envelope, its advice, and its tools as lines of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any

from reasonloom.contracts.base import Answer, Request
from reasonloom.server.envelopes.envelope import Envelope
from reasonloom.server.toolsets.pair import MemoryPair


class Effect(Enum):
    """A tool's effect on stored data, from which the hints for agents are derived."""

    READS = "reads"
    ADDS = "adds"
    CHANGES = "changes"
    DESTROYS = "destroys"


@dataclass(frozen=True, slots=True)
class Target:
    """The tool and the request that a call runs, with notes on what was not used."""

    line: ToolLine
    request: Request
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Front:
    """How one tool runs several others.

    Attributes:
        tools: the tools that it may run.
        target: returns the tool and the request to run.
        answered: converts the answer of a run of a tool, given the run's id.
    """

    tools: frozenset[str]
    target: Callable[[Request], Target]
    answered: Callable[[str, dict[str, Any], str], dict[str, Any]]


Settled = Callable[[Mapping[str, Any], Sequence[str], int], tuple[dict[str, Any], list[str]]]
"""Returns an answer and its notes, given both and the memory that was superseded."""


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One tool: its name, its contract, and the graph that answers it.

    `open_world` is true if the tool uses a language model. `reference_request`,
    `reference_answer` and `reference_graph` replace the contract and the graph under
    `serve --as`, if ours accept or return more than the reference. With `front` each call is a run
    of another tool. `confirm` returns what the user must confirm before a call, None for nothing.
    `unsettled` returns the pair of memories that an answer leaves to the user, None for none;
    `settled` returns the answer and its notes once the pair's older memory is superseded. A tool
    without `settled` is called again then.
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
    front: Front | None = None
    confirm: Callable[[Any], str | None] | None = None
    unsettled: Callable[[Any, Mapping[str, Any]], MemoryPair | None] | None = None
    settled: Settled | None = None

    @property
    def runs(self) -> frozenset[str]:
        """The tools whose runs its calls can be."""
        return self.front.tools if self.front else frozenset({self.name})

    def target(self, request: Request) -> Target:
        """Return the tool and the request that a call runs.

        Raises:
            InvalidArgument: the request does not fit the other tool that it runs.
        """
        return self.front.target(request) if self.front else Target(self, request)

    def answered(self, values: dict[str, Any], tool: str, run_id: object) -> dict[str, Any]:
        """Return the answer of a run of `tool` as this line's contract has it."""
        if self.front:
            return self.front.answered(tool, values, str(run_id))
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
