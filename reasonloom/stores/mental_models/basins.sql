-- fragment: columns
id, name, named_by, keywords, model, coherence, bound, formed_at, updated_at

-- fragment: whole
SELECT {{ columns }}, CAST(centroid AS text) AS centroid FROM basins WHERE owner = :owner

-- name: all
{{ whole }} ORDER BY id

-- name: some
-- types: ids uuid[]
{{ whole }} AND id = ANY(:ids) ORDER BY id

-- name: changed
SELECT max(updated_at) AS at FROM basins WHERE owner = :owner

-- name: members
SELECT k.basin, k.memory_id, k.strength FROM basin_members k
JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
WHERE k.owner = :owner AND {{ present }} ORDER BY k.basin, k.memory_id

-- name: empty
DELETE FROM basin_members WHERE owner = :owner

-- name: gone
-- types: ids uuid[]
DELETE FROM basins WHERE owner = :owner AND NOT id = ANY(:ids)

-- name: keep
-- types: id uuid
INSERT INTO basins (owner, id, name, named_by, keywords, centroid, model, coherence, bound,
    formed_at, updated_at)
VALUES (:owner, :id, :name, :named_by, :keywords, CAST(:centroid AS halfvec), :model, :coherence,
    :bound, :at, :at)
ON CONFLICT (owner, id) DO UPDATE SET name = excluded.name, named_by = excluded.named_by,
    keywords = excluded.keywords, centroid = excluded.centroid, model = excluded.model,
    coherence = excluded.coherence, bound = excluded.bound, updated_at = excluded.updated_at

-- name: join
INSERT INTO basin_members (owner, basin, memory_id, strength)
SELECT :owner, joined.basin, m.id, joined.strength
FROM unnest(CAST(:basins AS uuid[]), CAST(:ids AS bigint[]), CAST(:strengths AS float8[]))
    AS joined (basin, id, strength)
JOIN memories m ON m.owner = :owner AND m.id = joined.id
ON CONFLICT DO NOTHING

-- name: run
SELECT formed_at, model, memories, formed_through, joined_through FROM basin_runs
WHERE owner = :owner

-- name: note
INSERT INTO basin_runs (owner, formed_at, model, memories, formed_through, joined_through)
VALUES (:owner, :formed_at, :model, :memories, :formed_through, :joined_through)
ON CONFLICT (owner) DO UPDATE SET formed_at = excluded.formed_at, model = excluded.model,
    memories = excluded.memories, formed_through = excluded.formed_through,
    joined_through = excluded.joined_through

-- name: claim
UPDATE spaces SET clustered_at = :at WHERE (owner, space) IN (
    SELECT owner, space FROM spaces
    WHERE space = '' AND (clustered_at IS NULL OR clustered_at < :due)
    ORDER BY clustered_at NULLS FIRST, owner LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
RETURNING owner
