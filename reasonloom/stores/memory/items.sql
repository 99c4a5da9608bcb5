-- fragment: live
i.owner = :owner AND (i.expires_at IS NULL OR i.expires_at > :at) AND (i.memory_id IS NULL
    OR EXISTS (SELECT FROM memories h
        WHERE h.owner = i.owner AND h.id = i.memory_id AND h.deleted_at IS NULL))

-- fragment: renewal
CAST(:at AS timestamptz) + ttl_minutes * interval '1 minute'

-- fragment: item
i.namespace, i.key, i.value, i.created_at, i.updated_at

-- name: get
-- types: namespace text[]
WITH found AS (
    SELECT {{ item }} FROM items i WHERE {{ live }} AND i.namespace = :namespace AND i.key = :key
), renewed AS (
    UPDATE items SET expires_at = {{ renewal }} FROM found
    WHERE :refresh AND owner = :owner AND items.namespace = found.namespace
        AND items.key = found.key AND ttl_minutes IS NOT NULL
)
SELECT * FROM found

-- name: search
-- types: prefix text[]
-- The namespaces below one are those between it and the same with the last label there can be.
WITH found AS (
    SELECT {{ item }}, {{ score }} AS score FROM items i {{ joined }}
    WHERE {{ live }} AND i.namespace >= :prefix AND i.namespace < array_append(:prefix, CAST(:last AS text))
    {{ filters }}
    ORDER BY score DESC, i.updated_at DESC, i.namespace, i.key LIMIT :limit OFFSET :offset
), renewed AS (
    UPDATE items SET expires_at = {{ renewal }} FROM found
    WHERE :refresh AND owner = :owner AND items.namespace = found.namespace
        AND items.key = found.key AND ttl_minutes IS NOT NULL
)
SELECT * FROM found ORDER BY score DESC, updated_at DESC, namespace, key

-- name: namespaces
SELECT DISTINCT i.namespace[1:CAST(:depth AS integer)] AS part FROM items i
WHERE {{ live }} {{ conditions }} ORDER BY part LIMIT :limit OFFSET :offset

-- name: hold_owner
-- Makes the owner's row where there is none yet: of two first writes the second waits.
INSERT INTO owners (owner) VALUES (:owner)
ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner

-- name: held
-- types: namespace text[]
-- A hidden or superseded memory stays as it is: the next value gets one of its own.
SELECT CASE WHEN {{ live }} THEN i.created_at ELSE :at END AS created_at, m.id AS memory_id
FROM items i LEFT JOIN memories m
    ON m.owner = i.owner AND m.id = i.memory_id AND m.deleted_at IS NULL
        AND m.superseded_by IS NULL
WHERE i.owner = :owner AND i.namespace = :namespace AND i.key = :key

-- name: put
-- types: namespace text[]
-- The space is noted so that background jobs find the owner.
WITH noted AS (
    INSERT INTO spaces (owner, space) VALUES (:owner, :space) ON CONFLICT DO NOTHING
)
INSERT INTO items (owner, namespace, key, value, memory_id, ttl_minutes, expires_at, created_at,
    updated_at)
VALUES (:owner, :namespace, :key, CAST(:value AS json), :memory_id, :ttl,
    CAST(:at AS timestamptz) + CAST(:ttl AS float8) * interval '1 minute', :created_at, :at)
ON CONFLICT (owner, namespace, key) DO UPDATE SET value = excluded.value,
    memory_id = excluded.memory_id, ttl_minutes = excluded.ttl_minutes,
    expires_at = excluded.expires_at, created_at = excluded.created_at,
    updated_at = excluded.updated_at

-- name: delete
-- types: namespace text[]
DELETE FROM items WHERE owner = :owner AND namespace = :namespace AND key = :key
RETURNING memory_id

-- name: sweep
DELETE FROM items WHERE owner = :owner AND (namespace, key) IN (
    SELECT namespace, key FROM items WHERE owner = :owner AND expires_at <= :at
    ORDER BY expires_at LIMIT :size)
RETURNING memory_id
