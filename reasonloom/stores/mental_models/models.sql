-- name: create
-- types: id uuid, basins uuid[], templates jsonb
WITH made AS (
    INSERT INTO models (owner, id, name, domain, description, status, created_at, updated_at)
    VALUES (:owner, :id, :name, :domain, :description, :status, :now, :now)
    ON CONFLICT DO NOTHING RETURNING id),
basins_put AS (
    INSERT INTO model_basins (owner, model, basin, position)
    SELECT :owner, made.id, given.basin, given.place
    FROM made, unnest(:basins) WITH ORDINALITY given (basin, place)),
templates_put AS (
    INSERT INTO model_templates (owner, model, number, trigger, predict, suggest, other_keys)
    SELECT :owner, made.id, place, each ->> 'trigger', each ->> 'predict', each ->> 'suggest',
        each -> 'other_keys'
    FROM made, jsonb_array_elements(:templates) WITH ORDINALITY given (each, place))
SELECT count(*) FROM made

-- name: made
-- types: id uuid
SELECT FROM models WHERE owner = :owner AND id = :id AND name = :name

-- name: put_basins
-- types: id uuid, basins uuid[]
INSERT INTO model_basins (owner, model, basin, position)
SELECT :owner, :id, given.basin, given.place + coalesce((SELECT max(b.position)
    FROM model_basins b WHERE b.owner = :owner AND b.model = :id), 0)
FROM unnest(:basins) WITH ORDINALITY given (basin, place) ON CONFLICT DO NOTHING

-- fragment: whole
SELECT m.id, m.name, m.domain, m.description, m.status, m.version, m.resolved, m.correct,
    m.squared_error, m.created_at, m.updated_at,
    ARRAY(SELECT b.basin FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id
        ORDER BY b.position) AS basins,
    ARRAY(SELECT b.basin FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id
        AND NOT EXISTS (SELECT FROM basins k WHERE k.owner = m.owner AND k.id = b.basin)
        ORDER BY b.position) AS missing,
    coalesce((SELECT jsonb_agg(jsonb_build_object('trigger', t.trigger, 'predict', t.predict,
        'suggest', t.suggest, 'other_keys', t.other_keys) ORDER BY t.number)
        FROM model_templates t WHERE t.owner = m.owner AND t.model = m.id), '[]') AS templates
FROM models m

-- name: one
-- types: id uuid
{{ whole }} WHERE m.owner = :owner AND m.id = :id

-- name: active
{{ whole }} WHERE m.owner = :owner AND m.status = 'active'
ORDER BY m.created_at DESC, m.id DESC LIMIT :most

-- name: hold
-- types: id uuid
SELECT FROM models WHERE owner = :owner AND id = :id FOR UPDATE

-- name: list
SELECT m.id, m.name, m.domain, m.status, m.version, m.resolved, m.correct, m.squared_error,
    (SELECT count(*) FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id) AS basins,
    EXISTS (SELECT FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id
        AND NOT EXISTS (SELECT FROM basins k WHERE k.owner = m.owner AND k.id = b.basin)
    ) AS degraded, count(*) OVER () AS total
FROM models m
WHERE m.owner = :owner AND (CAST(:domain AS text) IS NULL OR m.domain = :domain)
    AND (CAST(:status AS text) IS NULL OR m.status = :status)
ORDER BY m.created_at DESC, m.id DESC LIMIT :most

-- name: changed
SELECT id, name, updated_at FROM models WHERE owner = :owner
ORDER BY updated_at DESC, id DESC LIMIT :most

-- name: called
SELECT id, name FROM models WHERE owner = :owner
    AND (name = :called OR starts_with(CAST(id AS text), lower(:called)))
ORDER BY created_at DESC, id DESC LIMIT :most

-- name: take_basins
-- types: id uuid, basins uuid[]
DELETE FROM model_basins WHERE owner = :owner AND model = :id AND basin = ANY(:basins)

-- name: revised
-- types: id uuid
UPDATE models SET version = version + 1, updated_at = :now WHERE owner = :owner AND id = :id

-- name: set_status
-- types: id uuid
UPDATE models SET status = :status, updated_at = :now WHERE owner = :owner AND id = :id
