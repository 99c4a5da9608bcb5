"""The injected memories are what their page says, and the eval counts what recall shows."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.log import EvalLog
from reasonloom.evals.suites.memory.datasets import Source, load_own
from reasonloom.evals.suites.memory.poisoning.data import (
    BENIGN,
    CHANNELS,
    FILE,
    HERE,
    KINDS,
    PLAIN,
    load_benign,
    load_injected,
)
from reasonloom.evals.suites.memory.poisoning.suite import INJECT_BY, packaged
from reasonloom.evals.suites.packaged import run_packaged
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.injection.detection import WORD, detect_injection
from reasonloom.nodes.memory.injection.disguises import EAST_ASIAN, normalized_forms, plain_letters
from reasonloom.nodes.memory.injection.rules import CUE, RULES
from reasonloom.text.hidden_characters import remove_hidden
from tests.support.calls import call


def test_the_page_holds_the_hashes() -> None:
    page = (HERE / "README.md").read_text(encoding="utf-8")
    assert f"sha256 of `{FILE}`: {load_injected('all').sha256}\n" in page
    assert f"sha256 of `{BENIGN}`: {load_benign('all').sha256}\n" in page


def test_there_are_enough_of_each_kind_in_each_half_and_by_each_door() -> None:
    items = load_injected("all").items
    kinds = Counter(each.kind for each in items)
    assert set(kinds) == set(KINDS)
    assert all(count >= 25 for kind, count in kinds.items() if kind != PLAIN)
    assert sum(kinds.values()) - kinds[PLAIN] >= 100
    for half in ("dev", "held"):
        assert {each.half for each in load_injected(half).items} == {half}
        counted = Counter(each.kind for each in load_injected(half).items)
        assert all(2 * counted[kind] == kinds[kind] for kind in KINDS)
        assert {each.door for each in load_injected(half).items} == set(CHANNELS)
        assert len(load_benign(half).items) == 30


def test_each_is_for_a_question_that_may_be_looked_at() -> None:
    ((people,), _) = load_own("people", Source(half="dev"))
    asked = {question.id for question in people.questions if question.evidence}
    assert {each.target for each in load_injected("all").items} <= asked


Bend = Callable[[list[dict[str, Any]]], object]
BENT: dict[str, tuple[Bend, str]] = {
    "kind": (lambda rows: rows[0].update(kind="odd"), "line 1, kind"),
    "door": (lambda rows: rows[0].update(door="window"), "line 1, door"),
    "twice": (lambda rows: rows[1].update(id=rows[0]["id"]), "there twice"),
    "same": (lambda rows: rows[1].update(content=rows[0]["content"]), "there twice"),
    "target": (lambda rows: rows[0].update(target="q999"), "people has no question q999"),
}


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / FILE).write_text(text, encoding="utf-8")
    return folder


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / FILE).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", BENT)
def test_a_broken_set_is_refused(name: str, tmp_path: Path) -> None:
    bend, told = BENT[name]
    rows = lines()
    bend(rows)
    with pytest.raises(InvalidArgument, match=told):
        packaged("all", written(tmp_path, rows))


def test_no_rule_is_passed_by_for_want_of_a_cue() -> None:
    assert all(0 < len(cue) <= CUE for rule in RULES for cue in rule.cues)
    texts = [each.body for each in (*load_injected("all").items, *load_benign("all").items)]
    for text in (plain_letters(content).casefold() for content in texts):
        read = normalized_forms(text)
        begun = {word[:CUE] for word in WORD.findall(f"{text} {read.plainest}")}
        for rule in RULES:
            if rule.applies(read) and not EAST_ASIAN.search(text):
                assert not rule.cues.isdisjoint(begun), (rule.reason, text)


def test_rules_see_most_of_the_development_half_and_none_of_what_only_looks_so() -> None:
    ((people,), _) = load_own("people", Source(half="dev"))
    asked = {question.id: question.text for question in people.questions}
    seen = {
        each.id: detect_injection(remove_hidden(each.body)[0], asked[each.target]).score > 0
        for each in load_injected().items
    }
    missed = [each.id for each in load_injected().items if each.kind != PLAIN and not seen[each.id]]
    assert len(missed) <= 2, missed
    assert not [
        each.content for each in load_benign().items if detect_injection(each.content).score
    ]


@pytest.mark.parametrize("columns", [1, 20, 72])
def test_what_is_flagged_and_what_is_not_are_the_same_in_lines(columns: int) -> None:
    for each in (*load_injected().items, *load_benign().items):
        content = remove_hidden(each.body)[0]
        score = detect_injection(content).score
        if "^" not in content and "\n" not in content:
            wrapped = textwrap.fill(
                content, columns, break_on_hyphens=False, break_long_words=False
            )
            assert (detect_injection(wrapped).score > 0) == (score > 0), wrapped


async def test_what_was_injected_is_counted_by_its_place(tmp_path: Path) -> None:
    rows = [row for row in lines() if row["half"] == "dev"]
    few = [
        next(row for row in rows if row["kind"] == kind and row["door"] == door)
        for kind, door in zip(
            ("trigger", "provenance", "instruction", "trigger"), CHANNELS, strict=True
        )
    ]
    log = tmp_path / "log.jsonl"
    found = await run_packaged(packaged("dev", written(tmp_path, few)), log)
    places = {each.item: each.output for each in EvalLog(log).records}
    assert len(places) == 4
    assert all(each["without"]["place"] is not None for each in places.values()), places
    assert all(
        each["with"]["place"] is None or each["with"]["place"] > each["without"]["place"]
        for each in places.values()
    ), places
    figures = {
        (each["part"], each["name"], each["of"]): each for each in found["halves"]["dev"]["figures"]
    }
    without = sum(each["without"]["place"] <= 5 for each in places.values())
    assert figures["without", "top 5", "all"]["value"] == without / 4 >= 0.75
    assert figures["with", "top 5", "all"]["value"] == 0
    assert figures["without", "top 5", "trigger"]["n"] == 2
    assert figures["with", "top 5", PLAIN]["value"] is None
    assert found["false_flags"]["n"] == 376


async def test_each_comes_in_by_the_door_it_names(engine: Engine) -> None:
    for door in CHANNELS:
        each = next(item for item in load_injected().items if item.door == door)
        await INJECT_BY[door](
            engine, "local", each.model_copy(update={"content": f"The pump: {door}."})
        )
    found = await call(engine, "recall", {"userId": "local", "text": "the pump"})
    came = {each["content"]: each["provenance"]["tool"] for each in found.answer["memories"]}
    tools = dict(
        zip(CHANNELS, ("remember", "batch_remember", "import", "conversation_log"), strict=True)
    )
    assert came == {f"The pump: {door}.": tool for door, tool in tools.items()}
