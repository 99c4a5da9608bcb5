"""Projects, sessions and counts: the reference's words, whole values, honest dates."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reasonloom import __version__
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history.date_arguments import format_times
from reasonloom.nodes.history.projects import abbreviations
from tests.support.history.conversations import BEGIN, CACHE, LOGIN, OTHER, Talk, about, ask, tell


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server's local time is an hour ahead of UTC in March."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


async def test_nothing_is_told_in_the_references_words(engine: Engine) -> None:
    assert (await ask(engine, "list_projects"))["text"] == "No projects found in memory."
    listed = await ask(engine, "list_sessions", project="api")
    assert listed["text"] == 'No sessions found for project "api".'
    assert listed["notes"] == ['project: there is no project "api"; there are none yet']
    stats = await ask(engine, "stats")
    assert stats["text"] == (
        f"reasonloom v{__version__}\n\nMemory Statistics:\n- Chunks: 0\n- Edges: 0\n- Clusters: 0"
    )


async def test_projects_and_counts_are_told_as_in_the_reference(
    engine: Engine, tmp_path: Path
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE, OTHER])
    listed = await ask(engine, "list_projects")
    lines = listed["text"].splitlines()
    assert lines[0] == "Projects in memory:"
    assert lines[1] == "- shop (1 chunk, Apr 2026)"
    assert lines[2] == "- api (2 chunks, Mar 2026)"
    api = listed["projects"][1]
    assert (api["path"], api["sessions"], api["chunks"]) == ("/home/ana/api", 2, 2)
    assert datetime.fromisoformat(api["first"]) == BEGIN
    stats = await ask(engine, "stats")
    assert "- Chunks: 3\n" in stats["text"]
    assert stats["text"].endswith(
        "Projects:\n- shop: 1 chunk (Apr 2026)\n- api: 2 chunks (Mar 2026)"
    )
    assert (stats["chunks"], stats["version"]) == (3, __version__)


async def test_two_owners_see_their_own_alone(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path / "t", [LOGIN], owner="Ольга")
    assert (await ask(engine, "list_projects"))["projects"] == []
    assert (await ask(engine, "stats"))["chunks"] == 0
    assert (await ask(engine, "list_sessions", project="api"))["total"] == 0
    assert "Error: " in (await ask(engine, "reconstruct", project="api"))["text"]
    assert len((await ask(engine, "list_projects", owner="Ольга"))["projects"]) == 1


async def test_sessions_are_told_in_local_time_with_short_ids(
    engine: Engine, tmp_path: Path
) -> None:
    long = Talk("api", "dddddddd-4444", [about("night", n) for n in range(4)],
                begin=BEGIN + timedelta(days=2, hours=13, minutes=59))  # fmt: skip
    await tell(engine, tmp_path / "t", [LOGIN, CACHE, long])
    listed = await ask(engine, "list_sessions", project="api")
    lines = listed["text"].splitlines()
    assert lines[0] == 'Sessions for "api" (3 total):'
    assert lines[1].startswith("- dddddddd (Mar 3, 11:59 PM – Mar 4, 12:02 AM, ")
    assert lines[2].startswith("- bbbbbbbb (Mar 2, 10:00 AM – 10:01 AM, 1 chunk, ")
    assert lines[3].startswith("- aaaaaaaa (Mar 1, 10:00 AM – 10:01 AM, 1 chunk, ")
    assert listed["sessions"][2]["session_id"] == LOGIN.session
    tokens = listed["sessions"][2]["tokens"]
    assert lines[3].endswith(f"{tokens} tokens)")


@pytest.mark.parametrize(
    ("span", "sessions"),
    [
        ({"since": "2026-03-02"}, "b"),
        ({"to": "2026-03-01"}, "a"),
        ({"to": "2026-03-02T10:00"}, "a"),
        ({"to": "2026-03-02T10:01"}, "ab"),
        ({"since": "2026-03-01", "to": "2026-03-02"}, "ab"),
        ({"since": "2026-03-01T09:30:00+00:00"}, "b"),
        ({"since": "2026-03-01T10:00"}, "ab"),
        ({"since": "2030-01-01"}, ""),
        ({"days_back": 20_000}, "ab"),
        ({"days_back": 0.5}, ""),
    ],
)
async def test_dates_without_a_zone_are_the_servers_and_a_day_is_whole(
    engine: Engine, tmp_path: Path, span: dict[str, str], sessions: str
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE])
    listed = await ask(engine, "list_sessions", project="api", **span)
    assert sorted(session["session_id"][0] for session in listed["sessions"]) == list(sessions)
    if not sessions:
        assert listed["text"] == 'No sessions found for project "api".'


@pytest.mark.parametrize("tool", ["list_sessions", "reconstruct"])
@pytest.mark.parametrize(
    ("span", "sessions", "within"),
    [
        ({"since": "2026-03-02", "days_back": 20_000}, "b", "from 2026-03-02T00:00"),
        ({"to": "2026-03-01", "days_back": 20_000}, "a", "to 2026-03-02T00:00"),
        ({"since": "2026-03-01", "days_back": 0.5}, "", "from 20"),
        ({"since": "2026-03-01", "to": "2026-03-02", "days_back": 0.5}, "", "to 2026-03-03T00:00"),
    ],
)
async def test_of_two_spans_the_narrower_holds(
    engine: Engine, tmp_path: Path, tool: str, span: dict[str, str], sessions: str, within: str
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE])
    told = await ask(engine, tool, project="api", **span)
    found = told["sessions" if tool == "list_sessions" else "chunks"]
    assert sorted({each["session_id"][0] for each in found}) == list(sessions)
    note = told["notes"][0]
    assert note.startswith("days_back is given with from or to; the narrower holds: from ")
    assert within in note


@pytest.mark.parametrize(
    ("span", "field"),
    [
        ({"since": "yesterday"}, "from"),
        ({"to": "2026-13-01"}, "to"),
        ({"since": "2026-03-02", "to": "2026-03-01"}, "from"),
        ({"since": "0001-01-01"}, "from"),
        ({"days_back": -1}, "days_back"),
        ({"days_back": 0}, "days_back"),
    ],
)
async def test_what_is_no_span_is_refused_by_name(
    engine: Engine, span: dict[str, str], field: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        await ask(engine, "list_sessions", project="api", **span)
    assert caught.value.field == field


async def test_a_project_that_is_not_there_is_told_with_those_near(
    engine: Engine, tmp_path: Path
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, OTHER])
    listed = await ask(engine, "list_sessions", project="Shopp")
    assert listed["text"] == 'No sessions found for project "Shopp".'
    assert listed["notes"] == ['project: there is no project "Shopp"; did you mean shop?']


async def test_long_lists_keep_to_the_budget_and_say_what_is_left_out(
    engine: Engine, tmp_path: Path
) -> None:
    from reasonloom.text import tokens

    talks = [Talk("api", f"{n:08d}-many", [("Q", "A")], begin=BEGIN + timedelta(hours=n))
             for n in range(120)]  # fmt: skip
    await tell(engine, tmp_path / "t", talks)
    listed = await ask(engine, "list_sessions", project="api")
    assert tokens.count_tokens(listed["text"]) <= 2_000
    shown = len(listed["text"].splitlines()) - 2
    assert listed["text"].splitlines()[-1].startswith(f"...and {120 - shown} more")
    assert (listed["total"], len(listed["sessions"])) == (120, 120)


def test_ids_are_as_short_as_tells_them_apart() -> None:
    same = "12345678-aaaa"
    assert abbreviations(["abcdefghij"]) == {"abcdefghij": "abcdefgh"}
    assert abbreviations([same + "1", same + "2"]) == {
        same + "1": same + "1",
        same + "2": same + "2",
    }
    assert abbreviations(["session_1", "session_10"]) == {
        "session_1": "session_1",
        "session_10": "session_10",
    }
    assert abbreviations(["short"]) == {"short": "short"}


def test_what_is_a_year_ago_is_told_with_its_year() -> None:
    now = datetime(2026, 11, 22, tzinfo=UTC)
    old = datetime(2025, 2, 8, 13, 30, tzinfo=UTC)
    assert format_times(old, None, now) == "Feb 8, 2025, 2:30 PM"
    assert format_times(None, None, now) == "undated"
    noon = datetime(2026, 11, 1, 11, 0, tzinfo=UTC)
    assert format_times(noon, noon + timedelta(hours=2), now) == "Nov 1, 12:00 PM – 2:00 PM"
