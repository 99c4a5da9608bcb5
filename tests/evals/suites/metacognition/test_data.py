"""The labelled texts are what their page says, and a bent file is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.data import (
    BIASES,
    EMOTIONS,
    FAULTS,
    FRAMEWORKS,
    HERE,
    LOADERS,
    load_biases,
    load_emotions,
    load_frameworks,
    load_pairs,
)
from tests.support.evals.bent_sets import Bend, Rows, bent, refused


@pytest.mark.parametrize("name", LOADERS)
def test_the_page_holds_the_hash_of_the_file(name: str) -> None:
    readme, path = (HERE / "README.md").read_text(), HERE / f"{name}.jsonl"
    dev, held, every = (LOADERS[name](half, path) for half in ("dev", "held", "all"))
    assert f"sha256 of `{name}.jsonl`: {every.sha256}" in readme
    assert dev.sha256 == held.sha256


@pytest.mark.parametrize("load", [load_biases, load_emotions, load_frameworks, load_pairs])
def test_halves_are_equal_in_every_class_and_share_nothing(load: Callable[..., Any]) -> None:
    dev, held = load().items, load("held").items
    labels = [Counter(item.label for item in half) for half in (dev, held)]
    assert labels[0] == labels[1]
    assert {item.body for item in dev}.isdisjoint(item.body for item in held)
    assert sorted([*dev, *held], key=lambda item: item.id) == sorted(
        load("all").items, key=lambda item: item.id
    )


def test_every_bias_has_28_texts_and_104_are_sound() -> None:
    counted = Counter(item.bias for item in load_biases("all").items)
    assert counted == dict.fromkeys(BIASES, 28) | {"none": 104}


def test_every_kind_of_fault_has_six_pairs() -> None:
    counted = Counter(item.label for item in load_pairs("all").items)
    assert counted == dict.fromkeys(FAULTS, 6)
    assert sum(item.evidence is not None for item in load_pairs("all").items) == 22


def test_every_emotion_has_plain_negated_and_ironic_texts() -> None:
    kinds = Counter((item.emotion, item.kind) for item in load_emotions("all").items)
    for emotion in EMOTIONS[:-1]:
        assert kinds[emotion, "plain"] == 16
        assert kinds[emotion, "negated"] == kinds[emotion, "sarcastic"] == 5
    assert (kinds["none", "plain"], kinds["none", "negated"], len(kinds)) == (40, 6, 35)


def test_every_framework_has_sixteen_problems() -> None:
    counted = Counter(item.framework for item in load_frameworks("all").items)
    assert counted == dict.fromkeys(FRAMEWORKS, 16)


def test_texts_are_as_long_as_the_page_says() -> None:
    lengths = [len(item.text.split()) for item in load_biases("all").items]
    assert (min(lengths), max(lengths)) == (25, 67)
    lengths = [
        len(t.split()) for item in load_pairs("all").items for t in (item.sound, item.flawed)
    ]
    assert (min(lengths), max(lengths)) == (31, 60)
    assert all(8 <= len(item.body.split()) <= 60 for item in load_emotions("all").items)
    assert all(8 <= len(item.body.split()) <= 50 for item in load_frameworks("all").items)


@pytest.mark.parametrize("half", ["dev", "held"])
def test_length_does_not_give_the_flawed_one_away(half: str) -> None:
    differences = [len(item.flawed) - len(item.sound) for item in load_pairs(half).items]
    longer = sum(each > 0 for each in differences)
    shorter = sum(each < 0 for each in differences)
    assert abs(longer - shorter) <= 4


@pytest.mark.parametrize("half", ["dev", "held"])
def test_length_does_not_give_a_bias_away(half: str) -> None:
    lengths: dict[bool, list[int]] = {True: [], False: []}
    for item in load_biases(half).items:
        lengths[item.bias == "none"].append(len(item.text.split()))
    sound, biased = (sum(each) / len(each) for each in (lengths[True], lengths[False]))
    assert 0.85 < sound / biased < 1.15


def test_a_text_that_feels_nothing_is_rated_so_and_one_that_feels_is_not() -> None:
    for item in load_emotions("all").items:
        felt = item.arousal > 0.2 or abs(item.valence) > 0.1
        assert felt is (item.emotion != "none"), item.id


def shift(rows: Rows) -> None:
    """Move the last record to the other half."""
    rows[-1]["half"] = "dev" if rows[-1]["half"] == "held" else "held"


BENT: dict[str, dict[str, tuple[Bend, str]]] = {
    "biases": {
        "label": (lambda rows: rows[0].update(bias="bandwagon"), "line 1, bias"),
        "half": (lambda rows: rows[1].update(half="test"), "line 2, half"),
        "text": (lambda rows: rows[0].update(text=" "), "line 1, text"),
        "missing": (lambda rows: rows[2].pop("span"), "line 3, span"),
        "unknown": (lambda rows: rows[0].update(why="x"), "line 1, why"),
        "span elsewhere": (
            lambda rows: rows[0].update(span="not there"),
            "line 1: span: must be words",
        ),
        "no span": (lambda rows: rows[0].update(span=None), "line 1: span: must be null for none"),
        "span of none": (lambda rows: rows[-1].update(span="the"), "line 328: span: must be null"),
        "id twice": (lambda rows: rows[1].update(id=rows[0]["id"]), "is there twice"),
        "text twice": (
            lambda rows: rows[-1].update(text=rows[-2]["text"].upper()),
            "is there twice",
        ),
        "uneven": (shift, "none has 53 in dev and 51 in held; the halves must be equal"),
        "empty": (lambda rows: rows.clear(), "confirmation has 0 in dev and 0 in held"),
    },
    "emotions": {
        "label": (lambda rows: rows[0].update(emotion="envy"), "line 1, emotion"),
        "kind": (lambda rows: rows[1].update(kind="ironic"), "line 2, kind"),
        "half": (lambda rows: rows[0].update(half="test"), "line 1, half"),
        "valence": (lambda rows: rows[2].update(valence=1.1), "line 3, valence"),
        "arousal": (lambda rows: rows[2].update(arousal=-0.1), "line 3, arousal"),
        "text": (lambda rows: rows[0].update(text=" "), "line 1, text"),
        "missing": (lambda rows: rows[0].pop("kind"), "line 1, kind"),
        "unknown": (lambda rows: rows[0].update(mood=1), "line 1, mood"),
        "id twice": (lambda rows: rows[1].update(id=rows[0]["id"]), "'e001' is there twice"),
        "text twice": (lambda rows: rows[1].update(text=rows[0]["text"].upper()), "is there twice"),
        "one half": (
            lambda rows: [row.update(half="dev") for row in rows],
            "joy has nothing in held",
        ),
        "empty": (lambda rows: rows.clear(), "joy has nothing in dev"),
    },
    "frameworks": {
        "label": (lambda rows: rows[0].update(framework="swot"), "line 1, framework"),
        "why": (lambda rows: rows[0].pop("why"), "line 1, why"),
        "context": (lambda rows: rows[0].update(context={"goal": []}), "line 1, context, goal"),
        "goals": (lambda rows: rows[0].update(context={"goals": "x"}), "line 1, context, goals"),
    },
    "pairs": {
        "fault": (
            lambda rows: rows[0].update(fault="a slip"),
            "line 1, fault: must begin with one",
        ),
        "too long": (
            lambda rows: rows[0].update(flawed=rows[0]["flawed"] * 2),
            "line 1: flawed: must be as long as sound",
        ),
        "too short": (lambda rows: rows[1].update(flawed="So."), "line 2: flawed: must be as long"),
        "same": (lambda rows: rows[0].update(flawed=rows[0]["sound"]), "is there twice"),
        "evidence": (lambda rows: rows[0].update(evidence=[]), "line 1, evidence"),
        "uneven": (shift, "confusion of correlation and cause has 4 in dev and 2 in held"),
    },
}


@pytest.mark.parametrize(("name", "bend"), [(name, bend) for name in BENT for bend in BENT[name]])
def test_a_bent_set_is_refused_by_line_and_field(name: str, bend: str, tmp_path: Path) -> None:
    (change, why), file = BENT[name][bend], f"{name}.jsonl"
    refused(LOADERS[name], bent(HERE, (file,), file, change, tmp_path) / file, why)


@pytest.mark.parametrize("line", ["{", "[]", "\xff"])
@pytest.mark.parametrize("name", ["emotions", "pairs"])
def test_what_is_no_record_is_refused(line: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(line.encode("latin-1"))
    refused(LOADERS[name], path, "line 1: ")


@pytest.mark.parametrize("name", LOADERS)
def test_a_half_and_a_file_that_are_not_there(name: str, tmp_path: Path) -> None:
    refused(LOADERS[name], tmp_path / "no", "there is no such file")
    with pytest.raises(InvalidArgument, match="must be one of dev, held, all"):
        LOADERS[name]("both", HERE / f"{name}.jsonl")
