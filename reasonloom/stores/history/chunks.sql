-- name: known
SELECT key, memory_id, transcript, forgotten IS NOT NULL AS forgotten FROM chunks
WHERE owner = :owner AND key = ANY(CAST(:keys AS text[]))

-- name: of_transcript
-- types: transcript uuid
SELECT key, memory_id, transcript, forgotten IS NOT NULL AS forgotten FROM chunks
WHERE owner = :owner AND transcript = :transcript ORDER BY memory_id

-- name: add
INSERT INTO chunks (owner, memory_id, {{ columns }}) SELECT :owner, memory_id, {{ columns }}
FROM json_populate_recordset(CAST(NULL AS chunks), CAST(:rows AS json))

-- name: renew_memories
UPDATE memories m SET content = r.content, token_count = r.token_count, dates = r.dates,
    effect = r.effect, session_id = r.session_id, project = r.project,
    created_at = coalesce(r.at, m.created_at)
FROM json_to_recordset(CAST(:rows AS json)) AS r (memory_id bigint, content text,
    token_count int, dates text[], effect uuid, session_id uuid, project text, at timestamptz)
WHERE m.owner = :owner AND m.id = r.memory_id

-- name: renew
UPDATE chunks c SET key = r.key, transcript = r.transcript, project = r.project,
    session = r.session, agent = r.agent, first_turn = r.first_turn, last_turn = r.last_turn,
    ordinal = r.ordinal, started_at = r.started_at, ended_at = r.ended_at, tokens = r.tokens,
    continues = r.continues, files = r.files, errors = r.errors, names = r.names,
    spawns = r.spawns, at = CASE WHEN r.started_at IS NULL THEN c.at ELSE r.at END
FROM json_populate_recordset(CAST(NULL AS chunks), CAST(:rows AS json)) r
WHERE c.owner = :owner AND c.memory_id = r.memory_id

-- name: unembed
DELETE FROM embeddings WHERE owner = :owner AND memory_id = ANY(CAST(:ids AS bigint[]))

-- name: drop
WITH gone AS (
    DELETE FROM memories WHERE owner = :owner AND id = ANY(CAST(:ids AS bigint[])) RETURNING id
), counted AS (
    UPDATE owners SET memory_count = greatest(0, memory_count - (SELECT count(*) FROM gone))
    WHERE owner = :owner
)
SELECT c.project, c.session, c.agent, c.at FROM chunks c
WHERE c.owner = :owner AND c.memory_id = ANY(CAST(:ids AS bigint[]))

-- name: adopt
-- types: transcript uuid
UPDATE chunks SET transcript = :transcript
WHERE owner = :owner AND memory_id = ANY(CAST(:ids AS bigint[]))
