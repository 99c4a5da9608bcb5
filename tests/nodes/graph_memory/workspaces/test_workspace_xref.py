"""Cross-reference: a file knows a topic where one memory holds it, not where one word stands."""

from __future__ import annotations

import pytest

from reasonloom.graphs.runs.engine import Engine
from tests.support.memory.workspaces import ask, workspace_of


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
    assert any("holds no telling word" in note for note in outcome.notes)


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
