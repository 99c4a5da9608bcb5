-- name: read
SELECT
    (SELECT count(*) FROM sessions s WHERE s.owner = :owner AND s.space = :space AND EXISTS (
        SELECT FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id)),
    (SELECT count(*) FROM memories WHERE owner = :owner AND space = :space
        AND deleted_at IS NULL AND source_kind <> 'transcript'),
    (SELECT count(*) FROM thought_graphs g
        JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
        WHERE g.owner = :owner AND s.space = :space),
    (SELECT count(*) FROM projects WHERE owner = :owner),
    (SELECT count(*) FROM models WHERE owner = :owner)

-- name: memories
SELECT 'mem-' || id, sector, left(content, {{ longest }}), created_at FROM memories
WHERE owner = :owner AND space = :space AND deleted_at IS NULL AND {{ not_past }}
ORDER BY created_at DESC, id DESC LIMIT :most

-- name: thoughts
SELECT t.id::text, t.mode, left(t.content, {{ longest }}), t.created_at FROM thoughts t
JOIN sessions s ON s.owner = t.owner AND s.id = t.session_id
WHERE t.owner = :owner AND s.space = :space ORDER BY t.created_at DESC, t.id LIMIT :most

-- name: runs
SELECT id::text, tool, status, coalesce(finished_at, created_at) FROM runs
WHERE owner = :owner AND space = :space ORDER BY created_at DESC, id LIMIT :most

-- name: of_session
-- types: id uuid
SELECT s.updated_at,
    (SELECT max(t.position) FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id),
    (SELECT (count(*), max(c.created_at))::text FROM runs r
        JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
        WHERE r.owner = s.owner AND r.status = 'running' AND r.created_at > now() - interval '1 day'
        AND (r.session_id = s.id OR r.input ->> 'session_id' = s.id::text)),
    (SELECT max(k.number) FROM session_checkpoints k
        WHERE k.owner = s.owner AND k.session_id = s.id)
FROM sessions s WHERE s.owner = :owner AND s.space = :space AND s.id = :id

-- name: of_run
-- types: id uuid
SELECT r.status, r.finished_at,
    (SELECT (count(*), max(c.created_at))::text FROM llm_calls c
        WHERE c.owner = r.owner AND c.run_id = r.id)
FROM runs r WHERE r.owner = :owner AND r.space = :space AND r.id = :id

-- name: of_graph
-- types: id uuid
SELECT g.updated_at, g.finalized_at FROM thought_graphs g
JOIN sessions s ON s.owner = g.owner AND s.id = g.session_id
WHERE g.owner = :owner AND s.space = :space AND g.id = :id

-- name: of_sessions
SELECT max(updated_at), max(number) FROM sessions WHERE owner = :owner AND space = :space

-- name: of_runs
SELECT max(created_at), max(finished_at) FROM (SELECT created_at, finished_at FROM runs
    WHERE owner = :owner AND space = :space ORDER BY created_at DESC LIMIT 50) AS last
