"""The frame of every page: keys, order of focus, light and dark kept, nothing asked elsewhere."""

from __future__ import annotations

from playwright.async_api import Browser

from tests.studio.conftest import Play
from tests.support.studio.site import Seen, StudioSite, looking

HERE = "() => document.activeElement.textContent.trim() || document.activeElement.ariaLabel"
DARK = "() => document.body.classList.contains('body--dark')"
REDRAW = "() => { mounted_app.$forceUpdate(); return Vue.nextTick(); }"
"""Does what any change of a page does: all of it is rendered anew."""

IS_DARK = f"wanted => ({DARK})() === wanted"


async def focused(seen: Seen) -> str:
    return str(await seen.page.evaluate(HERE))


AT_SEARCH = "() => document.activeElement.matches('.studio-main input[type=search]')"


async def test_the_tab_key_leads_from_the_skip_link_to_the_page(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    await play("reasoning_linear", content="Why do bridges hum?")
    async with looking(browser, site.url("/sessions")) as seen:
        way = []
        for _ in range(30):
            await seen.page.keyboard.press("Tab")
            way.append(await focused(seen))
            if await seen.page.evaluate(AT_SEARCH):
                break
        assert way[0] == "Skip to content"
        names = ["Overview", "Sessions", "Runs", "Graphs", "Ponder", "Memory", "Evals"]
        stops = [next(i for i, said in enumerate(way) if name in said) for name in names]
        assert stops == sorted(stops), "the navigation stands in its order"
        assert "Light or dark" in way or "◐" in way
        assert await seen.page.evaluate(AT_SEARCH)

        await seen.page.reload()
        await seen.page.locator("h1").wait_for()
        await seen.page.keyboard.press("Tab")
        assert await focused(seen) == "Skip to content"
        await seen.page.keyboard.press("Enter")
        await seen.page.keyboard.press("Tab")
        assert await seen.page.evaluate("() => !!document.activeElement.closest('.studio-main')")


async def test_keys_go_to_pages_search_and_help(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/")) as seen:
        keyboard = seen.page.keyboard
        await keyboard.press("?")
        keys = seen.page.get_by_role("dialog", name="Keys")
        assert "light or dark" in await keys.inner_text()
        await keyboard.press("Escape")
        await keys.wait_for(state="detached")
        for key, place in (("s", "/sessions"), ("m", "/memory"), ("e", "/evals")):
            await keyboard.press("g")
            await keyboard.press(key)
            await seen.page.wait_for_url(f"**{place}")
            await seen.page.locator("h1").wait_for()
        await seen.page.goto(site.url("/memory"))
        await seen.page.locator("h1").wait_for()
        search = seen.page.get_by_role("searchbox", name="Search everything")
        await keyboard.press("/")
        await keyboard.type("g s ? l /")
        assert await search.input_value() == "g s ? l /", "keys in a field are its letters"
        assert seen.page.url.endswith("/memory")
        await keyboard.press("Enter")
        await seen.page.wait_for_url("**/search?q=*")
        assert seen.complaints == []


async def test_what_is_typed_outlives_a_redraw(site: StudioSite, browser: Browser) -> None:
    async with looking(browser, site.url("/memory?q=bees&sector=semantic")) as seen:
        search = seen.page.locator(".studio-main input[type=search]")
        sector = seen.page.locator("select[name=sector]")
        assert (await search.input_value(), await sector.input_value()) == ("bees", "semantic")
        await search.fill("of the hi")
        await sector.select_option("episodic")
        await seen.page.evaluate(REDRAW)
        assert await search.input_value() == "of the hi"
        assert await sector.input_value() == "episodic"


async def test_light_and_dark_are_kept(site: StudioSite, browser: Browser) -> None:
    for scheme in ("light", "dark"):
        async with looking(browser, site.url("/"), color_scheme=scheme) as seen:
            begun = scheme == "dark"
            assert await seen.page.evaluate(DARK) == begun, "the system's choice comes first"
            await seen.page.keyboard.press("l")
            await seen.page.wait_for_function(IS_DARK, arg=not begun)
            await seen.page.evaluate(REDRAW)
            assert await seen.page.evaluate(DARK) != begun, "a redraw leaves what was chosen"
            await seen.page.reload()
            await seen.page.locator("h1").wait_for()
            await seen.page.wait_for_function(IS_DARK, arg=not begun)
            await seen.page.get_by_role("button", name="Light or dark").click()
            await seen.page.wait_for_function(IS_DARK, arg=begun)
            await seen.page.goto(site.url("/runs"))
            await seen.page.locator("h1").wait_for()
            await seen.page.wait_for_function(IS_DARK, arg=begun)
            assert seen.complaints == []


async def test_a_phone_opens_the_navigation_by_its_button(
    site: StudioSite, browser: Browser
) -> None:
    async with looking(browser, site.url("/"), width=360) as seen:
        entry = seen.page.get_by_role("navigation").get_by_role("link", name="Graphs")
        await seen.page.get_by_role("button", name="Navigation").click()
        await entry.click()
        await seen.page.wait_for_url("**/graphs")
        assert seen.strangers() == set()
