-- name: add
-- types: id uuid, model uuid, basin uuid, vector halfvec
INSERT INTO predictions (owner, id, model, template, content, suggest, confidence, context,
    likeness, matched_by, basin, vector, embedder, version, tool, made_at, expires_at)
VALUES (:owner, :id, :model, :template, :content, :suggest, :confidence, :context, :likeness,
    :matched_by, :basin, :vector, :embedder, :version, :tool, :made_at, :expires_at)
ON CONFLICT DO NOTHING

-- fragment: see
SELECT p.id, p.model, p.template, t.trigger, p.content, p.suggest, p.confidence, p.context,
    p.likeness, p.matched_by, p.basin, p.version, p.tool, p.made_at, p.expires_at,
    p.observation, p.correct, p.judged_by, p.resolved_at
FROM predictions p JOIN model_templates t
    ON t.owner = p.owner AND t.model = p.model AND t.number = p.template
WHERE p.owner = :owner

-- name: one
-- types: id uuid
{{ see }} AND p.id = :id

-- name: newest
-- types: model uuid
{{ see }} AND p.model = :model ORDER BY p.made_at DESC, p.id DESC LIMIT :most

-- name: open
-- types: model uuid
SELECT id, confidence FROM predictions WHERE owner = :owner AND model = :model
    AND template = :template AND context = :context AND correct IS NULL AND expires_at > :now
ORDER BY made_at DESC, id LIMIT 1

-- name: resolve
-- types: correct boolean, id uuid
WITH resolved AS (
    UPDATE predictions SET observation = :observation, correct = :correct,
        judged_by = :judged_by, resolved_at = :now
    WHERE owner = :owner AND id = :id AND correct IS NULL AND expires_at > :now
    RETURNING model, power(confidence - CAST(CAST(:correct AS boolean) AS integer), 2) AS error
)
UPDATE models m SET resolved = m.resolved + 1,
    correct = m.correct + CAST(CAST(:correct AS boolean) AS integer),
    squared_error = m.squared_error + resolved.error, updated_at = :now
FROM resolved WHERE m.owner = :owner AND m.id = resolved.model
RETURNING m.id, m.resolved, m.correct, m.squared_error

-- name: record
-- types: model uuid
SELECT template, basin, count(*) AS resolved, count(*) FILTER (WHERE correct) AS correct
FROM predictions WHERE owner = :owner AND model = :model AND correct IS NOT NULL
GROUP BY template, basin

-- name: back_test
-- types: basins uuid[], former uuid[], model uuid
SELECT count(*) AS tested, count(*) FILTER (WHERE p.correct) AS correct
FROM predictions p LEFT JOIN LATERAL (
    SELECT near.id FROM (
        SELECT b.id, CASE WHEN b.model = p.embedder THEN 1 - (b.centroid <=> p.vector) END AS cosine
        FROM basins b WHERE b.owner = p.owner AND b.id = ANY(CAST(:basins AS uuid[]) || :former)
    ) near
    WHERE near.cosine > :floor ORDER BY near.cosine DESC, near.id LIMIT 1) home ON true
WHERE p.owner = :owner AND p.model = :model AND p.correct IS NOT NULL
    AND (home.id IS NULL OR home.id = ANY(:basins))

-- name: read
-- types: model uuid
SELECT step, count(*), count(*) FILTER (WHERE correct), avg(confidence) FROM (
    SELECT least({{ steps }} - 1, greatest(0, floor(confidence * {{ steps }})))::integer AS step,
        confidence, correct
    FROM predictions WHERE owner = :owner AND model = :model AND correct IS NOT NULL) resolved
GROUP BY step ORDER BY step

-- name: states
-- types: model uuid
SELECT count(*) FILTER (WHERE correct IS NULL AND expires_at > :now),
    count(*) FILTER (WHERE correct IS NOT NULL),
    count(*) FILTER (WHERE correct IS NULL AND expires_at <= :now)
FROM predictions WHERE owner = :owner AND model = :model
