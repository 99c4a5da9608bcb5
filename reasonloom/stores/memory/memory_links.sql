-- name: link
-- types: run_id uuid
-- Links a memory to others that are there, within the bound; what somebody else is removing
-- is left to them.
WITH wanted AS MATERIALIZED (
    SELECT source.id AS source_id, m.id AS target_id, least(1, greatest(0, weight)) AS weight,
        origin
    FROM (SELECT {{ source }} AS id) source CROSS JOIN
        unnest(CAST(:targets AS bigint[]), CAST(:weights AS float8[]), CAST(:origins AS text[]))
        AS asked (id, weight, origin)
    JOIN memories m ON m.owner = :owner AND m.id = asked.id
    WHERE m.deleted_at IS NULL AND m.id <> source.id
), surplus AS MATERIALIZED (
    SELECT source_id, target_id, weight FROM (
        SELECT d.source_id, d.target_id, d.weight, row_number() OVER (
            PARTITION BY d.target_id ORDER BY d.weight DESC, d.source_id) AS place
        FROM edges d JOIN wanted USING (target_id)
        WHERE d.owner = :owner AND d.type = 'related_to' AND d.origin = wanted.origin) inward
    WHERE place >= {{ most_inward }}
), made AS (
    INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id)
    SELECT :owner, source_id, target_id, 'related_to', weight, origin, :run_id FROM wanted
    WHERE NOT EXISTS (SELECT FROM surplus s
        WHERE s.target_id = wanted.target_id AND s.weight >= wanted.weight)
    ON CONFLICT DO NOTHING RETURNING target_id
), replaced AS (
    DELETE FROM edges WHERE owner = :owner AND type = 'related_to'
        AND (source_id, target_id) IN (SELECT d.source_id, d.target_id
            FROM edges d JOIN surplus USING (source_id, target_id) JOIN made USING (target_id)
            WHERE d.owner = :owner AND d.type = 'related_to' FOR UPDATE OF d SKIP LOCKED)
)
SELECT count(*) AS made FROM made

-- name: outward
SELECT e.type, e.weight, e.origin, e.reason, e.run_id, m.id, left(m.content, 160),
    m.deleted_at IS NOT NULL, count(*) OVER ()
FROM edges e JOIN memories m ON m.owner = e.owner AND m.id = e.target_id AND m.space = :space
WHERE e.owner = :owner AND e.source_id = :id ORDER BY e.weight DESC, e.target_id, e.type LIMIT 60

-- name: inward
SELECT e.type, e.weight, e.origin, e.reason, e.run_id, m.id, left(m.content, 160),
    m.deleted_at IS NOT NULL, count(*) OVER ()
FROM edges e JOIN memories m ON m.owner = e.owner AND m.id = e.source_id AND m.space = :space
WHERE e.owner = :owner AND e.target_id = :id ORDER BY e.weight DESC, e.source_id, e.type LIMIT 60

-- name: chain
WITH RECURSIVE chain AS (
    SELECT CAST(:id AS bigint) AS id
  UNION
    SELECT beside.id FROM chain c CROSS JOIN LATERAL (
        SELECT source_id AS id FROM edges
            WHERE owner = :owner AND target_id = c.id AND type = 'supersedes'
        UNION ALL SELECT target_id FROM edges
            WHERE owner = :owner AND source_id = c.id AND type = 'supersedes') beside
), walked AS (SELECT id FROM chain LIMIT {{ most }})
SELECT m.id, left(m.content, {{ longest }}), m.created_at, m.superseded_by,
    m.deleted_at IS NOT NULL,
    (SELECT string_agg(e.reason, '; ' ORDER BY e.target_id) FROM edges e WHERE e.owner = m.owner
        AND e.source_id = m.id AND e.type = 'supersedes' AND e.reason IS NOT NULL)
FROM memories m WHERE m.owner = :owner AND m.space = :space AND m.id IN (SELECT id FROM walked)
ORDER BY m.created_at, m.id
