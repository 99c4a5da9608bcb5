-- name: add
-- types: id uuid, model uuid, added uuid[], removed uuid[]
INSERT INTO model_revisions (owner, id, model, version, trigger, added, removed,
    accuracy_before, accuracy_after, tested, client, made_at)
VALUES (:owner, :id, :model, :version, :trigger, :added, :removed,
    :accuracy_before, :accuracy_after, :tested, :client, :made_at)

-- name: of_model
-- types: model uuid
SELECT id, model, version, trigger, added, removed, accuracy_before, accuracy_after, tested,
    client, made_at
FROM model_revisions WHERE owner = :owner AND model = :model ORDER BY version DESC LIMIT :most

-- name: former
-- types: model uuid
SELECT DISTINCT gone.basin FROM model_revisions r CROSS JOIN LATERAL unnest(r.removed) gone (basin)
WHERE r.owner = :owner AND r.model = :model AND NOT EXISTS (SELECT FROM model_basins b
    WHERE b.owner = :owner AND b.model = :model AND b.basin = gone.basin)
