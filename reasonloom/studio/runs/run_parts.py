"""The calls of a language model that a run made: what was asked, what came, what it cost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from reasonloom.studio.widgets.facts import facts
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import code

MOST = 40
"""Calls shown at once; a run may have made hundreds."""


def calls_shown(calls: Sequence[Mapping[str, Any]]) -> None:
    """Draw calls in the order of their answers, each folded until it is opened."""
    for call in calls[:MOST]:
        with ui.element("details").classes("studio-fold"):
            tag("summary", f"{call['node']} · {call['prompt']} v{call['prompt_version']}")
            _call(call)
    if len(calls) > MOST:
        tag("p", f"{len(calls) - MOST:,} calls more are not shown.", "studio-quiet")


def _call(call: Mapping[str, Any]) -> None:
    guess = " (estimated)" if call["tokens_estimated"] else ""
    cost = "unknown" if call["cost_usd"] is None else f"${call['cost_usd']:.5f}"
    facts(
        {
            "Model": f"{call['model']} by {call['llm']}",
            "Prompt": f"{call['prompt']} version {call['prompt_version']}",
            "Tokens": f"{call['tokens_in']:,} in, {call['tokens_out']:,} out{guess}",
            "Cost": cost,
            "Time": f"{call['latency_ms']:,.0f} ms, {call['attempts']} tried",
        }
    )
    _asked(call["messages"])
    tag("h4", "Reply")
    reply = call["reply"]
    if "redacted" in reply:
        tag("p", "Taken out, because a memory in it was forgotten for good.", "studio-quiet")
        return
    text = reply.get("text") or json.dumps(reply.get("parsed"), ensure_ascii=False, indent=2)
    code(text, "Reply of the language model")
    if reply.get("truncated"):
        tag("p", "The model was cut short.", "studio-quiet")


def _asked(messages: Sequence[Mapping[str, str]] | None) -> None:
    if messages is None:
        tag("p", "What was asked is not kept any more.", "studio-quiet")
        return
    for message in messages:
        tag("h4", f"Rendered prompt, {message['role']}")
        code(message["content"], f"Rendered prompt, {message['role']}")
