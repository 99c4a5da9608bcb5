"""Limits how long an answer may be: a tool's, or JSON, is refused whole, a page is cut."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from reasonloom.errors import BudgetExceeded

if TYPE_CHECKING:
    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp_types import CallToolResult

    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.engine import Engine
    from reasonloom.stores.runs.runs import DailyUse


class DailyLimit(BudgetExceeded):
    """The owner has used up a day's tokens or money; the same call can succeed later."""

    retryable = True


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


# So it holds across replicas and restarts. What is at work while the limit is reached goes on: each
# run keeps to its own budget.

DAY = timedelta(days=1)


async def require_daily_credit(
    engine: Engine, caller: Caller, tool: str, key: str | None, *, asks_caller: bool = False
) -> None:
    """Let a call pass whose owner has something left of the day, or whose key began a run before.

    Raises:
        DailyLimit: nothing is left; says when there will be.
    """
    from reasonloom.stores.runs import runs  # noqa: PLC0415

    settings = engine.loom.settings
    tokens, usd = settings.caller_tokens_per_day, settings.caller_usd_per_day
    offline = engine.loom.llm.offline and not asks_caller
    if offline or (tokens is None and usd is None):
        return
    now = engine.loom.clock()
    async with engine.loom.database.begin(caller) as tx:
        use = await runs.daily_use(tx, now - DAY, tokens=tokens, usd=usd)
        shut = use.tokens_by or use.usd_by
        if not shut or (key and await runs.find_by_key(tx, tool, key)):
            return
    raise DailyLimit(_daily_limit_message(use, tokens, usd, now), limit="day")


def _daily_limit_message(
    use: DailyUse, tokens: int | None, usd: float | None, now: datetime
) -> str:
    reached = [
        f"{_format_number(spent)} of {_format_number(limit)} {what} "
        f"(REASONLOOM_CALLER_{what.upper()}_PER_DAY)"
        for spent, limit, what, by in (
            (use.tokens, tokens, "tokens", use.tokens_by),
            (use.usd, usd, "usd", use.usd_by),
        )
        if by and limit
    ]
    opens = max(by for by in (use.tokens_by, use.usd_by) if by) + DAY
    minutes = max(1, -(-int((opens - now).total_seconds()) // 60))
    return (
        f"the day's limit of one caller is reached: {' and '.join(reached)} were used by runs "
        f"begun within 24 hours; tools that ask a language model open again at "
        f"{opens.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC, in {minutes // 60} h {minutes % 60} min"
    )


def _format_number(number: float) -> str:
    """Return a number without an exponent, at most six places behind its point."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.6f}".rstrip("0").rstrip(".")
