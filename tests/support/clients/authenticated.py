"""An issuer of signed tokens on loopback: its own keys, and a server that tells the public ones."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.support.clients.http_server import Handler, serving
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
        named = params.get("name") or params.get("uri") or params.get("taskId")
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


RESOURCE = "https://loom.example/mcp"
ISSUER = "https://issuer.example"
KEYS = "/keys"


class Key:
    """A key of the issuer under one id."""

    def __init__(self, kid: str) -> None:
        self.kid = kid
        self.private = rsa.generate_private_key(public_exponent=65_537, key_size=2048)

    @property
    def public(self) -> dict[str, Any]:
        """The public part as a JWK."""
        told = RSAAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {**told, "kid": self.kid, "use": "sig", "alg": "RS256"}


@dataclass(frozen=True)
class Page:
    """What the issuer answers at another path than that of its keys."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


class Issuer:
    """What the issuer tells at `url` now and at its other pages, and how often it was asked."""

    def __init__(self, *keys: Key) -> None:
        self.keys = list(keys)
        self.asked = 0
        self.url = ""
        self.pages: dict[str, Page] = {}
        self.visited: list[str] = []

    @property
    def base(self) -> str:
        """The URL of its host."""
        return self.url.removesuffix(KEYS)

    def page(self, path: str) -> Page:
        """Return what is at a path now."""
        if path == KEYS and path not in self.pages:
            return Page(json.dumps({"keys": [key.public for key in self.keys]}).encode())
        return self.pages.get(path, Page(b"", 404))

    def sign(self, key: Key | None = None, **claims: Any) -> str:
        """Return a token; a claim of None is left out, and `kid` is the header's."""
        key = key or self.keys[0]
        kid = claims.pop("kid", key.kid)
        said = {
            "iss": ISSUER, "aud": RESOURCE, "sub": "anna", "scope": "read write",
            "exp": int(time.time()) + 600, **claims,
        }  # fmt: skip
        payload = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(payload, key.private, "RS256", headers={"kid": kid})


@contextmanager
def issuing(*keys: Key) -> Iterator[Issuer]:
    """Yield an issuer that listens, ended afterwards."""
    issuer = Issuer(*keys)

    class Pages(Handler):
        def reply(self) -> None:
            issuer.asked += 1
            issuer.visited.append(self.path)
            page = issuer.page(self.path)
            time.sleep(page.seconds)
            self.answer(page.body, page.status, page.headers)

    with serving(Pages) as url:
        issuer.url = f"{url}{KEYS}"
        yield issuer
