"""The labelled biases and the pairs are what their page says, and a bent file is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.metacognition.data import BIASES, FAULTS, HERE, load_biases, load_pairs

Bend = Callable[[list[dict[str, Any]]], object]


@pytest.mark.parametrize(("name", "load"), [("biases", load_biases), ("pairs", load_pairs)])
def test_the_page_holds_the_hash_of_the_file(name: str, load: Callable[[str], Any]) -> None:
    readme = (HERE / "README.md").read_text()
    assert f"sha256 of `{name}.jsonl`: {load('all').sha256}" in readme
    assert load("dev").sha256 == load("held").sha256


def test_every_bias_has_28_texts_and_104_are_sound() -> None:
    counted = Counter(item.bias for item in load_biases("all").items)
    assert counted == dict.fromkeys(BIASES, 28) | {"none": 104}


def test_every_kind_of_fault_has_six_pairs() -> None:
    counted = Counter(item.label for item in load_pairs("all").items)
    assert counted == dict.fromkeys(FAULTS, 6)
    assert sum(item.evidence is not None for item in load_pairs("all").items) == 22


@pytest.mark.parametrize("load", [load_biases, load_pairs])
def test_halves_are_equal_in_every_class_and_share_nothing(load: Callable[..., Any]) -> None:
    dev, held = load().items, load("held").items
    labels = [Counter(item.label for item in half) for half in (dev, held)]
    assert labels[0] == labels[1]
    assert {item.body for item in dev}.isdisjoint(item.body for item in held)
    assert len(load("all").items) == len(dev) + len(held)


def test_texts_are_as_long_as_the_page_says() -> None:
    lengths = [len(item.text.split()) for item in load_biases("all").items]
    assert (min(lengths), max(lengths)) == (25, 67)
    lengths = [
        len(t.split()) for item in load_pairs("all").items for t in (item.sound, item.flawed)
    ]
    assert (min(lengths), max(lengths)) == (31, 60)


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


def shift(rows: list[dict[str, Any]]) -> None:
    """Move the last record to the other half."""
    rows[-1]["half"] = "dev" if rows[-1]["half"] == "held" else "held"


BENT_BIASES: dict[str, tuple[Bend, str]] = {
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
}
BENT_PAIRS: dict[str, tuple[Bend, str]] = {
    "fault": (lambda rows: rows[0].update(fault="a slip"), "line 1, fault: must begin with one"),
    "too long": (
        lambda rows: rows[0].update(flawed=rows[0]["flawed"] * 2),
        "line 1: flawed: must be as long as sound",
    ),
    "too short": (lambda rows: rows[1].update(flawed="So."), "line 2: flawed: must be as long"),
    "same": (lambda rows: rows[0].update(flawed=rows[0]["sound"]), "is there twice"),
    "evidence": (lambda rows: rows[0].update(evidence=[]), "line 1, evidence"),
    "uneven": (shift, "confusion of correlation and cause has 4 in dev and 2 in held"),
}


@pytest.mark.parametrize("bend", BENT_BIASES)
def test_bent_biases_are_refused_by_line_and_field(bend: str, tmp_path: Path) -> None:
    refused(load_biases, bent("biases", BENT_BIASES[bend][0], tmp_path), BENT_BIASES[bend][1])


@pytest.mark.parametrize("bend", BENT_PAIRS)
def test_bent_pairs_are_refused_by_line_and_field(bend: str, tmp_path: Path) -> None:
    refused(load_pairs, bent("pairs", BENT_PAIRS[bend][0], tmp_path), BENT_PAIRS[bend][1])


@pytest.mark.parametrize("line", ["{", "[]", "\xff"])
def test_what_is_no_record_is_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(line.encode("latin-1"))
    refused(load_pairs, path, "line 1: ")


def test_a_half_and_a_file_that_are_not_there(tmp_path: Path) -> None:
    refused(load_biases, tmp_path / "no", "there is no such file")
    with pytest.raises(InvalidArgument, match="must be one of dev, held, all"):
        load_pairs("both")


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
