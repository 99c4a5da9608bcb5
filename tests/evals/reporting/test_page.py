"""The page in a real browser: at a phone's width, wide, dark and in print, with hostile texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from reasonloom.evals.comparison.compare import compare
from reasonloom.evals.log import EvalLog
from reasonloom.evals.reporting.formatting import escape_hidden
from reasonloom.evals.reporting.html import render_html
from reasonloom.evals.reporting.report import build_report
from tests.evals.reporting import hostile_texts
from tests.evals.reporting.arithmetic import PLAIN, SLOW, TERSE, runs, sums
from tests.support.studio.browser import PHONE, WIDE, Watched, watched

PLOT = """() => {
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return box.left + box.width / 2;
  };
  return {
    ticks: [...document.querySelectorAll(".axis text")]
      .map((each) => [Number(each.textContent.replace("−", "-")), middle(each)]),
    rows: [...document.querySelectorAll(".strip")].map((strip) => {
      const [line] = strip.querySelectorAll(".reach");
      const box = line.getBoundingClientRect();
      return [middle(strip.querySelector("circle")), box.left, box.right];
    }),
  };
}"""

LONG_NUMBERS = """() => {
  for (const cell of document.querySelectorAll("td.number")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      texts.currentNode.data = texts.currentNode.data.replace(/[\\d.]+/g, "12,345.678");
    }
  }
}"""
"""What a slow machine measures has more digits."""


async def reported(folder: Path, *systems: str, count: int = 40, **more: Any) -> list[EvalLog]:
    """Run hostile items among others, and write the page of it as `report.html`."""
    logs = await runs(folder, sums(count, hostile_texts.items()), *systems, **more)
    (folder / "report.html").write_text(render_html(build_report(*logs)), encoding="utf-8")
    return logs


async def all_is_well(found: Watched, path: Path) -> None:
    """Hold a page against what every page must be."""
    assert found.requests == [path.as_uri()]
    assert found.complaints == []
    assert await found.overflow() <= 0
    assert await found.unlabelled() == []
    assert await found.unreadable() == []
    assert await found.page.evaluate("window.owned") is None
    assert "owned" not in await found.page.title()


@pytest.mark.parametrize("systems", [(PLAIN,), (PLAIN, SLOW), (PLAIN, SLOW, TERSE)])
async def test_a_page_is_whole_at_any_width_in_light_dark_and_print(
    tmp_path: Path, browser: Browser, systems: tuple[str, ...]
) -> None:
    told = [
        f"{system}\n{hostile_texts.STEERING}{hostile_texts.ENDING[n:]}"
        for n, system in enumerate(systems)
    ]
    await reported(
        tmp_path, *(each.replace("{", "(").replace("\ud800", "") for each in told), count=8
    )
    path = tmp_path / "report.html"
    for width in (PHONE, WIDE):
        for colours in ("light", "dark"):
            async with watched(browser, path, width=width, color_scheme=colours) as found:
                await all_is_well(found, path)
                await found.page.screenshot(
                    path=tmp_path / f"{width}-{colours}.png", full_page=True
                )
                await found.page.evaluate(
                    "document.querySelectorAll('details').forEach(each => { each.open = true })"
                )
                await all_is_well(found, path)
    async with watched(browser, path, width=PHONE, color_scheme="dark") as found:
        await found.page.emulate_media(media="print")
        await all_is_well(found, path)
        await found.page.screenshot(path=tmp_path / "print.png", full_page=True)
        await found.page.evaluate(LONG_NUMBERS)
        assert await found.overflow() <= 0, "paper cannot be scrolled"


async def test_hostile_texts_are_shown_and_make_no_element(
    tmp_path: Path, browser: Browser
) -> None:
    await reported(tmp_path, PLAIN, count=3)
    async with watched(browser, tmp_path / "report.html") as found:
        told = "\n".join(await found.page.locator("pre").all_text_contents())
        for text in hostile_texts.ALL:
            assert escape_hidden(text)[:5_000] in told
        assert "⟨U+202E⟩" in told
        assert await found.page.locator("script").count() == 1
        assert await found.page.locator("img, iframe, object, link, base, form").count() == 0
        attributes: list[str] = await found.page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(each => each.getAttributeNames())"
        )
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
    content = (tmp_path / "report.html").read_bytes()
    assert b"\0" not in content
    assert b"\x1b" not in content
    assert "\u202e".encode() not in content


async def test_the_policy_lets_in_nothing_that_is_not_the_page_s_own(
    tmp_path: Path, browser: Browser
) -> None:
    await reported(tmp_path, PLAIN, count=3)
    path = tmp_path / "report.html"
    bad = f"{hostile_texts.SCRIPT}{hostile_texts.PICTURE}"
    bad += "<style>body { display: none }</style></main>"
    path.write_text(path.read_text(encoding="utf-8").replace("</main>", bad), encoding="utf-8")
    async with watched(browser, path) as found:
        assert await found.page.evaluate("window.owned") is None
        assert await found.page.locator("h1").is_visible()
        told = " ".join(found.complaints)
        assert all(f"{kind}-src" in told for kind in ("script", "style", "img"))
        assert all("Content Security Policy" in complaint for complaint in found.complaints)


@pytest.mark.parametrize("epochs", [1, 3])
async def test_figures_and_picture_are_those_of_compare(
    tmp_path: Path, browser: Browser, epochs: int
) -> None:
    logs = await reported(tmp_path, PLAIN, SLOW, TERSE, count=60, epochs=epochs)
    compared = compare(*logs)["compared"]
    async with watched(browser, tmp_path / "report.html") as found:
        rows = found.page.locator(".forest li")
        for place, each in enumerate(compared):
            row = rows.nth(place)
            low, high = each["interval"]
            for kind, value in (("difference", each["difference"]), ("low", low), ("high", high)):
                figure = row.locator(f"data.{kind}")
                assert float(await figure.get_attribute("value") or "") == value
                text = (await figure.inner_text()).replace("−", "-")
                assert float(text) == pytest.approx(100 * value, abs=0.05001)
            assert f"n = {each['items']}" in await row.inner_text()
        for name in ("least", "p"):
            told = await found.page.locator(f"data.{name}").all()
            values = [float(await one.get_attribute("value") or "") for one in told]
            assert values == [
                each["least_effect" if name == "least" else name] for each in compared
            ]
        holm = [
            float(await one.get_attribute("value") or "")
            for one in await found.page.locator("data.holm").all()
        ]
        assert holm == [each["p_holm"] for each in compared]
        for way in ("to_right", "to_wrong"):
            counts = await found.page.locator(f".bar data.{way}").all_inner_texts()
            assert [int(each) for each in counts] == [len(each["flips"][way]) for each in compared]
        require_drawn_to_scale(await found.page.evaluate(PLOT), compared)


def require_drawn_to_scale(plot: dict[str, Any], compared: list[dict[str, Any]]) -> None:
    """Read the picture as an eye does, by its ticks, and hold it against the figures."""
    (first, left), *_, (last, right) = plot["ticks"]
    scale = (last - first) / (right - left)
    for row, each in zip(plot["rows"], compared, strict=True):
        read = [first + (at - left) * scale for at in row]
        told = [100 * value for value in (each["difference"], *each["interval"])]
        assert read == pytest.approx(told, abs=2 * scale + 0.01)


async def test_print_opens_what_is_folded_even_without_scripts(
    tmp_path: Path, browser: Browser
) -> None:
    await reported(tmp_path, PLAIN, SLOW, count=10)
    folded = "document.querySelector('details pre').checkVisibility({contentVisibilityAuto: true})"
    async with watched(browser, tmp_path / "report.html", java_script_enabled=False) as found:
        text = found.page.locator("details.flip pre").first
        assert not await text.is_visible()
        assert not await found.page.locator("#filter").is_visible()
        assert await found.page.locator("table.items tbody tr").first.is_visible()
        short = await found.page.pdf(format="A4")
        await found.page.emulate_media(media="print")
        assert await text.is_visible()
    async with watched(browser, tmp_path / "report.html") as found:
        assert not await found.page.evaluate(folded)
        assert len(await found.page.pdf(format="A4")) > len(short) / 2
        assert not await found.page.evaluate(folded)


async def test_items_are_filtered_by_words_and_by_what_became_of_them(
    tmp_path: Path, browser: Browser
) -> None:
    logs = await reported(tmp_path, PLAIN, SLOW, count=60)
    (compared,) = compare(*logs)["compared"]
    async with watched(browser, tmp_path / "report.html", width=PHONE) as found:
        shown = found.page.locator("table.items tbody tr:visible")
        assert await shown.count() == compared["items"]
        await found.page.get_by_label("Show").select_option("became right")
        assert await shown.count() == len(compared["flips"]["to_right"]) > 0
        await found.page.get_by_label("Show").select_option("all")
        await found.page.get_by_label("Words").fill("ANA pens")
        assert {"Ana" in text and "pens" in text for text in await shown.all_inner_texts()} == {
            True
        }
        count = await shown.count()
        assert (
            await found.page.locator("#found").inner_text()
            == f"{count} of {compared['items']} items"
        )


async def test_keys_alone_reach_the_report_and_open_a_transcript(
    tmp_path: Path, browser: Browser
) -> None:
    await reported(tmp_path, PLAIN, SLOW, count=40)
    async with watched(browser, tmp_path / "report.html") as found:
        await found.page.keyboard.press("Tab")
        assert (
            await found.page.evaluate("document.activeElement.textContent") == "Skip to the report"
        )
        assert await found.page.locator(".skip").is_visible()
        summary = found.page.locator("details.flip > summary").first
        await summary.focus()
        await found.page.keyboard.press("Enter")
        assert await found.page.locator("details.flip").first.get_attribute("open") is not None
        assert await found.page.locator("details.flip pre").first.is_visible()
        link = found.page.locator("table.items a").last
        await link.focus()
        await found.page.keyboard.press("Enter")
        opened = found.page.locator(f"[id='{(await link.get_attribute('href') or '')[1:]}']")
        await opened.locator("pre").first.wait_for(state="visible")
        levels = await found.page.eval_on_selector_all(
            "h1, h2, h3, h4, h5", "all => all.map(each => Number(each.tagName[1]))"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
