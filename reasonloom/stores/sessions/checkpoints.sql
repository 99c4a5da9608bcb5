-- name: create
-- types: id uuid, session_id uuid, branch_id uuid, head_id uuid, snapshot jsonb, run_id uuid
INSERT INTO session_checkpoints (owner, id, session_id, number, branch_id, head_id, name,
    description, snapshot, run_id)
SELECT :owner, :id, :session_id, coalesce(max(number), 0) + 1, :branch_id, :head_id, :name,
    :description, :snapshot, :run_id
FROM session_checkpoints WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING

-- name: restore_state
-- types: state jsonb, session uuid, new_branch uuid
UPDATE branches b SET state = was.state, updated_at = clock_timestamp()
FROM (SELECT id, coalesce(CAST(:state AS jsonb) -> 'branches' -> CAST(id AS text) ->> 'state',
        'abandoned') AS state
    FROM branches WHERE owner = :owner AND session_id = :session AND id <> :new_branch) was
WHERE b.owner = :owner AND b.id = was.id AND b.state <> was.state

-- name: snapshot_state
-- types: id uuid, session uuid, state jsonb, run uuid
INSERT INTO state_snapshots (owner, id, session_id, cause, state, run_id)
VALUES (:owner, :id, :session, :cause, :state, :run) ON CONFLICT (owner, id) DO NOTHING

-- fragment: of_space
FROM session_checkpoints k JOIN sessions s ON s.owner = k.owner AND s.id = k.session_id
WHERE k.owner = :owner AND s.space = :space

-- name: find
-- types: id uuid
SELECT {{ columns }} {{ of_space }} AND k.id = :id

-- name: of_session
-- types: session uuid
SELECT {{ columns }} {{ of_space }} AND k.session_id = :session ORDER BY k.number
