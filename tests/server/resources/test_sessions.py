"""Sessions as resources: real clients read them, and nothing that was said breaks the page."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from markdown_it import MarkdownIt
from mcp import Client
from mcp.shared.exceptions import MCPError

from reasonloom.contracts.caller import Caller
from reasonloom.errors import GraphNotFound
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.sessions.picture import picture
from reasonloom.server.app import build_server
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.resource_index import MAX_LISTED
from reasonloom.server.resources import thought_graph
from reasonloom.server.resources.session_chart import LONGEST_CHART, MOST_DRAWN, session_chart
from reasonloom.server.resources.sessions import session_page
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from reasonloom.stores.sessions import sessions
from reasonloom.stores.sessions.branches import BranchRow
from reasonloom.stores.sessions.checkpoints import CheckpointRow
from reasonloom.stores.sessions.full_sessions import FullSession
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.stores.sessions.thoughts import ThoughtRow
from tests.support.clients.sdk import Held
from tests.support.llms.answering import AnsweringLlm
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered, steps, thinking, whole

NOWHERE = "postgresql://127.0.0.1:1/none"
AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
UNKNOWN = "00000000-0000-4000-8000-000000000000"
HOSTILE = (
    '"] --> evil["x"] %%{init: {"securityLevel": "loose"}}%% end subgraph; click t1 "javascript:a"',
    "```\n# Heading\n~~~\n> quote\n- item\n+ item\n1. item\n2) item\n---\n===\n    code\n\ttab",
    "<script>alert(1)</script> <img src=x onerror=a> <!-- & --> &lt;b&gt; &#60;",
    "[a](javascript:a) ![b](http://x/y.png) [c]: http://x *em* **strong** _em_ `code` ~~gone~~ $x$",
    "| a | b |\n|---|---|\n| 1 | 2 |\n:-\na\\|b",
    "style a:#35; classDef x fill:#f; #quot; 1. `**bold**` \u202e\u0007\x1b[31m\u2028next\r\nlast",
)
LINE = re.compile(
    r"flowchart TD|"
    r"earlier\[\"\d+ earlier, not drawn\"\]|"
    r"(b\d+\(\[\"TEXT\"\]\)|t\d+\[\"TEXT\"\])(:::(current|completed|abandoned|head))?|"
    r"c\d+>\"TEXT\"\] -\.-> [bt]\d+|"
    r"(earlier|[bt]\d+) (-->|-\.->) (earlier|[bt]\d+)|"
    r"classDef [a-z]+ [a-z0-9:,-]+"
)
TEXT = re.compile(r'"(?:[^\W_]|[ ·◀⚑●○.,]|<br/>|#\d+;)*"')


def test_a_session_is_listed_and_read(client: Held) -> None:
    word = uuid.uuid4().hex
    first = client.call("reasoning_linear", {"content": f"Where is the {word}?"})
    session = first.structured_content["session_id"]
    client.call("reasoning_checkpoint_create", {"session_id": session, "name": "early"})
    template, other, *_ = client.templates()
    assert template.uri_template == "reasonloom://session/{id}"
    assert other.uri_template == "reasonloom://graph/{id}"
    uri = template.uri_template.replace("{id}", session)
    listed = client.resources()
    assert str(listed[0].uri) == uri
    assert listed[0].mime_type == template.mime_type == "text/markdown"
    assert listed[0].annotations.last_modified
    found = client.read(uri)
    assert (str(found.uri), found.mime_type) == (uri, "text/markdown")
    assert found.text.startswith(f"# Session {session}\n")
    assert "```mermaid\nflowchart TD\n" in found.text
    assert f"Asked: Where is the {word}?" in found.text
    assert "⚑ early, at thought 1" in found.text


@pytest.mark.parametrize(
    "uri",
    [
        f"reasonloom://session/{UNKNOWN}", "reasonloom://session/nonsense", "reasonloom://session/",
        "reasonloom://session", f"reasonloom://memory/{UNKNOWN}", "file:///etc/passwd", "x",
        f"reasonloom://session/{UNKNOWN}/..", f"REASONLOOM://session/{UNKNOWN}",
    ],
)  # fmt: skip
def test_an_unknown_resource_is_an_invalid_parameter(client: Held, uri: str) -> None:
    with pytest.raises(MCPError) as caught:
        client.read(uri)
    error = caught.value.error
    assert (error.code, error.message, error.data) == (-32602, "Resource not found", {"uri": uri})


async def test_the_listing_is_the_newest_and_no_longer_than_it_may(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, AnsweringLlm()) as engine:
        made = [uuid.uuid4() for _ in range(MAX_LISTED + 2)]
        for each in made:
            async with engine.loom.database.begin(Caller("local")) as tx:
                await sessions.open_session(tx, each, mode="linear")
        room = EngineLifespan(load_settings(database_url=NOWHERE))
        room._engine = engine
        async with Client(build_server(room)) as client:
            listed = (await client.list_resources()).resources
    assert [str(each.uri).rpartition("/")[2] for each in listed] == [
        str(each) for each in made[:1:-1]
    ]


async def test_a_graph_is_listed_and_read(access: Access, embedder: Embedder) -> None:
    hostile = '# Loud\n```\n</p><script>alert(1)</script> | [x](http://e) "end'
    async with thinking(access, embedder, GraphingLlm()) as mind:
        begun = await answered(mind, "got_init", content=hostile, problem="How to *sleep*?")
        where = {"graph_id": begun["graph_id"], "node_id": begun["root_node_id"]}
        made = await answered(mind, "got_generate", **where)
        await answered(
            mind, "got_score", graph_id=begun["graph_id"], node_id=made["nodes"][0]["id"]
        )
        text = await thought_graph.read_graph(mind, Caller("local"), begun["graph_id"])
        listed = await thought_graph.newest_graph(mind, Caller("local"), 5)
        assert await thought_graph.newest_graph(mind, Caller("anna"), 5) == []
        with pytest.raises(GraphNotFound):
            await thought_graph.read_graph(mind, Caller("anna"), begun["graph_id"])
    assert [(each.id, each.title) for each in listed] == [
        (begun["graph_id"], "Graph 1: How to *sleep*?")
    ]
    assert "How to \\*sleep\\*?" in text
    assert text.count("```") == 2  # the fence of the drawing alone
    assert "<script>" not in text
    assert "### 2. thought" in text
    assert "(judge: depth 0.50, novelty" in text
    assert "not scored, claims 0.50, depth 1, from 1" in text


async def test_a_database_that_is_away_is_told(access: Access) -> None:
    room = EngineLifespan(load_settings(database_url=NOWHERE))
    async with room, Client(build_server(room)) as client:
        for asked in (client.list_resources(), client.read_resource("reasonloom://session/x")):
            with pytest.raises(MCPError) as caught:
                await asked
            assert caught.value.error.code == -32603
            said = "the database could not be reached; see `reasonloom doctor`"
            assert caught.value.error.message == said


SHARED = ["memory", "run"]
"""Kinds that every toolset of the references writes."""

BOTH = ["session", "graph", "thought", *SHARED]


@pytest.mark.parametrize(
    ("choice", "kinds"),
    [
        ({}, BOTH), ({"toolsets": "reasoning"}, BOTH), ({"toolsets": "thought"}, SHARED),
        ({"tools": "reasoning_tree_list"}, BOTH), ({"serve_as": "langbase-reasoning"}, []),
        ({"toolsets": "reasoning", "read_only": True}, BOTH),
    ],
)  # fmt: skip
async def test_sessions_are_served_beside_the_reasoning_tools(
    choice: dict[str, Any], kinds: list[str]
) -> None:
    settings = load_settings(database_url=NOWHERE, **choice)
    assert [kind.name for kind in choose(settings).resources] == kinds
    if kinds:
        return
    async with EngineLifespan(settings) as room, Client(build_server(room)) as client:
        assert (await client.list_resources()).resources == []
        assert (await client.list_resource_templates()).resource_templates == []
        with pytest.raises(MCPError) as caught:
            await client.read_resource(f"reasonloom://session/{UNKNOWN}")
        assert caught.value.error.code == -32602


async def test_the_page_shows_what_a_session_came_to(access: Access, embedder: Embedder) -> None:
    llm = AnsweringLlm(thought=[
        {"thought": f"Thought {number}", "confidence": number / 10} for number in range(1, 9)
    ])  # fmt: skip
    async with thinking(access, embedder, llm) as mind:
        session = await steps(mind, "One?", "Two?")
        point = await answered(mind, "checkpoint_create", session_id=session, name="here")
        await steps(mind, "Three?", session=session)
        back = await answered(mind, "backtrack", checkpoint_id=point["id"], new_direction="Four?")
        stored = await whole(mind, session)
    text = session_page(picture(stored))
    drawing = text.split("```")[1].splitlines()[1:]
    assert [line for line in drawing if " --> " in line] == [
        "b0 --> t1", "t1 --> t2", "t2 --> t3", "t2 --> b1", "b1 --> t4",
    ]  # fmt: skip
    assert 't3["3 · 0.30 ◀<br/>Thought 3"]:::head' in drawing
    assert 'c1>"⚑ here"] -.-> t2' in drawing
    assert any(line.startswith('b1(["● from here') and ":::current" in line for line in drawing)
    assert (
        f"| ● | {stored.branches[1].name} | active | 0.40 | 0 | 1 | 4 | `{back['branch_id']}` |"
        in (text)
    )
    found = re.findall(r"^### (\d)\. .*\n\n(\w+), confidence ([\d.]+)", text, re.M)
    assert found == [
        ("1", "linear", "0.10"), ("2", "linear", "0.20"), ("3", "linear", "0.30"),
        ("4", "backtracking", "0.40"),
    ]  # fmt: skip


def session_of(*contents: str, name: str = "main", question: str = "Why?") -> FullSession:
    """Return a session of one branch with these thoughts, each with a checkpoint."""
    key = uuid.uuid4()
    ids = [uuid.uuid4() for _ in contents]
    thoughts = [
        ThoughtRow(
            own, key, place, ids[place - 2] if place > 1 else None, key, "linear", question,
            content, 0.5, "offline", None, {"score": 0.25, "check": name}, AT,
        )
        for place, (own, content) in enumerate(zip(ids, contents, strict=True), start=1)
    ]  # fmt: skip
    checkpoints = [
        CheckpointRow(uuid.uuid4(), key, each.position, key, each.id, name, name, {}, None, AT)
        for each in thoughts
    ]
    branch = BranchRow(
        key, key, 0, name, None, "active", 0.5, 0, ids[-1] if ids else None, None, {}, AT, AT
    )
    session = SessionRow(key, 1, "linear", key, {}, AT, AT)
    return FullSession(session, [branch], thoughts, checkpoints)


def skeleton(text: str) -> list[tuple[str, str, int]]:
    """Return the blocks and the markup of a page, without its words."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inner = (child for token in tokens for child in (token, *(token.children or ())))
    plain = {"text", "softbreak", "hardbreak", "text_special"}
    return [(each.type, each.tag, each.nesting) for each in inner if each.type not in plain]


@pytest.mark.parametrize("said", [*HOSTILE, "    code"])
def test_nothing_that_was_said_is_markup(said: str) -> None:
    tame = session_page(picture(session_of("Tame.", name="tame", question="tame")))
    wild = session_page(picture(session_of(said, name=said, question=said)))
    assert skeleton(wild) == skeleton(tame)
    for line in wild.split("```")[1].splitlines()[1:]:
        assert LINE.fullmatch(TEXT.sub('"TEXT"', line)), line
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\u2028]", wild)


@pytest.mark.parametrize("said", HOSTILE)
def test_what_was_said_can_be_read_as_it_was_said(said: str) -> None:
    text = session_page(picture(session_of(said)))
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    opened = next(place for place, token in enumerate(tokens) if token.type == "blockquote_open")
    inline = next(token for token in tokens[opened:] if token.type == "inline")
    shown = "".join(
        "\n" if each.type == "hardbreak" else each.content for each in inline.children or ()
    )
    expected = ["".join(c if c.isprintable() else " " for c in line).rstrip()
                for line in said.splitlines()]  # fmt: skip
    assert shown.replace("\u00a0", " ").splitlines() == expected


def test_a_long_thought_is_cut_with_a_note() -> None:
    text = session_page(picture(session_of("Long. " * 1_000, "Short.")))
    assert "*Cut: the first 2,000 of 6,000 characters.*" in text
    assert text.count("*Cut:") == 1
    assert len(text) < 5_000


@pytest.mark.parametrize("said", ["Plain words, one after another, and more of them.", "#" * 99])
def test_a_long_session_is_drawn_from_its_end_and_fits(said: str) -> None:
    stored = session_of(*[said] * 450, name=said)
    drawing, left_out = session_chart(picture(stored))
    assert len(drawing) <= LONGEST_CHART
    drawn = re.findall(r"^t(\d+)\[", drawing, re.M)
    assert drawn == [str(number) for number in range(left_out + 1, 451)]
    assert len(drawn) == MOST_DRAWN if "Plain" in said else 20 < len(drawn) < MOST_DRAWN
    assert f'earlier["{left_out} earlier, not drawn"]' in drawing
    assert "b0 -.-> earlier" in drawing
    assert f"b0 -.-> t{left_out + 1}" in drawing
    text = session_page(picture(stored))
    assert f"*The drawing leaves out the {left_out:,} oldest thoughts.*" in text
    assert "*The 250 oldest thoughts are left out.*" in text
    assert "\n### 450. " in text
    assert "\n### 250. " not in text


def test_every_arrow_joins_what_is_drawn() -> None:
    """Whatever is left out: many branches, each at another thought, some with none of their own."""
    stored = session_of(*["Said."] * 300)
    root, now = stored.branches[0], stored.thoughts
    empty = [
        replace(root, id=uuid.uuid4(), number=place, parent_id=root.id, head_id=now[-place].id)
        for place in range(1, 290)
    ]
    drawing, _ = session_chart(picture(replace(stored, branches=[root, *empty])))
    named = set(re.findall(r"^(\w+)[(\[>]", drawing, re.M))
    arrows = [pair for line in drawing.splitlines() for pair in pairwise(re.split(
        r" (?:-->|-\.->) ", re.sub(r'>"[^"]*"\]', "", line)))]  # fmt: skip
    assert len(arrows) < 500  # as many as Mermaid draws
    assert {end for pair in arrows for end in pair} <= named


def test_a_session_without_a_thought_has_a_page() -> None:
    text = session_page(picture(session_of()))
    assert "no thought of its own yet" in text
    assert "## Thoughts" not in text
