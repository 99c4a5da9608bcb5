"""Answers items with a tool's graph in the engine: recorded, checkpointed and resumable."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any
from uuid import UUID

from reasonloom.compose import open_engine
from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import UnknownName
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.way import AnswerContext, Answering, text_of, value_at
from reasonloom.graphs.graph import Graph, load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.setting_forms import one_of
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.stores.runs import runs

LEASE = 2.0
"""Seconds until a killed process's item is taken over; no other process runs an eval's items."""


@dataclass(frozen=True, slots=True)
class Mode:
    """A reasoning tool: module and class of its request, its graph, and where input and answer are.

    `question_field` is the argument that takes an item's input, `answer_path` the path of the
    answer in the tool's output.
    """

    contract: tuple[str, str]
    graph: str
    question_field: str
    answer_path: str


def _reasoning(name: str, answer_path: str = "content") -> Mode:
    """Return the mode for a name shared by its contract and its graph."""
    contract = (f"reasoning.{name}", f"Reasoning{name.capitalize()}")
    return Mode(contract, name, "content", answer_path)


MODES: dict[str, Mode] = {
    "reasoning_linear": _reasoning("linear"),
    "reasoning_tree": _reasoning("tree"),
    "reasoning_divergent": _reasoning("divergent", "synthesis"),
    "reasoning_reflection": _reasoning("reflection", "improved_reasoning"),
    "reasoning_got_run": Mode(("thought_graph.plans", "GotRun"), "got_run", "problem", "content"),
    "think": Mode(("thinking.think", "Think"), "think", "problem", "conclusion"),
    "ponder": Mode(("thinking.think", "Ponder"), "ponder", "problem", "conclusion"),
}
"""Tools that take a question and give an answer; a test compares them with the catalogue."""


@dataclass(frozen=True)
class Tool:
    """Calls a tool for each item as a separate owner and space, so that items are independent.

    Attributes:
        name: a key of `MODES`.
        arguments: further arguments, the same for each item.
        ask: maps an item to arguments; by default an object is the arguments, and any other input
            the tool's question.
        read: path of the answer, if not the tool's default.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    ask: Callable[[Item], Mapping[str, Any]] | None = None
    read: str = ""
    asks: bool = field(default=True, init=False)

    @property
    def known(self) -> Mode:
        """The tool's mode; UnknownName if there is none."""
        if self.name not in MODES:
            raise UnknownName(
                f"an eval knows no tool {self.name}; {one_of(self.name, MODES)}", field="tool"
            )
        return MODES[self.name]

    @property
    def graph(self) -> Graph:
        """The graph that answers."""
        return load_graph(self.known.graph)

    def about(self) -> dict[str, Any]:
        """Return the tool, its graph and its arguments."""
        graph = self.graph
        return {
            "tool": self.name,
            "graph": graph.name,
            "graph_version": graph.version,
            "arguments": dict(self.arguments),
            "read": self.read or self.known.answer_path,
        }

    def prompts(self) -> tuple[str, ...] | None:
        """Return None: a graph may use any prompt."""
        return None

    def check(self, item: Item, prompts: PromptRegistry) -> None:
        """Refuse an item that the tool's validation rejects."""
        self._request(item)

    def _request(self, item: Item) -> dict[str, Any]:
        module, name = self.known.contract
        contract: type[Request] = getattr(import_module(f"reasonloom.contracts.{module}"), name)
        request = parse_request(contract, {**self.arguments, **self._arguments(item)})
        return request.model_dump(mode="json", by_alias=True, exclude_unset=True)

    def _arguments(self, item: Item) -> Mapping[str, Any]:
        if self.ask is not None:
            return self.ask(item)
        if isinstance(item.input, dict):
            return item.input
        return {self.known.question_field: text_of(item.input)}

    @asynccontextmanager
    async def opened(self, parts: AnswerContext) -> AsyncIterator[Answering]:
        """Yield a function that calls the tool on a separate engine and the configured database.

        Automatic memory is off. An item and epoch of a run maps to one engine run, so a killed one
        resumes from its last checkpoint.
        """
        settings = parts.settings.model_copy(
            update={"auto_memory": False, "decay_hours": 0.0, "lease_seconds": LEASE}
        )
        graph, path = self.graph, self.read or self.known.answer_path
        async with open_engine(
            settings, access=parts.access, llm=parts.llm, embedder=parts.embedder, recover=False
        ) as engine:
            engine.loom = replace(engine.loom, prompts=parts.prompts)

            async def answer(item: Item, epoch: int) -> Answer:
                key = f"{item.id}/{epoch}"
                caller = Caller(parts.name, client="eval").within(key)
                call = Call(self.name, graph, self._request(item), caller, key)
                outcome = await engine.call(call)
                usage = await _total_usage(engine, caller, outcome.run_id) if parts.resumed else {}
                return Answer(value_at(outcome.answer, path), str(outcome.run_id), usage)

            yield answer


async def _total_usage(engine: Engine, caller: Caller, run: UUID) -> dict[str, float]:
    """Return the usage of all calls of a run, including those of earlier processes."""
    async with engine.loom.database.begin(caller) as tx:
        calls = (await runs.calls_of(tx, [run])).get(run, [])
    if not calls:
        return {}
    return {
        "calls": len(calls),
        "tokens_in": sum(call["tokens_in"] for call in calls),
        "tokens_out": sum(call["tokens_out"] for call in calls),
        "usd": sum(float(call["cost_usd"] or 0.0) for call in calls),
    }
