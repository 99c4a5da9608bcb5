"""A studio behind tokens: who signs in, and what becomes of a token meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from reasonloom.server.auth.token_file import append, digest, new_entry
from tests.support.clients.processes import PATIENCE
from tests.support.studio.site import BASE, StudioSite

SIGN_IN = f"{BASE}/sign-in"


class Keys:
    """The file of tokens of one studio."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def new(self, owner: str, *scopes: str) -> str:
        """Add a token; return it. Without scopes it may read and write."""
        secret, entry = new_entry(owner, scopes or ("read", "write"), None)
        append(self.path, entry)
        return secret

    def revoke(self, secret: str) -> None:
        """Take a token away."""
        self._change(secret, lambda entry: None)

    def narrow(self, secret: str, *scopes: str) -> None:
        """Leave a token these scopes alone."""
        self._change(secret, lambda entry: {**entry, "scopes": list(scopes)})

    def _change(
        self, secret: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
    ) -> None:
        entries = [json.loads(line) for line in self.path.read_text().splitlines()]
        changed = [change(each) if each["sha256"] == digest(secret) else each for each in entries]
        self.path.write_text("".join(json.dumps(each) + "\n" for each in changed if each))


def sign_in(site: StudioSite, secret: str, to: str = "") -> httpx.Response:
    """Give a token at the door; return what it answers."""
    query = {"to": to} if to else {}
    return httpx.post(
        f"{site.root}{SIGN_IN}", params=query, data={"token": secret}, timeout=PATIENCE,
        trust_env=False,
    )  # fmt: skip


def signed_in(site: StudioSite, secret: str) -> dict[str, Any]:
    """Return the storage of a browser whose user has signed in with a token."""
    answer = sign_in(site, secret)
    assert answer.status_code == 303, answer.text
    kept = [
        {"name": name, "value": value, "domain": "127.0.0.1", "path": BASE, "httpOnly": True,
         "sameSite": "Strict", "expires": -1, "secure": False}
        for name, value in answer.cookies.items()
    ]  # fmt: skip
    return {"storage_state": {"cookies": kept, "origins": []}}
