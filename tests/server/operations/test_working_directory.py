"""A server leaves the folder that it was started in as it was."""

from __future__ import annotations

from pathlib import Path

from tests.support.clients.processes import environment, spoken
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.support_rows import Rows


def test_nothing_is_written_into_the_current_folder(
    postgres: TestPostgres, database: str, folder: Path, tmp_path: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    env = environment(tmp_path / "home", DATABASE_URL=url, LOG_LEVEL="debug")
    who = {"userId": "local"}
    memory = {**who, "content": "Tea.", "sessionId": "s", "primarySector": "semantic"}
    with spoken(env, folder) as server:
        assert not server.call("remember", memory).get("isError")
        for _ in range(2):
            for tool, arguments in (
                ("recall", {**who, "text": "tea"}),
                ("search", {**who, "text": "tea"}),
                ("reasoning_linear", {"content": "Which tea?"}),
                ("update_memory", {**who, "memoryId": "mem-1", "content": "Green tea."}),
                ("recall", {"text": 5}),
            ):
                server.call(tool, arguments)
        server.call("forget", {**who, "memoryId": "mem-1"})
        assert list(folder.iterdir()) == []
    assert list(folder.iterdir()) == []
    assert Rows(url).number("SELECT count(*) FROM runs") > 0
