"""Limits the size of answers: tool answers and JSON are refused whole, pages are truncated."""

import json
from collections.abc import Iterable
from dataclasses import replace

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp_types import CallToolResult

from reasonloom.errors import BudgetExceeded


class AnswerTooLarge(BudgetExceeded):
    """The answer exceeds the server's size limit and is withheld entirely."""


SETTING = "REASONLOOM_ANSWER_CHARACTERS"
SHORTENING_ARGUMENTS = (
    "limit", "max_results", "top_k", "max_examples", "max_per_context", "max_depth", "depth",
    "maxTokens", "memories", "memoryIds", "days_back", "include_predictions",
    "include_revisions",
)  # fmt: skip
"""Arguments, as named in the contracts, whose reduction shortens the answer."""

JSON = "application/json"
FENCE = "```"


def require_size(
    answer: CallToolResult, most: int, arguments: Iterable[str], done: str | None
) -> None:
    """Require that an answer is within the size limit.

    A truncated answer would not match its schema, so one that is too long is refused. `arguments`
    are the tool's argument names; `done` is the id of a run that has changed stored data.

    Raises:
        AnswerTooLarge: it is too long; the message says how to narrow the request, and that a
            completed run must not be repeated.
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
    """Return the characters of an answer's text or structured content, whichever is longer."""
    text = sum(len(getattr(block, "text", "")) for block in answer.content)
    value = json.dumps(answer.structured_content, ensure_ascii=False)
    return max(text, len(value)) if answer.structured_content is not None else text


def limit_contents(
    contents: Iterable[ReadResourceContents], most: int
) -> Iterable[ReadResourceContents]:
    """Yield a resource's contents: pages truncated to `most` characters, JSON whole or refused.

    Truncated JSON could not be parsed.
    """
    for each in contents:
        if not isinstance(each.content, str) or len(each.content) <= most:
            yield each
        else:
            fitting = _too_long_json if each.mime_type == JSON else _truncate_page
            yield replace(each, content=fitting(each.content, most))


def _too_long_json(text: str, most: int) -> str:
    """Return a JSON error in place of a text that is too long."""
    reason = (
        f"this has {len(text):,} characters, and this server gives at most {most:,} ({SETTING})"
    )
    return json.dumps({"error": {"type": AnswerTooLarge.__name__, "message": reason}})


def _truncate_page(page: str, most: int) -> str:
    """Return the start of a page with an open code block closed, and a note on the omission."""
    begun = page[:most].rpartition("\n")[0] or page[:most]
    fences = sum(line.startswith(FENCE) for line in begun.splitlines())
    end = f"\n{FENCE}" if fences % 2 else ""
    missing = len(page) - len(begun)
    reason = f"Cut here: {missing:,} of {len(page):,} characters are left out ({SETTING})."
    return f"{begun}{end}\n\n{reason}\n"
