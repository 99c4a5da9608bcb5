"""Mental models: the list, one with its basins, predictions, calibration and revisions; basins."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser

from tests.studio.conftest import Play
from tests.support.databases.postgres import TestPostgres
from tests.support.reasoning.mental_models import a_basin, drop_basin
from tests.support.studio.site import Seen, StudioSite, looking

HOSTILE = "<script>document.title='owned'</script> {{7*7}} **bold** \u202egnorw"
TEMPLATES = [
    {"trigger": "user mentions work stress", "predict": "They fear to fail.", "suggest": "Listen."},
    {"trigger": "user mentions sleep problems", "predict": "They drink coffee late."},
]
STRESSED = "the deadline at work stresses me"
NONE = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def url(postgres: TestPostgres, pages_database: str) -> str:
    """The way into the database of the pages."""
    return postgres.address.dsn("postgres", pages_database)


async def a_model(play: Play, url: str, name: str, **more: Any) -> dict[str, Any]:
    """Make a model of one basin with one memory; return its ids."""
    made = await play(
        "remember", content=f"Deadlines of {name} keep moving", userId="local", sessionId="s",
        primarySector="semantic",
    )  # fmt: skip
    number = int(made["memoryId"].removeprefix("mem-"))
    basin = a_basin(url, f"Basin of {name}", members=[number])
    given = {"domain": "user", "basin_ids": [basin], "prediction_templates": TEMPLATES, **more}
    model = (await play("create_model", name=name, **given))["model_id"]
    return {"model": model, "basin": basin, "memory": number}


async def resolved(play: Play, model: str, outcomes: list[bool | None]) -> list[float]:
    """Let a model predict and resolve; return the confidences of what was resolved."""
    sure = []
    for place, held in enumerate(outcomes):
        message = f"{STRESSED}, day {place}"
        told = await play("predict_with_model", model_id=model, message=message)
        prediction = told["prediction"]
        assert prediction, "the scene predicts"
        if held is not None:
            await play("resolve_prediction", prediction_id=prediction["id"], was_accurate=held)
            sure.append(prediction["confidence"])
    return sure


async def cells(seen: Seen, caption: str) -> list[list[str]]:
    """Return the texts of the table whose caption holds these words."""
    table = seen.page.locator("table", has=seen.page.locator("caption", has_text=caption)).first
    await table.wait_for()
    return [
        [cell.strip() for cell in await row.locator("td").all_inner_texts()]
        for row in await table.locator("tbody tr").all()
    ]


async def test_no_model_says_what_to_type(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/models")) as seen:
        await seen.shows("No mental model yet")
        assert "reasonloom call create_model" in await seen.text()
    async with looking(browser, site.url("/basins")) as seen:
        await seen.shows("No such basin")
        assert "reasonloom cluster" in await seen.text()


async def test_a_model_tells_its_record_and_its_calibration(
    site: StudioSite, browser: Browser, play: Play, url: str
) -> None:
    made = await a_model(play, url, "Work")
    outcomes = [True, True, False, True, None]
    sure = await resolved(play, made["model"], outcomes)
    held = [each for each in outcomes if each is not None]
    async with looking(browser, site.url("/models")) as seen:
        await seen.page.get_by_role("link", name="Work", exact=True).click()
        await seen.page.wait_for_url("**/model/*")
        await seen.page.locator(".studio-chart canvas").wait_for()
        text = await seen.text()
        brier = sum((c - h) ** 2 for c, h in zip(sure, held, strict=True)) / len(held)
        assert f"{brier:.3f} (0 is best)" in text
        assert "75% (30% to 95%)" in text
        assert "1 open, 4 resolved, 0 expired" in text
        steps = await cells(seen, "resolved predictions")
        assert sum(int(row[2]) for row in steps) == len(held)
        assert sum(int(row[3]) for row in steps) == sum(held)
        for low, mean in ((float(row[0][:3]), float(row[1])) for row in steps):
            assert low - 0.005 <= mean <= low + 0.105
        weighed = sum(float(row[1]) * int(row[2]) for row in steps)
        assert weighed == pytest.approx(sum(sure), abs=0.03)
        assert len(await cells(seen, "in total. Times are UTC")) == len(outcomes)
        await seen.has(seen.page.locator(".studio-mark", has_text="did not hold"))
        assert seen.complaints == []
        assert seen.strangers() == set()


async def test_basins_lead_to_their_memories_and_revisions_are_told(
    site: StudioSite, browser: Browser, play: Play, url: str
) -> None:
    made = await a_model(play, url, "Sleep")
    lone = a_basin(url, "A lone basin")
    await play(
        "revise_model", model_id=made["model"], trigger_description="too little was known",
        add_basins=[lone],
    )  # fmt: skip
    async with looking(browser, site.url(f"/model/{made['model']}")) as seen:
        assert "too little was known" in await seen.text()
        rows = await cells(seen, "largest first")
        assert [row[0] for row in rows] == ["Basin of Sleep", "A lone basin"]
        assert rows[0][2] == "1"
        await seen.page.locator("summary", has_text="Strongest memories of Basin of Sleep").click()
        await seen.page.get_by_role("link", name=f"mem-{made['memory']}").wait_for()
        await seen.page.get_by_role("link", name="Basin of Sleep", exact=True).click()
        await seen.page.wait_for_url("**/memory?cluster=*")
        listed = seen.page.locator(".studio-table tbody tr td:first-child")
        assert await listed.all_inner_texts() == [f"mem-{made['memory']}"]
    drop_basin(url, lone)
    async with looking(browser, site.url(f"/model/{made['model']}")) as seen:
        await seen.shows("1 of its basins are gone")


async def test_basins_of_no_model_are_shown_apart(
    site: StudioSite, browser: Browser, play: Play, url: str
) -> None:
    await a_model(play, url, "Food")
    a_basin(url, "Nobody's basin")
    async with looking(browser, site.url("/basins")) as seen:
        names = {row[0] for row in await cells(seen, "largest first")}
        assert {"Basin of Food", "Nobody's basin"} <= names
    async with looking(browser, site.url("/basins?which=apart")) as seen:
        names = {row[0] for row in await cells(seen, "largest first")}
        assert "Nobody's basin" in names
        assert "Basin of Food" not in names


async def test_models_are_filtered(
    site: StudioSite, browser: Browser, play: Play, url: str
) -> None:
    await a_model(play, url, "Of the world", domain="world")
    async with looking(browser, site.url("/models?domain=world")) as seen:
        assert [row[0] for row in await cells(seen, "newest first")] == ["Of the world"]
    async with looking(browser, site.url("/models?status=draft")) as seen:
        await seen.shows("No model matches these filters")


async def test_hostile_texts_are_texts(
    site: StudioSite, browser: Browser, play: Play, url: str
) -> None:
    template = [{"trigger": HOSTILE, "predict": HOSTILE}]
    made = await a_model(
        play, url, HOSTILE[:200], description=HOSTILE, prediction_templates=template
    )
    for path in ("/models", "/basins", f"/model/{made['model']}"):
        async with looking(browser, site.url(path)) as seen:
            await seen.shows("<script>document.title='owned'</script>")
            text = await seen.text()
            assert "{{7*7}}" in text
            assert "\u202e" not in text
            assert not (await seen.page.title()).startswith("owned")
            assert await seen.page.locator(".studio-main script").count() == 0


@pytest.mark.parametrize("name", [NONE, "x", "%27--"])
async def test_an_unknown_model_is_not_found(site: StudioSite, browser: Browser, name: str) -> None:
    async with looking(browser, site.url(f"/model/{name}")) as seen:
        await seen.shows("Not found")


async def test_a_foreign_model_is_as_unknown(
    site: StudioSite, browser: Browser, play: Play, url: str
) -> None:
    basin = a_basin(url, "Their basin", owner="somebody")
    made = await play(
        "create_model", as_owner="somebody", name="Their secret", domain="user", basin_ids=[basin]
    )
    async with looking(browser, site.url(f"/model/{made['model_id']}")) as seen:
        await seen.shows("Not found")
    for path in ("/models", "/basins"):
        async with looking(browser, site.url(path)) as seen:
            await seen.page.locator(".studio-main h1").wait_for()
            await seen.page.locator(".studio-waiting").wait_for(state="detached")
            assert "Their" not in await seen.text()


async def test_pages_fit_a_phone(site: StudioSite, browser: Browser, play: Play, url: str) -> None:
    made = await a_model(play, url, "Phone " + "long" * 40)
    await resolved(play, made["model"], [True])
    for path in ("/models", f"/model/{made['model']}", "/basins"):
        async with looking(browser, site.url(path), width=360) as seen:
            await seen.page.locator(".studio-waiting").first.wait_for(state="detached")
            assert await seen.overflow() <= 0, path
