"""`reasonloom demo`: a real MCP client talks to a real server about a small conversation."""

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from rich.console import Console
from rich.panel import Panel
from rich.progress import track
from rich.table import Column, Table
from rich.text import Text

from reasonloom.cli.server.serve import require_usable
from reasonloom.errors import ServiceFault
from reasonloom.llm.from_settings import chosen
from reasonloom.settings import environment, load_settings

CONVERSATION = Path(__file__).parent / "conversation.json"
OWNER = "demo"


def demo() -> None:
    """Run a demo: store a short conversation, recall it and reason over it."""
    anyio.run(
        require_usable, load_settings()
    )  # otherwise the user would only see that the server ended
    conversation = json.loads(CONVERSATION.read_text(encoding="utf-8"))
    anyio.run(_run_demo, conversation, Console())


@dataclass(frozen=True)
class Demo:
    """One demo: a connected client, a console, and the user."""

    client: Client
    console: Console
    user: str

    async def ask(
        self, tool: str, arguments: dict[str, Any], progress: ProgressFnT | None = None
    ) -> tuple[dict[str, Any], float]:
        """Call a tool; return its structured answer and the milliseconds taken.

        Raises:
            ServiceFault: the tool answered with an error, which is printed, or is not served.
        """
        started = time.perf_counter()
        try:
            result = await self.client.call_tool(tool, arguments, progress_callback=progress)
        except MCPError as error:
            raise ServiceFault(f"the demo ended: {error}") from None
        took = (time.perf_counter() - started) * 1000
        if result.is_error or not isinstance(result.structured_content, dict):
            self.console.print_json(data=result.structured_content)
            raise ServiceFault(
                f"the demo ended: {tool} answered as above; `reasonloom doctor` shows more"
            )
        return result.structured_content, took


async def _run_demo(conversation: dict[str, Any], console: Console) -> None:
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "reasonloom", "serve"],
        env={
            **environment(),
            "REASONLOOM_USER": OWNER,
            "LOG_LEVEL": "warning",
            "REASONLOOM_LLM": chosen(load_settings()),
            "REASONLOOM_TOOLSETS": "default",
        },
    )
    console.rule(f"[bold]{conversation['title']}")
    started = time.perf_counter()
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        seconds = time.perf_counter() - started
        console.print(
            f"A server runs over stdio, protocol {client.protocol_version}; it listed "
            f"{len(tools)} tools after {seconds:.1f} s."
        )
        demo = Demo(client, console, conversation["user"])
        await _forget_earlier(demo)
        await _remember(demo, conversation)
        await _recall(demo, conversation["asked"])
        await _reason(demo, conversation["reasoned"])
    console.print(f"Every call is a recorded run: REASONLOOM_USER={OWNER} reasonloom runs list")


async def _forget_earlier(demo: Demo) -> None:
    """Forget the memories of an earlier demo, so that each demo starts the same."""
    console, count = demo.console, 0
    with console.status("opening the database (the first time it is made)"):
        while True:
            found, _ = await demo.ask("recall", {"userId": OWNER, "limit": 100})
            memories = found["data"]["memories"]
            for memory in memories:
                await demo.ask("forget", {"userId": OWNER, "memoryId": memory["id"]})
            count += len(memories)
            if not memories:
                break
    if count:
        console.print(f"Forgot {count} memories of an earlier demo.")


def _ms() -> Column:
    """Return a column wide enough for seconds, so that the next column wraps the same."""
    return Column("ms", min_width=4)


async def _remember(demo: Demo, conversation: dict[str, Any]) -> None:
    table = Table("stored", "sector", "links", "salience", _ms(), "what", title="remember")
    for fact in track(conversation["said"], "remember", console=demo.console, transient=True):
        arguments = {"userId": OWNER, "sessionId": conversation["session"], **fact}
        answer, took = await demo.ask("remember", arguments)
        data = answer["data"]
        table.add_row(
            data["memoryId"],
            fact["primarySector"],
            str(data["linksCreated"]),
            f"{data['salience']:.2f}",
            f"{took:.0f}",
            fact["content"],
        )
    demo.console.print(table)


async def _recall(demo: Demo, questions: list[str]) -> None:
    table = Table("question", _ms(), "found", title="recall", show_lines=True)
    for question in questions:
        arguments = {"userId": OWNER, "text": question, "limit": 2}
        answer, took = await demo.ask("recall", arguments)
        found = answer["data"]["memories"]
        table.add_row(
            question,
            f"{took:.0f}",
            "\n".join(memory["content"] for memory in found) or "nothing relevant",
        )
    demo.console.print(table)


async def _reason(demo: Demo, thoughts: list[str]) -> None:
    session: dict[str, Any] = {}
    for thought in thoughts:
        answer, took = await _with_progress(demo, {"text": thought, "mode": "linear", **session})
        session = {"sessionId": answer["sessionId"]}
        demo.console.print(
            Panel(
                Text(f"{thought}\n\n{answer['conclusion']}"),
                title="reason",
                subtitle=f"mode {answer['mode']} · confidence {answer['confidence']:.2f} · "
                f"{took:.0f} ms",
            )
        )
    if suggestion := answer.get("suggestion"):
        demo.console.print(f"[yellow]{suggestion}")


async def _with_progress(demo: Demo, arguments: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """Call one step of reasoning, and display the progress that the server reports."""
    steps: list[str] = []
    with demo.console.status("reasoning") as status:

        async def show(progress: float, total: float | None, message: str | None) -> None:
            steps.append(message or "")
            status.update(f"step {progress + 1:.0f} of {total:.0f}: {message}")

        answer = await demo.ask("reason", arguments, show)
    demo.console.print(f"progress: {' → '.join(steps)}", style="dim")
    return answer
