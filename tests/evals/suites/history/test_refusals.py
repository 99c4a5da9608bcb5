"""A set that is not of the stated form is refused, by its record and field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.history.data import CHAINS, HERE, MOMENTS, TURNS, load_history
from tests.support.evals.bent_sets import Bend, Rows, bent, refused

FILES = (TURNS, CHAINS, MOMENTS)


def turn(number: int, **changes: Any) -> Bend:
    return lambda rows: rows[number].update(changes)


BENT: dict[str, tuple[str, Bend, str]] = {
    "role": (TURNS, turn(0, role="system"), "line 1, role"),
    "half": (TURNS, turn(0, half="test"), "line 1, half"),
    "language": (TURNS, turn(1, language="it"), "line 2, language"),
    "empty text": (TURNS, turn(2, text=" "), "line 3, text"),
    "time that is none": (TURNS, turn(0, time="Monday"), "line 1, time"),
    "time of nowhere": (TURNS, turn(0, time="2025-03-03T09:12:00"), "line 1: time: must be UTC"),
    "missing": (TURNS, lambda rows: rows[0].pop("agent"), "line 1, agent"),
    "unknown": (TURNS, turn(0, mood=1), "line 1, mood"),
    "tool of a user": (TURNS, turn(0, tool="Bash"), "line 1: tool: must be named for call"),
    "call without a tool": (TURNS, turn(2, tool=None), "line 3: tool: must be named for call"),
    "id": (TURNS, turn(0, id="h01-s1"), "line 1, id"),
    "id of another session": (TURNS, turn(0, id="h01-s2-t01"), "line 1: id: must begin with its"),
    "id of another world": (TURNS, turn(0, world="h02"), "line 1: id: must begin with its world"),
    "turn left out": (TURNS, lambda rows: rows.pop(1), "h01-s1-t03: id: must be h01-s1-t02"),
    "turns exchanged": (
        TURNS,
        lambda rows: rows.insert(0, rows.pop(1)),
        "time: must be later than the turn before",
    ),
    "standing clock": (
        TURNS,
        lambda rows: rows[1].update(time=rows[0]["time"]),
        "h01-s1-t02: time: must be later",
    ),
    "both halves": (TURNS, turn(3, half="held"), "h01-s1-t04: h01 is dev and en"),
    "two languages": (TURNS, turn(3, language="de"), "h01-s1-t04: h01 is dev and en"),
    "two projects": (TURNS, turn(3, project="/home/x"), "h01-s1-t04: project: must be"),
    "result of another tool": (TURNS, turn(3, tool="Write"), "there is no call of Write"),
    "agent without a briefing": (TURNS, turn(1, agent="x"), "agent: must be inside a Task call"),
    "text twice": (
        TURNS,
        lambda rows: rows[1].update(text=rows[0]["text"].upper()),
        "this text is there twice",
    ),
    "no turns": (TURNS, lambda rows: rows.clear(), "chains.jsonl, h01-c1: there is no turn of h01"),
    "kind": (CHAINS, turn(0, kind="hard"), "line 1, kind"),
    "question": (CHAINS, turn(0, question=""), "line 1, question"),
    "plain missing": (CHAINS, lambda rows: rows[0].pop("plain"), "line 1, plain"),
    "plain empty": (CHAINS, turn(0, plain=" "), "line 1, plain"),
    "plain that is a question": (
        CHAINS,
        lambda rows: rows[1].update(plain=rows[0]["question"].upper()),
        "h01-c2: 'why were shoppers billed",
    ),
    "plain twice": (
        CHAINS,
        lambda rows: rows[1].update(plain=rows[0]["plain"].upper()),
        "is there twice",
    ),
    "plain copied": (
        CHAINS,
        turn(0, plain="Why were there receipts WITH the Wrong, sum?"),
        "h01-c1: plain: 'receipts with the wrong' is copied from h01-s1-t01",
    ),
    "plain copied from a distractor": (
        CHAINS,
        turn(0, plain="Who said that the apples label is too long?"),
        "h01-c1: plain: 'apples label is too' is copied from h01-s2-t08",
    ),
    "one turn": (CHAINS, turn(0, chain=["h01-s1-t01"], links=[]), "line 1, chain"),
    "chain backward": (
        CHAINS,
        lambda rows: rows[0]["chain"].reverse(),
        "line 1: chain: must be different turns, oldest first",
    ),
    "a link too few": (
        CHAINS,
        lambda rows: rows[0]["links"].pop(),
        "line 1: links: must be one fewer",
    ),
    "link": (CHAINS, lambda rows: rows[0]["links"][0].update(by="luck"), "line 1, links, 0, by"),
    "link without words": (
        CHAINS,
        lambda rows: rows[0]["links"][0].update(what=None),
        "line 1, links, 0: what: must be null for time and report",
    ),
    "link elsewhere": (
        CHAINS,
        lambda rows: rows[0]["links"][1].update(what="nowhere.py"),
        "h01-c1: links: 'nowhere.py' is not where it is due",
    ),
    "link of another kind": (
        CHAINS,
        turn(0, kind="resumed"),
        "line 1: links: one must be by continuation for resumed",
    ),
    "within many sessions": (
        CHAINS,
        turn(0, kind="within"),
        "line 1: chain: must lie in one session for within",
    ),
    "no report": (
        CHAINS,
        lambda rows: rows[0].update(
            kind="report", links=[*rows[0]["links"][:2], {"by": "report", "what": None}]
        ),
        "h01-c1: links: there is no report of a sub-agent",
    ),
    "no distractor": (CHAINS, turn(0, distractors=[]), "line 1, distractors"),
    "distractor of the chain": (
        CHAINS,
        turn(0, distractors=[{"turn": "h01-s1-t01", "why": "similar"}]),
        "line 1: distractors: must not be of the chain",
    ),
    "distractor elsewhere": (
        CHAINS,
        turn(0, distractors=[{"turn": "h02-s1-t01", "why": "similar"}]),
        "h01-c1: h02-s1-t01 is no turn of its world",
    ),
    "question twice": (
        CHAINS,
        lambda rows: rows[1].update(question=rows[0]["question"].upper()),
        "is there twice",
    ),
    "uneven": (CHAINS, lambda rows: rows.pop(), "has 3 in dev and 2 in held"),
    "chain of a world that is not": (
        CHAINS,
        turn(0, world="h99", id="h99-c1"),
        "h99-c1: there is no turn of h99",
    ),
    "no chains": (CHAINS, lambda rows: rows.clear(), "chains.jsonl: there is nothing of h01"),
    "after the moment": (
        MOMENTS,
        turn(0, after=["h01-s1-t01"]),
        "line 1: after: must come after the moments",
    ),
    "moments backward": (
        MOMENTS,
        turn(0, moments=["h01-s2-t02", "h01-s2-t01"]),
        "line 1: moments: must be different turns",
    ),
    "moment elsewhere": (
        MOMENTS,
        turn(0, after=["h01-s9-t99"]),
        "h01-m1: h01-s9-t99 is no turn of its world",
    ),
    "no moments": (MOMENTS, lambda rows: rows.clear(), "moments.jsonl: there is nothing of h01"),
}


def last_of(rows: Rows, session: str) -> int:
    return max(n for n, row in enumerate(rows) if row["session"] == session)


@pytest.mark.parametrize("name", BENT)
def test_a_bent_set_is_refused_by_record_and_field(name: str, tmp_path: Path) -> None:
    file, bend, why = BENT[name]
    refused(load_history, bent(HERE, FILES, file, bend, tmp_path), why)


def test_sessions_and_worlds_of_another_size_are_refused(tmp_path: Path) -> None:
    def shortened(rows: Rows) -> None:
        del rows[5 : last_of(rows, "h01-s1") + 1]

    def fewer(rows: Rows) -> None:
        rows[:] = [row for row in rows if row["world"] != "h01" or int(row["session"][-1]) < 4]

    refused(
        load_history,
        bent(HERE, FILES, TURNS, shortened, tmp_path),
        "h01-s1 has 5 turns, not 6 to 25",
    )
    refused(
        load_history, bent(HERE, FILES, TURNS, fewer, tmp_path), "h01 has 3 sessions, not 4 to 8"
    )


@pytest.mark.parametrize(
    ("plain", "copied"), [("昨夜から予約の、確認メ?", True), ("昨夜から予約の、確認済?", False)]
)
def test_ten_characters_are_a_copy_in_japanese(plain: str, copied: bool, tmp_path: Path) -> None:
    def copy(rows: Rows) -> None:
        next(row for row in rows if row["id"] == "h12-c1").update(plain=plain)

    folder = bent(HERE, FILES, CHAINS, copy, tmp_path)
    if copied:
        refused(
            load_history, folder, "h12-c1: plain: '昨夜から予約の確認メ' is copied from h12-s2-t01"
        )
    else:
        assert load_history("dev", folder).worlds != load_history("dev").worlds


def test_three_words_in_a_row_are_no_copy(tmp_path: Path) -> None:
    folder = bent(HERE, FILES, CHAINS, turn(0, plain="Why receipts with the false sum?"), tmp_path)
    assert load_history("dev", folder).chains[0].plain == "Why receipts with the false sum?"


def test_a_call_left_without_its_result_is_refused(tmp_path: Path) -> None:
    def unanswered(rows: Rows) -> None:
        place = last_of(rows, "h01-s1")
        assert rows[place - 1]["role"] == "result"
        del rows[place - 1 : place + 1]

    refused(load_history, bent(HERE, FILES, TURNS, unanswered, tmp_path), "this call has no result")


def test_a_copy_that_is_not_bent_is_read(tmp_path: Path) -> None:
    assert (
        load_history("all", bent(HERE, FILES, TURNS, len, tmp_path)).worlds
        == load_history("all").worlds
    )


@pytest.mark.parametrize("line", ["{", "[]", "\xff"])
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_record_is_refused(line: str, name: str, tmp_path: Path) -> None:
    bent(HERE, FILES, name, len, tmp_path)
    (tmp_path / name).write_bytes(line.encode("latin-1"))
    refused(load_history, tmp_path, f"{name}, line 1: ")


def test_a_half_and_a_file_that_are_not_there(tmp_path: Path) -> None:
    refused(load_history, tmp_path / "no", "turns.jsonl: there is no such file")
    with pytest.raises(InvalidArgument, match="must be one of dev, held, all"):
        load_history("both")
