"""The labelled triggers are what their page says, a broken set is refused, and the eval counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from reasonloom.evals.suites.mental_models.triggers import FIRING, HERE, f1, load_triggers, packaged
from reasonloom.evals.suites.packaged import run_packaged
from reasonloom.nodes.mental_models.triggers import match_trigger, trigger_terms
from tests.support.evals.bent_sets import Bend, bent, refused

FILES = ("triggers.jsonl", "messages.jsonl")


@pytest.mark.parametrize("name", FILES)
def test_the_page_holds_the_hash_of_the_file(name: str) -> None:
    readme = (HERE / "README.md").read_text()
    assert f"sha256 of `{name}`: {load_triggers('all').sha256[name]}\n" in readme


def test_dev_is_given_unless_another_half_is_named_and_halves_share_nothing() -> None:
    dev, held = load_triggers(), load_triggers("held")
    assert {each.trigger.half for each in dev.items} == {"dev"}
    assert not {each.trigger.text for each in dev.items} & {
        each.trigger.text for each in held.items
    }
    for half in (dev, held):
        messages = [each for item in half.items for each in item.messages]
        assert (len(half.items), len(messages)) == (12, 72)
        assert sum(each.fires for each in messages) == 36
        assert {each.language for each in messages} == {"en", "de", "fr", "es", "ru", "ja"}
    languages = Counter(item.trigger.language for item in load_triggers("all").items)
    assert languages == {"en": 14, "de": 2, "fr": 2, "es": 2, "ru": 2, "ja": 2}
    foreign = [
        each.id
        for item in load_triggers("all").items
        for each in item.messages
        if each.language != item.trigger.language
    ]
    assert len(foreign) == 5


def test_what_is_to_fire_in_other_words_shares_none_with_its_trigger() -> None:
    for item in load_triggers().items:
        wanted = {w for w in item.trigger.text.casefold().split() if len(w) > 3}
        for each in item.messages:
            if each.kind == "other words":
                assert not wanted & set(each.text.casefold().replace(",", "").split()), each.id


BENT: dict[str, tuple[str, Bend, str]] = {
    "fires": (FILES[1], lambda rows: rows[0].update(fires=False), "fires: must not be False"),
    "kind": (FILES[1], lambda rows: rows[0].update(kind="odd"), "line 1, kind"),
    "half": (FILES[1], lambda rows: rows[0].update(half="held"), "in another half"),
    "twice": (FILES[0], lambda rows: rows[1].update(text=rows[0]["text"].upper()), "there twice"),
    "lacking": (FILES[1], lambda rows: rows.pop(), "t24: has"),
    "unknown": (FILES[0], lambda rows: rows[0].update(mood=1), "line 1, mood"),
}


@pytest.mark.parametrize("name", BENT)
def test_a_broken_set_is_refused(name: str, tmp_path: Path) -> None:
    file, bend, told = BENT[name]
    refused(load_triggers, bent(HERE, FILES, file, bend, tmp_path), told)


async def test_the_eval_reaches_its_goal_on_dev_and_goes_on_where_it_was(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    found = await run_packaged(packaged(), log)
    dev = found["halves"]["dev"]
    assert dev["met"]
    assert dev["f1"] >= 0.8 > dev["f1_cosine"]
    lines = log.read_text().splitlines()
    log.write_text("\n".join(lines[:20]) + "\n")
    again = await run_packaged(packaged(), log)
    assert again["halves"]["dev"]["f1"] == dev["f1"]
    assert len(log.read_text().splitlines()) == len(lines) == 73
    messages = [each for item in load_triggers().items for each in item.messages]
    assert f1(messages, {each.id: True for each in messages}) == pytest.approx(2 / 3)
    assert f1(messages, {each.id: each.kind in FIRING for each in messages}) == 1
    assert f1(messages, {each.id: False for each in messages}) == 0


@pytest.mark.parametrize(
    ("trigger", "message", "fires"),
    [
        ("user mentions work stress", "my boss keeps moving the deadline, I can't sleep", True),
        ("user mentions work stress", "I stressed the work piece until it broke", False),
        ("user mentions work stress", "I have no stress at work, I love my job", False),
        ("user collects axolotl figurines", "I bought two axolotl figurines", False),
        ("user collects axolotl figurines", "I collect axolotl figurines", True),
        ("user collects axolotl figurines", "The tax office is closed", False),
        ("user mentions the axolotl auction", "Marta says the axolotl auction is Friday", True),
        ("user mentions work stress", "Marta hates her boss, she can't sleep", False),
        ("Сон", "Я плохо сплю, ночь за ночью", True),
        ("猫の死", "愛犬が亡くなりました", True),
        ("😰", "I am fine", False),
    ],
)
def test_without_an_embedder_words_decide(trigger: str, message: str, fires: bool) -> None:
    found = match_trigger(trigger, message, None)
    assert (found.fires, found.by) == (fires, "words")
    assert 0 <= found.likeness <= 1


def test_long_texts_are_read_to_a_bound() -> None:
    assert match_trigger("work stress " * 10_000, "x " * 50_000, 0.1).likeness < 0.72
    assert [each.name for each in trigger_terms("user mentions work stress").known] == [
        "work", "stress",
    ]  # fmt: skip
