"""History: projects, a project in time, a session to be read, a chain from problem to solution."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from playwright.async_api import Browser

from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.history.chunk_lists import SessionRow
from reasonloom.studio.history.timeline import MAX_BARS, spans_of
from tests.studio.conftest import Play
from tests.support.history.conversations import BEGIN, Talk, about, tell
from tests.support.history.ingestion import ingested
from tests.support.studio.content import pages_engine
from tests.support.studio.site import StudioSite, looking

__all__ = ["pages_engine"]

HOSTILE = "<script>document.title='owned'</script> {{7*7}} **bold** \u202egnorw ```mermaid\nx"
MENDED = (
    ("The login page fails with error 500 after the deploy", "auth/session.py lacks the secret."),
    ("Where is the cookie secret set?", "In deploy/env.yaml, under a new name: COOKIE_SECRET."),
    ("Rename it in auth/session.py", "I changed auth/session.py; the login page answers 200."),
)


def mended(session: str, rounds: int = 1, project: str = "webshop") -> Talk:
    filler = " The log was read and the change was reviewed." * 25
    turns = [(asked, said + filler) for _ in range(rounds) for asked, said in MENDED]
    return Talk(project, session, turns)


async def test_no_past_says_what_to_type(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/history")) as seen:
        await seen.shows("No past conversations yet")
        assert "reasonloom history ingest" in await seen.text()


async def test_from_a_project_to_what_was_said(
    site: StudioSite, browser: Browser, pages_engine: Engine, tmp_path: Path
) -> None:
    later = Talk("webshop", "later", [about("caching")], BEGIN + timedelta(days=9))
    await tell(pages_engine, tmp_path / "t", [mended("first"), later])
    async with looking(browser, site.url("/history")) as seen:
        await seen.page.get_by_role("link", name="webshop").click()
        await seen.page.wait_for_url("**/history/webshop")
        await seen.page.locator(".studio-chart canvas").wait_for()
        listed = await seen.page.locator(".studio-table tbody tr td:first-child").all_inner_texts()
        assert listed == ["later", "first"]
        await seen.page.get_by_role("link", name="first").click()
        await seen.page.wait_for_url("**/history/session/first*")
        await seen.shows("Where is the cookie secret set?")
        assert "caching" not in await seen.text()
        assert seen.complaints == []
        assert seen.strangers() == set()


async def test_a_long_session_is_read_page_by_page(
    site: StudioSite, browser: Browser, pages_engine: Engine, tmp_path: Path
) -> None:
    turns = [
        (f"Question {n} of the long talk", f"Answer {n}. " + "It was looked into. " * 90)
        for n in range(40)
    ]
    path = tmp_path / "long.jsonl"
    path.write_text("".join(Talk("long", "endless/a b", turns).lines()), encoding="utf-8")
    await ingested(pages_engine, path)
    found: list[str] = []
    async with looking(browser, site.url("/history/session/endless%2Fa%20b")) as seen:
        while True:
            found += await seen.page.locator("ol.studio-found .studio-prose").all_inner_texts()
            on = seen.page.get_by_role("link", name="Next →")
            if not await on.count():
                break
            before = seen.page.url
            await on.click()
            await seen.page.wait_for_function("(was) => location.href !== was", arg=before)
            await seen.page.locator("ol.studio-found .studio-prose").first.wait_for()
    whole = "\n".join(found)
    places = [whole.find(f"Question {n} of the long talk") for n in range(40)]
    assert -1 not in places
    assert places == sorted(places)


async def test_what_led_to_something_is_told_in_order_with_its_reasons(
    site: StudioSite, browser: Browser, play: Play, pages_engine: Engine, tmp_path: Path
) -> None:
    await tell(pages_engine, tmp_path / "t", [mended("chained", rounds=3, project="chains")])
    asked = "How was the login page mended?"
    answer = await play("history_recall", query=asked, project="chains")
    assert answer["chain"], "the scene gives a chain"
    async with looking(browser, site.url("/history")) as seen:
        await seen.page.locator(".studio-main input[name=q]").fill(asked)
        await seen.page.locator("select[name=project]").select_option("chains")
        await seen.page.get_by_role("button", name="Search").click()
        cards = seen.page.locator("ol.studio-strip > li")
        await cards.first.wait_for()
        links = await cards.locator("a[href*='/memory/']").all_inner_texts()
        assert links == [chunk["id"] for chunk in answer["chunks"]]
        why = await cards.nth(1).locator(".studio-why").inner_text()
        assert f"from {answer['chunks'][0]['id']}: " in why
        assert "both touch" in why or "caus" in why or "sequence" in why, why
        run = await seen.page.get_by_role("link", name="its run").get_attribute("href")
        assert str(run).startswith("/studio/run/")
        assert seen.complaints == []


async def test_where_there_is_no_chain_it_says_why(
    site: StudioSite, browser: Browser, pages_engine: Engine, tmp_path: Path
) -> None:
    await tell(pages_engine, tmp_path / "t", [Talk("lone", "only", [about("walrus")])])
    path = "/history/chain?way=on&project=lone&q=walrus+detail"
    async with looking(browser, site.url(path)) as seen:
        await seen.shows("Why there is no chain")
        assert "no chain: what a search found" in await seen.text()
    async with looking(browser, site.url("/history/chain?q=x&project=nowhere")) as seen:
        await seen.shows('there is no project "nowhere"')


async def test_hostile_texts_are_texts(
    site: StudioSite, browser: Browser, pages_engine: Engine, tmp_path: Path
) -> None:
    talk = Talk("<b>evil", "hostile", [(HOSTILE, f"{HOSTILE} pelican " * 40)])
    await tell(pages_engine, tmp_path, [Talk("evil", talk.session, talk.turns)])
    for path in ("/history/session/hostile", "/history/chain?q=pelican+%3Cscript%3E"):
        async with looking(browser, site.url(path)) as seen:
            await seen.shows("<script>document.title='owned'</script>")
            text = await seen.text()
            assert "{{7*7}}" in text
            assert "\u202e" not in text
            assert "owned" not in await seen.page.title()
            assert await seen.page.locator(".studio-main script").count() == 0


async def test_what_is_unknown_or_foreign_is_not_found(
    site: StudioSite, browser: Browser, pages_engine: Engine, tmp_path: Path
) -> None:
    theirs = Talk("theirs", "their-session", [about("secrets")])
    await tell(pages_engine, tmp_path / "t", [theirs], owner="somebody")
    for path in (
        "/history/theirs",
        "/history/session/their-session",
        "/history/session/their-session?project=theirs",
        "/history/nothing",
        "/history/%27--",
    ):
        async with looking(browser, site.url(path)) as seen:
            await seen.shows("Not found")
            assert "secrets" not in await seen.text()


def test_many_sessions_are_counted_by_spans() -> None:
    rows = [
        SessionRow(f"s{n}", BEGIN + timedelta(hours=31 * n), None, 1, 10, 1) for n in range(700)
    ]
    spans = spans_of(rows)
    assert sum(spans.values()) == len(rows)
    assert 1 < len(spans) <= MAX_BARS
    assert list(spans) == sorted(spans)
    assert "2026-03" in spans or "2026 week 09" in spans


async def test_pages_fit_a_phone(
    site: StudioSite, browser: Browser, pages_engine: Engine, tmp_path: Path
) -> None:
    wide = Talk("phone", "w" * 80, [("wide" * 100, "long" * 100)])
    await tell(pages_engine, tmp_path / "t", [wide])
    for path in ("/history", "/history/phone", f"/history/session/{wide.session}"):
        async with looking(browser, site.url(path), width=360) as seen:
            assert await seen.overflow() <= 0, path
