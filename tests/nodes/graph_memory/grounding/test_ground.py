"""memory_ground: three real verdicts, with evidence, of what holds now."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call
from tests.support.memory.graph import add


async def ground(engine: Engine, claim: str, **more: Any) -> dict[str, Any]:
    owner = more.pop("owner", "local")
    return (await call(engine, "memory_ground", {"claim": claim, **more}, owner=owner)).answer


async def test_what_is_stored_is_verified_and_names_its_evidence(engine: Engine) -> None:
    node = await add(engine, "The bakery on Elm Street opens at half past six.")
    await add(engine, "The florist on Oak Street is closed on Mondays.")
    answer = await ground(engine, "On Elm Street the bakery opens at 6:30.")
    assert (answer["status"], answer["contradicted"], answer["judged_by"]) == (
        "verified",
        False,
        "words",
    )
    assert [each["node_id"] for each in answer["evidence"]] == [node]
    assert answer["evidence"][0]["relation"] == "supports"
    assert (answer["coverage"], answer["uncovered"], answer["suggestions"]) == (1.0, [], [])


async def test_purple_elephants_are_not_verified_by_a_developer(engine: Engine) -> None:
    await add(engine, "The user is a developer")
    answer = await ground(engine, "The user owns purple elephants in Paris")
    assert (answer["status"], answer["contradicted"]) == ("ungrounded", False)
    assert answer["evidence"] == []
    assert "purple" in " ".join(answer["uncovered"])


async def test_the_negation_of_a_fact_is_contradicted(engine: Engine) -> None:
    node = await add(engine, "The ferry runs on Sundays")
    answer = await ground(engine, "The ferry does not run on Sundays")
    assert (answer["status"], answer["contradicted"]) == ("ungrounded", True)
    assert [(each["node_id"], each["relation"]) for each in answer["evidence"]] == [
        (node, "contradicts")
    ]
    assert "denies" in answer["evidence"][0]["why"]


async def test_a_corrected_fact_grounds_to_its_correction(engine: Engine) -> None:
    old = await add(engine, "The museum closes at 17:00")
    outcome = await call(
        engine, "memory_correct", {"old_node_id": old, "new_content": "The museum closes at 18:00"}
    )
    new = outcome.answer["new_node_id"]
    was = await ground(engine, "The museum closes at five in the afternoon")
    assert (was["status"], was["contradicted"], was["superseded"]) == ("ungrounded", True, [old])
    assert [each["node_id"] for each in was["evidence"]] == [new]
    assert f"node {new} corrects it" in was["evidence"][0]["why"] or "18:00" in str(was["evidence"])
    now = await ground(engine, "The museum closes at 18:00")
    assert (now["status"], [each["node_id"] for each in now["evidence"]]) == ("verified", [new])


async def test_a_chain_of_corrections_grounds_to_its_head(engine: Engine) -> None:
    first = await add(engine, "The choir meets in the town hall")
    second = await add(engine, "The choir meets in the library", (first, "supersedes"))
    third = await add(engine, "The choir meets in the old mill", (second, "supersedes"))
    answer = await ground(engine, "The choir meets in the town hall")
    assert answer["contradicted"] is True
    assert [each["node_id"] for each in answer["evidence"]] == [third]
    assert answer["superseded"] == [first]


async def test_a_claim_may_be_joined_from_several(engine: Engine) -> None:
    one = await add(engine, "Yara plays the cello.")
    two = await add(engine, "The concert is on Friday.")
    answer = await ground(engine, "Yara plays the cello, and the concert is on Friday.")
    assert answer["status"] == "verified"
    assert {each["node_id"] for each in answer["evidence"]} == {one, two}


async def test_a_partial_claim_says_which_part_is_not_covered(engine: Engine) -> None:
    node = await add(engine, "The library lends bicycles.")
    answer = await ground(engine, "The library lends bicycles and sells second-hand maps.")
    assert (answer["status"], answer["contradicted"]) == ("partial", False)
    assert [each["node_id"] for each in answer["evidence"]] == [node]
    assert answer["uncovered"] == ["sells second-hand maps"]
    assert 0.3 <= answer["coverage"] < 1


async def test_the_threshold_is_the_least_coverage_for_partial(engine: Engine) -> None:
    await add(engine, "The library lends bicycles.")
    claim = "The library lends bicycles and sells second-hand maps."
    high = await ground(engine, claim, threshold=0.95)
    assert (high["status"], [each["score"] > 0 for each in high["suggestions"]]) == (
        "ungrounded",
        [True],
    )
    assert (await ground(engine, claim, threshold=0.2))["status"] == "partial"


async def test_one_wrong_part_makes_all_of_it_contradicted(engine: Engine) -> None:
    await add(engine, "The tower is 40 metres high.")
    wrong = await add(engine, "The clock was built in 1890.")
    answer = await ground(engine, "The tower is 40 metres high, and the clock was built in 1980.")
    assert (answer["status"], answer["contradicted"]) == ("ungrounded", True)
    assert [each["node_id"] for each in answer["evidence"]] == [wrong]


@pytest.mark.parametrize(
    ("stored", "claim", "status"),
    [
        ("Das Café öffnet um halb acht.", "Um 7:30 öffnet das Café.", "verified"),
        ("Лаборатория закрыта в августе.", "Лаборатория закрыта в августе.", "verified"),
        ("図書館は月曜日に閉まる。", "図書館は月曜日に閉まらない。", "ungrounded"),
        ("Das Museum liegt am Fluß 🚢", "Die Brücke ist gesperrt 🚧", "ungrounded"),
        ("Le théâtre n'ouvre pas le lundi.", "Le théâtre ouvre le lundi.", "ungrounded"),
    ],
)
async def test_other_letters(engine: Engine, stored: str, claim: str, status: str) -> None:
    await add(engine, stored)
    await add(engine, "Übergrößenträger wohnen in Öhringen; " * 20)
    answer = await ground(engine, claim)
    assert answer["status"] == status
    assert answer["claim"] == claim


async def test_nothing_of_another_owner_is_seen(engine: Engine) -> None:
    await add(engine, "The vault code is kept by Inés", owner="other")
    answer = await ground(engine, "The vault code is kept by Inés")
    assert (answer["status"], answer["evidence"], answer["suggestions"]) == ("ungrounded", [], [])


async def test_a_claim_without_words_is_ungrounded(engine: Engine) -> None:
    await add(engine, "The vault is empty")
    outcome = await call(engine, "memory_ground", {"claim": "… ?!"})
    assert outcome.answer["status"] == "ungrounded"
    assert any("no word" in note for note in outcome.notes)


async def test_an_empty_memory_suggests_nothing(engine: Engine) -> None:
    answer = await ground(engine, "The vault is empty")
    assert (answer["status"], answer["confidence"], answer["suggestions"]) == (
        "ungrounded",
        1.0,
        [],
    )


async def test_a_claim_that_is_not_read_to_its_end_is_not_verified(engine: Engine) -> None:
    text = "The dyke at Ribe is 12 metres high. " * 70
    await add(engine, text)
    outcome = await call(engine, "memory_ground", {"claim": text + "It was built by elephants."})
    assert outcome.answer["status"] == "partial"
    assert any("first 2,000 characters" in note for note in outcome.notes)


async def notes_of(engine: Engine, claim: str) -> tuple[dict[str, Any], str]:
    outcome = await call(engine, "memory_ground", {"claim": claim})
    return outcome.answer, " ".join(outcome.notes)


async def test_a_question_that_was_stored_bears_nothing_out(engine: Engine) -> None:
    await add(engine, "Is my hamster called Otto? I think… 🐹")
    answer = await ground(engine, "The hamster is called Otto.")
    assert (answer["status"], answer["contradicted"]) == ("ungrounded", False)


async def test_two_current_figures_are_told(engine: Engine) -> None:
    one = await add(engine, "Der Mietpreis beträgt 900 Euro.")
    other = await add(engine, "Der Mietpreis beträgt 950 Euro.")
    answer, notes = await notes_of(engine, "Der Mietpreis beträgt 900 Euro.")
    assert (answer["status"], answer["contradicted"]) == ("partial", False)
    assert [(each["node_id"], each["relation"]) for each in answer["evidence"]] == [
        (one, "supports"),
        (other, "contradicts"),
    ]
    assert "950" in answer["evidence"][1]["why"]
    assert "oppose each other" in notes


async def test_an_edge_that_contradicts_is_told(engine: Engine) -> None:
    one = await add(engine, "Женя живёт в Риге.")
    other = await add(engine, "Nobody has seen Riga.", (one, "contradicts"))
    answer, notes = await notes_of(engine, "Женя живёт в Риге.")
    assert answer["status"] == "partial"
    assert [(each["node_id"], each["relation"]) for each in answer["evidence"]] == [
        (one, "supports"),
        (other, "contradicts"),
    ]
    assert f"node {one}" in answer["evidence"][1]["why"]
    assert "oppose each other" in notes


@pytest.mark.parametrize(
    ("own", "status", "most"),
    [(0.0, "partial", 0.0), (0.5, "verified", 0.5), (1.0, "verified", 0.9)],
)
async def test_a_verdict_is_no_surer_than_its_evidence(
    engine: Engine, own: float, status: str, most: float
) -> None:
    await add(engine, "The vault is empty.", confidence=own)
    answer, notes = await notes_of(engine, "The vault is empty.")
    assert (answer["status"], answer["confidence"]) == (status, most)
    assert ("below 0.3" in notes) == (own == 0.0)


async def test_what_was_read_in_part_verifies_nothing(engine: Engine) -> None:
    await add(engine, "The vault is empty. " + "Ägir rowed on. " * 200 + "The vault is not empty.")
    answer, notes = await notes_of(engine, "The vault is empty.")
    assert answer["status"] == "partial"
    assert "may take it back" in notes
    answer, _ = await notes_of(engine, "Ägir sails to Elba.")
    assert answer["status"] == "ungrounded"
    assert answer["confidence"] <= 0.5


async def test_things_with_numbers_for_names_do_not_oppose_each_other(engine: Engine) -> None:
    for number in (17, 18, 19):
        await add(engine, f"Invoice {number} is paid.")
    outcome = await call(engine, "memory_ground", {"claim": "Invoice 18 is paid."})
    assert outcome.answer["status"] == "verified"


@pytest.mark.parametrize("digits", [20, 400, 5000])
async def test_a_number_beyond_every_measure_grounds_nothing(engine: Engine, digits: int) -> None:
    await add(engine, "2023-05-01 was the day.")
    await add(engine, "In 2022 there were 22 lanterns.")
    assert (await ground(engine, "2" * digits))["status"] == "ungrounded"
