"""`search` finds by exact words, with operators, whatever anybody types."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.memory.search.fulltext import MOST_RANKED, SPELLED_TOKENS
from reasonloom.text.hidden_characters import remove_hidden
from tests.support.calls import call, remember
from tests.support.memory.housekeeping import write

DARK = "User prefers dark mode for all applications"
LIGHT = "User prefers light mode when reading outside"
SKY = "The dark sky is seen in a mode of wonder"
TEA = "Anna's tea stands on the shelf"


async def search(engine: Engine, words: str | None, **more: Any) -> Outcome:
    owner = more.pop("owner", "local")
    arguments = {"userId": owner, **({"text": words} if words else {}), **more}
    return await call(engine, "search", arguments, owner=owner)


async def found(engine: Engine, words: str | None, **more: Any) -> list[str]:
    outcome = await search(engine, words, **more)
    return [memory["content"] for memory in outcome.answer["memories"]]


@pytest.fixture
async def stocked(engine: Engine) -> Engine:
    for content in (DARK, LIGHT, SKY, TEA):
        await remember(engine, content, metadata={"keywords": ["stock"], "tags": [content[-5:]]})
    return engine


async def test_the_answer_is_the_references(engine: Engine) -> None:
    memory = await remember(engine, DARK, metadata={"tags": ["settings"]})
    outcome = await search(engine, "dark mode AND preference", metadata={"tags": ["settings"]})
    (shown,) = outcome.answer["memories"]
    assert outcome.answer["totalCount"] == 1
    assert outcome.answer["searchType"] == "full-text"
    assert shown.pop("createdAt").startswith("20")
    assert 0 < shown.pop("rank") <= 1
    assert shown == {
        "id": memory,
        "content": DARK,
        "strength": 1.0,
        "salience": 0.5,
        "primarySector": "semantic",
        "highlight": "User <b>prefers dark mode</b> for all applications",
        "matchedTerms": ["dark", "mode", "preference"],
    }


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dark mode", [DARK, SKY]),
        ("dark AND mode", [DARK, SKY]),
        ('"dark mode"', [DARK]),
        ("“dark mode”", [DARK]),
        ("light OR tea", [LIGHT, TEA]),
        ("light tea", []),
        ("dark OR light AND outside", [DARK, SKY, LIGHT]),
        ("(dark OR light) AND outside", [LIGHT]),
        ("mode NOT dark", [LIGHT]),
        ("mode AND NOT (sky OR outside)", [DARK]),
        ('mode NOT "dark mode"', [LIGHT, SKY]),
        ("NOT mode", [TEA]),
        ("NOT NOT tea", [TEA]),
        ("tea OR NOT mode", [TEA]),
        ("NOT (dark OR light)", [TEA]),
        ("Dark and Mode", [DARK, SKY]),
        ("tea not mode", []),
        ("dark or light", []),
        ("anna", [TEA]),
        ("Anna's", [TEA]),
        ("the tea", [TEA]),
        ('"on the shelf"', [TEA]),
        ("preferring application", [DARK]),
    ],
)
async def test_operators_phrases_and_parentheses(
    stocked: Engine, words: str, expected: list[str]
) -> None:
    assert sorted(await found(stocked, words)) == sorted(expected)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("AND AND (", []),
        ("OR", []),
        ("NOT", []),
        ("( ) AND ()", []),
        ('"', []),
        ('""', []),
        ("the", []),
        ("NOT the", []),
        ("& | ! :* <-> '", []),
        ("tea AND", [TEA]),
        ("OR tea", [TEA]),
        ("tea AND OR light", [TEA, LIGHT]),
        ("tea NOT", [TEA]),
        ("NOT AND tea", [TEA]),
        ("(tea", [TEA]),
        ("tea)", [TEA]),
        (")(tea))((", [TEA]),
        ('"dark mode', [DARK]),
        ('tea "', [TEA]),
        ("tea:*", [TEA]),
        ("!tea", [TEA]),
        ("tea & light", []),
        ("(" * 5_000 + "tea", [TEA]),
        ("NOT (" * 1_500 + "tea", [TEA]),
    ],
)
async def test_malformed_queries_are_read_as_they_were_meant(
    stocked: Engine, words: str, expected: list[str]
) -> None:
    outcome = await search(stocked, words)
    contents = [memory["content"] for memory in outcome.answer["memories"]]
    assert sorted(contents) == sorted(expected)
    assert outcome.notes or expected or words == "tea & light"


async def test_a_phrase_is_not_found_across_keywords(engine: Engine) -> None:
    await remember(engine, SKY, metadata={"keywords": ["dark", "mode"], "tags": ["night sky"]})
    assert await found(engine, '"dark mode"') == []
    assert await found(engine, '"night sky"') == [SKY]


FILTERS: list[tuple[dict[str, Any], str]] = [
    ({"sectors": ["episodic", "reflective"]}, "episodic"),
    ({"primarySector": "episodic"}, "episodic"),
    ({"primarySector": "episodic", "sectors": ["episodic", "semantic"]}, "episodic"),
    ({"minStrength": 0.5}, "strong"),
    ({"minSalience": 0.9}, "salient"),
    ({"dateRange": {"end": "2001-01-01T00:00:00Z"}}, "old"),
    ({"dateRange": {"start": "1999-12-31T00:00:00Z", "end": "2000-01-02T00:00:00Z"}}, "old"),
    ({"metadata": {"keywords": ["special", "none"]}}, "keyword"),
    ({"metadata": {"tags": ["special"]}}, "tag"),
    ({"metadata": {"category": "special"}}, "category"),
]


@pytest.mark.parametrize("words", ["tea", "NOT coffee", "茶", None])
async def test_every_filter_is_honoured(engine: Engine, words: str | None) -> None:
    special: dict[str, dict[str, Any]] = {
        "keyword": {"metadata": {"keywords": ["special"]}},
        "tag": {"metadata": {"tags": ["special"]}},
        "category": {"metadata": {"category": "special"}},
        "episodic": {"primarySector": "episodic"},
    }
    for name in ("episodic", "strong", "salient", "old", "keyword", "tag", "category"):
        memory = await remember(engine, f"Green tea 緑茶です {name}", **special.get(name, {}))
        change = {"strength": 0.9 if name == "strong" else 0.1}
        if name == "salient":
            change["salience"] = 0.95
        await call(engine, "update_memory", {"userId": "local", "memoryId": memory, **change})
    async with engine.loom.database.begin(Caller("local")) as tx:
        await tx.run(
            text("UPDATE memories SET created_at = '2000-01-01' WHERE content LIKE '%old'")
        )
    for arguments, name in FILTERS:
        outcome = await search(engine, words, **arguments)
        contents = [memory["content"] for memory in outcome.answer["memories"]]
        assert contents == [f"Green tea 緑茶です {name}"], arguments
        assert outcome.answer["totalCount"] == 1
    nothing = {**FILTERS[0][0], **FILTERS[3][0]}
    assert await found(engine, words, **nothing) == []
    assert len(await found(engine, words)) == 7


async def test_soft_deleted_memories_are_nowhere(stocked: Engine) -> None:
    for words in (DARK, "NOT tea", None):
        outcome = await search(stocked, words)
        memory = next(each for each in outcome.answer["memories"] if each["content"] == DARK)
    gone = {"userId": "local", "memoryId": memory["id"], "soft": True}
    await call(stocked, "forget", gone)
    for words, left in (("dark", 1), ("NOT tea", 2), (None, 3), ("mode", 2)):
        outcome = await search(stocked, words)
        assert outcome.answer["totalCount"] == len(outcome.answer["memories"]) == left
        assert DARK not in str(outcome.answer)


async def test_two_owners_and_two_spaces_never_meet(stocked: Engine) -> None:
    await remember(stocked, "Ben's dark secret 秘密", owner="ben")
    for words in ("dark", "NOT tea", "NOT 茶", "秘密", None):
        assert "Ben's dark secret 秘密" not in await found(stocked, words)
        expected = [] if words == "x" else ["Ben's dark secret 秘密"]
        assert await found(stocked, words, owner="ben") == expected
        assert await found(stocked, words, userId="guest") == []


@pytest.mark.parametrize("words", ["tea", "茶", "NOT coffee", None])
async def test_pages_are_disjoint_and_the_count_is_of_all(
    engine: Engine, words: str | None
) -> None:
    for number in range(7):
        await remember(engine, f"Tea 緑茶です number {number}")
    await remember(engine, "Coffee 珈琲", metadata={"keywords": []})
    seen: list[str] = []
    total = 7 if words else 8
    for offset, size in ((0, 3), (3, 3), (6, total - 6), (9, 0)):
        outcome = await search(engine, words, limit=3, offset=offset)
        assert outcome.answer["totalCount"] == total
        assert len(outcome.answer["memories"]) == size
        seen += [memory["id"] for memory in outcome.answer["memories"]]
    assert len(set(seen)) == total


FILL = text("""
INSERT INTO memories (owner, id, event_type, sector, content, salience, importance, token_count,
    source_kind, principal, tool, effect, decay_rate, created_at)
SELECT 'local', n, 'fact', 'semantic', replace(:content, '%', repeat('tea ', n % 9)), 0.5, 0.5,
    :tokens, 'user', 'local', 'remember', gen_random_uuid(), 0, now() + n * interval '1 ms'
FROM generate_series(1, :count) AS n
""")


async def fill(engine: Engine, content: str, *, count: int, tokens: int = 10) -> None:
    """Store many memories at once, each a millisecond younger than the one before."""
    async with engine.loom.database.begin(Caller("local")) as tx:
        await tx.run(FILL, {"content": content, "count": count, "tokens": tokens})


async def test_pages_hold_together_where_not_all_is_ranked(engine: Engine) -> None:
    count = MOST_RANKED + 5
    await fill(engine, "tea %cup", count=count)
    outcomes = [
        await search(engine, "tea", limit=100, offset=skip) for skip in range(0, count + 1, 100)
    ]
    memories = [each for outcome in outcomes for each in outcome.answer["memories"]]
    assert len({memory["id"] for memory in memories}) == len(memories) == count
    ranked = [memory["rank"] for memory in memories[:MOST_RANKED]]
    assert ranked == sorted(ranked, reverse=True)
    assert ranked[-1] < memories[-1]["rank"]  # unranked are shown with theirs, whatever it is
    assert [memory["id"] for memory in memories[MOST_RANKED:]] == [
        f"mem-{n}" for n in (5, 4, 3, 2, 1)
    ]
    assert all(outcome.answer["totalCount"] == count for outcome in outcomes)
    assert any("were ranked" in note for note in outcomes[0].notes)


async def test_what_is_too_much_to_read_by_letter_is_said(engine: Engine) -> None:
    await fill(engine, "緑茶です", count=7, tokens=SPELLED_TOKENS // 5)
    outcome = await search(engine, "茶")
    assert outcome.answer["totalCount"] == 5
    assert "mem-7" in {memory["id"] for memory in outcome.answer["memories"]}
    assert "left out" in outcome.notes[0]


async def test_the_count_is_of_all_without_a_text_too(engine: Engine) -> None:
    for number in range(205):
        await remember(engine, f"Fact {number}")
    outcome = await search(engine, None)
    assert outcome.answer["searchType"] == "metadata"
    assert outcome.answer["totalCount"] == 205
    assert len(outcome.answer["memories"]) == 10
    assert outcome.answer["memories"][0]["matchedTerms"] == []


async def test_rank_is_on_a_fixed_scale_and_orders(engine: Engine) -> None:
    plain: dict[str, Any] = {"metadata": {"keywords": []}}
    await remember(engine, "Tea is on a shelf far from the cup that was used", **plain)
    await remember(engine, "Coffee", **plain)
    (once,) = (await search(engine, "tea")).answer["memories"]
    assert once["rank"] == pytest.approx(0.6079, abs=1e-3)
    for number in range(5):
        await remember(engine, f"Tea {'tea ' * (number + 1)}", **plain)
    ranked = (await search(engine, "tea")).answer["memories"]
    ranks = [memory["rank"] for memory in ranked]
    assert ranks == sorted(ranks, reverse=True)
    assert ranked[-1]["rank"] == once["rank"]
    assert all(0 <= rank <= 1 for rank in ranks)
    assert {memory["rank"] for memory in (await search(engine, "NOT tea")).answer["memories"]} == {
        0
    }


@pytest.mark.parametrize(
    ("content", "words", "highlight", "terms"),
    [
        ("東京タワーに行きました。", "タワー", "東京<b>タワー</b>に行きました。", ["タワー"]),
        (
            "我喜欢喝绿茶和咖啡",
            "绿茶 AND 咖啡",
            "我喜欢喝<b>绿茶</b>和<b>咖啡</b>",
            ["绿茶", "咖啡"],
        ),
        ("ฉันชอบชาเขียวมาก", "ชาเขียว", "ฉันชอบ<b>ชาเขียว</b>มาก", ["ชาเขียว"]),
        ("서울에서 만났다", "서울", "<b>서울</b>에서 만났다", ["서울"]),
        (
            "東京 loves green tea",
            "teas 東京",
            "<b>東京</b> loves green <b>tea</b>",
            ["teas", "東京"],
        ),
        ("Party 🎉 tonight", "🎉", "Party <b>🎉</b> tonight", ["🎉"]),
        ("Die Straße ist GRÖSSER", "straße", "Die <b>Straße</b> ist GRÖSSER", ["straße"]),
        ("مرحبا بالعالم اليوم", "بالعالم", "مرحبا <b>بالعالم</b> اليوم", ["بالعالم"]),
        ("Anna O'Neill's cup", "O'Neill", "Anna <b>O'Neill</b>'s cup", ["O'Neill"]),
        (r"Look in C:\temp\tea now", r"C:\temp", r"Look in <b>C:\temp</b>\tea now", [r"C:\temp"]),
        ("Sold 50% of snake_case", "50%", "Sold <b>50</b>% of snake_case", ["50%"]),
        ("<p>tea</p> & more", "tea", "<p><b>tea</b></p> & more", ["tea"]),
        ("dark sky, light tea", '"light tea" OR moon', "dark sky, <b>light tea</b>", ["light tea"]),
    ],
)
async def test_words_of_any_script_are_found_shown_and_named(
    engine: Engine, content: str, words: str, highlight: str, terms: list[str]
) -> None:
    await remember(engine, content)
    await remember(engine, "Something else altogether.")
    (shown,) = (await search(engine, words)).answer["memories"]
    assert (shown["content"], shown["highlight"]) == (content, highlight)
    assert shown["matchedTerms"] == terms


async def test_a_tag_in_any_script_is_found(engine: Engine) -> None:
    await remember(engine, "Tea.", metadata={"tags": ["東京旅行"], "keywords": ["ชาเขียว"]})
    assert await found(engine, "旅行") == ["Tea."]
    assert await found(engine, "เขียว") == ["Tea."]
    assert await found(engine, "% OR _ OR 京%") == []


async def test_long_contents_are_shown_in_excerpts(engine: Engine) -> None:
    words = "filler words of no use " * 4_200
    content = f"{words[:60_000]} zebra {words[60_000:99_000]} 斑馬 giraffe"
    await remember(engine, content, metadata={"keywords": []})
    for query in ("zebra giraffe", "斑馬", "zebra AND 斑馬"):
        (shown,) = (await search(engine, query)).answer["memories"]
        assert shown["content"] == content
        assert "<b>" in shown["highlight"]
        assert len(shown["highlight"]) < 700
        assert shown["highlight"].startswith("… ")
    await remember(engine, "tea " * 25_000)
    (shown,) = (await search(engine, "tea")).answer["memories"]
    assert len(shown["highlight"]) < 700
    assert len((await search(engine, "filler")).answer["memories"]) == 1
    plain = (await search(engine, "NOT zebra")).answer["memories"][0]
    assert "<b>" not in plain["highlight"]


async def test_a_query_beyond_the_limits_is_cut_and_said(stocked: Engine) -> None:
    outcome = await search(stocked, "tea OR " + " OR ".join(f"word{n}" for n in range(100)))
    assert [each["content"] for each in outcome.answer["memories"]] == [TEA]
    assert "first 64 terms" in outcome.notes[0]
    assert await found(stocked, "tea " * 25_000) == [TEA]
    assert await found(stocked, "x" * 100_000) == []
    assert await found(stocked, '"' + "tea shelf " * 9_999) == []


PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            ["AND", "OR", "NOT", "(", ")", '"', "tea", "dark", "the", "茶", "🙂", "'", "\\", "%",
             "_", "&", "|", "!", ":*", "<->", "''", "$$", ":given_0", "-", "\u202e", "{0}", "%s"]
        ),
        st.text(
            st.characters(exclude_categories=["Cs", "Cn", "Cc"]), max_size=12
        ),
    ),
    min_size=1,
    max_size=30,
)  # fmt: skip


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pieces=PIECES, glue=st.sampled_from(["", " "]))
@example(pieces=["(NOT"] * 30, glue=" ")
async def test_no_text_is_an_error(engine: Engine, pieces: list[str], glue: str) -> None:
    """Whatever is asked is answered, and what is stored so is shown as it is."""
    words = remove_hidden(glue.join(pieces))[0]  # nothing else is ever stored
    if not words.strip():
        return
    await remember(engine, f"Said: {words}")
    answer = (await search(engine, words, limit=100)).answer
    await write(engine, "DELETE FROM memories")
    assert answer["totalCount"] >= len(answer["memories"])
    for each in answer["memories"]:
        assert 0 <= each["rank"] <= 1
        assert all(term in words for term in each["matchedTerms"])
        bare = each["highlight"].replace("<b>", "").replace("</b>", "")
        assert bare == each["content"].replace("<b>", "").replace("</b>", "")


async def test_a_rank_is_explained_by_its_terms(engine: Engine) -> None:
    only = {"keywords": ["colours"]}
    await remember(engine, "Dark mode, dark theme, dark chocolate; never light.", metadata=only)
    arguments = {"userId": "local", "text": "dark OR light OR absent", "explain": True}
    (found,) = (await call(engine, "search", arguments)).answer["memories"]
    terms = found["explanation"]["terms"]
    assert list(terms) == found["matchedTerms"] == ["dark", "light"]
    assert terms["dark"] > terms["light"] == pytest.approx(0.607927, abs=1e-5)
    (listed,) = (await call(engine, "search", {"userId": "local", "explain": True})).answer[
        "memories"
    ]
    assert set(listed["explanation"]) == {"salience", "recency", "linkWeight"}
