"""Ways to answer an item: by a function, by one prompt, or by resources that a suite opens."""

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Answer, Item
from reasonloom.llm.interfaces import Ask, Embedder, LanguageModel
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.settings import Settings
from reasonloom.stores.access import Access

Answering = Callable[[Item, int], Awaitable[Answer]]
"""Answers an item in an epoch."""


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What answering may use.

    `name` is the run's name, and the owner of everything it stores; `resumed` is whether an earlier
    process may have begun an item. `access` and `embedder` default to the configured ones.
    """

    name: str
    settings: Settings
    llm: LanguageModel
    prompts: PromptRegistry
    resumed: bool = False
    access: Access | None = None
    embedder: Embedder | None = None


class Way(Protocol):
    """How a system answers items."""

    @property
    def asks(self) -> bool:
        """Whether it calls a language model."""

    def about(self) -> dict[str, Any]:
        """Return its description for the run's head."""

    def prompts(self) -> tuple[str, ...] | None:
        """Return the prompts that it uses, None if it may use any."""

    def check(self, item: Item, prompts: PromptRegistry) -> None:
        """Refuse an item that it cannot answer, by a CallerMistake with the reason."""

    def opened(self, parts: AnswerContext) -> AbstractAsyncContextManager[Answering]:
        """Yield the answering function while its resources are open."""


class _NamedWay:
    """A way described by its name, which accepts every item.

    `asks` states whether it calls the run's language model, in which case it may use any prompt.
    """

    name: str
    asks: bool

    def about(self) -> dict[str, Any]:
        """Return its name."""
        return {"function": self.name}

    def prompts(self) -> tuple[str, ...] | None:
        """Return no prompts, or None if any may be used."""
        return None if self.asks else ()

    def check(self, item: Item, prompts: PromptRegistry) -> None:
        """Accept every item."""


@dataclass(frozen=True)
class Function(_NamedWay):
    """Answers by a function of item and epoch, plain or async."""

    call: Callable[[Item, int], Any]
    name: str = "function"
    asks: bool = field(default=False, init=False)

    @asynccontextmanager
    async def opened(self, parts: AnswerContext) -> AsyncIterator[Answering]:
        """Yield the function."""

        async def answer(item: Item, epoch: int) -> Answer:
            found = self.call(item, epoch)
            return Answer(await found if inspect.isawaitable(found) else found)

        yield answer


@dataclass(frozen=True)
class Opening(_NamedWay):
    """Answers with resources that it opens first, such as an engine on a temporary database."""

    open: Callable[[AnswerContext], AbstractAsyncContextManager[Answering]]
    name: str
    asks: bool = False

    def opened(self, parts: AnswerContext) -> AbstractAsyncContextManager[Answering]:
        """Open it."""
        return self.open(parts)


@dataclass(frozen=True)
class Asking:
    """Calls one prompt; the answer is the reply's text, or the value at `read` in its object.

    Attributes:
        prompt: its name.
        variables: maps an item to the prompt's variables; by default an object is the variables,
            and any other input the prompt's only variable.
        read: path of the answer in the reply's object; empty for the whole reply.
    """

    prompt: str
    variables: Callable[[Item], Mapping[str, Any]] | None = None
    read: str = ""
    asks: bool = field(default=True, init=False)

    def about(self) -> dict[str, Any]:
        """Return the prompt's name and the path that is read."""
        return {"prompt": self.prompt, **({"read": self.read} if self.read else {})}

    def prompts(self) -> tuple[str, ...] | None:
        """Return the prompt."""
        return (self.prompt,)

    def check(self, item: Item, prompts: PromptRegistry) -> None:
        """Refuse an item that the prompt cannot be rendered with."""
        prompts.get(self.prompt).render(**self._variables(item, prompts))

    def _variables(self, item: Item, prompts: PromptRegistry) -> dict[str, Any]:
        if self.variables is not None:
            return dict(self.variables(item))
        if isinstance(item.input, dict):
            return dict(item.input)
        names = prompts.get(self.prompt).about.variables
        if len(names) != 1:
            raise InvalidArgument(
                f"{self.prompt}: has the variables {', '.join(names)}; the input must be an object"
                " of them",
                field="input",
            )
        return {names[0]: item.input}

    @asynccontextmanager
    async def opened(self, parts: AnswerContext) -> AsyncIterator[Answering]:
        """Yield a function that renders the prompt and calls the model."""
        template = parts.prompts.get(self.prompt)

        async def answer(item: Item, epoch: int) -> Answer:
            prompt = template.render(**self._variables(item, parts.prompts))
            ask = Ask(prompt.messages(), prompt.schema, material=prompt.variables)
            reply = await parts.llm.answer(ask)
            if not self.read:
                return Answer(reply.text if reply.parsed is None else reply.parsed)
            return Answer(value_at(reply.parsed or {}, self.read))

        yield answer


def value_at(answer: Any, path: str) -> Any:
    """Return the value at a dotted path of objects and lists, None if there is none."""
    for part in path.split(".") if path else ():
        if isinstance(answer, dict):
            answer = answer.get(part)
        elif isinstance(answer, list) and part.lstrip("-").isdecimal():
            place = int(part)
            answer = answer[place] if -len(answer) <= place < len(answer) else None
        else:
            return None
    return answer


def text_of(value: Any) -> str:
    """Return text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
