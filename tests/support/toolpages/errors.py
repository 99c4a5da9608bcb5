"""Which errors a tool gives: those that it was made to give, and those that any tool can."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reasonloom import errors
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta
from tests.support.toolpages.player import Player, Step
from tests.support.toolpages.schema import table

NOWHERE = "ffffffff-ffff-4fff-8fff-ffffffffffff"
NAMED = re.compile(r"(^|_)(ids?|project)$|Ids?$|^(add|remove)_basins$")
"""Arguments that name something that must be there."""

SPACES = ("userId", "sessionId")
"""What need not be there: a new name opens a space, or a session."""

CHOSEN = {("session_start", "session_id")}
"""Arguments of a tool that begin what they name."""

MORE: Mapping[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "create_model": (
        ("another model has the name", {}),
        ("`domain` is none of the four", {"domain": "weather"}),
    ),
    "revise_model": (
        ("nothing would change", {"add_basins": []}),
        ("no basin would be left", {"add_basins": [], "remove_basins": [
            "$given.basins.0", "$given.basins.1"]}),
    ),
    "reasoning_reflection": (("both a content and a thought are given", {"content": "x"}),),
    "search": (("the query is unfinished", {"text": "peanut AND ("}),),
    "remember": (("`primarySector` is none of the five", {"primarySector": "gossip"}),),
    "history_list_sessions": (
        ("`from` is after `to`", {"from": "2026-03-02", "to": "2026-03-01"}),
    ),
    "memory_workspace_add": (("the file is not there", {"path": "none.jsonl"}),
                             ("the path leads out of the folder", {"path": "../none.jsonl"})),
    "session_start": (("a new session cannot have so large a number", {"session_id": 2**31}),),
    "memory_add": (("an edge leads to no memory",
                    {"edges": [{"target_id": 999_999, "edge_type": "supports"}]}),),
    "resolve_prediction": (("it is resolved already", {"was_accurate": True}),),
    "reasoning_got_run": (("`plan` names no packaged plan", {"plan": "hope"}),),
}  # fmt: skip
"""Calls beside the example's that must fail: when, and what is changed of its arguments."""

ANY_TOOL: tuple[tuple[str, errors.ReasonloomError], ...] = (
    ("an argument is missing", errors.MissingArgument("-")),
    ("an argument is unknown, of another type, too large or beyond its bounds; the field is named",
     errors.InvalidArgument("-")),
    ("the database cannot be reached", errors.DatabaseUnavailable("-")),
    ("the database's disk is full", errors.DatabaseFull()),
    ("the call took longer than `REASONLOOM_TOOL_TIMEOUT`", errors.TimedOut("-")),
    ("an idempotency key was used for another request", errors.Conflict("-")),
    ("the same request with the same key is being answered just now", errors.KeyTaken("-")),
    ("a defect of ours; the log holds the rest under its reference", errors.InternalFault("-")),
)  # fmt: skip
MODEL_TOOLS: tuple[tuple[str, errors.ReasonloomError], ...] = (
    ("the provider cannot be reached, or is overloaded", errors.LlmUnavailable("-")),
    ("the provider refuses the call: a key, a model, a quota", errors.LlmRefused("-")),
    ("the run's budget of calls, tokens, US dollars or seconds is used up",
     errors.BudgetExceeded("-")),
)  # fmt: skip


@dataclass(frozen=True)
class Refusal:
    """A call that failed: when it does, the error's code, and what was said."""

    when: str
    code: str
    said: str


def code_of(body: Mapping[str, Any]) -> str:
    """Return what a program tells an error by, in whichever form."""
    if "code" in body:
        return f"`{body['code']}`"
    if isinstance(body.get("error"), dict):
        return f"`{body['error']['type']}`"
    return str(body["error"])


def reply_text(body: Mapping[str, Any]) -> str:
    """Return an error's sentence."""
    if "message" in body:
        return str(body["message"])
    if isinstance(body.get("error"), dict):
        return str(body["error"]["message"])
    return str(body.get("detail") or body["suggestion"])


async def provoked(player: Player, step: Step, schema: dict[str, Any]) -> list[Refusal]:
    """Make the calls that must fail; return of each kind of error the first."""
    found: dict[tuple[str, str], Refusal] = {}
    for when, arguments in _wrong(step, schema):
        played = await player.play(Step(step.tool, arguments))
        if not played.failed:
            continue
        code, said = code_of(played.answer), reply_text(played.answer)
        found.setdefault((code, when), Refusal(when, code, said))
    return list(found.values())


def _wrong(step: Step, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, kind in schema["properties"].items():
        if NAMED.search(name) and name not in SPACES and (step.tool, name) not in CHOSEN:
            unknown = _unknown(name, kind, step.arguments.get(name))
            yield f"`{name}` names nothing that is there", {**step.arguments, name: unknown}
    for when, changed in MORE.get(step.tool, ()):
        yield when, {**step.arguments, **changed}


def _unknown(name: str, kind: dict[str, Any], given: Any) -> Any:
    """Return an id that nobody has; of several the first."""
    if kind["type"] == "array":
        return [_unknown(name, kind["items"], None), *(given or ())[1:]]
    if kind["type"] == "integer":
        return 999_999
    if name.startswith("memoryId"):
        return "mem-999999"
    return {"workspace_id": "ws_999999", "project": "nowhere"}.get(name, NOWHERE)


def refusals(given: list[Refusal]) -> str:
    """Return the table of a tool's own errors."""
    rows = [(each.code, each.when, each.said) for each in given]
    return table(("error", "when", "what is said"), rows)


def common(form: Envelope, *, of_llm: bool) -> str:
    """Return the table of the errors that any tool of a form can give."""
    rows = []
    for when, error in (*ANY_TOOL, *(MODEL_TOOLS if of_llm else ())):
        body = form.failure(error, ResponseMeta()).structured or {}
        retry = body.get("retryable", (body.get("error") or {}).get("retryable")
                         if isinstance(body.get("error"), dict) else None)  # fmt: skip
        named = "a sentence of its own" if code_of(body) == "-" else code_of(body)
        rows.append((named, when, "yes" if retry else "no"))
    return table(("error", "when", "try again"), rows)
