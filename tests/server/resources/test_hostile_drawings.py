"""Texts in the syntax of Mermaid and Markdown are labels in every drawing, and nothing else."""

from __future__ import annotations

import re

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.sessions.picture import picture
from reasonloom.server.resources import thought_graph
from reasonloom.server.resources.session_chart import session_chart
from reasonloom.stores.access import Access
from reasonloom.text.mermaid import in_mermaid
from tests.server.resources.test_sessions import HOSTILE, session_of, skeleton
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered, thinking

SYNTAX = (
    *HOSTILE,
    '"]; click A "javascript:alert(1)" _blank',
    '"]\n```\n\n<script>alert(1)</script>\n\n```mermaid\nflowchart TD\na["',
    "%%{init: {'theme': 'base', 'themeCSS': '* {display: none}'}}%%",
    "%%{wrap}%%\n---\nconfig: {securityLevel: loose}\n---",
    "````\n~~~~\n`` ` ``",
    "A@{ img: 'http://evil.example/x.png' }",
    "#quot;#93;#59; &quot;] &#34; #34;",
    "$$\\\\href{javascript:alert(1)}{x}$$",
    "end",
    "\u2028click a href\u2029\u0085\x0b\x0c\r:::evil",
)
STRUCTURE = re.compile(
    r"flowchart TD|classDef [a-z]+ [a-z0-9:.,-]+|"
    r"(n\d+|t\d+)\[LABEL\](:::[a-z]+)?|b\d+\(\[LABEL\]\)(:::[a-z]+)?|"
    r"c\d+>LABEL\] -\.-> [bt]\d+|"
    r"[bnt]\d+ (-->|-\.->|-\. refines \.->|==>|--o\|supports\||--x\|contradicts\|) [bnt]\d+"
)


def is_tame(drawing: str) -> bool:
    """Tell whether all lines of a drawing are structure with labels of words and codes."""
    for line in drawing.split("\n"):
        quoted = re.findall(r'"[^"]*"', line)
        assert len(quoted) == line.count('"') / 2, line
        for label in quoted:
            assert not re.search(r"[`%{}\\]|javascript:|://|<(?!br/>)", label), label
        assert STRUCTURE.fullmatch(re.sub(r'"[^"]*"', "LABEL", line)), line
    return True


@pytest.mark.parametrize("text", SYNTAX)
def test_a_label_is_letters_digits_blanks_and_codes(text: str) -> None:
    label = in_mermaid(text)
    assert re.fullmatch(r"(?:[^\W_]| |#\d+;)*", label)
    assert re.sub(r"#(\d+);", lambda code: chr(int(code[1])), label) == text


@pytest.mark.parametrize("text", SYNTAX)
def test_a_session_is_drawn_by_its_own_lines_alone(text: str) -> None:
    wild, _ = session_chart(picture(session_of(text, text, name=text, question=text)))
    tame, _ = session_chart(picture(session_of("a", "a", name="a", question="a")))
    assert len(wild.split("\n")) == len(tame.split("\n"))
    assert is_tame(wild)


async def test_a_graph_is_drawn_by_its_own_lines_alone(access: Access, embedder: Embedder) -> None:
    pages = []
    async with thinking(access, embedder, GraphingLlm()) as mind:
        for text in ("Tame.", *SYNTAX):
            begun = await answered(mind, "got_init", content=text, problem=text)
            pages.append(await thought_graph.read_graph(mind, Caller("local"), begun["graph_id"]))
    tame, *wild = pages
    for page, text in zip(wild, SYNTAX, strict=True):
        _, drawing, _ = page.split("```")
        assert is_tame(drawing.removeprefix("mermaid\n").rstrip("\n")), text
        assert set(skeleton(page)) <= set(skeleton(tame)), text
