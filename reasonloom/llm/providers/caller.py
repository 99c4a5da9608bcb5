"""The model that called the tool: runs that use it wait for a call of `reasoning_answer`."""

from typing import NoReturn

from reasonloom.errors import LlmRefused
from reasonloom.llm.interfaces import Ask

CALLER = "caller"


class CallerModel:
    """A provider whose replies arrive in later calls; `nodes/runs/llm_call.py` suspends runs."""

    name = CALLER
    offline = False

    async def answer(self, ask: Ask) -> NoReturn:
        """Raise: outside a run there is no caller to ask.

        Raises:
            LlmRefused: always.
        """
        raise LlmRefused(f"{CALLER}: only a run of a tool can ask whoever called it")

    async def close(self) -> None:
        """Do nothing: no resources are held."""
