"""Words divided one by one are the tokens of the whole text."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from reasonloom.llm.embedding import wordllama_vectors
from reasonloom.llm.embedding.wordllama import WordllamaEmbedder, _read_model
from reasonloom.llm.embedding.wordllama_vectors import SPACE, Words

ODD = [
    "", " ", "a", "a ", " a", "  a  b   ", SPACE, f"{SPACE} a{SPACE}", "\n", "\n\n", " \n a\n  b",
    "a\r\nb\tc", "<s> told </s>", "x<unk>y", "<0x0A>", "日本語の テキスト です", "é\u0301\u00a0ß",
    "emoji 😀😀 z", "def f(x):\n    return x[0]  # why", "x" * 5000, "word " * 3000, "a\x00b",
]  # fmt: skip
LETTERS = f"ab c  \n\n{SPACE}.,;<>/s日é😀\t1-_'\"\\"


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return _read_model().tokenizer


def _whole(tokenizer: Any, text: str) -> list[int]:
    found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return found


def test_tokens_are_those_of_the_whole_text(tokenizer: Any) -> None:
    dice = random.Random(7)  # noqa: S311 - texts for a test
    made = ["".join(dice.choices(LETTERS, k=dice.randint(0, 40))) for _ in range(3000)]
    texts = [*ODD, *made, *(path.read_text("utf-8") for path in Path("docs").glob("*.md"))]
    words = Words(tokenizer)
    for _ in range(2):
        told = list(words.tokens(texts))
        assert [text for text, its in zip(texts, told, strict=True)
                if list(its) != _whole(tokenizer, text)] == []  # fmt: skip


def test_no_token_goes_on_past_a_space_or_the_end_of_a_line(tokenizer: Any) -> None:
    spanning = [each for each in tokenizer.get_vocab() if SPACE in each.lstrip(SPACE)]
    assert spanning == []
    assert [each for each in tokenizer.get_vocab() if "\n" in each] == []


def test_what_is_remembered_is_bounded(tokenizer: Any) -> None:
    words = Words(tokenizer, remembered=50)
    for number in range(0, 400, 4):
        text = " ".join(f"w{each}" for each in range(number, number + 8)) + " " + "y" * 99
        assert [list(each) for each in words.tokens([text])] == [_whole(tokenizer, text)]
        assert len(words._known) <= 50
        assert max(map(len, words._known)) <= wordllama_vectors.LONGEST


async def test_texts_embedded_at_the_same_time_are_as_alone() -> None:
    embedder = WordllamaEmbedder()
    batches = [[f"about {word} {n} " * 300 for n in range(20)] for word in "abcdef"]
    alone = [await WordllamaEmbedder().embed(batch) for batch in batches]
    assert list(await asyncio.gather(*map(embedder.embed, batches))) == alone
