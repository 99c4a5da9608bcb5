"""Renders the open questions of a waiting run, with shared texts written once."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, TextContent

from reasonloom.contracts.runs import NeedsAnswers, OpenQuestion
from reasonloom.contracts.schema import publish

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from reasonloom.graphs.runs.call import Round
    from reasonloom.stores.runs.questions import QuestionRow

NEXT = (
    "Not finished: {misfits}you are the model that thinks here. Answer {count}, "
    "then call reasoning_answer with this run_id and answers "
    '[{{"id": "{first}", "reply": ...}}{more}]; {{"id": ..., "declined": true}} continues without '
    "a reply.{shared}{blind}"
)
MISFITS = "{ids} did not fit, see `error`; the other replies were kept; "
SHARED = " [shared S1] is the value of `S1` in `shared`."
BLIND = (
    " Judge as if somebody else wrote the candidates. If you can run sub-agents, give each blind "
    'question to a fresh one that sees nothing else, and pass "check": "independent" with the '
    "answers."
)
SECTION = re.compile(r"^<(\w+)[^>\n]*>\n.*?\n</\1>$", re.DOTALL | re.MULTILINE)
"""A tagged section of a prompt."""

LEAST_SHARED = 80
"""Minimum characters of a text shared by several questions to be written once."""


def questions_result(run_id: UUID, round_: Round, most_tokens: int) -> CallToolResult:
    """Return the MCP result of a waiting run: the next steps, then the questions as JSON."""
    answer = needs_answers(run_id, round_, most_tokens).wire()
    body = {name: value for name, value in answer.items() if name != "next"}
    text = f"{answer['next']}\n{json.dumps(body, ensure_ascii=False)}"
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=answer, is_error=False
    )


def check_of(self_judged: bool | None) -> str | None:
    """Return `self-judged` or `independent` for a run, None if its caller judged nothing."""
    return {None: None, True: "self-judged", False: "independent"}[self_judged]


def with_questions(schema: dict[str, Any], *, short: bool) -> dict[str, Any]:
    """Return the schema of a tool result that is either an answer or open questions.

    With `short`, only the presence of `questions` is described.
    """
    if short:
        answer = {name: value for name, value in schema.items() if name != "type"}
        return {"type": "object", "oneOf": [answer, {"required": ["questions"]}]}
    waiting = publish(NeedsAnswers, answer=True)
    kept = {name: waiting["properties"][name] for name in ("run_id", "status")}
    brief = {
        "type": "object",
        "properties": {**kept, "questions": {"type": "array", "items": {"type": "object"}}},
        "required": ["run_id", "status", "questions"],
    }
    return {"type": "object", "oneOf": [schema, brief]}


def needs_answers(run_id: UUID, round_: Round, most_tokens: int) -> NeedsAnswers:
    """Return the questions of a round in the form sent to clients."""
    shared = SharedTexts(round_.questions)
    opened = [_open_question(each, shared, round_) for each in round_.questions]
    return NeedsAnswers(
        next=_next(opened, shared),
        run_id=str(run_id),
        tool=round_.tool,
        status="needs_answers",
        round=round_.number,
        max_reply_tokens=most_tokens,
        shared=shared.by_name,
        questions=opened,
        **_given(rounds_at_most=round_.at_most, notes=round_.notes or None),
    )


def _next(opened: Sequence[OpenQuestion], shared: SharedTexts) -> str:
    blind = any(each.blind for each in opened)
    wrong = [each.id for each in opened if each.error]
    return NEXT.format(
        count="the question"
        if len(opened) == 1
        else f"the {len(opened)} questions, each by itself",
        first=opened[0].id if opened else "r1q1",
        more=", ..." if len(opened) > 1 else "",
        misfits=MISFITS.format(ids=", ".join(wrong)) if wrong else "",
        shared=SHARED if shared.by_name else "",
        blind=BLIND if blind else "",
    )


def _open_question(question: QuestionRow, shared: SharedTexts, round_: Round) -> OpenQuestion:
    schema = None if question.schema is None else shared.schema_of(question)
    return OpenQuestion(
        id=question.id,
        role=question.role,
        prompt=shared.shorten(question.user_text),
        **_given(
            system=shared.shorten(question.system_text) or None,
            reply_schema=schema,
            blind=True if question.blind else None,
            error=round_.misfits.get(question.id),
        ),
    )


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


class SharedTexts:
    """Text sections and schemas shared by several questions, by name.

    `[shared S1]` in a text refers to the text under `S1`; replacing the references restores each
    question.
    """

    def __init__(self, opened: Sequence[QuestionRow]) -> None:
        self.by_name: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        texts = [_sections(text) for one in opened for text in (one.system_text, one.user_text)]
        self._counts = Counter(each for text in texts for each in text)
        self._pairs = Counter(pair for text in texts for pair in pairwise(text))
        schemas = Counter(json.dumps(each.schema) for each in opened if each.schema)
        self._schemas = {each for each, count in schemas.items() if count > 1}

    def shorten(self, text: str) -> str:
        """Return a text with its shared sections replaced by references."""
        groups: list[list[str]] = []
        for each in _sections(text):
            if groups and self._always_together(groups[-1][-1], each):
                groups[-1].append(each)
            else:
                groups.append([each])
        return "\n".join(self._reference("\n".join(group), group[0]) for group in groups)

    def schema_of(self, question: QuestionRow) -> dict[str, Any] | str:
        """Return a question's schema, or a reference to it if it is shared."""
        text = json.dumps(question.schema)
        if text not in self._schemas:
            return question.schema or {}
        return self._named(text, question.schema)

    def _always_together(self, one: str, other: str) -> bool:
        return self._counts[one] == self._counts[other] == self._pairs[one, other]

    def _reference(self, text: str, section: str) -> str:
        shared = self._counts[section] > 1 and len(text) >= LEAST_SHARED
        return self._named(text, text) if shared else text

    def _named(self, text: str, value: Any) -> str:
        if text not in self._names:
            # Letters would collide with the labels of the candidates of a ballot.
            self._names[text] = f"S{len(self._names) + 1}"
            self.by_name[self._names[text]] = value
        return f"[shared {self._names[text]}]"


def _sections(text: str) -> list[str]:
    """Return the tagged sections of a text and the text between them, each as whole lines."""
    parts, end = [], 0
    for found in SECTION.finditer(text):
        parts += [text[end : found.start()].strip("\n"), found[0].strip("\n")]
        end = found.end()
    return [each for each in (*parts, text[end:].strip("\n")) if each]
