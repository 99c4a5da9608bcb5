"""A task: how a problem is read, its questions, and its checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from reasonloom.errors import UnknownName
from reasonloom.nodes.reasoning.tree_search.deduplication import normalised
from reasonloom.nodes.thought_graph.operations.state import Thought

CheckKind = Literal["local check", "oracle"]


class Candidate(NamedTuple):
    """A thought from an answer: its text, its data (JSON), and the confidence it claims, 0..1."""

    text: str
    data: Any = None
    confidence: float | None = None


class Verdict(NamedTuple):
    """The result of a check: a score 0..1, 1 if it could not be better."""

    score: float
    valid: bool


@dataclass(frozen=True, slots=True)
class TaskQuestion:
    """The subject of a question.

    Attributes:
        problem: the first thought.
        thoughts: those to be continued, improved or merged.
        line: the ancestors of the first of them, oldest first, without the problem.
        memories: the relevant memories, each with `content`.
        count: how many results are wanted.
    """

    problem: Thought
    thoughts: Sequence[Thought]
    line: Sequence[Thought]
    memories: Sequence[dict[str, Any]]
    count: int


@dataclass(frozen=True, slots=True)
class Move:
    """One kind of question.

    Attributes:
        prompt: the prompt's name.
        variables: returns the prompt's variables.
        read: returns the results in an answer that follows the prompt's schema; what it raises
            counts as nonsense.
        pipe: the name of the mode by which providers of named pipes choose.
        plain: an answer that does not follow the schema is a thought too.
        takes: how many thoughts it is about, None for any number of two or more.
    """

    prompt: str
    variables: Callable[[TaskQuestion], dict[str, Any]]
    read: Callable[[TaskQuestion, Mapping[str, Any]], list[Candidate]]
    pipe: str = "got_generate"
    plain: bool = False
    takes: int | None = 1


@dataclass(frozen=True, slots=True)
class Check:
    """A plain function that judges a thought.

    A `local check` uses what the problem itself says; an `oracle` knows the solution, which is
    known only in an experiment.
    """

    kind: CheckKind
    judge: Callable[[Thought, Thought], Verdict]
    """Called with the problem and the thought."""


def same_text(first: Thought, second: Thought) -> bool:
    """Tell whether two thoughts differ in nothing that matters in any text."""
    return normalised(first["text"]) == normalised(second["text"])


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of problem. `begin` reads the problem's text into data, or raises InvalidArgument.

    `same` tells whether two thoughts on one part of the problem are one idea.
    """

    name: str
    same: Callable[[Thought, Thought], bool] = same_text
    begin: Callable[[str], Any] = lambda problem: None
    moves: Mapping[str, Move] = field(default_factory=dict)
    checks: Mapping[str, Check] = field(default_factory=dict)

    def move(self, name: str) -> Move:
        """Return a question by name.

        Raises:
            UnknownName: the task has none such.
        """
        if name not in self.moves:
            raise UnknownName(
                f"task {self.name} has no move {name}; it has {', '.join(self.moves)}", field="move"
            )
        return self.moves[name]

    def check(self, name: str) -> Check:
        """Return a check by name.

        Raises:
            UnknownName: the task has none such.
        """
        if name not in self.checks:
            known = ", ".join(["judge", *self.checks])
            raise UnknownName(f"task {self.name} has no check {name}; it has {known}", field="by")
        return self.checks[name]
