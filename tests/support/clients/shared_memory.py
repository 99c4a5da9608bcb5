"""`python -m tests.support.clients.shared_memory [AGENTS]`: memory of one process for all, or each.

Each agent connects, lists the tools, stores and recalls a memory, and stays. Counted are all
processes of Python that the agents have started: servers, and what relays to a shared one; not
Postgres.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import psutil
from mcp import Client, StdioServerParameters

from reasonloom.server.stdio.shared.place import shared_servers
from tests.support.clients.fork_server import cold_program
from tests.support.clients.processes import environment

MEBIBYTE = 1024 * 1024


async def measure(command: str, agents: int, home: Path) -> None:
    """Connect the agents by a command, and print what their processes hold."""
    program, *words = [*cold_program(), command]
    env = environment(home)
    async with AsyncExitStack() as stack:
        for number in range(agents):
            server = StdioServerParameters(command=program, args=words, env=env)
            client = await stack.enter_async_context(Client(server))
            await client.list_tools()
            await client.call_tool("remember", {"content": f"Agent {number} was here."})
            await client.call_tool("recall", {"query": "Who was here?"})
        held = [process.memory_full_info() for process in _processes(home)]
        rss, pss, uss = (
            sum(getattr(each, name) for each in held) / MEBIBYTE for name in ("rss", "pss", "uss")
        )
        print(
            f"{command}: {agents} agents, {len(held)} processes, "
            f"RSS {rss:.0f} MiB, PSS {pss:.0f} MiB, USS {uss:.0f} MiB"
        )


def _processes(home: Path) -> Iterator[psutil.Process]:
    """Yield the Python processes below this one, and the shared server, which may be one."""
    found = psutil.Process().children(recursive=True)
    found += [psutil.Process(each.pid) for each in shared_servers() if each.home == home]
    for process in dict.fromkeys(found):
        if "python" in process.name() or "reasonloom" in process.name():
            yield process


def main() -> None:
    """Measure both ways, one after the other, each on a database of its own."""
    agents = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for command in ("serve", "connect"):
        with tempfile.TemporaryDirectory(prefix="reasonloom-memory-", dir="/var/lib") as folder:
            home = Path(folder) / "home"
            Path(folder).chmod(0o755)
            asyncio.run(measure(command, agents, home))
            for server in shared_servers():
                if server.home == home:
                    server.stop()


if __name__ == "__main__":
    main()
