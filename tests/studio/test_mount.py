"""The studio on the HTTP server: which paths are its own, and where `/` leads."""

from __future__ import annotations

import httpx
from starlette.responses import PlainTextResponse

from reasonloom.studio.mount import Mounted


async def test_the_root_leads_to_the_studio() -> None:
    app = Mounted(PlainTextResponse("server"), PlainTextResponse("studio"))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/")
        assert (answer.status_code, answer.headers["location"]) == (307, "/studio/")
        found = [(await client.get(path)).text for path in ("/mcp", "/studio", "/studio/runs")]
    assert found == ["server", "studio", "studio"]
