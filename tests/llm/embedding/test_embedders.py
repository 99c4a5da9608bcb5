from __future__ import annotations

import asyncio
import logging
import math
import subprocess
import sys
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.embedding.encoder import EncoderEmbedder
from reasonloom.llm.embedding.fastembed import FastembedEmbedder
from reasonloom.llm.embedding.litellm import BYTES_LIMIT, LitellmEmbedder
from reasonloom.llm.embedding.vectors import UNRELATED, axis, floor_of, unit
from reasonloom.llm.embedding.wordllama import FLOOR, WordllamaEmbedder
from tests.llm.conftest import KEY, MakeSettings
from tests.llm.embedding.tiny_model import DIMENSION, write_model
from tests.llm.loopback import Answer, Loopback

ODD = [
    "",
    " ",
    "\n",
    "日本語のテキスト",
    "🎉👩‍👩‍👧",
    "a\x00b",
    "\ud800",
    "x" * 5000,
    "word " * 20_000,
]


def cosine(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def length(vector: list[float]) -> float:
    return math.sqrt(cosine(vector, vector))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    write_model(folder)
    return folder


@pytest.fixture(params=["wordllama", "encoder", "fastembed"])
def local(request: pytest.FixtureRequest, tiny: Path) -> Any:
    packaged = {"wordllama": WordllamaEmbedder, "encoder": EncoderEmbedder}
    make = packaged.get(request.param, partial(FastembedEmbedder, str(tiny)))
    return make()


async def test_every_text_gets_a_unit_vector(local: Any) -> None:
    vectors = await local.embed(ODD)
    assert [len(vector) for vector in vectors] == [local.dimension] * len(ODD)
    assert [length(vector) for vector in vectors] == pytest.approx([1.0] * len(ODD))
    assert await local.embed([]) == []


async def test_a_batch_equals_its_texts_alone(local: Any) -> None:
    texts = [*UNRELATED, *ODD]
    alone = [(await local.embed([text]))[0] for text in texts]
    assert await local.embed(texts) == alone


async def test_first_uses_at_the_same_time_agree(local: Any) -> None:
    found = await asyncio.gather(*[local.embed(["the ferry"]) for _ in range(8)])
    assert all(vectors == found[0] for vectors in found)


async def test_likeness_is_seen() -> None:
    question, near, far = await WordllamaEmbedder().embed(
        ["Which database do we use?", "The database is Postgres.", UNRELATED[3]]
    )
    assert cosine(question, near) > FLOOR > cosine(question, far)


async def test_the_floor_of_wordllama_is_what_is_measured() -> None:
    embedder = WordllamaEmbedder()
    assert (embedder.floor, embedder.dimension) == (FLOOR, 256)
    measured = floor_of(await embedder.embed(UNRELATED))
    assert measured == pytest.approx(0.1565, abs=0.001)
    assert measured < FLOOR < measured + 0.1


async def test_loading_wordllama_leaves_the_root_logger_alone() -> None:
    code = (
        "import asyncio, logging\n"
        "from reasonloom.llm.embedding.wordllama import WordllamaEmbedder\n"
        "asyncio.run(WordllamaEmbedder().embed(['x']))\n"
        "print(logging.root.handlers, logging.root.level)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"[] {logging.WARNING}"
    assert done.stderr == ""


def test_a_vector_that_is_none_is_refused() -> None:
    with pytest.raises(EmbedderUnavailable):
        unit([1.0, math.nan])
    assert unit([0.0, 0.0]) == axis(2) == [1.0, 0.0]


async def test_a_folder_is_a_model_with_a_name_that_tells_it_apart(tmp_path: Path) -> None:
    for name, context in (("one", 64), ("two", 65)):
        (tmp_path / name / "mine").mkdir(parents=True)
        write_model(tmp_path / name / "mine", context=context, pooled=name == "two")
    one, two = (FastembedEmbedder(str(tmp_path / name / "mine")) for name in ("one", "two"))
    assert one.model.startswith("fastembed-mine-")
    assert one.model != two.model
    with pytest.raises(EmbedderUnavailable, match="after the first text"):
        assert one.dimension
    (first,) = await one.embed(["the ferry leaves"])
    (second,) = await two.embed(["the ferry leaves"])
    assert one.dimension == two.dimension == len(first) == DIMENSION
    assert first == pytest.approx(second, abs=1e-5), "both pool by the mean"
    assert 0 < one.floor < 1


async def test_a_text_is_cut_at_the_models_context(tiny: Path) -> None:
    embedder = FastembedEmbedder(str(tiny))
    long, longer = await embedder.embed(["ferry " * 63, "ferry " * 63 + "mustard " * 500])
    assert long == longer


async def test_a_broken_folder_is_told_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path, tmp_path / "empty", tmp_path / "missing"):
        with pytest.raises(EmbedderUnavailable, match="cannot be loaded") as caught:
            await FastembedEmbedder(str(folder)).embed(["x"])
        assert str(tmp_path) not in caught.value.message


async def test_an_unknown_model_is_told_with_the_nearest() -> None:
    with pytest.raises(EmbedderUnavailable, match=r"did you mean `BAAI/bge-small-en-v1\.5`"):
        await FastembedEmbedder("BAAI/bge-smal-en-v1.5").embed(["x"])


def test_a_missing_package_is_told_with_its_cure(tmp_path: Path) -> None:
    write_model(tmp_path)
    code = (
        "import asyncio, sys\n"
        "sys.modules['fastembed'] = None\n"
        "from reasonloom.errors import EmbedderUnavailable\n"
        "from reasonloom.llm.embedding.fastembed import FastembedEmbedder\n"
        "try: asyncio.run(FastembedEmbedder(sys.argv[1]).embed(['x']))\n"
        "except EmbedderUnavailable as error: print(error.message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "pip install 'reasonloom[fastembed]'" in done.stdout


def embeddings(*vectors: list[float], backwards: bool = False) -> Answer:
    data = [
        {"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    told = data[::-1] if backwards else data
    return Answer({"object": "list", "data": told, "model": "m", "usage": usage})


def calibration() -> Answer:
    return embeddings(*[[3.0, 4.0 + i] for i in range(len(UNRELATED))])


@pytest_asyncio.fixture
async def make(
    server: Loopback, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Any]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    made: list[LitellmEmbedder] = []

    def build(**given: Any) -> LitellmEmbedder:
        settings = make_settings(llm_base_url=f"{server.url}/v1", **given)
        made.append(LitellmEmbedder("openai/text-embedding-3-small", settings))
        return made[-1]

    yield build
    for embedder in made:
        await embedder.close()


async def test_a_remote_model_is_learned_then_asked(server: Loopback, make: Any) -> None:
    server.script(calibration(), embeddings([0.0, 2.0], [3.0, 4.0], backwards=True))
    embedder = make()
    with pytest.raises(EmbedderUnavailable, match="after the first text"):
        assert embedder.dimension
    vectors = await embedder.embed(["a", "", "b", "  "])
    assert vectors == [[0.0, 1.0], [1.0, 0.0], [0.6, 0.8], [1.0, 0.0]]
    assert embedder.dimension == 2
    assert 0.9 < embedder.floor <= 1
    assert [heard.path for heard in server.heard] == ["/v1/embeddings"] * 2
    assert server.heard[0].body["input"] == list(UNRELATED)
    assert server.heard[1].body["input"] == ["a", "b"]
    assert server.heard[1].body["model"] == "text-embedding-3-small"


async def test_many_texts_go_in_batches_and_long_ones_are_cut(server: Loopback, make: Any) -> None:
    server.script(calibration(), embeddings(*[[1.0, 0.0]] * 96), embeddings(*[[0.0, 1.0]] * 4))
    vectors = await make().embed(["長" * 20_000, *["x"] * 99])
    assert vectors == [[1.0, 0.0]] * 96 + [[0.0, 1.0]] * 4
    sent = server.heard[1].body["input"][0]
    assert len(sent.encode()) <= BYTES_LIMIT
    assert set(sent) == {"長"}


async def test_a_remote_fault_is_retried(server: Loopback, make: Any) -> None:
    server.script(Answer("", 503), embeddings([1.0]), calibration(), embeddings([1.0, 0.0]))
    assert await make().embed(["a"]) == [[1.0, 0.0]]
    assert len(server.heard) == 4


@pytest.mark.parametrize(
    ("answer", "reason", "requests"),
    [
        (Answer({"error": {"message": f"no {KEY}"}}, 401), "refused", 1),
        (Answer("", 500), "not reached after 4 attempts", 4),
        (Answer({"object": "list", "data": []}), "unreadable reply", 4),
        (Answer({}), "not reached", 4),
    ],
)
async def test_a_remote_failure_is_told_safely(
    server: Loopback, make: Any, answer: Answer, reason: str, requests: int
) -> None:
    server.script(answer)
    with pytest.raises(EmbedderUnavailable, match=reason) as caught:
        await make().embed(["a"])
    assert KEY not in caught.value.message
    assert len(server.heard) == requests


async def test_vectors_of_another_dimension_are_refused(server: Loopback, make: Any) -> None:
    server.script(calibration(), embeddings([1.0, 0.0, 0.0]))
    with pytest.raises(EmbedderUnavailable, match="different dimensions"):
        await make().embed(["a"])
