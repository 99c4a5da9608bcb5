"""The everyday sets: what they hold, and that claims and texts are judged and counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from reasonloom.cli.evals.check_tables import draw_everyday
from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.everyday.data import HERE, load_everyday
from reasonloom.evals.suites.everyday.suite import packaged
from reasonloom.evals.suites.packaged import run_packaged

CLAIMS = [
    ("verified", "literal", ["Tom likes chess."], "Tom likes chess."),
    ("ungrounded", "loose", ["The kiln was fired on Monday."], "Ben sings in a choir."),
]
PAIRS = [
    ("explicit", True, "The office is no longer on Lindengasse, it moved to Hafenstrasse 9."),
    ("unrelated", False, "Ben's cat likes the radiator."),
]
TEXTS = [("everyday", "none", "Dinner is at seven.", None)]


def test_the_packaged_sets_are_as_described() -> None:
    both = load_everyday("all")
    assert Counter(claim.verdict for claim in both.claims) == {
        "verified": 150, "contradicted": 110, "ungrounded": 140, "partial": 40,
    }  # fmt: skip
    assert Counter(text.group for text in both.texts) == {
        "everyday": 160,
        "sound": 80,
        "biased": 80,
    }
    kinds = Counter((each.kind, each.fires) for each in both.triggers)
    assert kinds == {
        ("other_words", True): 60,
        ("same_words", True): 60,
        ("near", False): 60,
        ("apart", False): 60,
    }
    assert Counter(each.replaces for each in both.replacements) == {True: 350, False: 600}
    dev, held = load_everyday("dev"), load_everyday("held")
    assert {t.trigger for t in dev.triggers}.isdisjoint(t.trigger for t in held.triggers)
    notes = [{note for claim in half.claims for note in claim.notes} for half in (dev, held)]
    assert notes[0].isdisjoint(notes[1]), "items that share a note are in one half"
    assert len(dev.texts) == len(held.texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    claims = [
        {"id": f"e{n}", "half": "dev", "label": label, "kind": kind, "notes": notes,
         "claim": claim, "why": "so"}
        for n, (label, kind, notes, claim) in enumerate(CLAIMS)
    ]  # fmt: skip
    texts = [
        {"id": f"b{n}", "half": "dev", "group": group, "bias": bias, "text": text, "span": span}
        for n, (group, bias, text, span) in enumerate(TEXTS)
    ]
    triggers = [
        {"id": "t1", "half": "dev", "kind": "apart", "trigger": "moving house", "fires": False,
         "message": "Which cheese melts best?"},
    ]  # fmt: skip
    pairs = [
        {"id": f"r{n}", "half": "dev", "kind": kind, "replaces": replaces, "newer": newer,
         "older": "The office is on Lindengasse 4."}
        for n, (kind, replaces, newer) in enumerate(PAIRS)
    ]  # fmt: skip
    sets: dict[str, Sequence[Mapping[str, object]]] = {
        "claims": claims,
        "arguments": texts,
        "triggers": triggers,
        "replacements": pairs,
    }
    for name, lines in sets.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


async def test_items_are_judged_and_counted(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = await run_packaged(packaged("dev", folder), tmp_path / "run.jsonl")
    found = {(each["name"], each["of"]): each for each in result["halves"]["dev"]}
    assert (found["right", "verified"]["value"], found["right", "verified"]["n"]) == (1, 1)
    assert found["right", "loose"]["value"] == 1
    assert found["wrongly verified", "all"]["value"] == 0
    assert found["false alarms", "everyday"]["n"] == 1
    assert found["recall", "all"]["n"] == 1
    assert found["right", "explicit"]["value"] == found["right", "unrelated"]["value"] == 1
    assert found["wrongly sure", "all"]["value"] == 0
    assert (found["right", "apart"]["value"], found["right", "apart"]["n"]) == (1, 1)
    draw_everyday(result)
    assert "wrongly contradicted" in capsys.readouterr().out


def test_a_folder_without_the_sets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="there is no such file"):
        load_everyday("dev", tmp_path)
    lines = (HERE / "claims.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "claims.jsonl").write_text(lines[0].replace('"verified"', '"true"'))
    with pytest.raises(InvalidArgument, match="line 1, label"):
        load_everyday("dev", tmp_path)
