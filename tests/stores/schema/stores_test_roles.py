"""Whoever opens a database of the user's own works in it as the application's role alone."""

from __future__ import annotations

import psycopg
import pytest

from reasonloom.settings import load_settings
from reasonloom.stores.access import find_access
from tests.support.databases.postgres import TestPostgres

WHO = "SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
STAMPS = "UPDATE reasonloom.alembic_version SET version_num = version_num"


async def test_a_superusers_login_steps_down(postgres: TestPostgres, database: str) -> None:
    url = postgres.address.dsn("postgres", database)
    access = await find_access(load_settings(database_url=url))
    with psycopg.connect(access.app) as connection:
        assert connection.execute(WHO).fetchone() == ("reasonloom_app", False, False)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(STAMPS)
