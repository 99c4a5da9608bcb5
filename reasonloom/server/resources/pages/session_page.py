"""Writes a session as a Markdown page: a drawing, its branches and checkpoints, its thoughts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import HEAD, LEGEND, TAG
from reasonloom.server.resources.pages.markdown import in_markdown, quoted
from reasonloom.server.resources.pages.session_chart import session_chart
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

if TYPE_CHECKING:
    from reasonloom.nodes.sessions.picture import PicturedBranch, PicturedThought, SessionPicture
    from reasonloom.stores.sessions.thoughts import PastThought, ThoughtRow


MOST_LISTED = 200
"""Thoughts, branches and checkpoints on one page, of each; the newest."""

LONGEST_THOUGHT = 2_000
LONGEST_QUESTION = 200
"""Characters that are shown of each."""

COLUMNS = "| | branch | state | confidence | priority | thoughts | head | id |"
RULE = "|---|---|---|---|---|---|---|---|"


def session_page(shown: SessionPicture) -> str:
    """Return the page; texts of others are escaped, and what is left out is said."""
    parts = [
        *_head(shown),
        "## Branches",
        "\n".join([COLUMNS, RULE, *map(_row, shown.branches[-MOST_LISTED:])]),
        *_missing(len(shown.branches), "branches"),
        *_checkpoints(shown),
        *_thoughts(shown),
    ]
    return "\n\n".join(parts) + "\n"


def _head(shown: SessionPicture) -> Iterator[str]:
    session = shown.session
    yield f"# Session {session.id}"
    yield (
        f"Number {session.number}, mode {in_markdown(session.mode or 'none')}. Thoughts: "
        f"{shown.thoughts}, branches: {len(shown.branches)}, checkpoints: {shown.checkpoints}. "
        f"Begun {_moment(session.created_at)}, last written to {_moment(session.updated_at)}."
    )
    drawing, left_out = session_chart(shown)
    yield f"```mermaid\n{drawing}\n```"
    yield LEGEND.replace("   ", ", ")
    if left_out:
        yield f"*The drawing leaves out the {left_out:,} oldest thoughts.*"


def _row(branch: PicturedBranch) -> str:
    row = branch.row
    head = next((each.row.position for each in branch.thoughts if each.is_head), "")
    cells = (
        branch.mark,
        in_markdown(shortened(branch.name)),
        row.state,
        f"{row.confidence:.2f}",
        row.priority,
        len(branch.thoughts),
        head,
        f"`{row.id}`",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _missing(count: int, what: str) -> Iterator[str]:
    if count > MOST_LISTED:
        yield f"*The {count - MOST_LISTED:,} oldest {what} are left out.*"


def _checkpoints(shown: SessionPicture) -> Iterator[str]:
    places = [("before the first thought", each.checkpoints) for each in shown.branches]
    places += [
        (f"at thought {each.row.position}", each.checkpoints)
        for branch in shown.branches
        for each in branch.thoughts
    ]
    found = sorted(
        ((each, place) for place, checkpoints in places for each in checkpoints),
        key=lambda pair: pair[0].number,
    )
    if not found:
        return
    yield "## Checkpoints"
    yield "\n".join(
        f"- {TAG} {in_markdown(shortened(each.name))}, {place}, `{each.id}`"
        + (f": {in_markdown(shortened(each.description))}" if each.description else "")
        for each, place in found[-MOST_LISTED:]
    )
    yield from _missing(len(found), "checkpoints")


def _thoughts(shown: SessionPicture) -> Iterator[str]:
    pairs = [(branch, each) for branch in shown.branches for each in branch.thoughts]
    ordered = sorted(pairs, key=lambda pair: pair[1].row.position)
    if not ordered:
        return
    yield "## Thoughts"
    yield from _missing(len(ordered), "thoughts")
    asked = ["", *(each.row.input for _, each in ordered)]
    for (branch, thought), (before, now) in list(zip(ordered, pairwise(asked), strict=True))[
        -MOST_LISTED:
    ]:
        yield from _thought(branch, thought, asked=now if now != before else "")


def _thought(branch: PicturedBranch, thought: PicturedThought, *, asked: str) -> Iterator[str]:
    row = thought.row
    marks = "".join([f" {HEAD}" if thought.is_head else "", f" {TAG}" * bool(thought.checkpoints)])
    said: Sequence[str] = [f"{name.replace('_', ' ')} {_value(value)}"
                           for name, value in thought.judged.items()]  # fmt: skip
    facts = ", ".join([row.mode, f"confidence {row.confidence:.2f}", *said])
    yield f"### {row.position}. {in_markdown(shortened(branch.name))}{marks}"
    yield f"{in_markdown(facts)}, `{row.id}`"
    if asked.strip():
        yield f"Asked: {in_markdown(shortened(asked, LONGEST_QUESTION))}"
    yield quoted(row.content[:LONGEST_THOUGHT])
    if len(row.content) > LONGEST_THOUGHT:
        yield f"*Cut: the first {LONGEST_THOUGHT:,} of {len(row.content):,} characters.*"


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _value(value: str | float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


LONGEST_CONTENT = 10_000
MAX_INPUT = 2_000
LONGEST_LABEL = 60


def thought_page(thought: ThoughtRow, before: Sequence[PastThought]) -> str:
    """Return the page; texts of others are escaped, and what is left out is said."""
    parts = [
        f"# Thought {thought.id}",
        *_facts(thought),
        f"```mermaid\n{_chart(thought, before)}\n```",
    ]
    if thought.input.strip():
        parts += ["## Asked", *_cut(thought.input, MAX_INPUT)]
    return "\n\n".join([*parts, "## Concluded", *_cut(thought.content, LONGEST_CONTENT)]) + "\n"


def _facts(thought: ThoughtRow) -> Iterator[str]:
    yield (
        f"Number {thought.position} of its session, {in_markdown(thought.mode)}, confidence "
        f"{thought.confidence:.2f}, llm {in_markdown(thought.llm)}. "
        f"{thought.created_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC."
    )
    yield f"Session: `reasonloom://session/{thought.session_id}`"
    if thought.run_id:
        yield f"Run: `reasonloom://run/{thought.run_id}`"


def _chart(thought: ThoughtRow, before: Sequence[PastThought]) -> str:
    """Draw the way from the oldest thought shown to this one."""
    said = [*(each.content for each in before), thought.content]
    lines = [
        f't{place}["{in_mermaid(shortened(text, LONGEST_LABEL))}"]'
        for place, text in enumerate(said)
    ]
    arrows = [f"t{one} --> t{other}" for one, other in pairwise(range(len(said)))]
    return "\n".join(["flowchart TD", *lines, *arrows, f"style t{len(before)} stroke-width:3px"])


def _cut(text: str, longest: int) -> Iterator[str]:
    yield quoted(text[:longest])
    if len(text) > longest:
        yield f"*Cut: the first {longest:,} of {len(text):,} characters.*"
