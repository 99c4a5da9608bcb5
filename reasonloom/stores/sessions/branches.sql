-- name: plant
-- types: id uuid, session_id uuid, parent_id uuid, head_id uuid, run_id uuid, metadata jsonb
INSERT INTO branches (owner, id, session_id, number, name, parent_id, confidence, priority,
    head_id, run_id, metadata)
SELECT :owner, :id, :session_id, CASE WHEN CAST(:id AS uuid) = :session_id THEN 0
    ELSE greatest(max(number), 0) + 1 END, :name, :parent_id,
    coalesce(CAST(:confidence AS double precision), (SELECT t.confidence FROM thoughts t
        WHERE t.owner = :owner AND t.id = CAST(:head_id AS uuid)), 0),
    :priority, :head_id, :run_id, :metadata
FROM branches WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING

-- name: advance
-- types: thought uuid, branch uuid
-- A step on a finished branch reopens it if it is the active one.
UPDATE branches b SET head_id = :thought, confidence = :confidence,
    updated_at = clock_timestamp(),
    state = CASE WHEN b.id = coalesce(s.active_branch_id, s.id) THEN 'active' ELSE b.state END
FROM sessions s
WHERE b.owner = :owner AND b.id = :branch AND s.owner = :owner AND s.id = b.session_id

-- name: of_session
-- types: session uuid
SELECT {{ columns }} FROM branches WHERE owner = :owner AND session_id = :session ORDER BY number

-- name: find
-- types: session uuid, id uuid
SELECT {{ columns }} FROM branches
WHERE owner = :owner AND session_id = :session AND id = :id

-- name: head
-- types: id uuid
SELECT name, head_id FROM branches WHERE owner = :owner AND id = :id

-- name: session_of
-- types: id uuid
SELECT s.id FROM sessions s LEFT JOIN branches b ON b.owner = s.owner AND b.session_id = s.id
WHERE s.owner = :owner AND s.space = :space AND (b.id = :id OR s.id = :id) LIMIT 1

-- name: branch_of
-- types: id uuid
SELECT branch_id FROM thoughts WHERE owner = :owner AND id = :id

-- name: set_states
-- types: ids uuid[]
UPDATE branches SET state = :state, updated_at = clock_timestamp()
WHERE owner = :owner AND id = ANY(:ids) RETURNING updated_at
