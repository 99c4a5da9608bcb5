"""Asks the language model where a mode can go on without it: a fault becomes a note."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reasonloom.errors import BudgetExceeded, LlmRefused, LlmUnavailable, ServiceFault, TimedOut
from reasonloom.llm.port import Usage
from reasonloom.nodes.runs.llm_call import Question, ask

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution

log = logging.getLogger(__name__)
SHARE = 0.5
"""The share of a run's remaining time that one call may take: time to answer is always left."""

CUT = "the language model's answer to {what} was cut at its length limit"
NONSENSE = "the language model's answer to {what} was not the JSON asked for"


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a question: the object asked for, or text of another form, or a fault."""

    parsed: dict[str, Any] | None = None
    text: str = ""
    notes: list[str] = field(default_factory=list)
    fault: ServiceFault | None = None
    usage: Usage = field(default_factory=Usage)


async def ask_or_say(execution: Execution, question: Question, what: str) -> Heard:
    """Ask within half of the time that the run has left; `what` names the question in notes.

    Where the question has a time of its own, that holds if it is shorter.
    """
    run, settings = execution.run, execution.loom.settings
    seconds = (settings.tool_timeout - (time.perf_counter() - run.started)) * SHARE
    if question.seconds is not None:
        seconds = min(seconds, question.seconds)
    try:
        async with asyncio.timeout(seconds):
            reply = await ask(execution, question)
    except TimeoutError:
        late = TimedOut(f"no answer within {max(seconds, 0):.3g} s")
        return _failed(what, late)
    except (LlmUnavailable, LlmRefused, TimedOut, BudgetExceeded) as fault:
        return _failed(what, fault)
    notes = [CUT.format(what=what)] if reply.truncated else []
    notes += [NONSENSE.format(what=what)] if reply.parsed is None else []
    return Heard(reply.parsed, reply.text, notes, usage=reply.usage)


def _failed(what: str, fault: ServiceFault) -> Heard:
    log.warning("%s: %s", what, type(fault).__name__)  # its words may quote what was asked
    return Heard(notes=[f"{what}: {fault.message}"], fault=fault)
