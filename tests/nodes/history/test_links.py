"""Edges of cause and continuation: what leads to what, why, again the same, and never another's."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history.ingestion.link_reasons import normalised
from reasonloom.nodes.history.ingestion.links import AT_ONCE, CAUSES, link_chunks
from tests.support.history.conversations import ASIDE, HARBOUR, MENDED, TROUBLE, Talk, days, tell
from tests.support.history.ingestion import linked, stored

ME = Caller("local")


async def edges(engine: Engine, origin: str, owner: str = "local") -> list[tuple[str, str, str]]:
    """Return edges as how the sessions of their ends begin, and the reason, in order."""
    sessions = {chunk.key: chunk.session for chunk in await stored(engine, Caller(owner))}
    return sorted(
        (sessions[source][:8], sessions[target][:8], reason)
        for kind, source, target, _, reason in await linked(engine, Caller(owner))
        if kind == origin
    )


def talk_of(project: str, number: int, at: float, *turns: tuple[str, str]) -> Talk:
    return Talk(project, f"{number:08d}-bbbb-4bbb-8bbb-00000000000{number}", turns, begin=days(at))


async def test_a_later_chunk_leads_back_to_what_it_uses(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path, HARBOUR)
    assert await edges(engine, "cause") == [("33333333", "11111111", "both touch src/berths.py")]


async def test_the_same_error_is_known_without_what_varies(engine: Engine, tmp_path: Path) -> None:
    first = ("It broke.", "RuntimeError: pool at 0x7f3a exhausted after 30 waits in /srv/a/pool.py")
    again = ("Again!", "RuntimeError: pool at 0x99ff exhausted after 71 waits in /opt/b/pool.py")
    await tell(engine, tmp_path, [talk_of("api", 1, 0, first), talk_of("api", 2, 3, again)])
    ((_, _, reason),) = await edges(engine, "cause")
    assert reason.startswith("the same error: RuntimeError: pool at 0x99ff exhausted")


@pytest.mark.parametrize(
    ("first", "later", "reason"),
    [
        (
            "We decided on carter for Gehäuse in every manual.",
            "Brunner ordered the wrong part: carter is the cover of the engine there.",
            "goes back to a decision: “We decided on carter for Gehäuse in every manual.”",
        ),
        ("Мы решили хранить Цены в центах.", "Счёт в сто раз больше: Цены в центах.", "goes back"),
        ("価格はセントで持つと決めた。", "請求が百倍: 価格はセントのままだった。", "goes back"),
        ("Frau Petrović 🐕 holt den Hund ab.", "Rief Petrović an? Der Hund wartet.", "takes up “"),
    ],
)
async def test_reasons_in_several_languages(
    engine: Engine, tmp_path: Path, first: str, later: str, reason: str
) -> None:
    talks = [talk_of("api", 1, 0, (first, "Gut.")), talk_of("api", 2, 9, (later, "Ja."))]
    await tell(engine, tmp_path, talks)
    ((source, target, why),) = await edges(engine, "cause")
    assert (source, target) == ("00000002", "00000001")
    assert why.startswith(reason)


async def test_what_all_share_says_less_than_what_two_share(engine: Engine, tmp_path: Path) -> None:
    every = [
        talk_of("api", n, n, ("The usual morning report", f"all quiet {n}")) for n in range(1, 8)
    ]
    told = talk_of("api", 8, 8, ("Who is quetzalcoatl?", "A feathered snake."))
    last = talk_of("api", 9, 9, ("The usual morning report", "quetzalcoatl sings"))
    await tell(engine, tmp_path, [*every, told, last])
    sessions = {chunk.key: chunk.session[:8] for chunk in await stored(engine)}
    mine = [
        (weight, sessions[target])
        for kind, source, target, weight, _ in await linked(engine)
        if kind == "cause" and sessions[source] == "00000009"
    ]
    assert max(mine)[1] == "00000008"
    assert len(mine) <= CAUSES


async def test_again_gives_the_same_edges(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path, HARBOUR)
    before = await linked(engine)
    ids = [chunk.memory_id for chunk in await stored(engine)]
    await link_chunks(engine.loom, ME, {"harbour": ids})
    await link_chunks(engine.loom, ME, {"harbour": ids[::-1]})
    assert await linked(engine) == before
    assert before


async def test_a_chunk_that_grows_gets_its_edges_anew(engine: Engine, tmp_path: Path) -> None:
    begun = replace(MENDED, turns=[("Good morning.", "What shall we do?")])
    await tell(engine, tmp_path, [TROUBLE, ASIDE, begun])
    assert await edges(engine, "cause") == []
    grown = replace(begun, turns=[*begun.turns, *MENDED.turns])
    await tell(engine, tmp_path, [grown])
    assert ("33333333", "11111111", "both touch src/berths.py") in await edges(engine, "cause")


async def test_what_comes_before_may_be_read_after(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path, [MENDED, ASIDE])
    await tell(engine, tmp_path, [TROUBLE])
    assert await edges(engine, "cause") == [("33333333", "11111111", "both touch src/berths.py")]


async def test_no_edge_leads_to_another_project_or_owner(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path / "a", [TROUBLE])
    await tell(engine, tmp_path / "b", [replace(MENDED, project="other")])
    await tell(engine, tmp_path / "c", [MENDED], owner="ana")
    assert await edges(engine, "cause") == []
    assert await edges(engine, "cause", "ana") == []


async def test_what_was_forgotten_is_not_linked(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path, [TROUBLE])
    async with engine.loom.database.begin(ME) as tx:
        await tx.run(text("UPDATE memories SET deleted_at = now() WHERE owner = 'local'"))
    await tell(engine, tmp_path, [MENDED])
    assert await edges(engine, "cause") == []


@pytest.mark.parametrize(
    ("opening", "reason"),
    [
        ("Let's pick up where we left off.", "the next session says “pick up”"),
        ("Weiter mit den Booten.", "the next session says “Weiter”"),
        ("昨日の続きです。", "the next session says “昨日”"),
        ("Продолжаем про лодки.", "the next session says “Продолжаем”"),
    ],
)
async def test_a_session_may_say_that_it_goes_on(
    engine: Engine, tmp_path: Path, opening: str, reason: str
) -> None:
    later = talk_of("harbour", 4, 6, (opening, "Gut 🙂"))
    await tell(engine, tmp_path, [MENDED, later])
    assert ("33333333", "00000004", reason) in await edges(engine, "continuation")


async def test_a_session_within_hours_goes_on_and_one_after_weeks_does_not(
    engine: Engine, tmp_path: Path
) -> None:
    soon = talk_of("harbour", 4, 0.2, ("Lunch first?", "Soup."))
    far = talk_of("harbour", 5, 30, ("Any plans?", "None."))
    await tell(engine, tmp_path, [TROUBLE, soon, far])
    assert await edges(engine, "continuation") == [
        ("11111111", "00000004", "the next session follows within hours")
    ]


async def test_more_chunks_than_one_transaction_links(engine: Engine, tmp_path: Path) -> None:
    turns = [
        (f"Topic {name} {n}?", " ".join(f"{name}{n}word{k} matters here" for k in range(90)))
        for n in range(AT_ONCE + 5)
        for name in ("alpha",)
    ]
    one = Talk("big", "99999999-bbbb-4bbb-8bbb-000000000009", turns, apart=timedelta(hours=1))
    again = Talk("big", "88888888-bbbb-4bbb-8bbb-000000000008", turns[-2:], begin=days(9))
    await tell(engine, tmp_path, [one, again])
    ids = [chunk.memory_id for chunk in await stored(engine)]
    assert len(ids) > AT_ONCE
    found = await edges(engine, "cause")
    assert any(source == "88888888" and target == "99999999" for source, target, _ in found)


def test_what_varies_in_errors() -> None:
    errors: list[Any] = [
        "KeyError: 'a17' at line 12 of /home/ana/x.py (0xdeadbeef)",
        "KeyError: 'zz' at line 99 of /srv/y.py (0x00)",
    ]
    assert normalised(errors[0]) == normalised(errors[1]) == "keyerror: at line of ( )"
    assert normalised("TypeError: no") != normalised("ValueError: no")
