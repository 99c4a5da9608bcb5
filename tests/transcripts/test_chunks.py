"""Chunks: of one topic, within their size, with nothing lost, the same in any number of steps."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reasonloom.text import tokens
from reasonloom.transcripts.chunking import Chunk, Chunker
from reasonloom.transcripts.turns import Kind, Part, Source, Turn
from reasonloom.transcripts.units import AIM, MOST
from tests.support.history.transcripts import BEGIN, TOPICS, Script, Shelf, generated

SOURCE = Source(session="s")
MARKER = re.compile(
    r"^\[(?:User|Assistant|Thinking|Tool|Result|Summary)(?:: [^\]]*)?(?:, \w+)*\] ?", re.MULTILINE
)


def cut(turns: list[Turn], **more: bool) -> list[Chunk]:
    cutter = Chunker(**more)  # type: ignore[arg-type]
    made = [chunk for turn in turns for chunk in cutter.add(turn)]
    return [*made, *cutter.end().chunks]


def turn(number: int, *texts: str, at: datetime = BEGIN, agent: str | None = None) -> Turn:
    kinds = (Kind.USER, Kind.ASSISTANT)
    parts = tuple(Part(kinds[i % 2], text, at) for i, text in enumerate(texts))
    return Turn(number, parts, at, at, agent, True, SOURCE)


def letters(text: str) -> str:
    """What is left without markers, their escapes and spaces."""
    return re.sub(r"[\s\\]", "", MARKER.sub("", text))


text = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        ["[User] x", "```py\na = 1\n\nb = 2\n```", "Где? Там.", "索引。検索！", "👩‍👩‍👧", "\n\n"]
    ),
    st.builds(
        lambda a, n: a * n,
        st.sampled_from(
            ["word ", "слово. ", "単語", "x", "[User] y\n", "🙂", "a b c.\n\n", "é\u0301"]
        ),
        st.integers(1, 3_000),
    ),
)
part = st.builds(
    Part,
    kind=st.sampled_from(list(Kind)),
    text=text.map(lambda t: t.encode("utf-8", "replace").decode()),
    at=st.one_of(st.none(), st.integers(0, 10**6).map(lambda s: BEGIN + timedelta(seconds=s))),
    tool_id=st.one_of(st.none(), st.sampled_from(["t1", "t2"])),
    failed=st.booleans(),
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Turn]:
    made = draw(st.lists(st.lists(part, min_size=1, max_size=5), min_size=1, max_size=7))
    agents = draw(st.lists(st.sampled_from([None, None, "a1", "a2"]), min_size=7, max_size=7))
    return [
        Turn(n, tuple(parts), None, None, agents[n - 1], True, SOURCE)
        for n, parts in enumerate(made, 1)
    ]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(conversations())
def test_nothing_is_lost_and_no_chunk_is_too_large(turns: list[Turn]) -> None:
    chunks = cut(turns)
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert 0 < chunk.tokens <= MOST
        assert tokens.count_tokens(chunk.text + "\n") == pytest.approx(chunk.tokens, abs=2)
        assert chunk.text.startswith("[")
    for agent in {turn.agent for turn in turns}:
        said = [p.text for t in turns if t.agent == agent for p in t.parts if p.kind != "thinking"]
        kept = [c.text for c in sorted_chunks(chunks) if c.agent == agent]
        assert letters("\n".join(kept)) == re.sub(r"[\s\\]", "", "".join(said))


def sorted_chunks(chunks: list[Chunk]) -> list[Chunk]:
    """In the order of their turns; pieces of one turn are given in order."""
    return sorted(chunks, key=lambda chunk: chunk.first_turn)


@settings(max_examples=40, deadline=None)
@given(conversations(), st.booleans())
def test_ids_are_stable_and_thinking_is_kept_only_if_asked(
    turns: list[Turn], thinking: bool
) -> None:
    chunks = cut(turns, thinking=thinking)
    assert chunks == cut(turns, thinking=thinking)
    thought = any(p.kind == "thinking" and p.text.strip() for t in turns for p in t.parts)
    shown = any(re.search(r"^\[Thinking", chunk.text, re.MULTILINE) for chunk in chunks)
    assert shown == (thinking and thought)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_split_of_the_lines_gives_what_all_at_once_gives(data: st.DataObject) -> None:
    lines = SESSION.splitlines(keepends=True)
    cuts = data.draw(st.lists(st.integers(0, len(SESSION)), max_size=6))
    by_line = data.draw(st.booleans())
    ends = [len(b"".join(lines[: c % len(lines)])) if by_line else c for c in cuts]
    shelf = Shelf()
    for end in [*sorted(ends), len(SESSION), len(SESSION)]:
        shelf.read(SESSION[:end])
    assert shelf.all() == WHOLE.all()


def test_line_by_line_gives_what_all_at_once_gives() -> None:
    shelf, end = Shelf(), 0
    for line in SESSION.splitlines(keepends=True):
        end += len(line)
        shelf.read(SESSION[:end])
    assert shelf.all() == WHOLE.all()
    assert shelf.read(SESSION) == []


def session() -> bytes:
    """Return a session with sidechains, pauses, oversized turns and markers that are none."""
    script = generated(6, 5)
    script.now += timedelta(hours=9)
    script.used("Task", {"prompt": "look at the ledger"}, "k1")
    for number in range(3):
        script.user(f"agent, look {number}", isSidechain=True, agentId="a7")
        script.said("ledger payment invoice " * 60, isSidechain=True, agentId="a7")
    script.got("report " * 50, "k1", toolUseResult={"agentId": "a7"})
    script.said("[User] faked\n\n" + "Ein langer Satz über Rechnungen. " * 400)
    script.said("```py\n" + "x = 1\n\n" * 900 + "```\n\nFertig 🙂")
    return generated(10, 6, script=script).data()


SESSION = session()
WHOLE = Shelf()
WHOLE.read(SESSION)


def test_an_open_chunk_is_replaced_by_what_completes_it() -> None:
    script = Script().user("Look at the ledger").said("payment ledger invoice")
    shelf = Shelf()
    (first,) = shelf.read(script.data())
    script.said("more of the ledger")
    (second,) = shelf.read(script.data())
    assert second.replaces == first.id
    assert second.text.startswith(first.text)
    assert [chunk.id for chunk in shelf.all()] == [second.id]


def topical(number: int, topic: int, count: int = 60) -> Turn:
    word, rest, folder = TOPICS[topic]
    words = f"{word} {rest}".split()
    said = " ".join(words[(number + i * 3) % len(words)] for i in range(count))
    asked = f"Look at {' '.join(words[:5])} in src/{folder}/main.py"
    at = BEGIN + timedelta(minutes=number)
    return turn(number, asked, said, at=at)


@pytest.mark.parametrize("order", [(0, 1), (0, 2), (2, 3), (3, 4), (4, 1)])
def test_a_change_of_topic_is_where_chunks_part(order: tuple[int, int]) -> None:
    turns = [topical(n, order[0]) for n in (1, 2, 3)] + [topical(n, order[1]) for n in (4, 5, 6)]
    assert [(c.first_turn, c.last_turn) for c in cut(turns)] == [(1, 3), (4, 6)]


def test_a_short_follow_up_belongs_to_what_it_follows() -> None:
    turns = [topical(1, 0), topical(2, 0), turn(3, "yes, do it", "ok"), topical(4, 0)]
    assert [(c.first_turn, c.last_turn) for c in cut(turns)] == [(1, 4)]


def test_size_alone_cuts_at_the_weakest_border() -> None:
    turns = [topical(n, 0, 110) for n in (1, 2, 3)] + [
        turn(4, "And the session cookie?", "token " * 250),
        *(topical(n, 0, 110) for n in (5, 6, 7)),
    ]
    chunks = cut(turns)
    assert all(200 <= chunk.tokens <= AIM for chunk in chunks)
    assert len(chunks) > 1


def test_code_stays_whole_where_it_fits() -> None:
    code = "```python\n" + "value = compute(1)\n\n" * 180 + "```"
    chunks = cut([turn(1, "Write it", f"{'Prose here. ' * 250}\n\n{code}\n\n{'After it. ' * 250}")])
    assert sum(code in chunk.text for chunk in chunks) == 1
    assert all(chunk.tokens <= MOST for chunk in chunks)
    assert [chunk.continues for chunk in chunks] == [False] + [True] * (len(chunks) - 1)


FENCED = "```\n" + "value = 1\n" * 284 + "```"


def test_what_does_not_fit_begins_a_chunk_even_after_a_small_one() -> None:
    small, large = turn(1, "Look", "value " * 90), turn(2, "", FENCED)
    chunks = cut([small, large])
    assert chunks[1].tokens > MOST - 80
    assert [(c.first_turn, c.last_turn) for c in chunks] == [(1, 1), (2, 2)]


def test_no_border_is_cut_that_leaves_too_much_behind_it() -> None:
    first, second = turn(1, "Look", "apple pear " * 130), turn(2, "more", "value apple " * 190)
    chunks = cut([first, second, turn(3, "", FENCED)])
    assert [(c.first_turn, c.last_turn) for c in chunks] == [(1, 2), (3, 3)]


def test_what_is_denser_than_the_rest_is_split_by_counting() -> None:
    dense = "👩🏽‍🚀𓀀𓁐" * 900
    chunks = cut([turn(1, "x", "Some plain words here. " * 4_000 + "\n\n" + dense)])
    assert max(chunk.tokens for chunk in chunks) <= MOST
    assert "".join(letters(chunk.text) for chunk in chunks).endswith(dense)


def test_an_oversized_paragraph_is_split_at_sentences() -> None:
    prose = " ".join(f"Satz Nummer {n} über Größe." for n in range(600))
    chunks = cut([turn(1, "Erzähl", prose)])
    assert len(chunks) > 3
    assert all(chunk.text.rstrip().endswith("Größe.") for chunk in chunks)
    assert all("[Assistant, continued]" in chunk.text for chunk in chunks[1:])


def test_facts_times_and_agents_are_told() -> None:
    later = BEGIN + timedelta(minutes=5)
    made = Turn(
        3,
        (
            Part(Kind.USER, "fix `the thing` in a/b.py", BEGIN, files=("a/b.py",)),
            Part(Kind.TOOL_RESULT, "KeyError: x", later, agent="a1", errors=("KeyError: x",)),
        ),
        BEGIN,
        later,
        "main-agent",
        True,
        SOURCE,
    )
    (chunk,) = cut([made])
    assert (chunk.files, chunk.errors, chunk.spawns) == (("a/b.py",), ("KeyError: x",), ("a1",))
    assert chunk.names[0] == "the thing"
    assert (chunk.started_at, chunk.ended_at) == (BEGIN, later)
    assert (chunk.first_turn, chunk.last_turn, chunk.agent) == (3, 3, "main-agent")
    assert chunk.started_at == datetime(2026, 3, 1, 9, tzinfo=UTC)


def test_agents_are_not_mixed_with_the_conversation() -> None:
    for chunk in WHOLE.all():
        assert ("agent, look" in chunk.text) == (chunk.agent == "a7")
    assert any(chunk.agent == "a7" for chunk in WHOLE.all())
    assert any("a7" in chunk.spawns for chunk in WHOLE.all())
    other = Shelf()
    other.read(SESSION.replace(b"11111111-2222", b"99999999-2222"))
    assert not set(other.chunks) & set(WHOLE.chunks)
