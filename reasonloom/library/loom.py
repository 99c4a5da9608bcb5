"""Opens a memory and its engine for Python programs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from reasonloom.contracts.base import Answer
from reasonloom.contracts.runs import ReasoningAnswer
from reasonloom.contracts.validation import parse_request, require_idempotency_key
from reasonloom.errors import CallerMistake, InvalidArgument, SettingMistake
from reasonloom.library.tool_calls import ToolCalls
from reasonloom.library.tool_methods import ToolMethods
from reasonloom.library.tool_table import (
    MODES,
    TOOLS,
    as_json,
    build_request,
    find,
    in_python_names,
)
from reasonloom.llm.providers.caller import CALLER
from reasonloom.server.catalogue.selection import DEFAULT_TOOLS
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.usable_settings import require_usable_parts
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import find_access
from reasonloom.stores.migrate import bring_up_to_date

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import StructuredTool

    from reasonloom.library.middleware import MemoryMiddleware
    from reasonloom.library.modes import Mode
    from reasonloom.library.store import Store
    from reasonloom.llm.interfaces import Embedder, LanguageModel


class Loom(ToolMethods):
    """An open memory with its tools and reasoning modes, for one user.

    Every tool is a method: `await loom.recall("Who must avoid nuts?")`. Required arguments may be
    given by position, the others by name. A method returns the tool's answer as a model, whose
    `call` holds the id of the recorded run and notes.

    Use it in the event loop that opened it.
    """

    def __init__(self, calls: ToolCalls) -> None:
        self.user = calls.user
        self._calls = calls

    async def call(
        self, tool: str, /, *values: Any, idempotency_key: str | None = None, **named: Any
    ) -> Answer:
        """Call a tool by name.

        With `idempotency_key`, a repeated call returns the first one's answer.

        Raises:
            UnknownName: there is no such tool.
            InvalidArgument: an argument is missing, unknown or of a wrong type.
            ReasonloomError: any deliberate error of the tool.
        """
        line = find(tool, TOOLS, "tool")
        request = build_request(line, self.user, values, named)
        key = require_idempotency_key(idempotency_key, "idempotency_key")
        try:
            outcome = await self._calls.run(line, request, key=key)
        except CallerMistake as error:
            raise in_python_names(error, line) from None
        return self._calls.read(line, outcome)

    async def answer(self, run_id: str, answers: Sequence[Mapping[str, Any]]) -> Answer:
        """Answer the questions of a run that waits, where the caller is the language model.

        Args:
            run_id: the run, as `NeedsAnswers.run_id` has it.
            answers: for each question `{"id": ..., "reply": ...}` or `{"id": ...,
                "declined": True}`.

        Raises:
            InvalidArgument: an answer is malformed, or to a question that was not put.
            RunNotFound: the user has no such run.
        """
        given = as_json({"run_id": run_id, "answers": answers})
        outcome, tool = await self._calls.resume(parse_request(ReasoningAnswer, given))
        return self._calls.read(TOOLS[tool], outcome)

    def mode(
        self,
        name: str,
        /,
        *,
        input_key: str | None = None,
        output_key: str | None = None,
        **arguments: Any,
    ) -> Mode:
        """Return a reasoning mode as a LangChain runnable, for use alone or as a graph's node.

        Args:
            name: auto, linear, tree, divergent, reflection, backtrack, got, ponder, analyze,
                breakdown, think, assess_confidence, detect_bias, detect_emotion or evaluate.
            input_key: the key of a graph's state that holds the text.
            output_key: the key of a graph's state to write the answer to, as a dict.
            arguments: the tool's other arguments, such as `max_branches=4`.

        Raises:
            UnknownName: there is no such mode.
            InvalidArgument: an argument is unknown or of a wrong type.
        """
        from reasonloom.library.modes import Mode

        line = find(str(name).removeprefix("reasoning_"), MODES, "mode")
        return Mode(self._calls, line, arguments, input_key=input_key, output_key=output_key)

    def tools(self, *names: str) -> list[StructuredTool]:
        """Return tools for LangChain's agents, by default those that an MCP client is offered.

        Raises:
            UnknownName: there is no such tool.
        """
        from reasonloom.library.tools import agent_tool

        lines = [find(name, TOOLS, "tool") for name in names or DEFAULT_TOOLS]
        return [agent_tool(self._calls, line) for line in lines]

    @cached_property
    def store(self) -> Store:
        """A store for LangGraph's graphs and agents, whose items are also memories."""
        from reasonloom.library.store import Store

        return Store(self._calls)

    def memory_middleware(self, *, limit: int = 8, store: bool = True) -> MemoryMiddleware:
        """Return middleware for `create_agent` that recalls before and stores after each turn.

        Args:
            limit: the number of memories recalled.
            store: False to store nothing.

        Raises:
            InvalidArgument: `langchain` is not installed.
        """
        try:
            from reasonloom.library.middleware import MemoryMiddleware
        except ImportError:
            raise InvalidArgument(
                "memory_middleware needs langchain: pip install 'reasonloom[langchain]'"
            ) from None
        return MemoryMiddleware(self._calls, limit=limit, store=store)


@asynccontextmanager
async def open(
    *,
    user: str | None = None,
    llm: str | LanguageModel | BaseChatModel | None = None,
    embedder: str | Embedder | None = None,
    **settings: Any,
) -> AsyncIterator[Loom]:
    """Open the memory: an embedded Postgres, or the database that `DATABASE_URL` names.

    Args:
        user: the owner of everything stored; by default `REASONLOOM_USER`, else `local`.
        llm: a setting such as `litellm:openai/gpt-5`, or a chat model of LangChain's.
        embedder: a setting, or an embedder.
        settings: other settings by name, such as `home` or `database_url`.

    Raises:
        SettingMistake: a setting is unknown or invalid.
        PromptMistake: a template in the folder of `prompts` is malformed.
        DatabaseUnavailable: the database cannot be reached or migrated.
    """
    async with open_calls(user=user, llm=llm, embedder=embedder, **settings) as calls:
        yield Loom(calls)


@asynccontextmanager
async def open_calls(
    *,
    user: str | None,
    llm: str | LanguageModel | BaseChatModel | None,
    embedder: str | Embedder | None,
    own_thread: bool = False,
    **settings: Any,
) -> AsyncIterator[ToolCalls]:
    """Open the database for the calls of one user (see `open`); the first loads the engine."""
    for name in settings.keys() - Settings.model_fields.keys():
        near = get_close_matches(name, Settings.model_fields, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SettingMistake(f"{name}: unknown setting{hint}", field=name)
    loaded = load_settings(
        user=user,
        llm=llm if isinstance(llm, str) else None,
        embedder=embedder if isinstance(embedder, str) else None,
        **settings,
    )
    parts = {"llm": _language_model(llm, loaded), "embedder": _embedder(embedder)}
    await require_usable_parts(loaded)
    if loaded.prompts:
        from reasonloom.prompts.registry import PromptRegistry

        PromptRegistry(loaded.prompts)
    access = None if loaded.databases else await find_access(loaded)
    if access:
        await bring_up_to_date(access)
    async with EngineLifespan(
        loaded, serves=False, recover=False, access=access, **parts
    ) as lifespan:
        asks_caller = loaded.llm == CALLER and parts["llm"] is None
        calls = ToolCalls(lifespan, asks_caller=asks_caller, own_thread=own_thread)
        try:
            yield calls
        finally:
            calls.close()


def _language_model(llm: object, settings: Settings) -> LanguageModel | None:
    """Return a language model that was given as an object.

    Raises:
        SettingMistake: it is neither a chat model nor a language model.
    """
    if llm is None or isinstance(llm, str):
        return None
    from langchain_core.runnables import Runnable

    if isinstance(llm, Runnable):
        from reasonloom.llm.providers.langchain import LangchainModel

        return LangchainModel(llm, settings)
    if isinstance(llm, type) or not all(hasattr(llm, each) for each in ("answer", "offline")):
        raise SettingMistake(
            "llm: must be a setting such as 'litellm:openai/gpt-5', or a chat model of "
            f"LangChain's, such as ChatAnthropic(model=...); not {_named(llm)}",
            field="llm",
        )
    return cast("LanguageModel", llm)


def _embedder(embedder: object) -> Embedder | None:
    """Return an embedder that was given as an object.

    Raises:
        SettingMistake: it is no embedder.
    """
    if embedder is None or isinstance(embedder, str):
        return None
    if isinstance(embedder, type) or not hasattr(embedder, "embed"):
        raise SettingMistake(
            f"embedder: must be a setting such as 'wordllama', or an embedder; not "
            f"{_named(embedder)}",
            field="embedder",
        )
    return cast("Embedder", embedder)


def _named(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
