"""A task: how its problems are read, and its moves and checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from reasonloom.errors import UnknownName
from reasonloom.nodes.reasoning.tree_search.deduplication import normalised
from reasonloom.nodes.thought_graph.operations.state import Thought

CheckKind = Literal["local check", "oracle"]


class Candidate(NamedTuple):
    """A thought from an answer: its text, its data (JSON), and its stated confidence, 0..1."""

    text: str
    data: Any = None
    confidence: float | None = None


class Verdict(NamedTuple):
    """The result of a check: a score 0..1, where 1 is optimal, and whether the thought is valid."""

    score: float
    valid: bool


@dataclass(frozen=True, slots=True)
class TaskQuestion:
    """The input of a move's prompt.

    Attributes:
        problem: the first thought.
        thoughts: the thoughts to continue, improve or merge.
        line: the ancestors of the first of them, oldest first, without the problem.
        memories: the relevant memories, each with `content`.
        count: number of wanted results.
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
        read: returns the results of an answer that follows the prompt's schema; if it raises, the
            answer is invalid.
        pipe: the mode name by which providers select a named pipe.
        plain: whether an answer that does not follow the schema is used as a thought.
        takes: the number of thoughts it is about, or None for any number from two.
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

    A `local check` uses only the problem itself; an `oracle` knows the solution, which is available
    only in experiments.
    """

    kind: CheckKind
    judge: Callable[[Thought, Thought], Verdict]
    """Called with the problem and the thought."""


def same_text(first: Thought, second: Thought) -> bool:
    """Return whether two texts differ only in case, white space and Unicode composition."""
    return normalised(first["text"]) == normalised(second["text"])


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of problem. `begin` parses the problem text, or raises InvalidArgument.

    `same` returns whether two thoughts about the same part of the problem are the same idea.
    """

    name: str
    same: Callable[[Thought, Thought], bool] = same_text
    begin: Callable[[str], Any] = lambda problem: None
    moves: Mapping[str, Move] = field(default_factory=dict)
    checks: Mapping[str, Check] = field(default_factory=dict)

    def move(self, name: str) -> Move:
        """Return a move by name.

        Raises:
            UnknownName: the task has no such move.
        """
        if name not in self.moves:
            raise UnknownName(
                f"task {self.name} has no move {name}; it has {', '.join(self.moves)}", field="move"
            )
        return self.moves[name]

    def check(self, name: str) -> Check:
        """Return a check by name.

        Raises:
            UnknownName: the task has no such check.
        """
        if name not in self.checks:
            known = ", ".join(["judge", *self.checks])
            raise UnknownName(f"task {self.name} has no check {name}; it has {known}", field="by")
        return self.checks[name]
