"""The model that called the tool: a run that asks it waits for a call of `reasoning_answer`."""

from typing import NoReturn

from reasonloom.errors import LlmRefused
from reasonloom.llm.interfaces import Ask

CALLER = "caller"


class CallerModel:
    """A provider whose replies come with later calls; `nodes/runs/llm_call.py` lets runs wait."""

    name = CALLER
    offline = False

    async def answer(self, ask: Ask) -> NoReturn:
        """Refuse: outside of a run nobody can be asked.

        Raises:
            LlmRefused: always.
        """
        raise LlmRefused(f"{CALLER}: only a run of a tool can ask whoever called it")

    async def close(self) -> None:
        """Hold nothing open."""
