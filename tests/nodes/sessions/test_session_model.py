"""Any sequence of steps, checkpoints and steps back against a plain model: a tree of commits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, thinking

MAIN = 0


@dataclass
class ModelBranch:
    """A named head: the history that leads to it, oldest first."""

    line: tuple[str, ...]
    parent: int | None
    state: str = "active"


@dataclass
class Model:
    """A session as anybody would draw it; branches are numbered as they are made."""

    branches: list[ModelBranch] = field(default_factory=list)
    active: int = MAIN
    tags: list[tuple[int, tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    """Of each checkpoint: the branch, its line, and the states of all branches."""

    def think(self, content: str) -> None:
        if not self.branches:
            self.branches.append(ModelBranch((), None))
        branch = self.branches[self.active]
        branch.line, branch.state = (*branch.line, f"thought about {content}"), "active"

    def tag(self) -> None:
        states = tuple(each.state for each in self.branches)
        self.tags.append((self.active, self.branches[self.active].line, states))

    def back(self, tag: int, content: str | None) -> None:
        at, line, states = self.tags[tag]
        for number, branch in enumerate(self.branches):
            branch.state = states[number] if number < len(states) else "abandoned"
        self.branches.append(ModelBranch(line, at))
        self.active = len(self.branches) - 1
        if content is not None:
            self.think(content)

    def focus(self, number: int) -> None:
        self.branches[number].state, self.active = "active", number

    def complete(self, number: int, state: str) -> None:
        branch = self.branches[number]
        branch.state = state
        if number == self.active and branch.parent is not None:
            self.active = branch.parent


@dataclass
class Played:
    """The same session in the engine; `ids` of branches and checkpoints by the model's numbers."""

    engine: Engine
    llm: TellingLlm
    model: Model = field(default_factory=Model)
    session: str = ""
    branches: list[str] = field(default_factory=list)
    checkpoints: list[str] = field(default_factory=list)

    async def play(self, kind: str, choice: int) -> None:
        number = choice % max(len(self.branches), 1)
        if kind == "linear" or not self.session:
            await self.think()
        elif kind == "checkpoint":
            self.model.tag()
            made = await answered(
                self.engine, "checkpoint_create", session_id=self.session, name=f"tag {choice}"
            )
            self.checkpoints.append(made["id"])
        elif kind in ("back", "direction") and self.checkpoints:
            await self.back(choice % len(self.checkpoints), new=kind == "direction")
        elif kind == "focus":
            self.model.focus(number)
            await answered(
                self.engine, "tree_focus", session_id=self.session, branch_id=self.branches[number]
            )
        elif kind in ("completed", "abandoned"):
            self.model.complete(number, kind)
            await answered(
                self.engine, "tree_complete", session_id=self.session, state=kind,
                branch_id=self.branches[number],
            )  # fmt: skip
        await self.compare()

    async def think(self) -> None:
        content = uuid4().hex
        before = self.model.branches[self.model.active].line if self.model.branches else ()
        answer = await answered(
            self.engine, "linear", content=content, session_id=self.session or None
        )
        assert self.llm.seen[content] == list(before)
        self.model.think(content)
        self.session = answer["session_id"]
        self.branches = self.branches or [answer["branch_id"]]

    async def back(self, tag: int, *, new: bool) -> None:
        content = uuid4().hex if new else None
        answer = await answered(
            self.engine, "backtrack", checkpoint_id=self.checkpoints[tag], new_direction=content
        )
        self.model.back(tag, content)
        self.branches.append(answer["branch_id"])
        if content:
            assert self.llm.seen[content] == list(self.model.tags[tag][1])

    async def compare(self) -> None:
        """Hold the list of branches against the model."""
        listed = await answered(self.engine, "tree_list", session_id=self.session)
        assert [each["id"] for each in listed["branches"]] == self.branches
        assert listed["active_branch_id"] == self.branches[self.model.active]
        assert [each["state"] for each in listed["branches"]] == [
            each.state for each in self.model.branches
        ]
        assert [each["parent_id"] for each in listed["branches"]] == [
            None if each.parent is None else self.branches[each.parent]
            for each in self.model.branches
        ]


KINDS = ("linear", "linear", "checkpoint", "back", "direction", "focus", "completed", "abandoned")
MOVES = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 7)), min_size=3, max_size=25)


@pytest.fixture
async def mind(access: Access, embedder: Embedder) -> AsyncIterator[tuple[Engine, TellingLlm]]:
    llm = TellingLlm()
    async with thinking(access, embedder, llm) as engine:
        yield engine, llm


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # a smaller example of a fault would take minutes to be found
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(moves=MOVES)
async def test_the_next_step_sees_what_the_model_says(
    mind: tuple[Engine, TellingLlm], moves: list[tuple[str, int]]
) -> None:
    played = Played(*mind)
    for kind, choice in moves:
        await played.play(kind, choice)
    for number in range(len(played.branches)):
        await played.play("focus", number)
        await played.play("linear", 0)
