"""Made-up transcripts: the same for a seed, of the wanted size, and of Claude Code's form."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.bench.history.transcripts import PROJECTS, Written, generate
from reasonloom.evals.suites.history.data import load_history
from reasonloom.evals.suites.history.transcript import (
    FUNCTION_WORDS,
    Prose,
    slug,
    vocabulary,
    write_world,
)

SESSIONS, TURNS, SIZE = 6, 240, 1_000_000
BLOCKS = {
    "text": {"type", "text"},
    "thinking": {"type", "thinking", "signature"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "content"},
}
SAID = {
    "parentUuid", "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "type",
    "message", "uuid", "timestamp",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made") / "up"
    generate(place, sessions=SESSIONS, turns=TURNS, size=SIZE)
    return place


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.jsonl"))}


def lines(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [json.loads(line) for line in raw.splitlines()]
        for name, raw in contents(folder).items()
    }


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(
    folder: Path, tmp_path: Path
) -> None:
    generate(tmp_path / "again", sessions=SESSIONS, turns=TURNS, size=SIZE)
    generate(tmp_path / "other", sessions=SESSIONS, turns=TURNS, size=SIZE, seed=9)
    assert contents(tmp_path / "again") == contents(folder)
    assert contents(tmp_path / "other").keys().isdisjoint(contents(folder))


def test_sizes_are_those_that_were_asked_for(folder: Path, tmp_path: Path) -> None:
    told = generate(tmp_path, sessions=7, turns=100, size=400_000)
    written = lines(tmp_path)
    assert told == Written(
        files=len(written),
        lines=sum(map(len, written.values())),
        turns=100,
        bytes=sum(map(len, contents(tmp_path).values())),
    )
    assert told.bytes == pytest.approx(400_000, rel=0.03)
    assert sum(map(len, contents(folder).values())) == pytest.approx(SIZE, rel=0.02)
    assert sum("/subagents/" not in name for name in written) == 7


def test_turns_of_the_user_are_those_that_were_asked_for(folder: Path) -> None:
    asked = [
        line
        for each in lines(folder).values()
        for line in each
        if line["type"] == "user"
        and not line["isSidechain"]
        and isinstance(line["message"]["content"], str)
    ]
    assert len(asked) == TURNS


def test_every_line_is_of_the_stated_form(folder: Path) -> None:
    for name, each in lines(folder).items():
        for line in each:
            if line["type"] == "summary":
                assert set(line) == {"type", "summary", "leafUuid"}
            elif line["type"] == "file-history-snapshot":
                assert set(line) == {"type", "messageId", "isSnapshotUpdate"}
            else:
                require_mention(name, line)


def require_mention(name: str, line: dict[str, Any]) -> None:
    helper = "/subagents/agent-" in name
    assert set(line) == SAID | ({"agentId"} if helper else set())
    assert line["isSidechain"] is helper
    assert name.startswith(f"{slug(line['cwd'])}/{line['sessionId']}")
    assert line["message"]["role"] == line["type"]
    assert UUID(line["uuid"]).version in {4, 5}
    assert datetime.fromisoformat(line["timestamp"]).utcoffset() is not None
    content = line["message"]["content"]
    if isinstance(content, str):
        assert content
        return
    for block in content:
        assert set(block) - {"is_error"} == BLOCKS[block["type"]]


def test_a_line_names_the_one_before_it_and_time_goes_on(folder: Path) -> None:
    seen: set[str] = set()
    for each in lines(folder).values():
        before, clock = None, ""
        for line in (line for line in each if "uuid" in line):
            assert line["parentUuid"] == before
            assert line["timestamp"] >= clock
            before, clock = line["uuid"], line["timestamp"]
            assert before not in seen
            seen.add(before)


def test_every_use_of_a_tool_has_its_result(folder: Path) -> None:
    for each in lines(folder).values():
        blocks = [
            block
            for line in each
            if isinstance(line.get("message", {}).get("content"), list)
            for block in line["message"]["content"]
        ]
        used = [block["id"] for block in blocks if block["type"] == "tool_use"]
        given = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert used == given


def test_all_there_is_in_real_ones_is_there(folder: Path) -> None:
    kinds = Counter(line["type"] for each in lines(folder).values() for line in each)
    assert set(kinds) == {"user", "assistant", "summary", "file-history-snapshot"}
    raw = b"".join(contents(folder).values())
    for part in (b'"thinking"', b'"tool_use"', b'"is_error":true', b'"isSidechain":true'):
        assert part in raw
    assert {name.split("/")[0] for name in contents(folder)} == set(map(slug, PROJECTS))


def test_words_are_as_frequent_as_words_are() -> None:
    words = vocabulary(np.random.default_rng(1))
    assert len(words) == len(set(words)) >= 20_000
    assert words[: len(FUNCTION_WORDS)] == list(FUNCTION_WORDS)
    counted = Counter(re.findall(r"[a-z]+", Prose(np.random.default_rng(1)).text(600_000).lower()))
    often = [times for _, times in counted.most_common()]
    assert 0.03 < often[0] / sum(often) < 0.08
    assert 4 < often[9] / often[99] < 16
    assert len(counted) > 8_000


def test_a_topic_is_the_same_when_it_is_taken_up_again() -> None:
    prose = Prose(np.random.default_rng(1))
    told = []
    for topic in (1, 2, 1):
        prose.turn_to(topic)
        counted = Counter(prose.text(20_000).lower().replace(".", "").split())
        told.append({w for w, n in counted.items() if n > 5} - set(FUNCTION_WORDS))
    assert len(told[0] & told[2]) > 40
    assert len(told[0] & told[1]) < 15


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"sessions": 0}, "sessions: must be 1 or more"),
        ({"sessions": 5, "turns": 4}, "turns: must be one or more a session"),
        ({"sessions": 1, "turns": 100, "size": 1_000}, "size: must be 2500 bytes a turn or more"),
    ],
)
def test_sizes_that_cannot_be_are_refused(bad: dict[str, int], why: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=why):
        generate(tmp_path, **bad)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(InvalidArgument, match="folder: must be empty"):
        generate(tmp_path)


@pytest.mark.parametrize("noisy", [False, True])
def test_labelled_worlds_can_be_written_in_the_same_form(noisy: bool, tmp_path: Path) -> None:
    named: dict[str, str] = {}
    worlds = load_history("dev").worlds
    noise = Prose(np.random.default_rng(1)) if noisy else None
    for world in worlds:
        named |= write_world(world, tmp_path, noise=noise)
    turns = {turn.id: turn for world in worlds for turn in world.turns}
    assert set(named.values()) == set(turns)
    seen = Counter[str]()
    for name, each in lines(tmp_path).items():
        for line in each:
            require_mention(name, line)
            turn = turns[named[line["uuid"]]]
            assert line["isSidechain"] is (turn.agent is not None)
            assert texts(line).startswith(turn.text)
            assert (len(texts(line)) > len(turn.text) + 1_000) is (noisy and turn.role == "result")
            seen[turn.id] += 1
    assert set(seen.values()) == {1}


def texts(line: dict[str, Any]) -> str:
    content = line["message"]["content"]
    if isinstance(content, str):
        return content
    (block,) = content
    told = block.get("text") or block.get("content") or next(iter(block["input"].values()))
    return str(told)
