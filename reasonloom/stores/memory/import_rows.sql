-- name: hold_owner
-- Writers hold the owner's row until they commit: ids and effects read afterwards are complete.
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET last_memory = owners.last_memory RETURNING last_memory

-- name: effects
-- types: effects uuid[]
SELECT effect, id FROM memories WHERE owner = :owner AND effect = ANY(:effects)

-- name: count
UPDATE owners SET last_memory = last_memory + :new, memory_count = memory_count + :new
WHERE owner = :owner

-- name: store
INSERT INTO memories (owner, space, last_accessed, id, {{ new }})
SELECT :owner, :space, created_at, id, {{ new }}
FROM json_populate_recordset(CAST(NULL AS memories), CAST(:rows AS json)) ORDER BY id

-- name: stored_effects
-- types: effects uuid[]
SELECT effect, id FROM memories
WHERE owner = :owner AND space = :space AND effect = ANY(:effects)

-- name: settle
UPDATE memories m SET strength = coalesce(r.strength, m.strength), trust = r.trust,
    access_count = coalesce(r.access_count, 0),
    last_accessed = coalesce(r.last_accessed, m.last_accessed), decayed_at = r.decayed_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, strength float8, trust float8,
    access_count int, last_accessed timestamptz, decayed_at timestamptz)
WHERE m.owner = :owner AND m.id = r.id

-- name: hide
UPDATE memories m SET deleted_at = r.deleted_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (id bigint, deleted_at timestamptz)
WHERE m.owner = :owner AND m.id = r.id

-- name: link
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, created_at)
SELECT :owner, r.source, r.target, r.type, r.weight, r.origin, coalesce(r.created_at, now())
FROM json_to_recordset(CAST(:rows AS json)) AS r (source bigint, target bigint, type text,
    weight float8, origin text, created_at timestamptz)
JOIN memories s ON s.owner = :owner AND s.id = r.source
JOIN memories t ON t.owner = :owner AND t.id = r.target
WHERE r.source <> r.target
ON CONFLICT DO NOTHING

-- name: session
-- types: id uuid
SELECT id FROM sessions WHERE owner = :owner AND space = :space AND id = :id
