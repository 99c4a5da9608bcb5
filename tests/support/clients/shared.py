"""Hosts that share one server: each a `reasonloom connect` of its own."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reasonloom.server.stdio.shared.place import SharedServer, shared_servers
from tests.support.clients.fork_server import cold_program
from tests.support.clients.processes import environment, initialize


@dataclass
class SharingHosts:
    """Hosts with one data folder and one environment."""

    home: Path
    url: str
    more: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of each host."""
        return environment(self.home, DATABASE_URL=self.url, **self.more)

    def start(self, *flags: str, **more: str) -> Connected:
        """Start a host's connection."""
        process = subprocess.Popen(
            [*cold_program(), "connect", *flags],
            env=self.environment | more,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        return Connected(process)

    def servers(self) -> list[SharedServer]:
        """Return the shared servers of the data folder."""
        return [server for server in shared_servers() if server.home == self.home]


@dataclass
class Connected:
    """One host's connection."""

    process: subprocess.Popen[bytes]
    number: int = 0

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; return the response."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.send(message)
        return self.receive()

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Return the next response."""
        assert self.process.stdout
        while line := self.process.stdout.readline():
            found: dict[str, Any] = json.loads(line)
            if "id" in found:
                return found
        assert self.process.stderr
        raise ConnectionError(self.process.stderr.read().decode())

    def begin(self) -> Connected:
        """Shake hands."""
        assert "result" in self.ask("initialize", initialize())
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result."""
        found: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result: dict[str, Any] = found["result"]
        return result

    def end(self) -> int:
        """Close the host's side; return the exit code."""
        self.process.communicate(timeout=60)
        return self.process.returncode
