"""The labelled outcomes are what their page says, a broken set is refused, and words are safe."""

from __future__ import annotations

from pathlib import Path

import pytest

from reasonloom.evals.suites.mental_models.outcomes import (
    FILE,
    HERE,
    KINDS,
    load_outcomes,
    packaged,
)
from reasonloom.evals.suites.packaged import run_packaged
from reasonloom.nodes.mental_models.resolve import judge_by_words
from tests.support.evals.bent_sets import Bend, bent, refused


def test_the_page_holds_the_hash_and_halves_share_nothing() -> None:
    assert (
        f"sha256 of `{FILE}`: {load_outcomes('all').sha256}\n" in (HERE / "README.md").read_text()
    )
    dev, held = load_outcomes(), load_outcomes("held")
    assert {each.half for each in dev.items} == {"dev"}
    assert not {each.prediction for each in dev.items} & {each.prediction for each in held.items}
    for half in (dev, held):
        assert [sum(each.kind == kind for each in half.items) for kind in KINDS] == [12] * 5
        assert {each.language for each in half.items} == {"en", "de", "fr", "es", "ru", "ja"}


BENT: dict[str, tuple[Bend, str]] = {
    "outcome": (lambda rows: rows[0].update(outcome="open"), "outcome: must be held"),
    "kind": (lambda rows: rows[0].update(kind="odd"), "line 1, kind"),
    "half": (lambda rows: rows[0].update(half="held"), "in both halves"),
    "twice": (lambda rows: rows[1].update(id=rows[0]["id"]), "there twice"),
    "lacking": (lambda rows: rows.pop(), "has not one of each kind"),
    "unknown": (lambda rows: rows[0].update(mood=1), "line 1, mood"),
}


@pytest.mark.parametrize("name", BENT)
def test_a_broken_set_is_refused(name: str, tmp_path: Path) -> None:
    bend, told = BENT[name]
    refused(load_outcomes, bent(HERE, (FILE,), FILE, bend, tmp_path), told)


async def test_words_decide_nothing_wrongly_on_dev_where_likeness_does(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    found = await run_packaged(packaged(), log)
    dev = found["halves"]["dev"]
    figures = {(each["part"], each["name"], each["of"]): each["value"] for each in dev["figures"]}
    assert dev["wrong"] == []
    assert figures["words", "decided", "all"] >= 0.35
    assert figures["words", "decided", "negated"] == 1
    assert figures["words", "decided", "unrelated"] == 0
    assert figures["likeness", "right", "all"] < 0.95
    lines = log.read_text().splitlines()
    log.write_text("\n".join(lines[:20]) + "\n")
    again = await run_packaged(packaged(), log)
    assert again["halves"] == found["halves"]
    assert len(log.read_text().splitlines()) == len(lines)


@pytest.mark.parametrize(
    ("observation", "correct", "why"),
    [
        ("The client moved the deadline again.", True, "says the same"),
        ("The client did not move the deadline.", False, "says otherwise"),
        ("The client kept the deadline.", None, "has “client”, “deadline”, not “move”"),
        ("We had soup. 🍲", None, "has none of the prediction's"),
        ("Клиент перенёс срок.", None, "has none of the prediction's"),
    ],
)
def test_it_is_told_what_the_words_show(observation: str, correct: bool | None, why: str) -> None:
    found = judge_by_words("The client will move the deadline again", observation)
    assert (found.correct, found.by) == (correct, "words")
    assert why in found.why
