-- fragment: origin
consolidation

-- fragment: free
NOT EXISTS (SELECT FROM edges e JOIN memories s ON s.owner = e.owner
    AND s.id = e.source_id WHERE e.owner = :owner AND e.target_id = m.id
    AND e.type = 'derived_from' AND e.origin = '{{ origin }}' AND s.deleted_at IS NULL
    AND s.effect IS DISTINCT FROM :effect)

-- fragment: candidates
SELECT m.id, m.project, m.created_at FROM memories m
WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND m.sector = 'episodic' AND m.source_kind IN ('user', 'tool')
    AND m.created_at < :before AND m.id > :after AND {{ free }}
ORDER BY m.id LIMIT :most

-- name: window
-- types: effect uuid
SELECT coalesce(max(id), 0) AS last, count(*) AS memories FROM ({{ candidates }}) c

-- name: pairs
-- types: effect uuid
WITH old AS MATERIALIZED ({{ candidates }}), seen AS MATERIALIZED (
    SELECT old.id, old.project, v.embedding FROM old JOIN embeddings v
        ON v.owner = :owner AND v.memory_id = old.id AND v.model = :model
        AND v.sectors & {{ semantic }} <> 0
)
SELECT a.id AS one, b.id AS other, 1 - (a.embedding <=> b.embedding) AS cosine
FROM seen a JOIN seen b ON a.id < b.id AND a.project IS NOT DISTINCT FROM b.project
WHERE 1 - (a.embedding <=> b.embedding) >= :alike
ORDER BY cosine DESC, one, other LIMIT :pairs

-- fragment: episodes
SELECT m.id, m.content, m.created_at, m.project, m.session_id, m.importance, m.salience,
    m.confidence, m.tags
FROM memories m WHERE m.owner = :owner AND m.id = ANY(:ids) AND m.deleted_at IS NULL AND {{ free }}
ORDER BY m.id

-- name: read
-- types: effect uuid
{{ episodes }}

-- name: hold
-- types: effect uuid
{{ episodes }} FOR NO KEY UPDATE OF m

-- name: derive
-- types: run_id uuid
-- Marks originals and weakens those that were not marked: done again it changes nothing.
WITH made AS (
    INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
    SELECT :owner, :summary, id, 'derived_from', 1, '{{ origin }}', :run_id
    FROM unnest(CAST(:ids AS bigint[])) AS target (id)
    ON CONFLICT DO NOTHING RETURNING target_id
)
UPDATE memories SET decayed_at = :at, strength = CASE WHEN strength <= {{ floor }} THEN strength
    ELSE greatest({{ floor }}, {{ factor }} * ({{ weakened }})) END
FROM made WHERE owner = :owner AND id = target_id
