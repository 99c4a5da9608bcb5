-- name: read_many
SELECT {{ known }} FROM memories
WHERE owner = :owner AND space = :space AND id = ANY(:ids) AND deleted_at IS NULL

-- name: hold_owner
SELECT owner FROM owners WHERE owner = :owner FOR UPDATE

-- name: hold_many
SELECT id FROM memories WHERE owner = :owner AND space = :space AND id = ANY(:ids)
    AND (:hidden OR deleted_at IS NULL) AND {{ not_past }} ORDER BY id FOR UPDATE

-- name: hide_many
UPDATE memories SET deleted_at = :at WHERE owner = :owner AND id = ANY(:ids)
    AND deleted_at IS NULL

-- name: restore_hidden
UPDATE memories SET deleted_at = NULL
WHERE owner = :owner AND space = :space AND deleted_at = :at AND {{ not_past }}

-- name: erase_many
DELETE FROM memories WHERE owner = :owner AND id = ANY(:ids)

-- name: count
UPDATE owners SET memory_count = greatest(memory_count - :gone, 0) WHERE owner = :owner

-- name: store
-- types: effect uuid, session_id uuid, run_id uuid, other_metadata jsonb
-- types: keywords text[], tags text[], dates text[]
-- Stores a memory and its vectors under the owner's next number, in one statement, unless
-- its effect has been stored before.
WITH known AS (
    SELECT id FROM memories WHERE owner = :owner AND effect = :effect
), counted AS (
    INSERT INTO owners (owner, last_memory, memory_count)
    SELECT :owner, 1, 1 WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (owner) DO UPDATE SET last_memory = owners.last_memory + 1,
        memory_count = owners.memory_count + 1
    RETURNING last_memory
), made AS (
    INSERT INTO memories (owner, id, space, last_accessed, {{ new }})
    SELECT :owner, last_memory, :space, :created_at, {{ new_parameters }}
    FROM counted RETURNING id
), embedded AS (
    INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
    SELECT :owner, made.id, :model, sectors, CAST(vector AS halfvec) FROM made, unnest(
        CAST(:sectors AS smallint[]), CAST(:vectors AS text[])) AS v (sectors, vector)
)
SELECT id FROM known UNION ALL SELECT id FROM made

-- name: link
-- types: run_id uuid
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
SELECT :owner, source.id, m.id, :kind, least(1, greatest(0, weight)), :origin, :run_id
FROM (SELECT {{ source }} AS id) source
CROSS JOIN unnest(CAST(:targets AS bigint[]), CAST(:weights AS float8[])) AS wanted (id, weight)
JOIN memories m ON m.owner = :owner AND m.id = wanted.id
WHERE m.deleted_at IS NULL AND m.id <> source.id
ON CONFLICT DO NOTHING

-- name: hide
UPDATE memories SET deleted_at = :at
WHERE owner = :owner AND id = :id AND deleted_at IS NULL AND {{ not_past }}

-- name: restore
UPDATE memories SET deleted_at = NULL
WHERE owner = :owner AND id = :id AND deleted_at IS NOT NULL AND {{ not_past }}

-- name: erase
DELETE FROM memories WHERE owner = :owner AND id = :id AND {{ not_past }}

-- name: store_vectors
INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
SELECT :owner, id, :model, sectors, CAST(vector AS halfvec) FROM unnest(
    CAST(:ids AS bigint[]), CAST(:sectors AS smallint[]), CAST(:vectors AS text[])
) AS v (id, sectors, vector)
