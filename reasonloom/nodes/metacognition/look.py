"""Asks the language model through its lenses, all at the same time, each blind to the rest."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.metacognition.judges import LENSES
from reasonloom.nodes.metacognition.state import CheckState, Look, Vote
from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.llm_call import Question

TELL = "tell"


def to_look(state: CheckState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Return one task for each lens of each part; without a language model go on at once."""
    if runtime.context.loom.llm.offline:
        return TELL
    given = state["given"]
    return [
        Send("look", Look(given=given, part=part, lens=lens))
        for part in given["parts"]
        for lens in LENSES[part]
    ]


async def look(state: Look, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask one lens about one part; a call that fails leaves an empty vote and a note."""
    execution, given, part, lens = runtime.context, state["given"], state["part"], state["lens"]
    question = Question(
        node="look",
        prompt=f"metacognition/{part}",
        variables={
            "text": given["text"],
            "background": given["context"],
            "lens": LENSES[part][lens],
            **({} if part == "emotion" else {"evidence": given["evidence"]}),
        },
        pipe="metacognition",
        task=f"{part}/{lens}",
    )
    heard = await ask_or_say(execution, question, f"the {lens}'s look at {part}")
    return {"votes": [Vote(part=part, lens=lens, said=heard.parsed)], "notes": heard.notes}
