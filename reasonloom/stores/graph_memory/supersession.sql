-- name: supersede
-- types: run_id uuid
INSERT INTO edges (owner, source_id, target_id, type, weight, origin, run_id, reason)
SELECT :owner, :newer, m.id, 'supersedes', 1, :origin, :run_id, :reason
FROM memories m WHERE {{ visible_nodes }} AND m.id = :older
ON CONFLICT DO NOTHING

-- name: older
SELECT m.tags, same_text(m.content) = same_text(:content) AS same
FROM memories m WHERE {{ visible_nodes }} AND m.id = :id

-- name: over
SELECT e.source_id FROM edges e JOIN memories m ON m.id = e.source_id AND {{ visible_nodes }}
WHERE e.owner = :owner AND e.target_id = :id AND e.type = 'supersedes' AND e.source_id <> :but
ORDER BY e.source_id DESC LIMIT :most

-- name: above
-- Each edge comes once, so that a circle ends; nothing beyond the limit is walked. What is
-- joined sideways is looked up by its number, whatever is known of how many there are.
WITH RECURSIVE above AS (
    SELECT CAST(:id AS bigint) AS newer, CAST(NULL AS bigint) AS older
  UNION
    SELECT over.source_id, a.newer FROM above a CROSS JOIN LATERAL (
        SELECT source_id FROM edges WHERE owner = :owner AND target_id = a.newer
            AND type = 'supersedes' OFFSET 0) over
    CROSS JOIN LATERAL (SELECT FROM memories m WHERE {{ visible_nodes }}
        AND m.id = over.source_id LIMIT 1) m
)
SELECT found.newer, found.older, e.origin = '{{ outdone }}' AS outdone
FROM (SELECT newer, older FROM above WHERE older IS NOT NULL LIMIT :most) found
JOIN edges e ON e.owner = :owner AND e.source_id = found.newer AND e.target_id = found.older
    AND e.type = 'supersedes'
