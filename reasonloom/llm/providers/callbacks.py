"""Reports model calls to LangChain's callbacks, which trace them and stream their tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
    from langchain_core.runnables import RunnableConfig

    from reasonloom.llm.interfaces import Ask, Reply

call_config: ContextVar[RunnableConfig | None] = ContextVar("call_config", default=None)
"""Callbacks, tags and metadata for the model calls of the current run."""


def config_for(ask: Ask) -> RunnableConfig:
    """Return the config for one model call; its metadata has the prompt's mode."""
    config: Any = dict(call_config.get() or {})
    if ask.pipe:
        config["metadata"] = {**config.get("metadata", {}), "reasonloom_mode": ask.pipe}
    return cast("RunnableConfig", config)


class ReportedCall:
    """One request to a model: its tokens are reported as they arrive, its `reply` at the end."""

    def __init__(self, run: AsyncCallbackManagerForLLMRun | None = None) -> None:
        self._run = run
        self._id = f"run-{run.run_id}" if run else ""
        self.reply: Reply | None = None

    @property
    def streams(self) -> bool:
        """Whether a callback listens to tokens, by the rule of LangChain's chat models."""
        if self._run is None:
            return False
        from langchain_core.tracers._streaming import _StreamingCallbackHandler

        return any(isinstance(each, _StreamingCallbackHandler) for each in self._run.handlers)

    async def token(self, text: str) -> None:
        """Report a part of the reply's text."""
        if self._run is None or not text:
            return
        from langchain_core.messages import AIMessageChunk
        from langchain_core.outputs import ChatGenerationChunk

        message = AIMessageChunk(content=text, id=self._id)
        await self._run.on_llm_new_token(text, chunk=ChatGenerationChunk(message=message))

    async def end(self, error: BaseException | None = None) -> None:
        """Report the reply, or else the error."""
        if self._run is None:
            return
        from langchain_core.messages import AIMessage
        from langchain_core.outputs import ChatGeneration, LLMResult

        if error is not None or self.reply is None:
            await self._run.on_llm_error(error or RuntimeError("no reply"))
            return
        used = self.reply.usage
        counts = (used.tokens_in, used.tokens_out, used.tokens_in + used.tokens_out)
        message = AIMessage(
            self.reply.text,
            id=self._id,
            response_metadata={"model_name": self.reply.model},
            usage_metadata=dict(
                zip(("input_tokens", "output_tokens", "total_tokens"), counts, strict=True)
            ),
        )
        await self._run.on_llm_end(LLMResult(generations=[[ChatGeneration(message=message)]]))


@asynccontextmanager
async def reported(model: str, ask: Ask) -> AsyncIterator[ReportedCall]:
    """Report one request to `model`; without callbacks for the current run, do nothing."""
    call = await _begin(model, ask)
    try:
        yield call
    except BaseException as error:
        await call.end(error)
        raise
    await call.end()


async def _begin(model: str, ask: Ask) -> ReportedCall:
    config = config_for(ask)
    if not config.get("callbacks"):
        return ReportedCall()
    from langchain_core.callbacks import AsyncCallbackManager

    manager = AsyncCallbackManager.configure(
        config["callbacks"],
        inheritable_tags=config.get("tags"),
        inheritable_metadata=config.get("metadata"),
        local_metadata={"ls_model_type": "chat", "ls_model_name": model},
    )
    (run,) = await manager.on_chat_model_start(
        {"name": model}, [list(ask.messages)], name=model, invocation_params={"model": model}
    )
    return ReportedCall(run)
