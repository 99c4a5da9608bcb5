"""Texts of the `forget` tool, in the reference's form."""

from collections.abc import Sequence
from datetime import datetime

from reasonloom.contracts.history import MatchSummary, Spread
from reasonloom.nodes.history.date_arguments import format_day
from reasonloom.nodes.history.truncation import MARKER

HEAD = 400
"""Characters of a chunk that are read for its preview."""

PREVIEW_LENGTH = 80
"""Characters of a preview, and of a repeated query or project name."""

NO_MATCH = "No chunks match the given filters."
NO_TOPIC = 'No chunks match query "{query}" at threshold {least}%'
DRY = (
    'Dry run: {n} chunk(s) would be deleted from project "{project}". Set dry_run=false to proceed.'
)
DRY_TOPIC = """\
Dry run: {n} chunk(s) match query "{query}" (threshold: {least}%, project: "{project}")
Scores: {max}% max, {min}% min, {median}% median

Top matches:
{matches}
Set dry_run=false to proceed with deletion."""
MATCH = '  {place}. [{score}%] "{preview}" ({day})'
MORE = "  ...and {n} more"
DELETED = (
    'Deleted {n} chunk(s) from project "{project}" (vectors and related edges/clusters also '
    "removed)."
)
UNDO = (
    "they are hidden everywhere and can be restored until {until} by "
    "`reasonloom history undo {number}`; then they are erased for good"
)
ERASED = "they were erased for good: REASONLOOM_UNDO_DAYS is 0"


def format_percent(share: float) -> str:
    """Return a share of 1 in percent, with a decimal digit only if needed."""
    return f"{round(share * 100, 1):g}"


def preview(content: str) -> str:
    """Return the beginning of a chunk on one line, without role markers."""
    return cut(MARKER.sub(" ", content))


def render_topic_dry_run(
    n: int,
    query: str,
    least: float,
    project: str,
    spread: Spread,
    matches: Sequence[tuple[MatchSummary, datetime | None]],
) -> str:
    """Render a dry run with a topic: the scores, and the best matches."""
    lines = [
        MATCH.format(
            place=place,
            score=round((each.score or 0) * 100),
            preview=each.preview,
            day=format_day(time),
        )
        for place, (each, time) in enumerate(matches, start=1)
    ]
    if n > len(matches):
        lines.append(MORE.format(n=n - len(matches)))
    scores = {name: round(getattr(spread, name) * 100) for name in ("max", "min", "median")}
    return DRY_TOPIC.format(
        n=n,
        query=cut(query),
        least=format_percent(least),
        project=cut(project),
        matches="\n".join(lines),
        **scores,
    )


def render_no_match(query: str | None, least: float) -> str:
    """Render the result when nothing matches."""
    return NO_TOPIC.format(query=cut(query), least=format_percent(least)) if query else NO_MATCH


def render_undo(number: int, until: datetime | None) -> str:
    """Render how a deletion can be undone, and until when."""
    return UNDO.format(until=format_day(until), number=number) if until else ERASED


def cut(text: str) -> str:
    """Return a text on one line, without what exceeds `PREVIEW_LENGTH`."""
    line = " ".join(text.split())
    return line if len(line) <= PREVIEW_LENGTH else f"{line[:PREVIEW_LENGTH].rstrip()}..."
