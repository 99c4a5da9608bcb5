"""Evals: runs with intervals, one that is being written, its report, two held together."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser

from reasonloom.evals.core.run import run
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Function
from reasonloom.evals.log import EvalLog, Record
from reasonloom.server.auth.token_file import append_entry, new_entry
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres
from tests.support.evals.suites import Echo, shouting, suite
from tests.support.studio.site import BASE, StudioSite, looking, studio

HOSTILE = "<script>document.title='owned'</script><img src=http://evil.example/x> {{7*7}}"


@pytest.fixture
def folder(site: StudioSite) -> Path:
    """Where the studio looks for runs."""
    return Path(site.folder) / "home" / "evals"


async def evaluated(folder: Path, name: str, *, right: bool) -> None:
    """Run a suite that is answered in capitals, which is right, or as it was asked."""
    way = shouting() if right else Function(lambda item, epoch: item.input, "saying back")
    await run(suite(6, way), System(llm=Echo()), log=folder / f"{name}.jsonl")


async def test_runs_are_told_with_intervals_and_one_grows_while_it_is_looked_at(
    site: StudioSite, browser: Browser, folder: Path
) -> None:
    async with looking(browser, site.url("/evals")) as seen:
        await seen.shows("No evals yet")
        await evaluated(folder, "loud", right=True)
        await seen.page.locator(".studio-runs").get_by_text("loud.jsonl").wait_for()
        card = seen.page.locator(".studio-runs li").filter(has_text="loud.jsonl")
        assert "6 of 6" in await card.inner_text()
        score = await card.locator(".studio-score").first.inner_text()
        assert "1.000 (" in score
        assert "n = 6" in score
        await seen.has(card.locator(".studio-axis"))
        assert await card.locator("progress").count() == 0

        log = EvalLog(folder / "going-on.jsonl")
        log.begin({"eval": "made", "items": 4, "epochs": 1})
        for number in range(3):
            log.add(Record(f"i{number}", 0, "", {"exact": float(number % 2)}, 1.0))
            await seen.shows(f"{number + 1} of 4")
        bar = seen.page.get_by_role("progressbar", name="3 of 4 answers")
        assert await bar.get_attribute("value") == "3"
        log.add(Record("i3", 0, "", {"exact": 1.0}, 1.0))
        await seen.shows("4 of 4")
        assert await seen.page.locator("progress").count() == 0
        assert seen.complaints == []
        assert seen.strangers() == set()


async def test_a_report_is_framed_and_two_are_compared(
    site: StudioSite, browser: Browser, folder: Path
) -> None:
    await evaluated(folder, "base", right=False)
    await evaluated(folder, "better", right=True)
    async with looking(browser, site.url("/eval/better.jsonl")) as seen:
        report = seen.page.frame_locator("iframe.studio-report")
        await report.get_by_text("capitals").first.wait_for()
        frame = seen.page.locator("iframe.studio-report")
        sandbox = await frame.get_attribute("sandbox")
        assert sandbox is not None
        assert "allow-same-origin" not in sandbox
        assert await frame.get_attribute("title") == "Report of better.jsonl"
        assert seen.complaints == []
    async with looking(browser, site.url("/evals")) as seen:
        chosen = seen.page.get_by_role
        await chosen("combobox", name="Base", exact=True).select_option("base.jsonl")
        await chosen("combobox", name="Compare with").select_option("better.jsonl")
        await seen.page.get_by_role("button", name="Compare").click()
        await seen.page.wait_for_url("**/evals/compare?*")
        report = seen.page.frame_locator("iframe.studio-report")
        await report.get_by_text("wört 3").first.wait_for(state="attached")
        body = await report.locator("body").inner_text()
        assert "shouting against the base saying back" in body
        assert seen.complaints == []
    async with looking(browser, site.url("/evals/compare?base=a&other=a")) as seen:
        await seen.shows("These are the same run")


async def test_hostile_items_are_texts_and_no_name_leads_out_of_the_folder(
    site: StudioSite, browser: Browser, folder: Path
) -> None:
    log = EvalLog(folder / "hostile.jsonl")
    log.begin({"eval": HOSTILE, "items": 1, "epochs": 1})
    log.add(
        Record(HOSTILE, 0, "", {HOSTILE.replace("/", ""): 0.0}, 1.0, input=HOSTILE, output=HOSTILE)
    )
    for path in ("/evals", "/eval/hostile.jsonl"):
        async with looking(browser, site.url(path)) as seen:
            if path == "/evals":
                card = seen.page.locator(".studio-runs li").filter(has_text="hostile.jsonl")
                assert "<script>" in await card.inner_text()
            else:
                report = seen.page.frame_locator("iframe.studio-report")
                await report.get_by_text("evil.example").first.wait_for(state="attached")
                assert await report.locator("img").count() == 0
            assert await seen.page.locator(".studio-main script, .studio-main img").count() == 0
            assert "owned" not in await seen.page.title()
            assert seen.strangers() == set()
    (folder.parent / "secret.jsonl").write_text('{"head": {"eval": "secret"}}\n')
    (folder / "torn.jsonl").write_text('{"head": {"eval": "torn"\nnonsense\n[]\n')
    for name in ("../secret.jsonl", "..%2Fsecret.jsonl", "/etc/passwd", "none.jsonl", "", "\x00"):
        answer = httpx.get(f"{site.root}{BASE}/eval-report", params={"run": name}, trust_env=False)
        assert answer.status_code == 404, name
        assert "secret" not in answer.text.replace(name, "")
        assert str(folder) not in answer.text
    async with looking(browser, site.url("/eval/..%2Fsecret.jsonl")) as seen:
        assert await seen.page.locator("iframe").count() == 0
    async with looking(browser, site.url("/evals")) as seen:
        await seen.page.locator(".studio-runs").get_by_text("torn.jsonl").wait_for()
        assert site.alive


async def test_runs_are_the_operators_own(
    postgres: TestPostgres, pages_database: str, browser: Browser, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens"
    secret = {}
    for owner in ("local", "somebody"):
        secret[owner], entry = new_entry(owner, ("read", "write"), None)
        append_entry(tokens, entry)
    url = postgres.address.dsn("postgres", pages_database)
    more = {"DATABASE_URL": url, "REASONLOOM_TOKENS": str(tokens), "REASONLOOM_USER": "local"}
    env = environment(tmp_path / "home", **more)
    evals = tmp_path / "home" / "evals"
    log = EvalLog(evals / "own.jsonl")
    log.begin({"eval": "made", "items": 1, "epochs": 1})
    log.add(Record("a", 0, "", {"exact": 1.0}, 1.0, input="what only local may read"))
    with studio(env, tmp_path) as running:
        for owner, status in (("local", 200), ("somebody", 404)):
            with httpx.Client(base_url=running.root, trust_env=False, timeout=30) as client:
                client.post(f"{BASE}/sign-in", data={"token": secret[owner]})
                answer = client.get(f"{BASE}/eval-report", params={"run": "own.jsonl"})
                assert answer.status_code == status, owner
                assert ("what only local may read" in answer.text) == (owner == "local")
                page = client.get(f"{BASE}/evals").text
                assert ("own.jsonl" in page) == (owner == "local")
                told = "eval runs are shown to this machine's own user alone"
                assert (told in page) == (owner == "somebody")
                assert json.dumps("own.jsonl") not in page or owner == "local"
