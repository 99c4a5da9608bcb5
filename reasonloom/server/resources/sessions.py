"""`reasonloom://session/{id}` and `reasonloom://thought/{id}`: Markdown pages with charts."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.sessions.picture import (
    HEAD,
    LEGEND,
    TAG,
    PicturedBranch,
    PicturedThought,
    SessionPicture,
    picture,
)
from reasonloom.server.resources.kind import Listed, titled
from reasonloom.server.resources.markdown import in_markdown, metadata_line, quoted_start
from reasonloom.server.resources.session_chart import session_chart
from reasonloom.stores import overview
from reasonloom.stores.sessions import full_sessions, sessions, thoughts
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.stores.sessions.thoughts import PastThought, ThoughtRow
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

MOST_LISTED = 200
"""Maximum thoughts, branches and checkpoints (of each) on one page, the newest."""

MAX_THOUGHT, MAX_QUESTION = 2_000, 200
MAX_CONTENT, MAX_INPUT, MAX_LABEL = 10_000, 2_000, 60
"""Maximum characters of texts on a session's page, and on a thought's page."""

MAX_ANCESTORS = 20
"""Maximum preceding thoughts drawn on a thought's page, the last ones."""

COLUMNS = "| | branch | state | confidence | priority | thoughts | head | id |"
RULE = "|---|---|---|---|---|---|---|---|"


async def newest_session(engine: Engine, caller: Caller, limit: int) -> list[Listed]:
    """Return the most recently updated sessions, newest first."""
    async with engine.loom.database.begin(caller) as tx:
        rows = await sessions.newest(tx, limit)
    return [Listed(str(row.id), _title(row), row.updated_at) for row in rows]


def _title(row: SessionRow) -> str:
    return f"Session {row.number}, {row.mode}" if row.mode else f"Session {row.number}"


async def newest_thought(engine: Engine, caller: Caller, limit: int) -> list[Listed]:
    """Return the most recently stored thoughts, newest first."""
    async with engine.loom.database.begin(caller) as tx:
        return titled(await overview.latest_thoughts(tx, limit))


async def read_session(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a session.

    Raises:
        SessionNotFound: the caller has no such session.
    """
    async with engine.loom.database.begin(caller) as tx:
        found = await full_sessions.read_full(tx, identifier)
    return session_page(picture(found))


async def read_thought(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a thought.

    Raises:
        ThoughtNotFound: the caller has no such thought.
    """
    async with engine.loom.database.begin(caller) as tx:
        row = await thoughts.require(tx, identifier)
        before = await thoughts.line(tx, row.parent_id, most=MAX_ANCESTORS, longest=4 * MAX_LABEL)
    return _thought_page(row, before)


def session_page(pictured: SessionPicture) -> str:
    """Return the page; user texts are escaped, and omissions are stated."""
    parts = [
        *_head(pictured),
        "## Branches",
        "\n".join([COLUMNS, RULE, *map(_row, pictured.branches[-MOST_LISTED:])]),
        *_missing(len(pictured.branches), "branches"),
        *_checkpoints(pictured),
        *_thoughts(pictured),
    ]
    return "\n\n".join(parts) + "\n"


def _head(pictured: SessionPicture) -> Iterator[str]:
    session = pictured.session
    yield f"# Session {session.id}"
    yield (
        f"Number {session.number}, mode {in_markdown(session.mode or 'none')}. Thoughts: "
        f"{pictured.thoughts}, branches: {len(pictured.branches)}, "
        f"checkpoints: {pictured.checkpoints}. "
        f"Begun {_moment(session.created_at)}, last written to {_moment(session.updated_at)}."
    )
    yield from metadata_line(session.metadata)
    drawing, left_out = session_chart(pictured)
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


def _checkpoints(pictured: SessionPicture) -> Iterator[str]:
    places = [("before the first thought", each.checkpoints) for each in pictured.branches]
    places += [
        (f"at thought {each.row.position}", each.checkpoints)
        for branch in pictured.branches
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


def _thoughts(pictured: SessionPicture) -> Iterator[str]:
    pairs = [(branch, each) for branch in pictured.branches for each in branch.thoughts]
    ordered = sorted(pairs, key=lambda pair: pair[1].row.position)
    if not ordered:
        return
    yield "## Thoughts"
    yield from _missing(len(ordered), "thoughts")
    question = ["", *(each.row.input for _, each in ordered)]
    for (branch, thought), (before, now) in list(zip(ordered, pairwise(question), strict=True))[
        -MOST_LISTED:
    ]:
        yield from _thought(branch, thought, question=now if now != before else "")


def _thought(branch: PicturedBranch, thought: PicturedThought, *, question: str) -> Iterator[str]:
    row = thought.row
    marks = "".join([f" {HEAD}" if thought.is_head else "", f" {TAG}" * bool(thought.checkpoints)])
    texts: Sequence[str] = [f"{name.replace('_', ' ')} {_value(value)}"
                           for name, value in thought.judged.items()]  # fmt: skip
    facts = ", ".join([row.mode, f"confidence {row.confidence:.2f}", *texts])
    yield f"### {row.position}. {in_markdown(shortened(branch.name))}{marks}"
    yield f"{in_markdown(facts)}, `{row.id}`"
    if question.strip():
        yield f"Asked: {in_markdown(shortened(question, MAX_QUESTION))}"
    yield from quoted_start(row.content, MAX_THOUGHT)


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _value(value: str | float) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _thought_page(thought: ThoughtRow, before: Sequence[PastThought]) -> str:
    """Return the page; user texts are escaped, and omissions are stated."""
    parts = [
        f"# Thought {thought.id}",
        *_thought_facts(thought),
        f"```mermaid\n{_thought_chart(thought, before)}\n```",
    ]
    if thought.input.strip():
        parts += ["## Asked", *quoted_start(thought.input, MAX_INPUT)]
    return "\n\n".join([*parts, "## Concluded", *quoted_start(thought.content, MAX_CONTENT)]) + "\n"


def _thought_facts(thought: ThoughtRow) -> Iterator[str]:
    yield (
        f"Number {thought.position} of its session, {in_markdown(thought.mode)}, confidence "
        f"{thought.confidence:.2f}, llm {in_markdown(thought.llm)}. "
        f"{_moment(thought.created_at)}."
    )
    yield from metadata_line(thought.metadata)
    yield f"Session: `reasonloom://session/{thought.session_id}`"
    if thought.run_id:
        yield f"Run: `reasonloom://run/{thought.run_id}`"


def _thought_chart(thought: ThoughtRow, before: Sequence[PastThought]) -> str:
    """Return the chart of the line of thoughts that ends in this one."""
    texts = [*(each.content for each in before), thought.content]
    lines = [
        f't{place}["{in_mermaid(shortened(text, MAX_LABEL))}"]' for place, text in enumerate(texts)
    ]
    arrows = [f"t{one} --> t{other}" for one, other in pairwise(range(len(texts)))]
    return "\n".join(["flowchart TD", *lines, *arrows, f"style t{len(before)} stroke-width:3px"])
