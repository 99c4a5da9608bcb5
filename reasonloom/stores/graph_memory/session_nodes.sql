-- name: chain
-- types: run_id uuid, session_id uuid
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
SELECT :owner, before.id, new.id, 'temporal_next', :weight, :origin, :run_id
FROM (SELECT {{ source }} AS id) new CROSS JOIN LATERAL (
    SELECT m.id FROM memories m
    WHERE m.owner = :owner AND m.space = :space AND m.session_id = :session_id AND m.id < new.id
        AND m.deleted_at IS NULL AND m.source_kind IN ('user', 'tool')
    ORDER BY m.id DESC LIMIT 1) before
ON CONFLICT DO NOTHING

-- fragment: of_session
m.session_id = :session AND m.tool <> :episode_tool

-- name: count
-- types: session uuid
SELECT count(*) AS nodes, count(*) FILTER (WHERE m.id > :after AND m.id <> :head) AS since
FROM memories m WHERE {{ visible_nodes }} AND {{ of_session }}

-- fragment: kind
CASE WHEN m.tool <> :talk_tool THEN m.event_type
    WHEN m.source_kind = 'user' THEN 'user' ELSE 'agent' END

-- name: read
-- types: session uuid
SELECT id, kind, content, confidence, created_at FROM (
    SELECT m.id, {{ kind }} AS kind, m.content, m.confidence, m.created_at,
        row_number() OVER (PARTITION BY {{ kind }} ORDER BY m.id DESC) AS place
    FROM memories m WHERE {{ current_nodes }} AND {{ of_session }}) ranked
WHERE place <= :most ORDER BY id

-- name: newest
-- types: session uuid
SELECT {{ node_columns }} FROM memories m
WHERE {{ current_nodes }} AND {{ of_session }} AND m.event_type = :event_type
ORDER BY m.id DESC LIMIT :most

-- name: join
-- types: run_id uuid, session uuid
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
SELECT m.owner, m.id, :episode, 'part_of', :weight, :origin, :run_id FROM memories m
WHERE {{ visible_nodes }} AND {{ of_session }} AND m.id < :episode ORDER BY m.id DESC LIMIT :most
ON CONFLICT DO NOTHING
