"""A database without room says so, stores nothing, and goes on once there is some."""

from __future__ import annotations

from pathlib import Path

import psycopg

from tests.support.clients.processes import environment, spoken
from tests.support.databases.postgres import TestPostgres

FULL = """
CREATE FUNCTION reasonloom.no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file "base/5/1259"' USING ERRCODE = 'disk_full';
END $$;
CREATE TRIGGER no_room BEFORE INSERT ON reasonloom.memories
FOR EACH STATEMENT EXECUTE FUNCTION reasonloom.no_room()
"""
ROOM = "DROP FUNCTION reasonloom.no_room CASCADE"
MEMORY = {
    "content": "The cellar is full.", "userId": "local", "sessionId": "s",
    "primarySector": "semantic",
}  # fmt: skip
ADDED = {"event_type": "fact", "content": "The attic is full."}


def test_a_call_without_room_is_told_and_the_server_goes_on(
    postgres: TestPostgres, database: str, tmp_path: Path, folder: Path
) -> None:
    url = postgres.address.dsn("postgres", database)
    flags = ("--toolsets", "all")
    with spoken(environment(tmp_path / "home", DATABASE_URL=url), folder, *flags) as server:
        server.call("recall", {"userId": "local", "text": "cellar"})
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(FULL.encode())
            remembered = server.call("remember", MEMORY)
            added = server.call("memory_add", ADDED)
            connection.execute(ROOM.encode())
        assert remembered["isError"] is added["isError"] is True
        body = remembered["structuredContent"]
        assert body["error"] == "The database has no room left"
        assert "nothing was stored" in body["detail"]
        assert "moment" not in str(body)
        assert body["retryable"] is False
        assert added["structuredContent"]["error"]["type"] == "DatabaseFull"
        assert "no room left" in added["structuredContent"]["error"]["message"]
        assert "base/5" not in str(remembered) + str(added)
        assert server.call("remember", MEMORY)["structuredContent"]["data"]["memoryId"]
        found = server.call("recall", {"userId": "local", "text": "full"})["structuredContent"]
        assert [each["content"] for each in found["data"]["memories"]] == [MEMORY["content"]]
        assert server.alive
