-- fragment: lacking
NOT EXISTS (SELECT FROM embeddings e WHERE e.owner = :owner AND e.memory_id = m.id
    AND e.model = :model)

-- fragment: state
md5(jsonb_build_array(m.content, m.context, m.tags, m.category)::text)

-- name: foreign
WITH ends AS (
    SELECT (SELECT memory_id FROM embeddings WHERE owner = :owner
            ORDER BY memory_id LIMIT 1) AS first,
        (SELECT memory_id FROM embeddings WHERE owner = :owner
            ORDER BY memory_id DESC LIMIT 1) AS last
), probed AS (
    SELECT DISTINCT near.memory_id FROM ends, generate_series(0, :probes) AS place,
        LATERAL (SELECT memory_id FROM embeddings WHERE owner = :owner
            AND memory_id >= first + (last - first) * place / :probes
            ORDER BY memory_id LIMIT 1) near
)
SELECT DISTINCT e.model FROM probed m JOIN embeddings e
    ON e.owner = :owner AND e.memory_id = m.memory_id
WHERE NOT EXISTS (SELECT FROM embeddings own WHERE own.owner = :owner
    AND own.memory_id = m.memory_id AND own.model = :model)
ORDER BY 1

-- name: count
SELECT count(*) AS memories, count(*) FILTER (WHERE {{ lacking }}) AS lacking FROM memories m
WHERE m.owner = :owner AND m.space = :space

-- name: models
SELECT model, count(DISTINCT memory_id) AS memories FROM embeddings WHERE owner = :owner
GROUP BY model ORDER BY model

-- name: batch
SELECT m.id, m.content, m.context, m.tags, {{ state }} AS state FROM memories m
WHERE m.owner = :owner AND m.space = :space AND m.id < :before AND {{ lacking }}
ORDER BY m.id DESC LIMIT :size

-- name: hold
-- Holds what is as it was read; what somebody changes at the moment gets its vectors there.
SELECT m.id FROM memories m
JOIN unnest(CAST(:ids AS bigint[]), CAST(:states AS text[])) AS seen (id, state)
    ON m.id = seen.id AND {{ state }} = seen.state
WHERE m.owner = :owner AND {{ lacking }}
ORDER BY m.id FOR NO KEY UPDATE OF m SKIP LOCKED

-- name: embed
INSERT INTO embeddings (owner, memory_id, model, sectors, embedding)
SELECT :owner, id, :model, sectors, CAST(vector AS halfvec) FROM unnest(
    CAST(:ids AS bigint[]), CAST(:sectors AS smallint[]), CAST(:vectors AS text[])
) AS v (id, sectors, vector)
ON CONFLICT DO NOTHING

-- name: drop
DELETE FROM embeddings WHERE (owner, memory_id, model, sectors) IN (
    SELECT e.owner, e.memory_id, e.model, e.sectors FROM embeddings e
    WHERE e.owner = :owner AND e.model <> :model AND EXISTS (
        SELECT FROM embeddings own WHERE own.owner = :owner
            AND own.memory_id = e.memory_id AND own.model = :model)
    LIMIT :size)
