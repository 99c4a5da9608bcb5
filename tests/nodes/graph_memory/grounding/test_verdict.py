"""The verdict of several memories on a claim: by words, by the reader, and within bounds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import reasonloom
from reasonloom.nodes.graph_memory.grounding.agreement import (
    EvidenceFacts,
    JointVerdict,
    bound_verdict,
)
from reasonloom.nodes.graph_memory.grounding.verdict import (
    SECONDS,
    CorrectedMemory,
    Verdict,
    weigh_evidence,
)


async def weighed(claim: str, *memories: str, seconds: float = SECONDS) -> Verdict:
    current = dict(enumerate(memories, 1))
    return await weigh_evidence(claim, current, {}, threshold=0.3, seconds=seconds)


async def test_a_paraphrase_is_verified_and_names_its_memory() -> None:
    found = await weighed(
        "The cellar is where the bikes are stored.",
        "The bakery sells rye bread.",
        "We store the bikes in the cellar.",
    )
    assert (found.status, [each.id for each in found.witnesses]) == ("verified", [2])
    assert 0.75 < found.likely <= 1


@pytest.mark.parametrize(
    ("claim", "memory"),
    [
        ("Tom likes Go.", "Tom likes chess."),
        ("Anna is an engineer at Bosch.", "Anna is a German engineer."),
        ("Wanda owns a small sailing boat.", "Wanda speaks Polish at home and Spanish at work."),
        ("Bert calls Anna every day.", "Anna calls Bert every day."),
    ],
)
async def test_something_else_is_not_verified(claim: str, memory: str) -> None:
    assert (await weighed(claim, memory)).status != "verified"


async def test_a_narrower_word_contradicts_nothing() -> None:
    found = await weighed("Anna is an engineer.", "Anna is a German engineer.")
    assert not found.contradicted


async def test_another_figure_is_no_paraphrase() -> None:
    found = await weighed(
        "Joana has not smoked for nine years.", "Joana gave up smoking two years ago."
    )
    assert found.status != "verified"


async def test_a_part_is_named_with_what_is_left() -> None:
    found = await weighed(
        "Der Hund heißt Rex, und die Katze ist schwarz.", "Der Hund heißt Rex.", "Ulm liegt nah."
    )
    assert (found.status, found.uncovered) == ("partial", ("Katze", "schwarz"))
    assert [each.id for each in found.witnesses] == [1]


async def test_what_a_corrected_memory_said_is_contradicted_by_the_correction() -> None:
    old = {1: CorrectedMemory("Der Chor probt im alten Rathaus.", 2)}
    found = await weigh_evidence(
        "Der Chor probt im alten Rathaus.", {2: "Der Chor probt in der Mühle."}, old, threshold=0.3
    )
    assert (found.contradicted, found.superseded) == (True, (1,))
    assert [each.id for each in found.witnesses] == [2]


async def test_no_memory_means_ungrounded() -> None:
    found = await weighed("The gate is open.")
    assert (found.status, found.witnesses, found.coverage) == ("ungrounded", (), 0.0)


WITHOUT_WEIGHTS = """
import asyncio
from reasonloom.nodes.graph_memory.grounding.verdict import weigh_evidence
said = {1: "Joana gave up smoking two years ago."}
for claim in (said[1], "Joana gave up smoking six years ago.", "Joana no longer smokes."):
    found = asyncio.run(weigh_evidence(claim, said, {}, threshold=0.3))
    print(found.status, found.contradicted)
"""


def test_without_the_weights_words_decide(tmp_path: Path) -> None:
    package = Path(reasonloom.__file__).parent
    left = shutil.ignore_patterns("*.onnx", "*.jsonl", "__pycache__")
    shutil.copytree(package, tmp_path / package.name, ignore=left)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_WEIGHTS], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.split("\n")[:3] == ["verified False", "ungrounded True", "ungrounded False"]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 2**20,
        "not " * 2**18,
        "ne n'" * 2**18,
        "1,5 km/h 2:30 " * 2**16,
        "and, but; " * 2**17,
        "ない" * 2**19,
        "(((" * 2**18,
        "\n" * 2**19 + "no nadie " * 2**15,
    ],
    ids=["letters", "denials", "french", "figures", "joins", "japanese", "brackets", "blanks"],
)
async def test_long_and_odd_texts_take_little_time(text: str) -> None:
    await weighed("The gate is open.", "The gate is not open.")
    started = time.process_time()
    found = await weighed(text, text[1:], "The gate is open.")
    assert time.process_time() - started < 2
    assert found.status != "verified"
    started = time.process_time()
    await weighed("The gate is open.", *[text[n:] for n in range(40)])
    assert time.process_time() - started < 3


async def test_after_the_time_limit_the_rest_is_unread() -> None:
    memories = [f"The gate number {n} is open." for n in range(30)]
    found = await weighed("The gate is painted.", *memories, seconds=0.0)
    assert found.unread == 29


@pytest.mark.parametrize(("sure", "status"), [(0.29, "partial"), (0.3, "verified")])
async def test_below_three_tenths_a_memory_bears_out_a_part(sure: float, status: str) -> None:
    found = await weighed("The gate is open.", "The gate is open.")
    bound = bound_verdict(
        JointVerdict(found, 0.9, "words", []), EvidenceFacts({1: sure}, frozenset(), {})
    )
    assert (bound.verdict.status, bound.confidence) == (status, sure)


async def test_full_coverage_is_never_ungrounded_without_a_reason() -> None:
    found = await weighed(
        "Morgen ruft Jürgen die Müllers zurück.", "Morgen ruft die Müllers Jürgen zurück."
    )
    bound = bound_verdict(JointVerdict(found, 0.5, "words", []), EvidenceFacts({}, frozenset(), {}))
    assert (bound.verdict.status, bound.verdict.coverage) == ("ungrounded", 1.0)
    assert any("no memory was found to say" in note for note in bound.notes)
