-- name: known
-- types: ids uuid[]
SELECT id FROM basins WHERE owner = :owner AND id = ANY(:ids) FOR KEY SHARE

-- name: names
-- types: ids uuid[]
SELECT id, name FROM basins WHERE owner = :owner AND id = ANY(:ids)

-- fragment: sizes
SELECT b.id, b.name, b.keywords, b.coherence, b.formed_at, b.updated_at,
    (SELECT count(*) FROM basin_members m JOIN memories k
        ON k.owner = m.owner AND k.id = m.memory_id AND k.deleted_at IS NULL
        WHERE m.owner = b.owner AND m.basin = b.id) AS members,
    (SELECT count(*) FROM model_basins u WHERE u.owner = b.owner AND u.basin = b.id) AS models,
    count(*) OVER () AS total
FROM basins b WHERE b.owner = :owner

-- name: largest
{{ sizes }} ORDER BY members DESC, b.name, b.id LIMIT :most

-- name: near
-- types: vector halfvec, ids uuid[]
SELECT id, 1 - (centroid <=> :vector) AS cosine FROM basins
WHERE owner = :owner AND id = ANY(:ids) AND model = :model ORDER BY centroid <=> :vector LIMIT 1

-- fragment: strongest
-- What is joined sideways is looked up by its number, whatever is known of how many there are.
SELECT m.memory_id, m.strength, k.content FROM basin_members m
CROSS JOIN LATERAL (
    SELECT left(content, :most_text) AS content FROM memories
    WHERE owner = :owner AND id = m.memory_id AND deleted_at IS NULL LIMIT 1) k
WHERE m.owner = :owner AND m.basin = wanted.id
ORDER BY m.strength DESC, m.memory_id LIMIT :most

-- name: members
-- types: ids uuid[]
SELECT wanted.id AS basin, m.memory_id, m.strength, m.content
FROM unnest(:ids) wanted (id) CROSS JOIN LATERAL ({{ strongest }}) m
ORDER BY wanted.id, m.strength DESC, m.memory_id

-- name: dense
SELECT wanted.*, ARRAY(SELECT jsonb_build_array(memory_id, strength, content)
        FROM ({{ strongest }}) m) AS evidence,
    EXISTS (SELECT FROM models o WHERE o.owner = :owner AND o.name = left(wanted.name, :most_name))
FROM (SELECT * FROM ({{ sizes }}) sized
    WHERE members >= :least AND models = 0 AND coherence >= :coherence
    ORDER BY members * coherence DESC, name, id LIMIT :most_basins) wanted
ORDER BY members * coherence DESC, name, id

-- name: records
SELECT p.model, p.basin, count(*) AS resolved, count(*) FILTER (WHERE p.correct) AS correct,
    (array_agg(p.id ORDER BY p.resolved_at DESC) FILTER (WHERE NOT p.correct))[
        1:CAST(:most AS integer)] AS wrong
FROM predictions p JOIN models m ON m.owner = p.owner AND m.id = p.model AND m.status = 'active'
WHERE p.owner = :owner AND p.correct IS NOT NULL
GROUP BY p.model, p.basin ORDER BY p.model, p.basin
