"""The labelled emotions and frameworks are what their page says, and a bent file is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.data import (
    EMOTIONS,
    FRAMEWORKS,
    HERE,
    load_emotions,
    load_frameworks,
)

Bend = Callable[[list[dict[str, Any]]], object]


@pytest.mark.parametrize(
    ("name", "load"), [("emotions", load_emotions), ("frameworks", load_frameworks)]
)
def test_the_page_holds_the_hash_of_the_file(name: str, load: Callable[[str], Any]) -> None:
    readme = (HERE / "README.md").read_text()
    assert f"sha256 of `{name}.jsonl`: {load('all').sha256}" in readme
    assert load("dev").sha256 == load("held").sha256


def test_every_emotion_has_plain_negated_and_ironic_texts() -> None:
    kinds = Counter((item.emotion, item.kind) for item in load_emotions("all").items)
    for emotion in EMOTIONS[:-1]:
        assert kinds[emotion, "plain"] == 16
        assert kinds[emotion, "negated"] == kinds[emotion, "sarcastic"] == 5
    assert (kinds["none", "plain"], kinds["none", "negated"], len(kinds)) == (40, 6, 35)


def test_every_framework_has_sixteen_problems() -> None:
    counted = Counter(item.framework for item in load_frameworks("all").items)
    assert counted == dict.fromkeys(FRAMEWORKS, 16)


@pytest.mark.parametrize("load", [load_emotions, load_frameworks])
def test_halves_are_equal_in_every_class_and_share_nothing(load: Callable[..., Any]) -> None:
    dev, held = load().items, load("held").items
    labels = [Counter(item.label for item in half) for half in (dev, held)]
    assert labels[0] == labels[1]
    assert {item.body for item in dev}.isdisjoint(item.body for item in held)
    assert sorted([*dev, *held], key=lambda item: item.id) == list(load("all").items)


def test_texts_are_as_long_as_the_page_says() -> None:
    assert all(8 <= len(item.body.split()) <= 60 for item in load_emotions("all").items)
    assert all(8 <= len(item.body.split()) <= 50 for item in load_frameworks("all").items)


def test_a_text_that_feels_nothing_is_rated_so_and_one_that_feels_is_not() -> None:
    for item in load_emotions("all").items:
        felt = item.arousal > 0.2 or abs(item.valence) > 0.1
        assert felt is (item.emotion != "none"), item.id


BENT_EMOTIONS: dict[str, tuple[Bend, str]] = {
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
    "one half": (lambda rows: [row.update(half="dev") for row in rows], "joy has nothing in held"),
    "empty": (lambda rows: rows.clear(), "joy has nothing in dev"),
}
BENT_FRAMEWORKS: dict[str, tuple[Bend, str]] = {
    "label": (lambda rows: rows[0].update(framework="swot"), "line 1, framework"),
    "why": (lambda rows: rows[0].pop("why"), "line 1, why"),
    "context": (lambda rows: rows[0].update(context={"goal": []}), "line 1, context, goal"),
    "goals": (lambda rows: rows[0].update(context={"goals": "x"}), "line 1, context, goals"),
}


@pytest.mark.parametrize("bend", BENT_EMOTIONS)
def test_bent_emotions_are_refused_by_line_and_field(bend: str, tmp_path: Path) -> None:
    refused(
        load_emotions, bent("emotions", BENT_EMOTIONS[bend][0], tmp_path), BENT_EMOTIONS[bend][1]
    )


@pytest.mark.parametrize("bend", BENT_FRAMEWORKS)
def test_bent_frameworks_are_refused_by_line_and_field(bend: str, tmp_path: Path) -> None:
    path = bent("frameworks", BENT_FRAMEWORKS[bend][0], tmp_path)
    refused(load_frameworks, path, BENT_FRAMEWORKS[bend][1])


@pytest.mark.parametrize("line", ["{", "[]", "\xff"])
def test_what_is_no_record_is_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "emotions.jsonl"
    path.write_bytes(line.encode("latin-1"))
    refused(load_emotions, path, "line 1: ")


def test_a_half_and_a_file_that_are_not_there(tmp_path: Path) -> None:
    refused(load_emotions, tmp_path / "no", "there is no such file")
    with pytest.raises(InvalidArgument, match="must be one of dev, held, all"):
        load_frameworks("both")


def bent(name: str, bend: Bend, folder: Path) -> Path:
    lines = (HERE / f"{name}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    bend(rows)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def refused(load: Callable[..., Any], path: Path, why: str) -> None:
    with pytest.raises(InvalidArgument) as raised:
        load("all", path)
    assert why in raised.value.message
    assert str(path.parent) not in raised.value.message
