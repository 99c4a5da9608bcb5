"""Callers of a server that asks for proof: each request is of the newest revision."""

from __future__ import annotations

import json
from typing import Any

import httpx

from tests.support.clients.processes import PATIENCE, answer_of

MODERN = "2026-07-28"
RESERVED = "io.modelcontextprotocol"


class Asker:
    """One caller over HTTP; keeps all that the server ever said to it."""

    def __init__(self, url: str, token: str | None, **headers: str) -> None:
        self.url = url
        self.said = ""
        self._headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": MODERN,
            **({"authorization": f"Bearer {token}"} if token else {}),
            **headers,
        }

    def send(self, method: str, **params: Any) -> httpx.Response:
        """Send one request; return the whole response."""
        named = params.get("name") or params.get("uri")
        headers = {**self._headers, "mcp-method": method, **({"mcp-name": named} if named else {})}
        meta = {
            f"{RESERVED}/protocolVersion": MODERN,
            f"{RESERVED}/clientCapabilities": {},
            **params.pop("_meta", {}),
        }
        message = {
            "jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta},
        }  # fmt: skip
        answer = httpx.post(
            self.url, content=json.dumps(message), headers=headers, timeout=PATIENCE,
            trust_env=False,
        )  # fmt: skip
        self.said += answer.text
        return answer

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one request that is let in; return its answer."""
        response = self.send(method, **params)
        assert response.status_code < 500, response.text
        assert response.headers["content-type"].startswith(("application/json", "text/event"))
        return answer_of(response)

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result."""
        answer = self.ask("tools/call", name=name, arguments=arguments)
        assert "result" in answer, answer
        return dict(answer["result"])

    def tools(self) -> set[str]:
        """Return the names of the tools that are listed."""
        return {each["name"] for each in self.ask("tools/list")["result"]["tools"]}
