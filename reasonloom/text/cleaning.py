"""Cleans text for storage: removes control and hidden characters, truncates long output."""

import re

from reasonloom.text.hidden_characters import remove_hidden

MESSAGE_LENGTH = 200_000
"""Maximum characters stored of a message; few are longer."""

OUTPUT_LENGTH = 1_800
"""Maximum characters stored of a tool's output: about 450 tokens."""

ARGUMENT_LENGTH = 700
"""Maximum characters stored of a tool argument."""

BLOB_LENGTH = 400
BLOB = re.compile(rf"[A-Za-z0-9+/=_-]{{{BLOB_LENGTH},}}")
"""Encoded data such as base64, which is useless to a reader."""

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|[@-Z\\-_])")
"""Terminal control sequences (ECMA-48), which can hide or overwrite text."""

BREAKS = re.compile("\r\n?|[\u2028\u2029\x85\x0b\x0c]")
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SURROGATES = re.compile("[\ud800-\udfff]")
ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

OPENED, CLOSED = "<system-reminder>", "</system-reminder>"
"""Tags around text that a client inserts, which is not part of the conversation."""


def visible_text(text: str) -> str:
    """Return `text` with line feeds only, without control, hidden or surrogate characters."""
    if ODD.search(text):
        text = ESCAPES.sub("", text) if "\x1b" in text else text
        text = CONTROLS.sub("", BREAKS.sub("\n", text))
        text = SURROGATES.sub("\ufffd", text)
    return remove_hidden(text)[0]


def message_text(text: str) -> str:
    """Return a cleaned message, without the client's reminders, within `MESSAGE_LENGTH`."""
    return cut_middle(_without_reminders(visible_text(text)), MESSAGE_LENGTH).strip()


def output_text(text: str, limit: int = OUTPUT_LENGTH) -> str:
    """Return the cleaned head and tail of a tool's output or argument, without encoded data."""
    window = 4 * limit
    if len(text) <= 2 * window:
        return cut_middle(_readable(text), limit).strip()
    head, tail = _readable(text[:window]), _readable(text[-window:])
    return _head_and_tail(head, tail, len(text) - len(head) - len(tail), limit).strip()


def cut_middle(text: str, limit: int) -> str:
    """Return the head (two thirds) and tail of `text`, with a marker for the part cut out."""
    return text if len(text) <= limit else _head_and_tail(text, text, -len(text), limit)


def _head_and_tail(first: str, last: str, between: int, limit: int) -> str:
    """Return `first`'s head and `last`'s tail; `between` counts characters missing from both."""
    head, tail = _at_line(first[: limit * 2 // 3]), last[-(limit // 3) :]
    cut = len(first) + len(last) + between - len(head) - len(tail)
    return f"{head}\n{cut_marker(cut)}\n{tail}"


def _readable(text: str) -> str:
    """Return cleaned `text` without encoded data."""
    if len(text) >= BLOB_LENGTH:
        text = BLOB.sub(lambda blob: cut_marker(len(blob.group())), text)
    return visible_text(text)


def cut_marker(count: int) -> str:
    """Return the marker that replaces `count` characters."""
    return f"[… {count:,} characters cut …]"


def _at_line(head: str) -> str:
    """Return `head` up to its last line break, if that drops at most a quarter."""
    end = head.rfind("\n", len(head) * 3 // 4)
    return head if end < 0 else head[:end]


def _without_reminders(text: str) -> str:
    """Return `text` without the client's reminders; an unclosed one is retained."""
    if OPENED not in text:
        return text
    kept: list[str] = []
    start = 0
    while (opened := text.find(OPENED, start)) >= 0:
        closed = text.find(CLOSED, opened)
        if closed < 0:
            break
        kept.append(text[start:opened])
        start = closed + len(CLOSED)
    return "".join([*kept, text[start:]])
