"""One question to many files: one scale, one order, weighed by role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.graph_memory.workspaces.matching import LEAST, ROLE_FACTORS
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.llms.embedders import LeavingEmbedder
from tests.support.memory.workspaces import Line, add, ask, create, found, lay, workspace_of

TEA = "Green tea is in the tin."


class LeavingSoon(LeavingEmbedder):
    """Embeds one batch more once it leaves `soon`."""

    soon = False

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors, perhaps for the last time."""
        vectors = await super().embed(texts)
        self.gone = self.soon
        return vectors


async def test_the_role_weighs_in_the_order(engine: Engine) -> None:
    roles = ["archive", "reference", "secondary", "primary"]
    workspace = await workspace_of(
        engine, {role: [TEA] for role in roles}, **{role: role for role in roles}
    )
    outcome = await ask(engine, "query", workspace, "green tea")
    results = outcome.answer["results"]
    assert [each["label"] for each in results] == roles[::-1]
    assert len({each["similarity"] for each in results}) == 1
    for each in results:
        expected = each["similarity"] * ROLE_FACTORS[each["label"]]
        assert each["score"] == pytest.approx(expected, abs=1e-4)


async def test_a_better_answer_of_a_lesser_role_still_comes_first(engine: Engine) -> None:
    workspace = await workspace_of(
        engine,
        {"main": ["Tea was mentioned."], "old": ["Green tea is kept in the blue tin."]},
        old="archive",
    )
    assert (await found(engine, workspace, "where is the green tea kept, which tin?"))[0] == (
        "Green tea is kept in the blue tin."
    )


async def test_scores_of_different_files_can_be_compared(engine: Engine) -> None:
    """The same memory has the same similarity, whatever else stands in its file."""
    crowd = [f"Green tea number {number} was sold in May." for number in range(300)]
    workspace = await workspace_of(engine, {"alone": [TEA], "crowded": [*crowd, TEA, *crowd]})
    outcome = await ask(engine, "query", workspace, "the green tea in its tin", max_per_context=500)
    of_tea = [each for each in outcome.answer["results"] if each["content"] == TEA]
    assert len(of_tea) == 2
    assert of_tea[0]["similarity"] == of_tea[1]["similarity"]
    assert outcome.answer["results"][:2] == of_tea
    scores = [each["score"] for each in outcome.answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def test_each_file_gives_at_most_so_many(engine: Engine) -> None:
    files = {name: [f"Tea {name} {n}." for n in range(12)] for name in ("a", "b")}
    workspace = await workspace_of(engine, files)
    for most in (1, 3, 10):
        outcome = await ask(engine, "query", workspace, "tea", max_per_context=most)
        labels = [each["label"] for each in outcome.answer["results"]]
        assert (labels.count("a"), labels.count("b")) == (most, most)
        assert [each["matches"] for each in outcome.answer["contexts"]] == [12, 12]
    default = await ask(engine, "query", workspace, "tea")
    assert default.answer["count"] == len(default.answer["results"]) == 20


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Where are Häuser?", "Das Haus steht am Fluß."),
        ("зелёного чая", "Зелёный чай в банке."),
        ("緑茶はどこ", "緑茶は缶にあります。"),
        ("绿茶在哪里", "绿茶在罐子里。"),
        ("茶", "緑茶は缶にあります。"),
        ("canción", "Las canciones de Ana son alegres."),
        ("naive", "A naïve plan."),
        ("🎉", "We won 🎉 today."),
        ("हिन्दी", "वह हिन्दी बोलती है।"),
        ("migrating databases", "The database migration was on Monday."),
    ],
)
async def test_words_of_any_script_find_their_other_forms(
    settings: Settings, access: Access, embedder: Embedder, asked: str, said: str
) -> None:
    """By words alone, so that no likeness can help."""
    others = ["Nothing of the kind.", "Кот спит.", "猫が寝る。", "El gato duerme."]
    gone = LeavingEmbedder(embedder)
    gone.gone = True
    async with open_engine(settings, access=access, embedder=gone) as engine:
        workspace = await workspace_of(engine, {"a": [*others, said]})
        outcome = await ask(engine, "query", workspace, asked)
        assert said in [each["content"] for each in outcome.answer["results"]]
        assert not set(others) & {each["content"] for each in outcome.answer["results"]}
        assert any("words alone" in note for note in outcome.notes)


async def test_meaning_finds_what_shares_no_word(engine: Engine) -> None:
    workspace = await workspace_of(
        engine, {"a": ["The physician prescribed new medicine.", "The train left at noon."]}
    )
    outcome = await ask(engine, "query", workspace, "doctor drugs")
    best = outcome.answer["results"][0]
    assert best["content"] == "The physician prescribed new medicine."
    assert LEAST <= best["similarity"] < 0.5


@pytest.mark.parametrize("asked", ["the", "of a", "?!", "und der", "и в", "の"])
async def test_a_stop_word_finds_nothing_and_says_so(engine: Engine, asked: str) -> None:
    workspace = await workspace_of(engine, {"a": ["The of a und der и в の ?!", TEA]})
    outcome = await ask(engine, "query", workspace, asked)
    assert outcome.answer["results"] == []
    assert any("has no distinctive word" in note for note in outcome.notes)


async def test_hidden_superseded_and_derived_memories_are_skipped(engine: Engine) -> None:
    lines: list[Line] = [
        {"id": "mem-1", "content": "Tea costs 3.", "superseded_by": "mem-2"},
        {"id": "mem-2", "content": "Tea costs 4."},
        {"id": "mem-3", "content": "Tea is green."},
        {
            "id": "mem-4",
            "content": "Tea is black.",
            "edges": [{"target": "mem-3", "type": "supersedes", "weight": 1}],
        },
        {"content": "Tea is hidden.", "hidden_at": "2025-01-01T00:00:00Z"},
        {"content": "Tea was thought of.", "source_kind": "derived"},
        {"content": "Tea was talked of.", "source_kind": "transcript"},
        {"id": "mem-8", "content": "Tea was cold.", "superseded_by": "mem-9"},
        {"id": "mem-9", "content": "Tea is lost.", "hidden_at": "2025-01-01T00:00:00Z"},
        {"id": "mem-10", "content": "Tea: gone.", "superseded_by": "mem-999"},
    ]
    workspace = await workspace_of(engine, {"a": lines})
    outcome = await ask(engine, "query", workspace, "tea")
    contents = {each["content"] for each in outcome.answer["results"]}
    assert contents == {"Tea costs 4.", "Tea is black.", "Tea was cold."}
    assert {each["node_id"] for each in outcome.answer["results"]} == {2, 4, 8}


async def test_an_export_is_a_context(engine: Engine) -> None:
    """What one owner exports is searched as it was, with its numbers, kinds and times."""
    from tests.support.memory.graph import add as add_node
    from tests.support.memory.housekeeping import exported

    number = await add_node(engine, "Wir haben Tee gewählt.", event_type="decision")
    lines: list[Any] = await exported(engine)
    lay(engine, "export.amem", *lines)
    workspace = await create(engine)
    await add(engine, workspace, "export.amem")
    (result,) = (await ask(engine, "query", workspace, "Tee")).answer["results"]
    assert (result["node_id"], result["event_type"]) == (number, "decision")
    assert result["created_at"] > 1_600_000_000_000_000


async def test_long_answers_are_cut_and_say_so(engine: Engine) -> None:
    workspace = await workspace_of(engine, {"a": [f"Tea {n} " + "x" * 60_000 for n in range(5)]})
    outcome = await ask(engine, "query", workspace, "tea")
    assert outcome.answer["count"] == 3
    assert any(note.startswith("2 more results are left out") for note in outcome.notes)


async def test_an_embedder_that_leaves_half_way_leaves_one_scale(
    settings: Settings, access: Access, embedder: Embedder
) -> None:
    leaving = LeavingSoon(embedder)
    async with open_engine(settings, access=access, embedder=leaving) as engine:
        workspace = await workspace_of(engine, {"a": [TEA]})
        await found(engine, workspace, "green tea")
        lay(engine, "b.jsonl", TEA)
        await add(engine, workspace, "b.jsonl")
        leaving.soon = True
        outcome = await ask(engine, "query", workspace, "green tea in a jar")
    assert [each["similarity"] for each in outcome.answer["results"]] == [0.6667, 0.6667]
    assert sum("words alone" in note for note in outcome.notes) == 1


async def test_one_word_of_several_does_not_make_a_file_know_a_topic(engine: Engine) -> None:
    workspace = await workspace_of(
        engine,
        {
            "knows": ["Alice moved the purple elephants to Paris."],
            "half": ["Elephants are grey.", "Paris is a city.", "Purple is a colour."],
            "none": ["Green tea is in the tin."],
        },
        none="archive",
    )
    answer = (await ask(engine, "xref", workspace, "purple elephants in Paris")).answer
    (known,) = answer["present_in"]
    assert (known["label"], known["coverage"], known["matches"]) == ("knows", 1.0, 1)
    assert known["best"]["content"] == "Alice moved the purple elephants to Paris."
    absent = {each["label"]: each for each in answer["absent_from"]}
    assert set(absent) == {"half", "none"}
    assert absent["half"]["coverage"] == pytest.approx(1 / 3, abs=1e-4)
    assert absent["half"]["best"]["content"] in ("Elephants are grey.", "Paris is a city.",
                                                 "Purple is a colour.")  # fmt: skip
    assert (absent["none"]["coverage"], absent["none"]["matches"]) == (0.0, 0)
    assert absent["none"]["role"] == "archive"
    assert answer["coverage"] == pytest.approx(1 / 3, abs=1e-4)
    assert answer["undecided"] == []
    assert answer["item"] == "purple elephants in Paris"


@pytest.mark.parametrize(
    ("item", "said", "other"),
    [
        ("Häuser am Fluss", "Das Haus steht am Fluss.", "Der Fluss ist breit."),
        ("зелёный чай", "Мы купили зелёного чая.", "Зелёный забор."),
        ("東京の緑茶", "緑茶は東京で買いました。", "東京は大きい。"),
        ("🎉 party", "The parties were loud 🎉", "A party of two."),
        ("AI", "AI was discussed.", "Artful intelligence."),
    ],
)
async def test_words_count_in_any_form_and_script(
    engine: Engine, item: str, said: str, other: str
) -> None:
    workspace = await workspace_of(engine, {"said": [said], "other": [other]})
    answer = (await ask(engine, "xref", workspace, item)).answer
    assert [each["label"] for each in answer["present_in"]] == ["said"]
    assert [each["label"] for each in answer["absent_from"]] == ["other"]


async def test_a_stop_word_is_neither_here_nor_there(engine: Engine) -> None:
    workspace = await workspace_of(engine, {"a": ["The tea."], "b": ["A cat."]})
    outcome = await ask(engine, "xref", workspace, "the")
    assert outcome.answer["present_in"] == []
    assert outcome.answer["absent_from"] == []
    assert [each["label"] for each in outcome.answer["undecided"]] == ["a", "b"]
    assert any("has no distinctive word" in note for note in outcome.notes)


async def test_a_file_that_cannot_be_read_is_not_said_to_be_silent(engine: Engine) -> None:
    workspace = await workspace_of(engine, {"a": ["Green tea."], "gone": ["Green tea."]})
    (engine.loom.settings.files_folder / "gone.jsonl").unlink()
    answer = (await ask(engine, "xref", workspace, "green tea")).answer
    assert [each["label"] for each in answer["present_in"]] == ["a"]
    assert answer["absent_from"] == []
    (gone,) = answer["undecided"]
    assert (gone["label"], gone["state"], gone["best"]) == ("gone", "missing", None)
    assert gone["problem"]
    assert answer["coverage"] == 1.0


async def test_absence_is_said_to_be_one_of_words(engine: Engine) -> None:
    workspace = await workspace_of(engine, {"a": ["The physician prescribed new medicine."]})
    outcome = await ask(engine, "xref", workspace, "doctor drugs")
    (absent,) = outcome.answer["absent_from"]
    assert absent["best"]["content"] == "The physician prescribed new medicine."
    assert any("counted by words" in note for note in outcome.notes)
