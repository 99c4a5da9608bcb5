"""The packaged encoder: its vectors, long texts, and weights that cannot be loaded."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import reasonloom
from reasonloom.llm.embedding.encoder import EncoderEmbedder
from reasonloom.llm.embedding.vectors import UNRELATED, floor_of
from reasonloom.llm.encoder.encoder import MOST_WINDOWS, WINDOW, encode

PAIRS = [
    ("We moved to a new flat in March.", "Since spring I live in another apartment.", 3),
    ("Deploying on a Friday is asking for trouble.", "Can we roll out before the weekend?", 1),
    ("She is a German engineer.", "Her profession is engineering.", 8),
]
"""A sentence, the same in other words, and the number of an unrelated one."""

LOADS = """
import asyncio, json
from reasonloom.llm.embedding.encoder import EncoderEmbedder
try:
    asyncio.run(EncoderEmbedder().embed(["the ferry"]))
except Exception as error:
    print(json.dumps({"type": type(error).__name__, "message": str(error)}))
"""


def test_similarities_are_near_those_of_the_published_weights() -> None:
    """The model's makers give 0.943 and 0.257 for these; it was taught further on questions."""
    texts = ["That is a happy person", "That is a very happy person", "Today is a sunny day"]
    made = np.array(encode(texts))
    likeness = made @ made.T
    assert likeness[0, 1] == pytest.approx(0.943, abs=0.06)
    assert likeness[0, 2] == pytest.approx(0.257, abs=0.15)


async def test_the_floor_is_measured() -> None:
    embedder = EncoderEmbedder()
    assert floor_of(await embedder.embed(UNRELATED)) == pytest.approx(embedder.floor, abs=0.01)


@pytest.mark.parametrize(("text", "alike", "other"), PAIRS)
def test_a_paraphrase_is_nearer_than_another_subject(text: str, alike: str, other: int) -> None:
    texts = [text, alike, UNRELATED[other]]
    first, second, third = (np.array(each) for each in encode(texts))
    assert first @ second > first @ third + 0.1


def test_the_end_of_a_long_text_counts_and_its_length_is_bounded() -> None:
    filler = "The mill stands by the river. " * 60
    end = "Penguins guard their eggs. "
    texts = [end, filler + end * 40, filler]
    penguins, with_end, without = (np.array(each) for each in encode(texts))
    assert penguins @ with_end > penguins @ without + 0.2
    repeated, longer = encode(["word " * (WINDOW - 2) * MOST_WINDOWS * size for size in (1, 40)])
    assert longer == pytest.approx(repeated, abs=1e-6)


async def test_many_long_texts_of_one_call_cost_no_more_than_passages() -> None:
    embedder = EncoderEmbedder()
    await embedder.embed(["the ferry"])

    async def seconds(length: int) -> float:
        texts = [(f"{n} The mill stands by the river. " * 4_000)[:length] for n in range(20)]
        begun = time.process_time()
        made = await embedder.embed(texts)
        assert len({tuple(each) for each in made}) == len(texts)
        return time.process_time() - begun

    assert await seconds(95_000) < 3 * await seconds(2_001)


def test_a_long_text_is_read_from_its_beginning_to_its_end() -> None:
    begin, end = "The mill stands by the river. " * 2_000, "Penguins guard their eggs. " * 2_000
    first, last, whole = (np.array(each) for each in encode([begin, end, begin + end]))
    assert min(whole @ first, whole @ last) > first @ last + 0.2
    short, as_short = (np.array(encode([text], 500)) for text in (begin + end, begin[:500]))
    assert short == pytest.approx(as_short, abs=1e-6)


async def test_calls_at_the_same_time_agree_with_one() -> None:
    embedder = EncoderEmbedder()
    alone = await embedder.embed(UNRELATED)
    together = await asyncio.gather(*(embedder.embed([text]) for text in UNRELATED))
    assert [each for (each,) in together] == alone


@pytest.mark.parametrize(
    "text",
    ["", " \n", "🦊🦊", "\u0000\u200b", "Größe 雨が降る слово قلم", "a" * 5_000, "mill " * 200_000],
)
async def test_any_text_has_a_vector_of_length_one(text: str) -> None:
    (vector,) = await EncoderEmbedder().embed([text])
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_thousands_of_texts_keep_their_order() -> None:
    texts = [f"Invoice {number} is paid." for number in range(2_000)]
    embedder = EncoderEmbedder()
    many = await embedder.embed(texts)
    assert many[1_234] == (await embedder.embed([texts[1_234]]))[0]
    assert len({tuple(each) for each in many}) == len(texts)


def test_two_processes_load_at_once() -> None:
    code = LOADS.replace("asyncio.run", "print(len(asyncio.run").replace('"]))', '"]))))')
    started = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.communicate(timeout=60)[0].strip() for process in started] == ["1", "1"]


@pytest.mark.parametrize("broken", ["nothing", "rubbish"])
def test_weights_that_are_missing_or_broken_are_a_clear_error(tmp_path: Path, broken: str) -> None:
    package = Path(reasonloom.__file__).parent
    left = shutil.ignore_patterns("*.onnx", "*.jsonl", "__pycache__")
    shutil.copytree(package, tmp_path / package.name, ignore=left)
    if broken == "rubbish":
        (tmp_path / "reasonloom/llm/encoder/encoder.onnx").write_bytes(b"no graph")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", LOADS], cwd=tmp_path, env=env,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["type"] == "EmbedderUnavailable"
    assert "reinstall reasonloom" in found["message"]
    assert str(tmp_path) not in found["message"]
