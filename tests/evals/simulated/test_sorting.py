"""The simulated sorter: its slips against the constants, its billing, its checker."""

from __future__ import annotations

import asyncio
from itertools import chain, pairwise, permutations, product
from pathlib import Path
from statistics import fmean, median, quantiles, stdev
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.simulated.datasets import generate_sorting, load_sorting
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.evals.suites.reasoning.orchestration.sorting import noisy_errors
from reasonloom.llm.interfaces import Ask
from reasonloom.nodes.thought_graph.operations.tasks.sorting import errors
from tests.evals.simulated.simulated_llm import asking, reply_of, saying

LENGTHS = (16, 32, 64, 128)
ANSWERED = {16: 0.508, 32: 6.643, 64: 43.331, 128: 120.799}
"""Mean slips of one answer by length: n^4 / (n^3 + 50^3), worked out by hand."""

CHAIN_64 = (16, 20, 25)
"""The poster's quartiles of a chain's errors at 64."""

ANSWER_64 = (28, 40.5, 50)
"""The poster's quartiles of one answer's errors at 64; 50 for its 55, where the fit is short."""


@pytest.fixture
def sorter() -> SimulatedSorter:
    return SimulatedSorter(seed=5)


async def sorted_errors(sorter: SimulatedSorter, length: int, attempts: int) -> list[int]:
    found = []
    for item in generate_sorting(60, length, seed=2):
        told_lists = await reply_of(
            sorter, "sorting/sort", numbers=list(item.numbers), attempts=attempts
        )
        found += [errors(item.numbers, each) for each in told_lists["sorted_lists"]]
    return found


@pytest.mark.parametrize("length", LENGTHS)
async def test_the_slips_of_one_answer_grow_with_its_length(
    sorter: SimulatedSorter, length: int
) -> None:
    found = await sorted_errors(sorter, length, attempts=10)
    # 1 of 10 counts can bounce off zero, which takes an error back: more where a list is short.
    slack = 4 * stdev(found) / len(found) ** 0.5 + 0.08 * ANSWERED[length]
    assert abs(fmean(found) - ANSWERED[length]) < slack


async def test_one_answer_at_64_has_the_published_spread(sorter: SimulatedSorter) -> None:
    found = await sorted_errors(sorter, 64, attempts=10)
    for got, published in zip(quantiles(found, n=4), ANSWER_64, strict=True):
        assert abs(got - published) < 5


async def test_a_chain_at_64_has_the_published_spread(sorter: SimulatedSorter) -> None:
    found = []
    for item in generate_sorting(300, 64, seed=2):
        made = await reply_of(sorter, "sorting/chain", numbers=list(item.numbers))
        assert [*chain.from_iterable(made["parts"])] == list(item.numbers)
        assert sorted(chain.from_iterable(made["sorted_parts"])) == made["sorted"]
        found.append(errors(item.numbers, made["sorted"]))
    for got, published in zip(quantiles(found, n=4), CHAIN_64, strict=True):
        assert abs(got - published) < 3


@pytest.mark.parametrize(("length", "mean"), [(32, 4.835), (64, 11.5), (128, 27.352)])
async def test_a_merge_slips_by_its_length(
    sorter: SimulatedSorter, length: int, mean: float
) -> None:
    found = []
    for item in generate_sorting(60, length, seed=2):
        half = length // 2
        first, second = sorted(item.numbers[:half]), sorted(item.numbers[half:])
        merged = await reply_of(sorter, "sorting/merge", first=first, second=second, attempts=10)
        found += [errors(item.numbers, each) for each in merged["sorted_lists"]]
    assert abs(fmean(found) - mean) < 4 * stdev(found) / len(found) ** 0.5 + 0.05 * mean


async def test_a_merge_adds_up_what_it_is_given_and_does_not_see_what_was_lost(
    sorter: SimulatedSorter,
) -> None:
    flawed = [1] * 40
    merged = await reply_of(sorter, "sorting/merge", first=flawed, second=[2], attempts=20)
    assert 36 < median(each.count(1) for each in merged["sorted_lists"]) < 45
    assert median(each.count(0) for each in merged["sorted_lists"]) <= 2


async def test_a_repair_mends_a_tenth(sorter: SimulatedSorter) -> None:
    numbers = list(range(10)) * 2
    fresh, repaired = [], []
    for sample in range(30):
        anew = await reply_of(
            sorter, "sorting/sort", sample=sample * 50, numbers=numbers, attempts=50
        )
        mended = await reply_of(
            sorter,
            "sorting/repair",
            sample=sample * 50,
            numbers=numbers,
            flawed=[0] * 102 + sorted(numbers)[2:],
            attempts=50,
        )
        fresh += [errors(numbers, each) for each in anew["sorted_lists"]]
        repaired += [each.count(0) - 2 for each in mended["sorted_lists"]]
    assert abs(fmean(repaired) - 90) < 4 * stdev(repaired) / len(repaired) ** 0.5 + 0.1
    assert fmean(fresh) == pytest.approx(1.2, abs=0.2)


async def test_a_split_is_exact(sorter: SimulatedSorter) -> None:
    numbers = [3, 1, 4, 1, 5, 9, 2]
    parts = await reply_of(sorter, "sorting/split", numbers=numbers, size=3)
    assert parts == {"parts": [[3, 1, 4], [1, 5, 9], [2]]}


async def test_the_order_of_calls_decides_nothing() -> None:
    items = [list(item.numbers) for item in generate_sorting(8, 64, seed=3)]
    asks = [asking("sorting/sort", numbers=each, attempts=3) for each in items]
    asks += [asking("sorting/chain", numbers=each, sample=2) for each in items]
    asks += [asking("sorting/repair", numbers=a, flawed=b, attempts=2) for a, b in pairwise(items)]
    first = SimulatedSorter(seed=1)
    in_order = [(await first.answer(each)).text for each in asks]
    second = SimulatedSorter(seed=1)
    backwards = [(await second.answer(each)).text for each in reversed(asks)][::-1]
    at_once = [reply.text for reply in await asyncio.gather(*map(first.answer, asks))]
    assert in_order == backwards == at_once
    other = SimulatedSorter(seed=2)
    for each, answered in zip(asks, in_order, strict=True):
        assert (await other.answer(each)).text != answered


async def test_samples_differ_and_are_numbered_on(sorter: SimulatedSorter) -> None:
    numbers = list(generate_sorting(1, 64, seed=3)[0].numbers)
    five = await reply_of(sorter, "sorting/sort", numbers=numbers, attempts=5)
    later = await reply_of(sorter, "sorting/sort", sample=3, numbers=numbers, attempts=2)
    assert five["sorted_lists"][3:] == later["sorted_lists"]
    assert len({str(each) for each in five["sorted_lists"]}) == 5


async def test_what_a_provider_sees_beside_the_words_changes_nothing(
    sorter: SimulatedSorter,
) -> None:
    plain = asking("sorting/sort", numbers=[3, 1, 2] * 20, attempts=2)
    marked = Ask(
        messages=plain.messages,
        schema=plain.schema,
        pipe="got",
        thread="t",
        seed=9,
        temperature=0.1,
        material={"numbers": [1], "attempts": 7, "mode": "tree"},
    )
    assert (await sorter.answer(plain)).text == (await sorter.answer(marked)).text


async def test_the_prompt_is_paid_once_a_call(sorter: SimulatedSorter) -> None:
    numbers = list(generate_sorting(1, 64, seed=3)[0].numbers)
    reply = await sorter.answer(asking("sorting/sort", numbers=numbers, attempts=4))
    assert reply.parsed
    written = sum(map(len, reply.parsed["sorted_lists"]))
    assert reply.usage.tokens_in == 739 + 3 * 64
    assert reply.usage.tokens_out == 3 * written
    assert reply.usage.cost_usd == pytest.approx(931 * 1.5e-6 + 3 * written * 2e-6)
    split = await sorter.answer(asking("sorting/split", numbers=numbers, size=16))
    assert (split.usage.tokens_in, split.usage.tokens_out) == (592 + 192, 192)
    merge = await sorter.answer(asking("sorting/merge", first=[1, 2], second=[3], attempts=1))
    assert merge.usage.tokens_in == 171 + 9
    repair = await sorter.answer(asking("sorting/repair", numbers=[1, 2], flawed=[1], attempts=1))
    assert repair.usage.tokens_in == 1271 + 9


@pytest.mark.parametrize(
    "words",
    [
        "",
        "Sort 3, 1, 2 for me.",
        "<numbers>\n[3, 1]\n</numbers>",
        "<numbers>\n[3, 1]\n</numbers>\n<attempts>\n0\n</attempts>",
        "<numbers>\n[3, 1]\n</numbers>\n<attempts>\n101\n</attempts>",
        "<numbers>\n[3, 1]\n</numbers>\n<attempts>\n" + "9" * 5000 + "\n</attempts>",
        "<numbers>\n[3, 10]\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n[]\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n[true]\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n[-1]\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n[1.0]\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n[NaN]\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n" + "[" * 20_000 + "\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n[" + "9" * 5000 + "]\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n" + str([1] * 1001) + "\n</numbers>\n<attempts>\n1\n</attempts>",
        "<numbers>\n" * 3000,
        "x" * 60_000,
    ],
)
async def test_what_cannot_be_read_gets_plain_words(sorter: SimulatedSorter, words: str) -> None:
    schema = asking("sorting/sort", numbers=[1], attempts=1).schema
    reply = await sorter.answer(saying(words, schema))
    assert reply.parsed is None
    assert reply.text.startswith("I do not understand")
    assert reply.usage.tokens_out > 0
    assert reply == await sorter.answer(saying(words, schema))


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": "string"},
        {"type": 5},
        {"$ref": "https://example.invalid/x"},
        {"type": "object", "patternProperties": {"(": {}}, "required": ["x"]},
        {"type": "object", "required": ["sorted"], "additionalProperties": False},
    ],
)
async def test_a_form_that_it_does_not_know(
    sorter: SimulatedSorter, schema: dict[str, Any] | None
) -> None:
    words = "<numbers>\n[3, 1]\n</numbers>\n<attempts>\n1\n</attempts>"
    reply = await sorter.answer(saying(words, schema))
    assert reply.parsed is None
    assert "The form of the answer" in reply.text


async def test_no_more_parts_than_the_form_allows(sorter: SimulatedSorter) -> None:
    reply = await sorter.answer(asking("sorting/split", numbers=[1] * 101, size=1))
    assert reply.parsed is None


def test_the_checker_is_zero_for_the_sorted_list_and_nothing_else() -> None:
    for original in product(range(3), repeat=4):
        wanted = tuple(sorted(original))
        for length in range(6):
            for answer in product(range(3), repeat=length):
                assert (errors(original, answer) == 0) == (answer == wanted)


def test_the_checker_counts_as_one_would_by_hand() -> None:
    assert errors([3, 1, 2], [1, 2, 3]) == 0
    assert errors([3, 1, 2], [1, 2]) == 1
    assert errors([3, 1, 2], [1, 2, 2]) == 2
    assert errors([3, 1, 2], [3, 2, 1]) == 2
    assert errors([3, 1, 2], []) == 3
    assert errors([1], [1, 12]) == 1
    for answer in permutations([0, 1, 2, 3]):
        down = sum(answer[at] > answer[at + 1] for at in range(3))
        assert errors([0, 1, 2, 3], answer) == down


def test_a_noisy_scorer_errs_as_much_as_told_and_always_alike() -> None:
    lists = [item.numbers for item in generate_sorting(2_000, 16, seed=1)]
    noise = [noisy_errors(each, sorted(each), deviation=4.0, seed=1) for each in lists]
    assert abs(fmean(noise)) < 4 * 4.0 / len(noise) ** 0.5
    assert stdev(noise) == pytest.approx(4.0, rel=0.1)
    assert noise == [noisy_errors(each, sorted(each), deviation=4.0, seed=1) for each in lists]
    assert noisy_errors(lists[0], sorted(lists[0]), deviation=0.0, seed=1) == 0


def test_lists_are_the_same_for_the_same_seed() -> None:
    assert generate_sorting(5, 32, seed=1) == generate_sorting(9, 32, seed=1)[:5]
    assert generate_sorting(5, 32, seed=1) != generate_sorting(5, 32, seed=2)
    digits = [digit for item in generate_sorting(100, 100, seed=1) for digit in item.numbers]
    assert all(abs(digits.count(digit) - 1_000) < 150 for digit in range(10))
    with pytest.raises(InvalidArgument, match="length: must be 1 to 512"):
        generate_sorting(1, 0, seed=1)
    with pytest.raises(InvalidArgument, match="count: must be 1"):
        generate_sorting(0, 32, seed=1)


def test_a_file_of_lists(tmp_path: Path) -> None:
    file = tmp_path / "sorting.csv"
    file.write_text('ID,Unsorted,Sorted\n0,"[3, 1]","[1, 3]"\n')
    (item,) = load_sorting(file)
    assert (item.id, item.numbers) == ("0", (3, 1))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the first line must be ID,Unsorted,Sorted"),
        ("ID,Unsorted\n0,[1]\n", "the first line must be"),
        ("ID,Unsorted,Sorted\n", "no rows"),
        ("ID,Unsorted,Sorted\n0,[1],[1]\n1,x,[1]\n", "row 2: Unsorted must be a list"),
        ("ID,Unsorted,Sorted\n0,[1]\n", "row 1: Sorted must be a list"),
        ("ID,Unsorted,Sorted\n0,[12],[12]\n", "row 1: Unsorted must hold digits"),
        ("ID,Unsorted,Sorted\n0,[2],[1]\n", "row 1: Sorted is not Unsorted"),
        ("\xff\xfe\x00", "must be a CSV file|the first line"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "sorting.csv"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(InvalidArgument, match=said):
        load_sorting(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="no such file"):
        load_sorting(tmp_path / "none.csv")
