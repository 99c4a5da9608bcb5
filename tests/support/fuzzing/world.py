"""What is fuzzed: servers with every tool, on a database where two owners have something."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reasonloom.llm.interfaces import Embedder
from tests import ROOT
from tests.support.clients.processes import environment, web
from tests.support.databases.postgres import TestPostgres
from tests.support.fuzzing.inputs import Pool
from tests.support.fuzzing.wires import Http, Stdio, Wire
from tests.support.isolation.owners import Bearer, settle
from tests.support.isolation.reachable import live
from tests.support.isolation.tool_calls import Known

OWNER, OTHER = "local", "olga"
SECRET = "vexolga"
WIRES: dict[str, type[Stdio] | type[Http]] = {"stdio": Stdio, "http": Http}
TOPICS = ["dog", "kitchen"]


@dataclass
class World:
    """A filled database: the environment of a server on it, the ids there are, what is secret."""

    env: dict[str, str]
    folder: Path
    pool: Pool
    secrets: tuple[str, ...]

    @contextmanager
    def wire(self, transport: str) -> Iterator[Wire]:
        """Yield a way to a new server, which is ended afterwards."""
        make = WIRES[transport]
        wire = make(self.env, self.folder / transport)
        try:
            yield wire
        finally:
            wire.server.stop()


@contextmanager
def inhabited(postgres: TestPostgres, folder: Path, embedder: Embedder) -> Iterator[World]:
    """Yield a world in which the owner has called every tool, and the other has memories."""
    password = secrets.token_hex(8)
    home = folder / "home"
    (home / "files").mkdir(parents=True)
    (home / "files" / "common.jsonl").write_text('{"content": "The amber lantern hangs."}\n')
    with postgres.clone() as database:
        url = postgres.address.dsn("postgres", database).replace("@", f":{password}@")
        env = environment(
            home, DATABASE_URL=url, REASONLOOM_TOOLSETS="all,extras", REASONLOOM_USER=OWNER,
            OPENAI_API_KEY="sk-" + password,
        )  # fmt: skip
        own, other = Known(OWNER, "quxown vexown"), Known(OTHER, f"quxolga {SECRET}")
        for known in (own, other):
            settle(url, folder, known, TOPICS, embedder)
        with web(env, folder / "filling") as server:
            live(Bearer(server, None), own)
        own.ids |= {"path": "common.jsonl", "user": OWNER}
        other.ids |= {"path": "../olga.jsonl", "user": OTHER}
        inside = (password, str(folder), str(ROOT), SECRET)
        yield World(env, folder, Pool(own.ids, other.ids), inside)
