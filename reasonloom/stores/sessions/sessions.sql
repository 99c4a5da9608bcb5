-- name: open
-- types: id uuid
-- Finds a session or inserts it with the owner's next number, in one statement.
WITH known AS (
    SELECT id FROM sessions WHERE owner = :owner AND space = :space
    AND CASE WHEN CAST(:name AS text) IS NULL THEN id = :id ELSE external_name = :name END
), counted AS (
    INSERT INTO owners (owner, last_session) SELECT :owner, 1 WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (owner) DO UPDATE SET last_session = owners.last_session + 1
    RETURNING last_session
), made AS (
    INSERT INTO sessions (owner, id, number, space, external_name, mode, project, client)
    SELECT :owner, :id, last_session, :space, :name, :mode, :project, :client FROM counted
    ON CONFLICT DO NOTHING RETURNING id
)
SELECT id FROM known UNION ALL SELECT id FROM made

-- fragment: columns
id, number, mode, coalesce(active_branch_id, id) AS active_branch_id, metadata, created_at,
    updated_at

-- name: find
-- types: id uuid
SELECT {{ columns }} FROM sessions WHERE owner = :owner AND space = :space AND id = :id

-- name: hold
-- types: id uuid
UPDATE sessions SET updated_at = clock_timestamp()
WHERE owner = :owner AND space = :space AND id = :id RETURNING {{ columns }}

-- name: make_active
-- types: id uuid, branch uuid
UPDATE sessions SET active_branch_id = :branch WHERE owner = :owner AND id = :id

-- name: newest
SELECT {{ columns }} FROM sessions WHERE owner = :owner AND space = :space
ORDER BY updated_at DESC, number DESC LIMIT :limit

-- fragment: found
owner = :owner AND space = :space
    AND (:empty OR EXISTS (SELECT FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id))
    AND (:words = '' OR number::text = :words
    OR position(lower(:words) IN lower(concat_ws(' ', mode, project, external_name, id::text))) > 0
    OR EXISTS (SELECT FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id
        AND position(lower(:words) IN lower(concat(t.input, ' ', t.content))) > 0))

-- name: page
SELECT s.id, s.number, s.mode, s.project, s.external_name, s.updated_at,
    (SELECT count(*) FROM thoughts t WHERE t.owner = s.owner AND t.session_id = s.id),
    (SELECT count(*) FROM branches b WHERE b.owner = s.owner AND b.session_id = s.id),
    coalesce((SELECT left(t.input, {{ longest }}) FROM thoughts t
        WHERE t.owner = s.owner AND t.session_id = s.id ORDER BY t.position LIMIT 1), '')
FROM sessions s WHERE {{ found }}
ORDER BY s.updated_at DESC, s.number DESC LIMIT :size OFFSET :skip

-- name: count
SELECT count(*) FROM sessions s WHERE {{ found }}
