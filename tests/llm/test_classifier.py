"""The packaged classifier: what it says is well-formed, whatever it is given and in which order."""

from __future__ import annotations

import asyncio
import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import reasonloom
from reasonloom.llm.classifier import classify, entail
from reasonloom.llm.classifier.classifier import BIASES, EMOTIONS, FRAMEWORKS, scores_of

ASKS = """
import asyncio, json
from reasonloom.llm.classifier import classify
try:
    asyncio.run(classify(["It rains."]))
except Exception as error:
    print(json.dumps({"type": type(error).__name__, "message": str(error)}))
"""
TEXTS = [
    "We already spent so much that stopping now would be a waste.",
    "It rains.",
    "",
    " \n ",
    "😀 Größe, 雨です\u0000",
    "word " * 5_000,
    "Why do sales fall in spring, and what can we do about it before the next season begins?",
]


async def test_probabilities_sum_to_one() -> None:
    for scores in await classify(TEXTS):
        for shares, names in (
            (scores.bias, BIASES), (scores.emotion, EMOTIONS), (scores.framework, FRAMEWORKS),
        ):  # fmt: skip
            assert tuple(shares) == names
            assert all(0 <= share <= 1 for share in shares.values())
            assert sum(shares.values()) == pytest.approx(1.0)
        assert all(map(math.isfinite, (*scores.circumplex, scores.soundness)))


async def test_neither_order_nor_company_changes_what_is_said() -> None:
    many = [*TEXTS, *(f"This is text {n}. " * (n % 7 + 1) for n in range(30))]
    together = await classify(many)
    turned = (await classify(many[::-1]))[::-1]
    alone = [(await classify([text]))[0] for text in many]
    for others in (turned, alone):
        for one, other in zip(together, others, strict=True):
            assert dict(one.bias) == pytest.approx(dict(other.bias), abs=1e-6)
            assert dict(one.emotion) == pytest.approx(dict(other.emotion), abs=1e-6)
            assert one.soundness == pytest.approx(other.soundness, abs=1e-6)


async def test_no_texts_have_no_scores() -> None:
    assert await classify([]) == []
    assert await entail([]) == []


async def test_a_claim_follows_is_denied_or_left_open() -> None:
    note = "The bakery on Elm Street closes at noon on Saturdays."
    same, denied, other = await entail(
        [
            (note, "On Saturdays the bakery on Elm Street closes at noon."),
            (note, "The bakery on Elm Street never closes at noon on Saturdays."),
            (note, "The bakery on Elm Street belongs to a Dutch couple."),
        ]
    )
    assert max(same) == same.entailment
    assert max(denied) == denied.contradiction
    assert max(other) == other.neutral
    for each in (same, denied, other):
        assert sum(each) == pytest.approx(1)


async def test_company_does_not_change_a_pair() -> None:
    pairs = [(text, "It rains.") for text in TEXTS]
    together = await entail(pairs)
    alone = [(await entail([pair]))[0] for pair in pairs]
    assert together == alone


async def test_calls_at_once_do_not_mix() -> None:
    first, second = await asyncio.gather(classify(TEXTS[:2]), classify(TEXTS[::-1]))
    assert dict(first[0].bias) == pytest.approx(dict(second[-1].bias), abs=1e-6)


async def test_another_text_has_other_scores() -> None:
    first, second = await classify([TEXTS[0], TEXTS[-1]])
    assert dict(first.bias) != pytest.approx(dict(second.bias), abs=1e-6)


def test_great_numbers_do_not_overflow() -> None:
    numbers = {"bias": [1e4, *[0.0] * 8], "emotion": [-1e4] * 12, "framework": [0.0] * 8}
    others = {"circumplex": [1.0, 2.0, 3.0], "soundness": [0.5], "argues": [-1e4]}
    scores = scores_of({**numbers, **others}, [])
    assert scores.argues == 0.0
    assert scores.bias["none"] == 1.0
    assert scores.emotion["joy"] == pytest.approx(1 / 12)
    assert scores.circumplex == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("broken", ["nothing", "rubbish"])
def test_weights_that_are_missing_or_broken_are_a_clear_error(tmp_path: Path, broken: str) -> None:
    package = Path(reasonloom.__file__).parent
    left = shutil.ignore_patterns("*.onnx", "*.jsonl", "__pycache__")
    shutil.copytree(package, tmp_path / package.name, ignore=left)
    if broken == "rubbish":
        (tmp_path / "reasonloom/llm/classifier/reader.onnx").write_bytes(b"no graph")
    done = subprocess.run(
        [sys.executable, "-c", ASKS], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told["type"] == "EmbedderUnavailable"
    assert "reinstall reasonloom" in told["message"]
    assert str(tmp_path) not in told["message"]


def test_reading_leaves_no_file_in_the_home(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", ASKS], env=env, check=True, timeout=120)
    assert list(tmp_path.rglob("*")) == []
