"""Databases as a newer version has left them, and the version before this one."""

from __future__ import annotations

import shutil
from pathlib import Path

import psycopg

import reasonloom
from reasonloom.stores.access import Access
from reasonloom.stores.migrate import alembic_transaction, run_migrations
from reasonloom.stores.schema import newest_step

NEWER = """
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE DOMAIN short AS text CHECK (length(value) < 9);
CREATE SEQUENCE days;
CREATE TABLE moods (owner text NOT NULL, day bigint DEFAULT nextval('days'), mood mood, said short);
CREATE VIEW glad_days AS SELECT owner, day FROM moods WHERE mood = 'glad';
CREATE FUNCTION cheer(mood) RETURNS mood LANGUAGE sql RETURN $1;
ALTER TABLE memories ADD COLUMN mood mood;
UPDATE alembic_version SET version_num = '9999'
"""


def make_newer(access: Access) -> None:
    """Change the test's database as a newer version might have."""
    with psycopg.connect(access.admin) as connection:
        connection.execute(NEWER.encode())


def version_before(folder: Path) -> Path:
    """Copy the package without its newest step into a folder, where `-m reasonloom` finds it."""
    newest = f"v{newest_step()}_*"
    package = Path(reasonloom.__file__).parent
    shutil.copytree(
        package, folder / package.name, ignore=shutil.ignore_patterns(newest, "__pycache__")
    )
    return folder


def as_of(access: Access, revision: str) -> None:
    """Make the test's database anew as it was at `revision`, empty."""
    with psycopg.connect(access.admin, autocommit=True) as connection:
        connection.execute("DROP SCHEMA reasonloom CASCADE")
        connection.execute("CREATE SCHEMA reasonloom")
        connection.execute("GRANT USAGE ON SCHEMA reasonloom TO reasonloom_app")
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    with alembic_transaction(access.admin) as alembic:
        run_migrations(alembic, revision)
