from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import LlmRefused, SettingMistake
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.llm.providers.replay import CachedModel, Recorder, ReplayModel, question_key
from tests.llm.conftest import SCHEMA, ask


class Counting:
    """An llm that numbers its replies; the third and later ones are slow to come."""

    name = "counting"
    offline = False

    def __init__(self) -> None:
        self.count = 0

    async def answer(self, asked: Ask) -> Reply:
        self.count += 1
        number = self.count
        await asyncio.sleep(0.001 * (number % 3))
        usage = Usage(tokens_in=number, tokens_out=2, cost_usd=0.25, attempts=2)
        return Reply(f"zw\u00f6lf {number}", {"n": number}, "m-1", usage, truncated=number == 2)

    async def close(self) -> None:
        self.count = -1


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return tmp_path / "tape.jsonl"


async def test_what_was_recorded_is_played_exactly(tape: Path) -> None:
    recorder = Recorder(Counting(), tape)
    recorded = [await recorder.answer(ask()) for _ in range(2)]
    other = await recorder.answer(ask(schema=SCHEMA))
    player = ReplayModel(tape)
    assert [await player.answer(ask()) for _ in range(2)] == recorded
    assert await player.answer(ask(schema=SCHEMA)) == other
    assert await player.answer(ask()) == recorded[1], "the last one repeats"
    assert (player.name, recorder.name) == ("replay:tape.jsonl", "record:tape.jsonl:counting")


@pytest.mark.parametrize(
    "change",
    [{"schema": SCHEMA}, {"pipe": "tree"}, {"temperature": 0.1}, {"seed": 1}, {"messages": []}],
)
def test_the_key_follows_the_question(change: dict[str, Any]) -> None:
    assert question_key(ask(**change)) != question_key(ask())


def test_the_key_ignores_what_changes_from_run_to_run() -> None:
    assert question_key(ask(thread="t", deadline=3.0, material={"content": "x"})) == question_key(
        ask()
    )
    reordered = dict(reversed(SCHEMA.items()))
    assert question_key(ask(schema=reordered)) == question_key(ask(schema=SCHEMA))


async def test_an_unknown_question_tells_how_to_record_it(tape: Path) -> None:
    await Recorder(Counting(), tape).answer(ask())
    with pytest.raises(LlmRefused, match=r"no such question.*record:tape\.jsonl:INNER") as caught:
        await ReplayModel(tape).answer(ask(pipe="tree"))
    assert str(tape.parent) not in caught.value.message


async def test_recordings_at_the_same_time_keep_their_lines_whole(tape: Path) -> None:
    recorders = [Recorder(Counting(), tape) for _ in range(4)]
    await asyncio.gather(*[r.answer(ask(seed=i)) for i in range(25) for r in recorders])
    lines = tape.read_text().splitlines()
    assert len(lines) == 100
    assert {json.loads(line)["key"] for line in lines} == {
        question_key(ask(seed=i)) for i in range(25)
    }


async def test_an_old_tape_is_continued(tape: Path) -> None:
    await Recorder(Counting(), tape).answer(ask())
    await Recorder(Counting(), tape).answer(ask(seed=1))
    assert len(tape.read_text().splitlines()) == 2


async def test_errors_are_not_recorded(tape: Path) -> None:
    await Recorder(Counting(), tape).answer(ask())
    with pytest.raises(LlmRefused):
        await Recorder(ReplayModel(tape), tape).answer(ask(seed=9))
    assert len(tape.read_text().splitlines()) == 1


async def test_a_tape_is_readable_by_its_owner_only(tape: Path) -> None:
    await Recorder(Counting(), tape).answer(ask())
    assert tape.stat().st_mode & 0o077 == 0


async def test_closing_closes_the_inner_llm(tape: Path) -> None:
    inner = Counting()
    await Recorder(inner, tape).close()
    assert inner.count == -1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "does not exist"),
        (b"\xff\xfe", "is no text"),
        (b"hello\n", "line 1 of tape.jsonl"),
        (b"[1]\n", "line 1"),
        (b'{"key": "k", "reply": {"text": "x"}}\n', "line 1"),
        (b'{"key": "k", "rep', "cut short"),
    ],
)
def test_a_file_that_is_no_tape_is_a_mistake(
    tape: Path, content: bytes | None, reason: str
) -> None:
    if content is not None:
        tape.write_bytes(content)
    with pytest.raises(SettingMistake, match=reason) as caught:
        ReplayModel(tape)
    assert caught.value.field == "REASONLOOM_LLM"
    assert str(tape.parent) not in caught.value.message


def test_recording_onto_what_is_no_tape_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    with pytest.raises(SettingMistake, match=r"notes\.txt"):
        Recorder(Counting(), tmp_path / "notes.txt")
    with pytest.raises(SettingMistake, match="folder"):
        Recorder(Counting(), tmp_path / "none" / "tape.jsonl")
    assert (tmp_path / "notes.txt").read_text() == "dear diary\n"


async def test_each_sample_of_a_question_is_played_as_it_was_recorded(tape: Path) -> None:
    recorder = Recorder(Counting(), tape)
    recorded = {n: await recorder.answer(ask(sample=n)) for n in (0, 7, 3)}
    player = ReplayModel(tape)
    assert {n: await player.answer(ask(sample=n)) for n in (3, 0, 7)} == recorded
    with pytest.raises(LlmRefused, match="sample 1"):
        await player.answer(ask(sample=1))


async def test_an_old_tape_serves_all_samples(tape: Path) -> None:
    recorded = await Recorder(Counting(), tape).answer(ask())
    old = {k: v for k, v in json.loads(tape.read_text()).items() if k in ("key", "ask", "reply")}
    tape.write_text(json.dumps(old) + "\n")
    assert await ReplayModel(tape).answer(ask(sample=5)) == recorded


async def test_a_cache_asks_each_call_once_even_at_once_and_in_later_processes(tape: Path) -> None:
    inner = Counting()
    cache = CachedModel(inner, tape)
    told = await asyncio.gather(*[cache.answer(ask(sample=n % 2)) for n in range(10)])
    assert inner.count == 2
    assert len({reply.text for reply in told}) == 2
    again = CachedModel(inner, tape)
    assert await again.answer(ask(sample=1)) == told[1]
    assert inner.count == 2


@pytest.mark.parametrize(
    "other",
    [{"sample": 1}, {"most_tokens": 5}, {"temperature": 0.1}, {"messages": []}, {"seed": 2}],
)
async def test_a_cache_tells_calls_apart(tape: Path, other: dict[str, Any]) -> None:
    inner = Counting()
    cache = CachedModel(inner, tape)
    await cache.answer(ask())
    await cache.answer(ask(**other))
    assert inner.count == 2


async def test_a_cache_is_of_one_language_model(tape: Path) -> None:
    await CachedModel(Counting(), tape).answer(ask())
    other = Counting()
    other.name = "another"
    await CachedModel(other, tape).answer(ask())
    assert other.count == 1
    assert await ReplayModel(tape).answer(ask())


def test_a_cache_that_is_no_tape_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary\n")
    with pytest.raises(SettingMistake, match=r"notes\.txt"):
        CachedModel(Counting(), tmp_path / "notes.txt")
    with pytest.raises(SettingMistake, match="folder"):
        CachedModel(Counting(), tmp_path / "none" / "tape.jsonl")
