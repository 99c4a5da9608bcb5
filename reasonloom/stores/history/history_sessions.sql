-- name: known
SELECT id, external_name, project FROM sessions
WHERE owner = :owner AND space = :space AND external_name = ANY(CAST(:names AS text[]))

-- name: numbers
INSERT INTO owners (owner, last_session) VALUES (:owner, :new)
ON CONFLICT (owner) DO UPDATE SET last_session = owners.last_session + :new
RETURNING last_session

-- name: make
-- types: ids uuid[]
INSERT INTO sessions (owner, id, number, space, external_name, project)
SELECT :owner, id, :first + place, :space, name, project FROM unnest(
    :ids, CAST(:names AS text[]), CAST(:projects AS text[])
) WITH ORDINALITY AS s (id, name, project, place)
ON CONFLICT (owner, space, external_name) DO NOTHING

-- fragment: here
{{ seen }} AND c.session = :session
    AND (CAST(:project AS text) IS NULL OR c.project = :project)

-- name: find_sessions
SELECT c.project, c.session, count(*), sum(c.tokens)::bigint, min(c.started_at),
    max(coalesce(c.ended_at, c.started_at))
FROM chunks c WHERE {{ here }} GROUP BY c.project, c.session ORDER BY min(c.at) DESC LIMIT 20

-- name: pieces
SELECT m.id, c.agent, c.started_at, c.tokens, m.content, c.continues, c.files, c.errors
FROM (SELECT c.memory_id FROM chunks c WHERE {{ here }}
    ORDER BY c.at, c.first_turn, c.ordinal, c.memory_id LIMIT :size OFFSET :skip) picked
JOIN chunks c ON c.owner = :owner AND c.memory_id = picked.memory_id
JOIN memories m ON m.owner = :owner AND m.id = picked.memory_id AND m.space = :space
    AND m.deleted_at IS NULL
ORDER BY c.at, c.first_turn, c.ordinal, m.id
