"""Draws the pictures of docs/studio.md: `python -m tests.support.studio.screenshots`.

With a folder as its argument, each page is drawn into it as well, at 390 and 1280 pixels, light
and dark, to be looked at.

A home of its own is filled by real calls of tools, with a language model on loopback that tells one
story; then each page is opened in Chromium.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.async_api import Browser, async_playwright

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.evals.suites.history.data import load_history
from reasonloom.evals.suites.history.transcript import write_world
from reasonloom.evals.suites.memory.datasets import Source, load_own
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.settings import load_settings
from tests import ROOT
from tests.support.clients.fork_server import program
from tests.support.clients.processes import environment
from tests.support.llms.storyteller import storyteller
from tests.support.studio.browser import FLAGS, chromium
from tests.support.studio.site import StudioSite, looking, studio

OUT = ROOT / "docs" / "studio"
PROBLEM = "How could a village save its bakery before spring?"
WIDTHS, SCHEMES = (390, 1280), ("light", "dark")


def call(env: Mapping[str, str], *words: str) -> str:
    """Run a command of ours; return what it said."""
    done = subprocess.run(
        [*program(), *words], env=dict(env), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{words[:3]}: {done.stderr[-500:]}")
    return done.stdout


def tool(env: Mapping[str, str], name: str, /, **given: Any) -> dict[str, Any]:
    """Call a tool; return its answer."""
    answer: dict[str, Any] = json.loads(call(env, "call", name, json.dumps(given)))
    return dict(answer.get("data", answer))


def think(env: Mapping[str, str]) -> dict[str, str]:
    """Reason in several ways; return the pages that show it."""
    pondered = tool(
        env,
        "ponder",
        problem=PROBLEM,
        timeout=60_000,
        context={"constraints": ["no new debts"], "goals": ["bread every day"]},
    )
    session = tool(env, "reasoning_tree", content=PROBLEM)["session_id"]
    for asked in ("Which of these pays first?", "What if the oven fails?"):
        tool(env, "reasoning_linear", content=asked, session_id=session)
    tool(env, "reasoning_checkpoint_create", session_id=session, name="before the market")
    tool(env, "reasoning_divergent", content="Uses of the bakery at night", session_id=session)
    last = tool(env, "reasoning_linear", content="Ask the school first?", session_id=session)
    graph = json.loads(call(env, "graph", "run", PROBLEM, "--plan", "explore", "--json"))
    runs = [json.loads(line) for line in call(env, "runs", "list", "--json").splitlines()]
    tree = next(run["id"] for run in runs if run["tool"] == "reasoning_tree")
    pondering = next(run["id"] for run in runs if run["tool"] == "ponder")
    assert pondered and last
    return {
        "session": f"/session/{session}",
        "graph": f"/graph/{graph['graph_id']}",
        "ponder": f"/ponder/{pondering}",
        "run": f"/run/{tree}",
    }


def compare(env: Mapping[str, str], folder: Path) -> list[str]:
    """Compare the example's prompts; return the names of both runs."""
    call(env, "eval", "example", str(folder))
    suite, replies = folder / "support.yaml", folder / "replies.jsonl"
    text = suite.read_text("utf-8").replace("replay:replies.jsonl", f"replay:{replies}")
    suite.write_text(text, "utf-8")
    prompts = {**env, "REASONLOOM_PROMPTS": str(folder / "prompts")}
    result = json.loads(call(prompts, "eval", "run", str(suite), "--json"))
    return [str(each["log"]) for each in result["runs"]]


async def remember(home: Path) -> None:
    """Store the memories of our own set."""
    [collection], _ = load_own("people", Source(half="all"))
    settings = load_settings(home=home, llm="offline")
    graph = load_graph("remember")
    async with open_engine(settings, recover=False) as engine:
        for stored in collection.memories:
            given = {"userId": settings.user, **stored.arguments}
            await engine.call(Call("remember", graph, given, Caller(settings.user)))


def look_back(env: Mapping[str, str], folder: Path) -> None:
    """Ingest the transcripts of a set of worlds."""
    for world in load_history("dev").worlds[:3]:
        place = folder / world.id
        place.mkdir(parents=True)
        write_world(world, place)
    call(env, "history", "ingest", str(folder))


def model(env: Mapping[str, str]) -> str:
    """Cluster the memories and make a model that predicts; return its page."""
    call(env, "memory", "cluster")
    basins = tool(env, "list_basins")["basins"]
    templates = [{"trigger": "user plans a meal", "predict": "They ask who is allergic."}]
    made = tool(
        env,
        "create_model",
        name="Habits at table",
        domain="user",
        basin_ids=[basin["id"] for basin in basins[:3]],
        prediction_templates=templates,
    )
    for day in ("today", "on Friday"):
        said = tool(
            env, "predict_with_model", model_id=made["model_id"], message=f"I plan a meal {day}"
        )
        if said["prediction"]:
            known = said["prediction"]["id"]
            tool(env, "resolve_prediction", prediction_id=known, was_accurate=day == "today")
    return f"/model/{made['model_id']}"


async def draw(browser: Browser, site: StudioSite, pages: Mapping[str, str]) -> None:
    """Open each page and keep a picture of it, light; the session's in the dark too."""
    OUT.mkdir(exist_ok=True)
    for name, path in pages.items():
        schemes = ("light", "dark") if name == "session" else ("light",)
        for scheme in schemes:
            async with looking(browser, site.url(path), color_scheme=scheme) as seen:
                await seen.page.wait_for_timeout(3_000)
                if name == "ponder":
                    await seen.page.locator(".studio-quarter").nth(1).scroll_into_view_if_needed()
                    await seen.page.mouse.wheel(0, 420)
                    await seen.page.wait_for_timeout(400)
                ending = "" if scheme == "light" else "-dark"
                await seen.page.screenshot(path=OUT / f"{name}{ending}.png")


async def draw_variants(
    browser: Browser, site: StudioSite, pages: Mapping[str, str], folder: Path
) -> None:
    """Keep a whole picture of each page for each width and colour scheme."""
    folder.mkdir(parents=True, exist_ok=True)
    for (name, path), width, scheme in product(pages.items(), WIDTHS, SCHEMES):
        url = site.url(path)
        async with looking(browser, url, width=width, color_scheme=scheme) as seen:
            await seen.page.wait_for_timeout(1_500)
            picture = folder / f"{name}-{width}-{scheme}.png"
            await seen.page.screenshot(path=picture, full_page=True)


async def main(folder: Path | None = None) -> None:
    """Fill, serve, draw."""
    with tempfile.TemporaryDirectory(prefix="reasonloom-pictures-") as name:
        Path(name).chmod(0o755)
        home = Path(name) / "home"
        with storyteller(0.2) as told:
            env = environment(home, **told.settings, REASONLOOM_TOOLSETS="all,extras")
            pages = await asyncio.to_thread(think, env)
        env = environment(home, REASONLOOM_TOOLSETS="all,extras")
        await remember(home)
        await asyncio.to_thread(look_back, env, Path(name) / "transcripts")
        call(env, "eval", "run", "grounding")
        logs = compare(env, Path(name) / "example")
        pages |= {name: f"/{name}" for name in ("memory", "history", "evals", "runs", "models")}
        pages |= {"home": "/", "one-memory": "/memory/40"}
        pages["compare"] = f"/evals/compare?{urlencode({'base': logs[0], 'other': logs[1]})}"
        pages["recall"] = "/recall?q=What+does+Anna+like"
        pages["model"] = await asyncio.to_thread(model, env)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
            with studio(env, home) as site:
                await draw(browser, site, pages)
                if folder is not None:
                    await draw_variants(browser, site, pages, folder)
            await browser.close()
        call(env, "db", "stop")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]) if sys.argv[1:] else None))
