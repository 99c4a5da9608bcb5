"""What all tests share: a Postgres, a database that is empty for each test, an engine on it."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path

import hypothesis
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.schema import publish
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings, load_settings, variables_of
from reasonloom.stores.access import Access
from tests.support.databases.postgres import EmptiedDatabases, TestPostgres, running_server
from tests.support.killing.summary import pytest_terminal_summary
from tests.support.kinds import is_left_out, mark
from tests.support.llms.embedders import RememberingEmbedder

__all__ = ["pytest_terminal_summary"]

# How long an example takes says more of the machine than of the code, and who hears of a failure
# can have it again; other examples are drawn with `--hypothesis-profile others`.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True)
hypothesis.settings.register_profile("others", deadline=None)
hypothesis.settings.load_profile("same")

MEMORY, ROOM = Path("/dev/shm"), 6 * 2**30  # noqa: S108 - each test makes a folder of its own there
"""A folder in memory, for the files of tests if so many bytes are free there.

A database has 500 files: a disk takes 3.5 times the processor time of memory to create them on a
quiet machine, and up to 25 times under the load of a whole suite.
"""


def use_memory() -> None:
    """Put temporary files into memory, unless it is small or `TMPDIR` names another place."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK | os.X_OK):
        return
    runs_programs = not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC
    if runs_programs and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None


use_memory()
VARIABLES = frozenset(name for field in Settings.model_fields for name in variables_of(field))
HOMES = itertools.count()
gc.disable()  # until all is collected: what modules hold is not garbage


def pytest_xdist_auto_num_workers() -> int:
    """Half as many workers again as there are processors: tests wait for servers, clocks, locks."""
    return (os.cpu_count() or 1) * 3 // 2


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which no test is wanted."""
    return is_left_out(collection_path, config.option.markexpr) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves out."""
    mark(items)


def pytest_collection_finish() -> None:
    """Let no collection of garbage look at what was imported."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the homes of tests that have no folder of their own."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def clean_environment(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, homes: Path
) -> None:
    """No setting of the machine reaches a test; no test can reach a paid provider."""
    for name in list(os.environ):
        if name in VARIABLES or name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    own = "tmp_path" in request.fixturenames
    home = request.getfixturevalue("tmp_path") / "home" if own else homes / str(next(HOMES))
    monkeypatch.setenv("REASONLOOM_LLM", "offline")
    monkeypatch.setenv("REASONLOOM_HOME", str(home))


@pytest.fixture(scope="session")
def postgres() -> Iterator[TestPostgres]:
    """The server of this worker, alone on it: roles and checkpoints are a whole server's."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def emptied_databases(postgres: TestPostgres) -> Iterator[EmptiedDatabases]:
    """The database that tests of this worker use one after another."""
    databases = EmptiedDatabases(postgres)
    yield databases
    databases.close()


@pytest.fixture
def database(emptied_databases: EmptiedDatabases) -> Iterator[str]:
    """The name of a database without rows, this test's alone while it runs."""
    with emptied_databases.take() as name:
        yield name


@pytest.fixture
def access(postgres: TestPostgres, database: str) -> Access:
    """The ways into this test's database."""
    return postgres.access(database)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The default embedder, loaded once; it embeds each text once."""
    return RememberingEmbedder(choose_embedder(Settings()))


@pytest.fixture(scope="session", autouse=True)
def published_once() -> Iterator[None]:
    """Publish the schemas of a tool once, however many servers tests build in this process."""
    once = cache(publish)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reasonloom.server.tool.publish", lambda *a, **k: deepcopy(once(*a, **k)))
        yield


@cache
def settings_in(_environment: frozenset[tuple[str, str]]) -> Settings:
    """Return the settings that an environment makes, whatever the home."""
    return load_settings(lease_seconds=1.0, max_retries=1, retry_delay_ms=1)


@pytest.fixture
def settings() -> Settings:
    """The settings of a test: offline, with short leases."""
    others = VARIABLES - {"REASONLOOM_HOME"}
    made = settings_in(frozenset(each for each in os.environ.items() if each[0] in others))
    return made.model_copy(update={"home": Path(os.environ["REASONLOOM_HOME"])})


@pytest.fixture
async def engine(settings: Settings, access: Access, embedder: Embedder) -> AsyncIterator[Engine]:
    """An engine on this test's database that leaves the runs of others and all chores alone."""
    parts = open_engine(settings, access=access, embedder=embedder, recover=False)
    async with parts as opened:
        yield opened


@pytest.fixture
def caller() -> Caller:
    """The owner of the settings, in the default space."""
    return Caller("local")
