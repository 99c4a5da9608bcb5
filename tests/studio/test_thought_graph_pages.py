"""Graphs of Thoughts: drawn, opened node by node, played again, followed while they grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Browser

from reasonloom.contracts.caller import Caller
from reasonloom.nodes.thought_graph.graph import ThoughtGraph
from reasonloom.nodes.thought_graph.graph import read_graph as read_whole
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.database import Database
from tests.studio.conftest import Play
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.providers import Chatting
from tests.support.llms.storyteller import storyteller
from tests.support.studio.site import Seen, StudioSite, looking

HOSTILE = "<script>document.title='owned'</script> {{7*7}} **bold** \u202egnorw ```mermaid\nx"
PROBLEM = "How could a village save its bakery?"
DRAWN = """() => {
  const drawn = (look) => [...document.querySelectorAll(`loom-graph ${look}:not([hidden])`)];
  return {nodes: drawn(".loom-node").map((each) => each.dataset.id),
    edges: drawn("[data-from]").map((each) => [each.dataset.from, each.dataset.to])};
}"""
"""The nodes and edges that the page draws."""


@pytest.fixture(scope="module")
def story() -> Iterator[Chatting]:
    with storyteller() as told:
        yield told


@pytest.fixture
def settings(story: Chatting, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of `play`, whose language model tells a story."""
    for name, value in story.settings.items():
        monkeypatch.setenv(name, value)
    return load_settings()


async def drawn(seen: Seen) -> dict[str, list[Any]]:
    await seen.page.locator(".loom-node").first.wait_for()
    return dict(await seen.page.evaluate(DRAWN))


async def replayed(seen: Seen, shown: int) -> None:
    move = "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }"
    await seen.page.locator(".studio-replay input").evaluate(move, shown)


async def test_a_plan_is_drawn_opened_and_played_again(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    async with looking(browser, site.url("/graphs")) as seen:
        await seen.shows("No graphs yet")
    made = await play("reasoning_got_run", problem=PROBLEM, plan="deepen")
    async with looking(browser, site.url("/graphs")) as seen:
        await seen.page.locator(".studio-table a").first.click()
        await seen.page.wait_for_url(f"**/graph/{made['graph_id']}")
        await seen.shows("All thoughts")
        total = made["node_count"]
        assert total > 3
        rows = seen.page.locator(".studio-table tbody tr")
        await seen.has(rows, total)
        assert len((await drawn(seen))["nodes"]) == total

        first = await rows.first.locator("td").nth(2).inner_text()
        await rows.first.locator("button").click()
        await seen.page.get_by_role("heading", name=f"Thought 1: {first}").wait_for()
        assert PROBLEM in await seen.page.locator(".studio-card").nth(1).inner_text()

        await replayed(seen, 3)
        await seen.shows(f"3 of {total}")
        few = await drawn(seen)
        assert len(few["nodes"]) == 3
        assert all(set(edge) <= set(few["nodes"]) for edge in few["edges"])
        await replayed(seen, total)
        await seen.shows(f"{total} of {total}")
        assert len((await drawn(seen))["nodes"]) == total
        assert seen.complaints == []


async def test_hostile_thoughts_are_texts_and_a_graph_grows_while_it_is_looked_at(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_got_init", content=HOSTILE)
    async with looking(browser, site.url(f"/graph/{made['graph_id']}")) as seen:
        await seen.shows("All thoughts")
        rows = seen.page.locator(".studio-table tbody tr")
        await seen.has(rows)
        text = await seen.text()
        for part in ("<script>document.title='owned'</script>", "{{7*7}}", "**bold**", "⟨U+202E⟩"):
            assert part in text
        assert "owned" not in (await seen.page.title()).replace("document.title='owned'", "")
        assert await seen.page.locator(".studio-main script").count() == 0
        await play(
            "reasoning_got_generate", graph_id=made["graph_id"], node_id=made["root_node_id"], k=2
        )
        await seen.page.locator(".studio-table tbody tr").nth(2).wait_for()
        assert len((await drawn(seen))["nodes"]) == 3
        assert seen.complaints == []


async def test_a_foreign_graph_is_as_unknown(
    site: StudioSite, browser: Browser, play: Play
) -> None:
    made = await play("reasoning_got_init", as_owner="somebody", content="the secret of the mill")
    told = []
    for graph in (made["graph_id"], "00000000-0000-4000-8000-000000000000"):
        async with looking(browser, site.url(f"/graph/{graph}")) as seen:
            await seen.shows("Not found")
            told.append((await seen.text()).replace(graph, "GRAPH"))
    assert told[0] == told[1]
    async with looking(browser, site.url("/graphs")) as seen:
        assert "secret" not in await seen.text()


async def whole(postgres: TestPostgres, name: str, graph_id: str) -> ThoughtGraph:
    database = Database(postgres.access(name))
    async with database.begin(Caller("local")) as tx:
        graph = await read_whole(tx, graph_id)
    await database.close()
    return graph


async def test_pruned_thoughts_are_faded_and_kinds_of_edges_told_apart(
    site: StudioSite, browser: Browser, postgres: TestPostgres, pages_database: str, play: Play
) -> None:
    begun = await play("reasoning_got_init", content=PROBLEM)
    of = {"graph_id": begun["graph_id"]}
    grown = await play("reasoning_got_generate", **of, node_id=begun["root_node_id"], k=3)
    one, two, three = (node["id"] for node in grown["nodes"])
    for node in (one, two, three):
        await play("reasoning_got_score", **of, node_id=node)
    joined = await play("reasoning_got_aggregate", **of, node_ids=[one, two])
    for node in (three, joined["node"]["id"]):  # the model may say what was there already
        await play("reasoning_got_refine", **of, node_id=node)
    await play("reasoning_got_prune", **of, threshold=1.0)
    graph = await whole(postgres, pages_database, of["graph_id"])
    gone = {str(node.id) for node in graph.nodes if node.pruning_id}
    beaten = {str(node.id) for node in graph.nodes if node.replaced_by}
    assert gone
    async with looking(browser, site.url(f"/graph/{of['graph_id']}")) as seen:
        await seen.page.locator(".loom-node").first.wait_for()
        lines = await seen.page.evaluate(LINES)
        assert set(lines) >= {"generates", "refines", "aggregates"}
        assert len(set(map(tuple, lines.values()))) == len(lines), "kinds differ beyond colour"
        for node in await seen.page.locator(".loom-node").all():
            name = str(await node.get_attribute("data-id"))
            label = str(await node.get_attribute("aria-label"))
            faded = await node.get_attribute("data-faded") == "true"
            assert faded == (name in gone | beaten)
            assert (", pruned." in label) == (name in gone)
            square = await node.get_attribute("data-square") == "true"
            assert square == (": aggregation" in label)
        first = seen.page.locator(".loom-node").first
        await first.focus()
        await seen.page.keyboard.press("ArrowRight")
        await seen.page.keyboard.press("Enter")
        await seen.page.get_by_role("heading", name="Thought 2").wait_for()
        assert seen.complaints == []


LINES = """() => Object.fromEntries([...document.querySelectorAll("loom-graph [data-type]")]
  .map((each) => [each.dataset.type, [each.getAttribute("stroke-width"),
    each.getAttribute("stroke-dasharray")]]))"""
"""Width and dashes of each kind of edge."""
