"""Databases as an older version has left them."""

from __future__ import annotations

import psycopg
from alembic import command
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from reasonloom.stores.access import Access
from reasonloom.stores.migrate import alembic_config


def as_of(access: Access, revision: str) -> None:
    """Make the test's database anew as it was at `revision`, empty."""
    with psycopg.connect(access.admin, autocommit=True) as connection:
        connection.execute("DROP SCHEMA reasonloom CASCADE")
        connection.execute("CREATE SCHEMA reasonloom")
        connection.execute("GRANT USAGE ON SCHEMA reasonloom TO reasonloom_app")
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(access.admin), poolclass=NullPool
    )
    with engine.connect() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.commit()
