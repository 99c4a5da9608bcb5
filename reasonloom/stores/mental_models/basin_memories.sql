-- fragment: embedded
FROM memories m JOIN embeddings e ON e.owner = m.owner AND e.memory_id = m.id
    AND e.model = :model AND e.sectors & {{ semantic }} <> 0
WHERE {{ present }}

-- name: ids
SELECT m.id {{ embedded }} AND m.id > :after ORDER BY m.id

-- name: vectors
SELECT m.id, halfvec_send(e.embedding) {{ embedded }} AND m.id = ANY(:ids) ORDER BY m.id

-- name: counted
SELECT count(*) FILTER (WHERE m.id <= :after) AS until,
    count(*) FILTER (WHERE m.id > :after) AS since
FROM memories m WHERE {{ present }}

-- name: contents
SELECT id, left(content, :most) FROM memories
WHERE owner = :owner AND id = ANY(:ids) ORDER BY id

-- name: basin_names
SELECT DISTINCT ON (k.memory_id) k.memory_id, b.name FROM basin_members k
JOIN basins b ON b.owner = k.owner AND b.id = k.basin
WHERE k.owner = :owner AND k.memory_id = ANY(:ids) ORDER BY k.memory_id, k.strength DESC, b.name

-- name: siblings
WITH home AS (
    SELECT DISTINCT ON (k.basin) k.basin, found.id, found.place
    FROM unnest(CAST(:leads AS bigint[])) WITH ORDINALITY AS found (id, place)
    JOIN basin_members k ON k.owner = :owner AND k.memory_id = found.id
    ORDER BY k.basin, found.place
), lead AS (SELECT basin, id FROM home ORDER BY place, basin LIMIT :most_basins)
SELECT near.id, near.cosine, lead.id, lead.basin FROM lead CROSS JOIN LATERAL (
    SELECT m.id, CAST(least(1, greatest(0, 1 - (e.embedding <=> own.embedding))) AS float8) AS cosine
    FROM embeddings own, basin_members k
    JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
    JOIN embeddings e ON e.owner = k.owner AND e.memory_id = k.memory_id AND e.model = :model
        AND e.sectors & {{ semantic }} <> 0
    WHERE own.owner = :owner AND own.memory_id = lead.id AND own.model = :model
        AND own.sectors & {{ semantic }} <> 0
        AND k.owner = :owner AND k.basin = lead.basin AND NOT k.memory_id = ANY(:leads)
        AND {{ where }}
    ORDER BY cosine DESC, m.id LIMIT :most) near

-- name: sample
-- types: cluster uuid
-- The hash of a memory's number picks the same ones each time, whatever else the filter takes in.
SELECT picked.id, picked.sector, picked.project, picked.content, halfvec_send(e.embedding)
FROM (SELECT m.id, m.sector, m.project, left(m.content, {{ longest }}) AS content FROM memories m
    WHERE {{ where }} AND (hashint8(m.id) & {{ last_slot }}) < :share
    ORDER BY m.id DESC LIMIT :most) picked
LEFT JOIN embeddings e ON e.owner = :owner AND e.memory_id = picked.id AND e.model = :model
    AND e.sectors & {{ semantic }} <> 0
ORDER BY picked.id
