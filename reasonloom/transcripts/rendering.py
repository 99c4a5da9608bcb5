"""Renders parts as text with role markers that content cannot imitate."""

import re
import unicodedata

from reasonloom.transcripts.turns import Kind, Part

MARKS = {
    Kind.USER: "User",
    Kind.ASSISTANT: "Assistant",
    Kind.THINKING: "Thinking",
    Kind.TOOL_USE: "Tool",
    Kind.TOOL_RESULT: "Result",
    Kind.SUMMARY: "Summary",
}
_ROLES = """
user assistant thinking tool result summary system human agent ai bot model developer
"""
ROLES = frozenset(_ROLES.split())
"""Words that count as a marker in brackets at a line's beginning."""

NAME_LENGTH = 40
"""Maximum characters of a name in a marker."""

UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202f"
    "\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Invisible characters, as the contents of a regex character class."""

OPENERS = "[［【〔〖⁅⟦⦋❲﹝"  # noqa: RUF001 - the lookalikes are the point
BRACKETED = re.compile(
    rf"^([\t \u00a0\u1680\u2000-\u200a\u3000{UNSEEN}]*+)(\\*+)([{re.escape(OPENERS)}])(.{{0,80}})",
    re.MULTILINE,
)
"""A line whose first visible character is an opening bracket, possibly after backslashes."""

WORD = re.compile(r"[a-z]+(?![\w.-])")
DROPPED = re.compile(rf"[{UNSEEN}\u0300-\u036f]+")
LOOKALIKES = str.maketrans(
    {
        **dict(zip("аеіїјорсухѕԁһӏкмпгтꭓ", "aeiijopcyxsdhlkmnrtx", strict=True)),
        **dict(zip("αεικνορτυχηω", "aeiknoptuxnw", strict=True)),
        **dict(zip("ıɑɡʀɩⅼ0", "iagrilo", strict=True)),  # noqa: RUF001
    }
)
"""Characters that look like the Latin letters of role words."""


def marker(part: Part, *, continued: bool = False) -> str:
    """Return the marker of a part, such as `[Tool: Bash]` or `[Result: Bash, error, continued]`."""
    name = re.sub(r"[^\w .@/-]", "", part.name or "")[:NAME_LENGTH].strip()
    words = [f"{MARKS[part.kind]}: {name}" if name else MARKS[part.kind]]
    words += ["error"] if part.failed else []
    words += ["continued"] if continued else []
    return f"[{', '.join(words)}]"


def escape_markers(text: str) -> str:
    """Return `text` with a backslash before brackets that look like those of a marker."""
    if not any(opener in text for opener in OPENERS):
        return text
    return BRACKETED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    before, slashes, opener, rest = match.groups()
    seen = DROPPED.sub("", unicodedata.normalize("NFKD", rest)).casefold().translate(LOOKALIKES)
    word = WORD.match(seen.lstrip())
    forged = word is not None and word.group() in ROLES
    return f"{before}{slashes}{chr(92) if forged else ''}{opener}{rest}"
