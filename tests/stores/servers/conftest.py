"""Three databases with a layout that spreads owners over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from reasonloom.settings import Settings, load_settings
from tests.support.databases.postgres import TestPostgres, running_server

NAMES = ("one", "two", "three")
WriteLayout = Callable[..., Settings]


@pytest.fixture
def urls(postgres: TestPostgres) -> Iterator[dict[str, str]]:
    """The URLs of three databases, by name."""
    with ExitStack() as stack:
        yield {
            name: postgres.address.dsn("postgres", stack.enter_context(postgres.clone()))
            for name in NAMES
        }


@pytest.fixture
def servers() -> Iterator[dict[str, str]]:
    """The URLs of a database on each of three servers, by name."""
    with ExitStack() as stack:
        running = {name: stack.enter_context(running_server()) for name in NAMES}
        yield {
            name: server.address.dsn("postgres", stack.enter_context(server.clone()))
            for name, server in running.items()
        }


@pytest.fixture
def layout_file(tmp_path: Path) -> WriteLayout:
    """Writes a file of databases; returns settings that name it."""

    def write(urls: dict[str, str], more: str = "") -> Settings:
        lines = "\n".join(f'{name} = "{url}"' for name, url in urls.items())
        path = tmp_path / "databases.toml"
        path.write_text(f"{more}\n[databases]\n{lines}\n[owners]\nanna = 'one'\n'team/*' = 'two'\n")
        return load_settings(databases=path)

    return write


@pytest.fixture
def several(urls: dict[str, str], layout_file: WriteLayout) -> Settings:
    """Settings with three databases."""
    return layout_file(urls)
