"""Limits how long an answer may be: a tool's, or JSON, is refused whole, a page is cut."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from reasonloom.errors import BudgetExceeded

if TYPE_CHECKING:
    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp_types import CallToolResult


class AnswerTooLarge(BudgetExceeded):
    """The answer is longer than the server gives out, so that nothing of it is given."""


SETTING = "REASONLOOM_ANSWER_CHARACTERS"
SHORTENING_ARGUMENTS = (
    "limit", "max_results", "top_k", "max_examples", "max_per_context", "max_depth", "depth",
    "maxTokens", "memories", "memoryIds", "days_back", "include_predictions",
    "include_revisions",
)  # fmt: skip
"""Arguments of which less gives a shorter answer, as the contracts name them."""

JSON = "application/json"
FENCE = "```"


def require_size(
    answer: CallToolResult, most: int, arguments: Iterable[str], done: str | None
) -> None:
    """Let an answer pass that is short enough.

    An answer that was cut would not fit its schema, so that one too long is refused. `arguments`
    are those that the tool takes; `done` is the id of a run that has changed what is stored.

    Raises:
        AnswerTooLarge: it is too long; says how to ask for less, and what was done.
    """
    size = size_of(answer)
    if size <= most:
        return
    reason = (
        f"the answer has {size:,} characters, and this server gives at most {most:,} ({SETTING})"
    )
    if done:
        raise AnswerTooLarge(
            f"the call was carried out and must not be sent again: run {done} keeps its answer. "
            f"{reason[0].upper()}{reason[1:]}",
            limit="characters",
        )
    names = [name for name in SHORTENING_ARGUMENTS if name in set(arguments)]
    way = f"ask for less by {' or '.join(names)}" if names else "ask for something narrower"
    raise AnswerTooLarge(f"{reason}; {way}", limit="characters")


def size_of(answer: CallToolResult) -> int:
    """Return the characters of an answer's text or of its value, whichever has more."""
    text = sum(len(getattr(block, "text", "")) for block in answer.content)
    value = json.dumps(answer.structured_content, ensure_ascii=False)
    return max(text, len(value)) if answer.structured_content is not None else text


def limit_contents(
    contents: Iterable[ReadResourceContents], most: int
) -> Iterable[ReadResourceContents]:
    """Yield the contents of a resource: each page cut at `most` characters, JSON whole or refused.

    JSON that was cut could not be read.
    """
    for each in contents:
        if not isinstance(each.content, str) or len(each.content) <= most:
            yield each
        else:
            fitting = _too_long_json if each.mime_type == JSON else _truncate_page
            yield replace(each, content=fitting(each.content, most))


def _too_long_json(text: str, most: int) -> str:
    """Return, as JSON, that a text is too long to be given."""
    reason = (
        f"this has {len(text):,} characters, and this server gives at most {most:,} ({SETTING})"
    )
    return json.dumps({"error": {"type": AnswerTooLarge.__name__, "message": reason}})


def _truncate_page(page: str, most: int) -> str:
    """Return the beginning of a page, its last block of code closed, and how much is missing."""
    begun = page[:most].rpartition("\n")[0] or page[:most]
    fences = sum(line.startswith(FENCE) for line in begun.splitlines())
    end = f"\n{FENCE}" if fences % 2 else ""
    missing = len(page) - len(begun)
    reason = f"Cut here: {missing:,} of {len(page):,} characters are left out ({SETTING})."
    return f"{begun}{end}\n\n{reason}\n"
