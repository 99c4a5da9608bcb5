"""Comparing files says where they agree, differ and contradict each other, and why."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.contracts.graph_memory.workspaces import ContextMatch
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.graph_memory.workspaces.compare import MOST_WORK, bound_work
from reasonloom.nodes.graph_memory.workspaces.judgement import Statement
from tests.support.memory.workspaces import add, ask, create, lay, workspace_of


async def compared(engine: Engine, item: str, *files: list[Any], **more: Any) -> dict[str, Any]:
    """Return the comparison of files named a, b, c, … of these lines."""
    workspace = await workspace_of(engine, dict(zip("abcdef", files, strict=False)))
    outcome = await ask(engine, "compare", workspace, item, **more)
    return {**outcome.answer, "notes": outcome.notes}


def contents(pairs: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the two contents of each pair."""
    return [(pair["first"]["content"], pair["second"]["content"]) for pair in pairs]


@pytest.mark.parametrize(
    ("item", "first", "second"),
    [
        ("server port", "The server listens on port 8080.", "The server listens on port 9090."),
        ("green tea", "Alice likes green tea.", "Alice doesn't like green tea."),
        ("Bob", "Bob lives in Paris.", "Bob lives in Berlin."),
        ("Port", "Der Server läuft auf Port 8080.", "Der Server läuft nicht auf Port 8080."),
        ("порт", "Сервер слушает порт 8080.", "Сервер слушает порт 9090."),
        ("緑茶", "緑茶は缶にあります。", "緑茶は缶にありません。"),
    ],
)
async def test_a_contradiction_is_found_with_its_reason(
    engine: Engine, item: str, first: str, second: str
) -> None:
    answer = await compared(engine, item, [first], [second])
    (pair,) = answer["contradictions"]
    assert contents([pair]) == [(first, second)]
    assert pair["relation"] == "contradiction"
    assert "“a”" in pair["why"] or "“b”" in pair["why"], pair["why"]
    assert "the claim" not in pair["why"]
    assert "the memory" not in pair["why"]
    assert (answer["agreements"], answer["differences"], answer["only_in"]) == ([], [], [])
    assert "1 contradiction, 0 agreements" in answer["summary"]


@pytest.mark.parametrize(
    ("item", "first", "second", "why"),
    [
        ("office", "The office opens at 9.", "The office opens at nine.", "both say the same"),
        (
            "database",
            "The database is Postgres 16 in production.",
            "The database is Postgres.",
            "“a” says all that “b” says, and more",
        ),
        ("порт", "Сервер слушает порт 8080.", "Сервер слушает порт 8080.", "both say the same"),
    ],
)
async def test_an_agreement_is_found(
    engine: Engine, item: str, first: str, second: str, why: str
) -> None:
    answer = await compared(engine, item, [first], [second])
    (pair,) = answer["agreements"]
    assert (pair["relation"], pair["why"]) == ("agreement", why)
    assert (answer["contradictions"], answer["only_in"]) == ([], [])


async def test_what_one_file_alone_says_is_told_as_such(engine: Engine) -> None:
    answer = await compared(
        engine,
        "green tea",
        ["Green tea is kept in the tin.", "Bob sings."],
        ["Alice drinks green tea at dawn."],
        ["The cat sleeps."],
    )
    assert [each["label"] for each in answer["only_in"]] == ["a", "b"]
    assert [each["matches"] for each in answer["contexts"]] == [1, 1, 0]
    assert answer["summary"] == (
        "2 of 3 files mention it: by rules, 0 contradictions, 0 agreements, 0 differences. "
        "2 memories are in one file only."
    )


async def test_a_difference_says_what_both_say_and_what_each_alone(engine: Engine) -> None:
    answer = await compared(
        engine,
        "deploy",
        ["The weekly deploy runs on Friday from main."],
        ["The weekly deploy runs on Friday, and Alice approves it."],
    )
    (pair,) = answer["differences"]
    assert pair["relation"] == "difference"
    assert "both say" in pair["why"]
    assert "only “a” says" in pair["why"]
    assert "“main”" in pair["why"]
    assert answer["agreements"] == []


async def test_the_newer_side_of_a_contradiction_is_named(engine: Engine) -> None:
    answer = await compared(
        engine,
        "port",
        [{"content": "The port is 80.", "created_at": "2024-05-01T00:00:00Z"}],
        [{"content": "The port is 81.", "created_at": "2025-03-08T23:59:00Z"}],
    )
    assert answer["contradictions"][0]["why"].endswith("; “b” is the newer (2025-03-08)")


async def test_files_of_one_label_are_told_apart(engine: Engine) -> None:
    workspace = await create(engine)
    for name, port in (("a", 80), ("b", 81)):
        lay(engine, f"{name}.jsonl", f"The port is {port}.")
        await add(engine, workspace, f"{name}.jsonl", label="same")
    (pair,) = (await ask(engine, "compare", workspace, "port")).answer["contradictions"]
    assert "ctx_1" in pair["why"]
    assert "ctx_2" in pair["why"]


async def test_memories_of_one_file_are_not_compared(engine: Engine) -> None:
    answer = await compared(engine, "port", ["The port is 80.", "The port is 81."])
    assert answer["contradictions"] == []
    assert answer["summary"].startswith("Only “a” mentions it, with 2 memories")


async def test_a_copy_is_no_second_witness(engine: Engine) -> None:
    answer = await compared(engine, "port", ["The port is 80."], ["The port is 80."])
    assert len(answer["agreements"]) == 1
    assert any("a, b are identical files" in note for note in answer["notes"])


async def test_nothing_and_stop_words_are_told(engine: Engine) -> None:
    nothing = await compared(engine, "quantum chromodynamics", ["Tea."], ["Cats."])
    assert nothing["summary"] == "None of 2 files mentions it."
    assert nothing["only_in"] == []
    stop = await compared(engine, "the", ["The tea."], ["The cats."])
    assert "no distinctive word" in stop["summary"]


async def test_it_says_that_rules_judged(engine: Engine) -> None:
    answer = await compared(engine, "tea", ["Tea is green."], ["Tea is hot."])
    assert any("without a language model" in note for note in answer["notes"])


async def test_at_most_so_many_of_each_file_are_compared(engine: Engine) -> None:
    files = [[f"Ben paid {n} for tea on day {n}{side}." for n in range(9)] for side in (1, 2)]
    for most in (1, 4):
        answer = await compared(engine, "tea", *files, max_per_context=most)
        seen = {each["content"] for each in answer["only_in"]}
        for relation in ("agreements", "differences", "contradictions"):
            seen |= {side for pair in contents(answer[relation]) for side in pair}
        assert len(seen) == 2 * most
        assert [each["matches"] for each in answer["contexts"]] == [9, 9]


def test_pairs_are_bounded() -> None:
    match = ContextMatch(
        context_id="ctx_1",
        label="a",
        node_id=None,
        event_type="fact",
        content="x",
        confidence=1.0,
        created_at=None,
        similarity=1.0,
        score=1.0,
    )
    said = Statement(match, ("x", "y"))
    chosen, cut = bound_work([[said] * 500 for _ in range(20)])
    each = len(chosen[0])
    assert cut
    assert 1 <= each * each * 4 * 20 * 19 // 2 <= MOST_WORK
    assert bound_work([[said] * 5, [said] * 5]) == ([[said] * 5, [said] * 5], False)
    assert bound_work([]) == ([], False)


async def test_long_memories_are_judged_by_what_they_say_of_the_topic(engine: Engine) -> None:
    filler = " ".join(f"Nothing number {n} happened on that day in town." for n in range(200))
    answer = await compared(
        engine,
        "server port",
        [f"{filler} The server listens on port 8080. {filler}"],
        [f"{filler} The server listens on port 9090."],
    )
    assert len(answer["contradictions"]) == 1
    assert any("of memories with more than 3 sentences" in note for note in answer["notes"])
