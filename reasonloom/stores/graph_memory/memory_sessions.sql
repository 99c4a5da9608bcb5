-- fragment: where
c.owner = :owner AND c.space = :space AND c.client = :client AND c.project = :project

-- name: find
SELECT s.id, s.number, s.ended_at FROM current_sessions c
JOIN sessions s ON s.owner = c.owner AND s.id = c.session_id WHERE {{ where }}

-- name: set
-- types: session_id uuid
INSERT INTO current_sessions (owner, space, client, project, session_id)
VALUES (:owner, :space, :client, :project, :session_id)
ON CONFLICT (owner, space, client, project)
    DO UPDATE SET session_id = EXCLUDED.session_id, updated_at = now()

-- name: hold
SELECT owner FROM owners WHERE owner = :owner FOR NO KEY UPDATE

-- name: make_and_hold
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_session = owners.last_session

-- name: open_number
-- types: id uuid
-- The owner's row is held. Numbers given later go on behind the largest that is there.
WITH counted AS (
    UPDATE owners SET last_session = greatest(last_session, :number) WHERE owner = :owner
    RETURNING owner
)
INSERT INTO sessions (owner, id, number, space, mode, project, client)
SELECT :owner, :id, :number, :space, :mode, :project, :client FROM counted
ON CONFLICT DO NOTHING RETURNING id

-- name: number
-- types: id uuid
SELECT number FROM sessions WHERE owner = :owner AND id = :id

-- name: next
SELECT last_session + 1 AS number FROM owners WHERE owner = :owner

-- name: leave
-- types: id uuid
DELETE FROM current_sessions WHERE owner = :owner AND session_id = :id

-- name: reopen
-- types: id uuid
UPDATE sessions SET ended_at = NULL, updated_at = now() WHERE owner = :owner AND id = :id

-- fragment: session
SELECT id, number, metadata, ended_at, episode_id FROM sessions s

-- name: of_number
{{ session }} WHERE s.owner = :owner AND s.space = :space AND s.number = :number

-- name: of_id
-- types: id uuid
{{ session }} WHERE s.owner = :owner AND s.space = :space AND s.id = :id

-- name: merge
-- types: id uuid
UPDATE sessions SET metadata = metadata || CAST(:metadata AS jsonb), updated_at = now()
WHERE owner = :owner AND id = :id RETURNING metadata

-- name: end
-- types: id uuid
UPDATE sessions SET ended_at = coalesce(ended_at, :at), updated_at = now(),
    episode_id = coalesce(CAST(:episode AS bigint), episode_id)
WHERE owner = :owner AND id = :id

-- name: head
-- What supersedes a memory is newer than it, so that this ends.
WITH RECURSIVE later (id, superseded_by) AS (
    SELECT m.id, m.superseded_by FROM memories m WHERE {{ visible_nodes }} AND m.id = :id
    UNION ALL
    SELECT m.id, m.superseded_by FROM later JOIN memories m ON m.id = later.superseded_by
    WHERE {{ visible_nodes }}
)
SELECT id FROM later WHERE superseded_by IS NULL
