-- name: hold
SELECT {{ held }}, s.external_name AS session
FROM memories m LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.id = :id AND m.deleted_at IS NULL
    AND NOT EXISTS (SELECT FROM chunks c WHERE c.owner = m.owner AND c.memory_id = m.id)
FOR NO KEY UPDATE OF m

-- name: hold_partners
SELECT id FROM memories WHERE owner = :owner AND (id = ANY(:ids) OR id IN (
    SELECT target_id FROM edges
    WHERE owner = :owner AND source_id = :id AND origin = ANY(:origins)))
ORDER BY id FOR KEY SHARE

-- name: rewrite
-- types: keywords text[], tags text[], dates text[], other_metadata jsonb
UPDATE memories SET {{ assignments }} WHERE owner = :owner AND id = :id

-- name: drop_vectors
DELETE FROM embeddings WHERE owner = :owner AND memory_id = :id

-- name: drop_waypoints
DELETE FROM edges WHERE owner = :owner AND source_id = :id AND origin = ANY(:origins)
