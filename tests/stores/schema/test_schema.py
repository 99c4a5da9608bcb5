"""What must hold of every table: owner first in every key, and shut to all other owners."""

from __future__ import annotations

import asyncio

import psycopg
import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable
from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.migrate import bring_up_to_date, schema_status
from reasonloom.stores.schema import newest_step
from tests.support.databases.postgres import TestPostgres

OWNED = (
    "audit_log", "basin_members", "basin_runs", "basins", "branches", "chunks", "current_sessions",
    "edges", "embeddings", "forgets", "grants", "graph_edges", "graph_nodes", "graph_prunings",
    "hooks", "items", "leases", "llm_calls", "memberships", "memories", "model_basins",
    "model_revisions", "model_templates", "models", "owner_moves", "owners", "predictions",
    "projects", "questions", "runs", "session_checkpoints", "sessions", "spaces", "state_snapshots",
    "terms", "thought_graphs", "thoughts", "transcripts", "workspace_contexts", "workspaces",
)  # fmt: skip
SAVED_STEPS = ["checkpoint_blobs", "checkpoint_writes", "checkpoints"]

KEYS = """
SELECT c.relname, i.conname, i.contype,
    (SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = i.conkey[1])
FROM pg_constraint i JOIN pg_class c ON c.oid = i.conrelid
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'reasonloom' AND i.contype IN ('p', 'u', 'f')
"""
REFERENCED = """
SELECT i.conname, (SELECT a.attname FROM pg_attribute a
    WHERE a.attrelid = i.confrelid AND a.attnum = i.confkey[1])
FROM pg_constraint i JOIN pg_namespace n ON n.oid = i.connamespace
WHERE n.nspname = 'reasonloom' AND i.contype = 'f'
"""
UNIQUE_INDEXES = """
SELECT c.relname, (SELECT a.attname FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum = x.indkey[0])
FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'reasonloom' AND x.indisunique
"""
SECURITY = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'reasonloom' AND c.relkind IN ('r', 'p')
AND c.relrowsecurity AND c.relforcerowsecurity
"""
TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'reasonloom' AND c.relkind IN ('r', 'p', 'v', 'm')
"""
NOT_OWNED = {"alembic_version", "checkpoint_migrations", "pinned_embedder"}


def rows(access: Access, query: str) -> list[tuple[str, ...]]:
    with psycopg.connect(access.admin) as connection:
        return connection.execute(query.encode()).fetchall()


def test_the_owner_comes_first_in_every_key(access: Access) -> None:
    owned = [row for row in rows(access, KEYS) if row[0] in OWNED]
    assert {row[0] for row in owned} == set(OWNED)
    assert [row for row in owned if row[3] != "owner"] == []
    assert [row for row in rows(access, REFERENCED) if row[1] != "owner"] == []
    indexes = [row for row in rows(access, UNIQUE_INDEXES) if row[0] in OWNED]
    assert [row for row in indexes if row[1] != "owner"] == []


def test_every_table_is_shut_by_force(access: Access) -> None:
    found = {row[0] for row in rows(access, TABLES)}
    assert found == set(OWNED) | set(SAVED_STEPS) | NOT_OWNED
    assert {row[0] for row in rows(access, SECURITY)} == found - NOT_OWNED


@pytest.mark.parametrize("table", [*OWNED, *SAVED_STEPS])
async def test_without_an_owner_nothing_is_seen(access: Access, table: str) -> None:
    fill(access)
    with psycopg.connect(access.app) as connection:
        assert connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)
        connection.execute("SELECT set_config('app.owner', 'b', true)")
        assert connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)
        connection.execute("SELECT set_config('app.owner', 'a', true)")
        (count,) = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() or (0,)
        assert count == (2 if table == "terms" else 1)


def test_a_dropped_policy_would_be_seen(access: Access) -> None:
    """The check above can fail: without its policy a forced table shows nothing to anyone,
    and with a policy that forgets the owner it shows everything."""
    fill(access)
    with psycopg.connect(access.admin) as connection:
        connection.execute("DROP POLICY owners_rows ON owners")
        connection.execute("CREATE POLICY owners_rows ON owners USING (true)")
    with psycopg.connect(access.app) as connection:
        assert connection.execute("SELECT count(*) FROM owners").fetchone() == (1,)


def fill(access: Access) -> None:
    """Put one row of owner `a` into every table, as the superuser."""
    run = "'11111111-1111-1111-1111-111111111111'"
    statements = f"""
    INSERT INTO owners (owner) VALUES ('a');
    INSERT INTO owner_moves (owner, destination, epoch, state) VALUES ('a', 'b', 1, 'gone');
    INSERT INTO sessions (owner, id, number) VALUES ('a', {run}, 1);
    INSERT INTO current_sessions (owner, client, project, session_id)
        VALUES ('a', 'c', '', {run});
    INSERT INTO workspaces (owner, number, name, effect) VALUES ('a', 1, 'n', {run});
    INSERT INTO workspace_contexts (owner, workspace, number, path, role, label)
        VALUES ('a', 1, 1, 'p', 'primary', 'l');
    INSERT INTO branches (owner, id, session_id, number) VALUES ('a', {run}, {run}, 0);
    INSERT INTO session_checkpoints (owner, id, session_id, number, branch_id, name, snapshot)
        VALUES ('a', {run}, {run}, 1, {run}, 'n', '{{}}');
    INSERT INTO state_snapshots (owner, id, session_id, cause, state)
        VALUES ('a', {run}, {run}, 'c', '{{}}');
    INSERT INTO thoughts (owner, id, session_id, position, mode, input, content, confidence, llm)
        VALUES ('a', {run}, {run}, 1, 'linear', 'i', 'c', 1, 'offline');
    INSERT INTO thought_graphs (owner, id, session_id, number, max_depth, max_branches,
        prune_threshold) VALUES ('a', {run}, {run}, 1, 5, 5, 0.3);
    INSERT INTO graph_prunings (owner, id, graph_id, number, threshold)
        VALUES ('a', {run}, {run}, 1, 0.3);
    INSERT INTO graph_nodes (owner, id, graph_id, number, node_type, content, depth, confidence)
        VALUES ('a', {run}, {run}, 1, 'root', 'c', 0, 1);
    INSERT INTO graph_edges (owner, id, graph_id, from_node, to_node, edge_type, weight)
        VALUES ('a', {run}, {run}, {run}, {run}, 'supports', 1);
    INSERT INTO memories (owner, id, event_type, sector, content, salience, importance,
        token_count, source_kind, principal, tool, effect, decay_rate, words)
        VALUES ('a', 1, 'fact', 'semantic', 'c', 1, 1, 1, 'user', 'a', 't', {run}, 0, '');
    INSERT INTO embeddings VALUES ('a', 1, 'm', 31, '[1,2]');
    INSERT INTO grants VALUES ('a', 's', 'c', '{{read}}', 'a', now());
    INSERT INTO memberships VALUES ('team/a', 'a', 'a', now());
    INSERT INTO audit_log (owner, at, principal, action, tool, space)
        VALUES ('a', now(), 'a', 'grant', 't', 's');
    INSERT INTO items VALUES ('a', '{{n}}', 'k', '{{}}', 1, NULL, NULL, now(), now());
    INSERT INTO projects (owner, slug) VALUES ('a', 'p');
    INSERT INTO transcripts (owner, id, path, form) VALUES ('a', {run}, '/p', 'text');
    INSERT INTO forgets (owner, number, project, asked, chunks) VALUES ('a', 1, 'p', '{{}}', 1);
    INSERT INTO chunks (owner, memory_id, key, transcript, project, session, first_turn, last_turn,
        at, tokens) VALUES ('a', 1, 'k', {run}, 'p', 's', 1, 1, now(), 1);
    INSERT INTO hooks (owner, hook, ran_at, succeeded, message, milliseconds)
        VALUES ('a', 'h', now(), true, 'm', 1);
    INSERT INTO basins (owner, id, name, named_by, centroid, model, coherence)
        VALUES ('a', {run}, 'n', 'terms', '[1,2]', 'm', 1);
    INSERT INTO basin_members (owner, basin, memory_id, strength) VALUES ('a', {run}, 1, 1);
    INSERT INTO basin_runs VALUES ('a', now(), 'm', 1, 1, 1);
    INSERT INTO models (owner, id, name, domain, status) VALUES ('a', {run}, 'n', 'user', 'draft');
    INSERT INTO model_basins (owner, model, basin, position) VALUES ('a', {run}, {run}, 1);
    INSERT INTO model_templates (owner, model, number, trigger, predict)
        VALUES ('a', {run}, 1, 't', 'p');
    INSERT INTO predictions (owner, id, model, template, content, confidence, context, likeness,
        matched_by, version, tool, made_at, expires_at)
        VALUES ('a', {run}, {run}, 1, 'c', 0.5, 'm', 1, 'words', 1, 't', now(), now());
    INSERT INTO model_revisions (owner, id, model, version, trigger, added, removed,
        accuracy_before, accuracy_after, tested, made_at)
        VALUES ('a', {run}, {run}, 2, 't', '{{}}', '{{}}', 0.5, 0.5, 0, now());
    INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
        VALUES ('a', 1, 1, 'related_to', 1, 'o');
    INSERT INTO runs (owner, id, tool, graph, graph_version, status, input)
        VALUES ('a', {run}, 't', 'g', 1, 'running', '{{}}');
    INSERT INTO questions (owner, run_id, node, task, n, round, number, role, blind, prompt,
        prompt_version, prompt_hash, system_text, user_text, most_tokens, status)
        SELECT owner, id, 'n', '0', 0, 1, 1, 'r', false, 'p', 1, 'h', '', '', 1, 'open' FROM runs;
    INSERT INTO llm_calls (owner, run_id, node, task, n, prompt, prompt_version, prompt_hash,
        llm, model, reply, tokens_in, tokens_out, tokens_estimated, attempts, latency_ms)
        VALUES ('a', {run}, 'n', '0', 0, 'p', 1, 'h', 'l', 'm', '{{}}', 0, 0, false, 1, 0);
    INSERT INTO leases VALUES ('a', {run}, {run}, now());
    INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint)
        VALUES ('a/' || {run}, 'c', '{{}}');
    INSERT INTO checkpoint_blobs (thread_id, channel, version, type)
        VALUES ('a/' || {run}, 'c', 'v', 'empty');
    INSERT INTO checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, blob)
        VALUES ('a/' || {run}, 'c', 't', 0, 'c', '');
    """
    with psycopg.connect(access.admin) as connection:
        connection.execute(statements.encode())


def test_the_apps_role_owns_nothing_and_cannot_step_up(access: Access) -> None:
    with psycopg.connect(access.app, autocommit=True) as connection:
        owned = "SELECT count(*) FROM pg_class WHERE relowner = current_user::regrole"
        assert connection.execute(owned.encode()).fetchone() == (0,)
        for statement in (
            "ALTER TABLE memories DISABLE ROW LEVEL SECURITY",
            "SET ROLE postgres",
            "TRUNCATE memories",
            "DROP TABLE memories",
            "CREATE TABLE reasonloom.mine (x int)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())


async def test_an_owner_cannot_write_into_anothers_rows(access: Access) -> None:
    database = Database(access)
    statement = text("INSERT INTO owners (owner) VALUES ('b')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"):
        async with database.begin(Caller("a")) as tx:
            await tx.run(statement)
    await database.close()


async def test_a_connection_forgets_its_owner(access: Access) -> None:
    fill(access)
    database = Database(access, connections=1)
    async with database.begin(Caller("a")) as tx:
        assert len(await tx.all(text("SELECT * FROM owners"))) == 1
    async with database.recovering() as tx:
        assert await tx.all(text("SELECT * FROM owners")) == []
        assert len(await tx.all(text("SELECT * FROM leases"))) == 1
        assert await tx.all(text("SELECT * FROM runs")) == []
    await database.close()


async def test_many_may_bring_an_empty_database_up_to_date_at_once(postgres: TestPostgres) -> None:
    with postgres.empty() as name:
        access = postgres.access(name)
        await asyncio.gather(*(bring_up_to_date(access) for _ in range(4)))
        assert (await schema_status(access)).current == newest_step()
        again = await bring_up_to_date(access)
        assert again.up_to_date


async def test_a_database_of_a_newer_version_is_refused(access: Access) -> None:
    with psycopg.connect(access.admin) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseUnavailable, match="update reasonloom"):
        await bring_up_to_date(access)
