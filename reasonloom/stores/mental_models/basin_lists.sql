-- fragment: basin_columns
b.id, b.name, b.named_by, b.keywords, b.coherence, b.formed_at, b.updated_at

-- fragment: models
(SELECT count(*) FROM model_basins u WHERE u.owner = b.owner AND u.basin = b.id)

-- fragment: size
(SELECT count(*) FROM basin_members k JOIN memories m ON m.owner = k.owner
    AND m.id = k.memory_id AND m.deleted_at IS NULL WHERE k.owner = b.owner AND k.basin = b.id)

-- name: page
WITH sized AS (
    SELECT k.basin, count(*) AS members FROM basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id AND m.deleted_at IS NULL
    WHERE k.owner = :owner GROUP BY k.basin)
SELECT {{ basin_columns }}, coalesce(s.members, 0) AS members, {{ models }}
FROM basins b LEFT JOIN sized s ON s.basin = b.id
WHERE b.owner = :owner AND (NOT :without_model OR {{ models }} = 0)
ORDER BY members DESC, b.name, b.id LIMIT :size OFFSET :skip

-- name: some
-- types: ids uuid[]
SELECT {{ basin_columns }}, {{ size }} AS members, {{ models }} FROM basins b
WHERE b.owner = :owner AND b.id = ANY(:ids) ORDER BY members DESC, b.name, b.id

-- name: count
SELECT count(*) FROM basins b WHERE b.owner = :owner AND (NOT :without_model OR {{ models }} = 0)

-- name: names
SELECT id, name FROM basins WHERE owner = :owner ORDER BY name LIMIT {{ most_names }}

-- name: strongest
-- types: ids uuid[]
-- What is joined sideways is looked up by its number, whatever is known of how many there are.
SELECT wanted.basin, k.memory_id, k.strength, m.content
FROM unnest(:ids) wanted (basin) CROSS JOIN LATERAL (
    SELECT memory_id, strength FROM basin_members WHERE owner = :owner AND basin = wanted.basin
    ORDER BY strength DESC, memory_id LIMIT 4 * :most) k
CROSS JOIN LATERAL (
    SELECT left(content, :longest) AS content FROM memories
    WHERE owner = :owner AND id = k.memory_id AND deleted_at IS NULL LIMIT 1) m
ORDER BY wanted.basin, k.strength DESC, k.memory_id

-- fragment: part
-- What a member brings; the power is bounded, for a float cannot be smaller than 2^-1074.
k.strength * m.strength * power(CAST(0.5 AS float8), least(1000, greatest(0,
        extract(epoch FROM CAST(:at AS timestamptz) - m.last_accessed)::float8)
        / 86400 / CAST(:half_life AS float8)))

-- name: activity
SELECT basin, count(*) AS members, avg(part) FILTER (WHERE place <= :most) AS activation
FROM (
    SELECT k.basin, {{ part }} AS part,
        row_number() OVER (PARTITION BY k.basin ORDER BY {{ part }} DESC, k.memory_id) AS place
    FROM basin_members k JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
    WHERE k.owner = :owner AND {{ present }}) counted
GROUP BY basin

-- name: between
-- types: ids uuid[]
WITH inside AS MATERIALIZED (
    SELECT k.basin, k.memory_id, k.strength FROM basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
    WHERE k.owner = :owner AND {{ present }} AND (:everything OR k.basin = ANY(:ids))
)
SELECT a.basin AS source, b.basin AS target, e.type, count(*) AS count,
    sum(e.weight * least(a.strength, b.strength)) AS weight
FROM inside a JOIN edges e ON e.owner = :owner AND e.source_id = a.memory_id
JOIN inside b ON b.memory_id = e.target_id
WHERE a.basin <> b.basin GROUP BY a.basin, b.basin, e.type

-- name: sessions
-- types: ids uuid[]
WITH met AS MATERIALIZED (
    SELECT k.basin, m.session_id, min(m.created_at) AS first FROM basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
    WHERE k.owner = :owner AND {{ present }} AND m.session_id IS NOT NULL
        AND (:everything OR k.basin = ANY(:ids))
    GROUP BY k.basin, m.session_id
)
SELECT a.basin AS source, b.basin AS target, count(*) AS count
FROM met a JOIN met b USING (session_id) WHERE a.first < b.first GROUP BY a.basin, b.basin
